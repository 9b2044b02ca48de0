"""`train query-encoder-zh`: Chinese contexts placed among the English papers that they cite."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cite_lsp.cli.output import Problems, Stages
from cite_lsp.cli.training.cross_lingual import openly_licensed
from cite_lsp.cli.training.options import chosen
from cite_lsp.cli.training.training import (
    contexts_in,
    one_line_errors,
    pool_file,
    print_figures,
    some_of,
)
from cite_lsp.language import has_han

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from cite_lsp.corpus.bilingual import Parallel
    from cite_lsp.corpus.contexts import LabelledContext
    from cite_lsp.search.corpus.index import CorpusIndex
    from cite_lsp.train.encoders.query_encoder import Settings
    from cite_lsp.train.encoders.query_encoder_zh import Taught
    from cite_lsp.train.encoders.query_publish import Made
    from cite_lsp.train.run.card import Origin
    from cite_lsp.train.run.encoding import Encode

RECIPE = "query-encoder-zh"
_SETTINGS = ("epochs", "batch", "learning_rate")
TAKES = {
    RECIPE: (
        *("papers", "parallel", "glossary", "without", "query_encoder"),
        *("base", *_SETTINGS),
    )
}
"""The options that it takes beside those of all recipes."""
_WHAT = """\
Where the papers lie that a Chinese context cites: `query-encoder`, with {words:,} rows for Chinese
words and characters and {pieces:,} of its own word pieces, trained further. Texts are cut into
words before it reads them (`cite_lsp/encode/chinese.py`)."""
_LICENCE = "CC-BY-SA-3.0"
_TERMS = """\
for the words of [CC-CEDICT](https://cc-cedict.org/)
  (© MDBG and contributors) in its vocabulary; the others are those of
  [jieba](https://github.com/fxsjy/jieba)'s dictionary (MIT) and of the base, all-MiniLM-L6-v2
  (Apache-2.0), whose weights these are. No text of the data is in it."""
ENGLISH = 17_000
"""English contexts that teach the student, about."""
_COMPARED = 200
"""Contexts on which the shipped form is compared with the original."""


def run(options: argparse.Namespace, data: str, command: str) -> int:
    """Train, write the encoder with its card, and print what it is worth beside its base."""
    from cite_lsp.train.run.card import Origin

    pool = pool_file(options)
    with one_line_errors(options.out) as (stages, problems):
        figures = _train(options, pool, stages, problems, Origin(data, command))
    print_figures(figures)
    return 0


def _train(
    options: argparse.Namespace, pool: Path, stages: Stages, problems: Problems, origin: Origin
) -> dict[str, dict[str, float]]:
    """Train the encoder and write it with its card; return what it is worth beside its base."""
    from attrs import evolve

    from cite_lsp.encode import load_encoder
    from cite_lsp.encode.checkpoints import read_config
    from cite_lsp.evaluate.pool import MAX_TOKENS, open_pool, pool_vectors
    from cite_lsp.evaluate.tasks.queries import QueryTask
    from cite_lsp.paths import shipped_model
    from cite_lsp.recommend.query.encoder_input import NAME
    from cite_lsp.train.encoders import query_encoder_zh as recipe
    from cite_lsp.train.encoders.query_publish import publish_query_encoder

    settings = evolve(recipe.CONTEXTS, seed=options.seed, **chosen(options, *_SETTINGS))
    student = evolve(recipe.STUDENT, seed=options.seed)
    corpus = open_pool(pool, stage=stages.show, report=problems.add)
    threads = os.cpu_count() or 1
    encoder = load_encoder(options.base, threads=threads, max_tokens=MAX_TOKENS)
    papers = pool_vectors(corpus, encoder, stages.show)
    learn, english = _by_language(contexts_in(options.contexts, problems, options.without))
    check = contexts_in(options.dev, problems)
    english_queries = options.query_encoder or shipped_model(NAME)
    lessons = _Lessons(options, learn, english, corpus, english_queries, stages, problems)
    model = recipe.train(
        learn,
        corpus.row_of,
        papers,
        lessons.base,
        lessons.begin,
        lessons.taught,
        options.out,
        settings,
        student,
        about={
            "query encoder": read_config(english_queries).vectors,
            "lessons": lessons.digest(),
        },
        progress=stages.show,
    )
    stages.show("measuring", 0, 0)
    seen = {name for row in learn for name in row.cited}
    task = QueryTask(corpus, papers, check, seen, recipe.asking_of, "cited")
    return publish_query_encoder(
        model,
        options.out,
        _made(model.tokenizer.get_vocab(), settings, len(learn)),
        task.figures,
        lessons.before(),
        origin,
        sample=task.texts[:_COMPARED],
    )


def _made(vocabulary: Collection[str], settings: Settings, contexts: int) -> Made:
    """Return what the card tells of the encoder."""
    from attrs import asdict

    from cite_lsp.encode.chinese import CHINESE
    from cite_lsp.recommend.query.encoder_input import NAME
    from cite_lsp.train.encoders.query_publish import Made

    chinese = sum(map(has_han, vocabulary))
    return Made(
        name=RECIPE,
        what=_WHAT.format(words=chinese, pieces=len(vocabulary) - chinese),
        base_name=NAME,
        licence=_LICENCE,
        terms=_TERMS,
        settings=asdict(settings),
        contexts=contexts,
        task="eval bilingual",
        words=CHINESE,
    )


def _by_language(
    rows: Sequence[LabelledContext],
) -> tuple[list[LabelledContext], list[LabelledContext]]:
    """Return the contexts in Chinese, and some of the others."""
    from cite_lsp.encode.bilingual import is_chinese
    from cite_lsp.train.encoders.query_encoder_zh import asking_of

    chinese = [row for row in rows if is_chinese(asking_of(row.context))]
    theirs = {row.context_id for row in chinese}
    others = [row for row in rows if row.context_id not in theirs]
    return chinese, some_of(others, ENGLISH)


class _Lessons:
    """What the student begins as and is taught, made when it is needed."""

    def __init__(
        self,
        options: argparse.Namespace,
        chinese: Sequence[LabelledContext],
        english: Sequence[LabelledContext],
        corpus: CorpusIndex,
        query_encoder: Path,
        stages: Stages,
        problems: Problems,
    ) -> None:
        from cite_lsp.corpus.bilingual import read_glossary, read_parallel
        from cite_lsp.train.encoders.chinese_vocabulary import count_words
        from cite_lsp.train.encoders.cross_lingual_data import aligned
        from cite_lsp.train.encoders.encoder_run import base_folder

        self._options, self._stages = options, stages
        self._english, self._corpus, self._folder = english, corpus, query_encoder
        self.terms = [term for path in options.glossary for term in read_glossary(path)]
        self.parallel: list[Parallel] = aligned(
            text
            for path in options.parallel
            for text in read_parallel(path, problems.add)
            if not any(name in text.source for name in options.without)
        )
        self._chinese = [f"{row.context.left} {row.context.right}" for row in chinese]
        self._counts = count_words([*(text.zh for text in self.parallel), *self._chinese])
        self.base, _ = base_folder(options.base)

    def digest(self) -> str:
        """Return a checksum of all that is taught."""
        from cite_lsp.train.run.checkpoints import columns_of_contexts, digest_of

        return digest_of(
            {
                "english contexts": columns_of_contexts(self._english),
                "parallel": {
                    "zh": [text.zh for text in self.parallel],
                    "en": [text.en for text in self.parallel],
                },
                "glossary": {
                    "zh": [term.zh for term in self.terms],
                    "en": [term.en for term in self.terms],
                },
            }
        )

    def begin(self) -> Any:  # noqa: ANN401 - of a package that this room does not import
        """Return the model that the student begins as."""
        from cite_lsp.train.encoders import chinese_vocabulary as vocabulary
        from cite_lsp.train.encoders import query_encoder_zh as recipe
        from cite_lsp.translate.translator import shipped_translator

        self._stages.show("words", 0, 0)
        words = vocabulary.choose_words(self._counts, openly_licensed(self.terms), recipe.WORDS)
        characters = vocabulary.choose_characters(self._counts)
        return recipe.begin(
            self.base, self._folder, [*words, *characters], self._texts(), shipped_translator()
        )

    def _texts(self) -> Iterator[str]:
        yield from self._chinese
        for row in self._english:
            yield f"{row.context.left} {row.context.right}"
        for text in self.parallel:
            yield text.en
        for place in range(len(self._corpus)):
            yield self._corpus.title(place)

    def taught(self) -> Taught:
        """Return the texts in both languages, placed by the English query encoder."""
        from cite_lsp.encode import load_encoder
        from cite_lsp.train.data.switched_text import Switch
        from cite_lsp.train.encoders.query_encoder_zh import taught

        encoder = load_encoder(str(self._folder), device="cpu", threads=os.cpu_count() or 1)
        total, done = len(self.parallel) + len(self._english), 0

        def told(count: int) -> None:
            nonlocal done
            done += count
            self._stages.show("English placed", done, total)

        switch = Switch.build(self.terms, self._counts)
        return taught(self.parallel, self._english, switch, encoder, self._options.seed, told)

    def before(self) -> dict[str, Encode]:
        """Return what the encoder is measured beside: its base, which reads word by word."""
        from cite_lsp.encode import load_encoder
        from cite_lsp.train.encoders.query_encoder_zh import in_english
        from cite_lsp.translate.translator import shipped_translator

        encoder = load_encoder(str(self._folder), device="cpu", threads=os.cpu_count() or 1)
        return {"query-encoder, word by word": in_english(encoder, shipped_translator())}
