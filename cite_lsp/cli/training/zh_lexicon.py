"""`train zh-lexicon`: what Chinese words mean in English, learned from texts in both languages."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cite_lsp.cli.output import Stages
from cite_lsp.cli.training.training import contexts_in, one_line_errors, papers_in, print_figures

if TYPE_CHECKING:
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.paper import Paper
    from cite_lsp.search.words.index import Asked
    from cite_lsp.train.lexicon.zh_lexicon import Learned
    from cite_lsp.translate.lexicon import Sense
    from cite_lsp.translate.translator import DictionaryTranslator

RECIPE = "zh-lexicon"
TAKES = {RECIPE: ("papers", "parallel", "glossary")}
"""The options that it takes beside those of all recipes."""
DICTIONARY = "dictionary"
"""Folder within the lexicon's that keeps what it began with, for `eval bilingual --lexicon`."""
_SHOWN = ("map@100", "mrr@100", "recall@10")


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Learn the lexicon, write it with its card, and print what searching with it finds."""
    from cite_lsp.corpus.bilingual import read_glossary, read_parallel
    from cite_lsp.corpus.contexts import read_contexts
    from cite_lsp.train.lexicon import zh_lexicon
    from cite_lsp.train.lexicon.lexicon_card import write_lexicon_card
    from cite_lsp.translate.lexicon import write_lexicon

    with one_line_errors(options.out) as (stages, problems):
        papers = papers_in(options.papers, problems)
        check = contexts_in(options.dev, problems)
        settings = zh_lexicon.Settings()
        learned = zh_lexicon.learn(
            (term for path in options.glossary for term in read_glossary(path)),
            (text for path in options.parallel for text in read_parallel(path, problems.add)),
            (row for path in options.contexts for row in read_contexts(path, problems.add)),
            papers,
            settings,
            stages.show,
        )
        write_lexicon(options.out, learned.senses, learned.terms)
        write_lexicon(options.out / DICTIONARY, learned.dictionary, learned.terms)
        figures = measure(learned, check, [*papers.values()], stages)
        write_lexicon_card(
            options.out,
            learned,
            settings,
            figures,
            data=data,
            command=command,
            contexts=sum(bool(row.cited) for row in check),
            papers=len(papers),
        )
    print_figures(figures, "searched by", _SHOWN)
    return 0


def measure(
    learned: Learned, rows: Sequence[LabelledContext], papers: Sequence[Paper], stages: Stages
) -> dict[str, dict[str, float]]:
    """Return what BM25 over the papers finds for contexts with several ways to ask.

    Relevant are the papers cited, candidates all papers; 80 characters before the marker and 30
    after it are read, authors' surnames are in the index.
    """
    from functools import cache

    from cite_lsp.evaluate.metrics import DEPTH, mean_figures, score_ranking
    from cite_lsp.paper import surname
    from cite_lsp.search.words.index import WordIndex
    from cite_lsp.search.words.query_words import asked_words, faded_words
    from cite_lsp.train.lexicon.zh_lexicon import WINDOW
    from cite_lsp.translate.lexicon import Lexicon
    from cite_lsp.translate.segment import cut, make_tokenizer
    from cite_lsp.translate.translator import DictionaryTranslator

    index = WordIndex.build(
        f"{paper.title} {paper.abstract} {' '.join(surname(one) for one in paper.authors)}"
        for paper in papers
    )
    tokenizer = make_tokenizer(learned.terms)
    cutter = cache(lambda text: cut(text, tokenizer))

    def knowing(senses: Mapping[str, Sequence[Sense]]) -> DictionaryTranslator:
        return DictionaryTranslator(Lexicon.of(senses, learned.terms), cutter)

    before, after = WINDOW
    wanted = [row for row in rows if row.cited]
    sides = [(row.context.left[-before:], row.context.right[:after]) for row in wanted]
    dictionary, lexicon = knowing(learned.dictionary), knowing(learned.senses)
    ways: dict[str, list[Asked]] = {}
    for name, translator in (("dictionary", dictionary), ("lexicon", lexicon)):
        texts = [f"{left} {right}" for left, right in sides]
        ways[f"{name}, first sense"] = list(translator.translate(texts))
        ways[f"{name}, all senses"] = [asked_words(text, translator) for text in texts]
        ways[f"{name}, all senses, faded"] = [faded_words(*one, translator) for one in sides]
    figures = {}
    for number, (name, asked) in enumerate(ways.items()):
        stages.show("measuring", number, len(ways))
        rankings = ([papers[int(row)].id for row in index.search(one, DEPTH)[0]] for one in asked)
        figures[name] = mean_figures(
            [
                score_ranking(ranking, row.cited)
                for ranking, row in zip(rankings, wanted, strict=True)
            ]
        )
    return figures
