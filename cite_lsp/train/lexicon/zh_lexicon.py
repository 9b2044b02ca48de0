"""Recipe `zh-lexicon`: what Chinese words mean in English, learned from texts in both languages.

IBM model 1 (`cite_lsp.train.lexicon.alignment`) learns t(english | chinese) from sentences of
parallel texts, and from citation contexts beside the titles of the papers cited there; openly
licensed dictionaries are its prior, and give the expressions of several words. What the texts never
have keeps the dictionary's senses, the first ones above the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

from attrs import asdict, frozen

from cite_lsp.corpus.contexts import LabelledContext, read_contexts
from cite_lsp.corpus.parallel_texts import (
    GlossaryTerm,
    ParallelText,
    read_glossary,
    read_parallel,
    sentences,
)
from cite_lsp.evaluate.metrics import DEPTH, mean_figures, score_ranking
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import Paper, surname
from cite_lsp.search.words.query_words import faded_words, query_words
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.search.words.word_index import WordIndex, WordQuery
from cite_lsp.train.lexicon.alignment import NULL, Table, TextPair, align
from cite_lsp.train.run.card import Card, settings_line, write_config
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import DATA
from cite_lsp.train.run.report import Figures, Progress, TrainingError
from cite_lsp.translate.lexicon import TABLE, TERMS, Lexicon, Sense, write_lexicon
from cite_lsp.translate.segment import Cut, cut
from cite_lsp.translate.stop_words import STOP_WORDS
from cite_lsp.translate.translator import DictionaryTranslator
from cite_lsp.translate.unigrams import shipped_unigrams

NAME = "zh-lexicon"
TAKES = (*DATA, "parallel", "glossary")

DICTIONARY = "dictionary"
"""Folder within the lexicon's that keeps what it began with, for `eval bilingual --lexicon`."""
_SHOWN = ("map@100", "mrr@100", "recall@10")
OPEN = ("cc-cedict", "d2l-terminology")
"""Glossaries whose licence lets their text ship; others are left out."""
TERMINOLOGY = "d2l-terminology"
WINDOW = (80, 30)
"""Characters left and right of a marker that stand beside the titles cited there."""
_LONGEST_WORD, _LONGEST_SENSE = 8, 4
_SENSES, _DICTIONARY_SENSES = 8, 4
_SMALLEST = 0.02
_ENOUGH = 0.3
"""Probability that the senses of a word must have together; otherwise the dictionary's stand."""
_SEEN = 2
"""Times that a word must stand in the texts for what they say of it to count, and times that it
must have stood for an English word which the dictionary does not give for it."""
_ENGLISH = lazy_re(r"[a-z][a-z-]+")
_NOTE = lazy_re(r"\([^)]*\)|\[[^\]]*\]")


@frozen
class Settings:
    """How the lexicon is learned: pseudo-counts of a dictionary entry, and passes of EM."""

    prior: float = 5.0
    iterations: int = 6


@frozen
class LearnedLexicon:
    """What came out: the lexicon, the dictionary that it began with, and how much was read.

    `pairs` are the texts that stand side by side, `taught` the words they have more than once.
    """

    senses: Mapping[str, Sequence[Sense]]
    dictionary: Mapping[str, Sequence[Sense]]
    terms: frozenset[str]
    pairs: int
    taught: int


def run(job: Job) -> list[Figures]:
    """Learn the lexicon, write it with its card; returns what searching with it finds."""
    papers = job.papers()
    check = job.contexts(job.options.dev)
    settings = Settings()
    learned = learn(
        (term for path in job.options.glossary for term in read_glossary(path)),
        (text for path in job.options.parallel for text in read_parallel(path, job.report)),
        (row for path in job.options.contexts for row in read_contexts(path, job.report)),
        papers,
        settings,
        job.progress,
    )
    write_lexicon(job.out, learned.senses, learned.terms)
    write_lexicon(job.out / DICTIONARY, learned.dictionary, learned.terms)
    rows = measure(learned, check, [*papers.values()], job.progress)
    facts = {"words": len(learned.senses), "taught": learned.taught, "pairs": learned.pairs}
    about = {
        **facts,
        "settings": asdict(settings),
        "dev": rows,
        "data": job.origin.data,
        "command": job.origin.command,
    }
    write_config(job.out, {"recipe": NAME, **about})
    return CARD.write(
        job.out,
        job.origin,
        [Figures(rows, heading="searched by")],
        **facts,
        name=NAME,
        terms=len(learned.terms),
        settings=settings_line(asdict(settings)),
        contexts=sum(bool(row.cited) for row in check),
        papers=len(papers),
    )


def learn(
    terms: Iterable[GlossaryTerm],
    parallel: Iterable[ParallelText],
    contexts: Iterable[LabelledContext],
    papers: Mapping[str, Paper],
    settings: Settings,
    progress: Progress = lambda stage, done, total: None,
) -> LearnedLexicon:
    """Learn a lexicon; `papers` are those that the contexts cite, by id.

    Raises:
        TrainingError: there is nothing to learn from.
    """
    dictionary = read_dictionary(terms)
    if not dictionary:
        raise TrainingError(
            f"no terms of an open dictionary ({', '.join(OPEN)}); name one with --glossary"
        )
    texts = [(pair.zh, pair.en) for text in parallel for pair in sentences(text)]
    texts += _cited_titles(contexts, papers)
    if not texts:
        raise TrainingError("no texts in both languages; name some with --parallel or --contexts")
    whole = _terms(dictionary, (chinese for chinese, _ in texts))
    unigrams = shipped_unigrams(whole)
    pairs = []
    for number, (chinese, english) in enumerate(texts):
        pairs.append(TextPair(_content(cut(chinese, unigrams)), tuple(tokenise(english))))
        if number % 500 == 0:
            progress("texts", number, len(texts))
    table = align(
        pairs,
        prior=_prior(dictionary, settings.prior),
        iterations=settings.iterations,
        progress=partial(progress, "passes"),
    )
    seen = Counter(word for pair in pairs for word in pair.source)
    listed = {word: _listed(expressions) for word, expressions in dictionary.items()}
    senses = dict(listed)
    taught = [word for word, times in seen.items() if times >= _SEEN and word in table]
    for word in taught:
        weighed = _weighed(table[word], dictionary.get(word, ()), seen[word])
        if sum(sense.probability for sense in weighed) >= _ENOUGH:
            senses[word] = weighed
    return LearnedLexicon(senses, listed, whole, len(pairs), len(taught))


def read_dictionary(terms: Iterable[GlossaryTerm]) -> dict[str, tuple[str, ...]]:
    """Return the English expressions for each Chinese word, those of terminologies first.

    Of glossaries that may ship alone; notes in brackets are taken out.
    """
    dictionary: dict[str, dict[str, bool]] = {}
    for term in terms:
        english = " ".join(_NOTE.sub(" ", term.en).split())
        if term.source not in OPEN or not tokenise(english) or "\t" in english:
            continue
        if len(term.zh) <= _LONGEST_WORD and len(english.split()) <= _LONGEST_SENSE:
            translations = dictionary.setdefault(term.zh, {})
            translations[english] = translations.get(english, False) or term.source == TERMINOLOGY
    return {
        word: tuple(sorted(translations, key=lambda english: not translations[english]))
        for word, translations in dictionary.items()
    }


def _cited_titles(
    contexts: Iterable[LabelledContext], papers: Mapping[str, Paper]
) -> list[tuple[str, str]]:
    left, right = WINDOW
    pairs = []
    for row in contexts:
        titles = ". ".join(papers[cited].title for cited in row.cited if cited in papers)
        if titles:
            context = row.context
            pairs.append((f"{context.left[-left:]} {context.right[:right]}", titles))
    return pairs


def _terms(dictionary: Mapping[str, Sequence[str]], texts: Iterable[str]) -> frozenset[str]:
    """Return the words of the dictionary that the texts have and cutting does not know."""
    seen: Counter[str] = Counter()
    counts = shipped_unigrams().counts
    unknown = {word for word in dictionary if len(word) > 1 and not counts.get(word)}
    for text in texts:
        for size in range(2, _LONGEST_WORD + 1):
            seen.update(
                piece
                for start in range(len(text) - size + 1)
                if (piece := text[start : start + size]) in unknown
            )
    return frozenset(word for word, times in seen.items() if times >= _SEEN)


def _content(pieces: Cut) -> tuple[str, ...]:
    return tuple(
        piece.text for piece in pieces if piece.kind == "han" and piece.text not in STOP_WORDS
    )


def _prior(dictionary: Mapping[str, Sequence[str]], weight: float) -> Table:
    """Return pseudo-counts for the words of each expression: those of the first count most."""
    prior: dict[str, dict[str, float]] = {}
    for word, expressions in dictionary.items():
        shares: dict[str, float] = {}
        for place, english in enumerate(expressions, 1):
            for meaning in tokenise(english):
                shares[meaning] = shares.get(meaning, 0.0) + 1 / place
        total = sum(shares.values())
        prior[word] = {meaning: weight * share / total for meaning, share in shares.items()}
    return prior


def _listed(expressions: Sequence[str]) -> list[Sense]:
    """Return the senses of a word that the texts do not have: the second counts half the first."""
    shares = [1 / place for place in range(1, min(len(expressions), _DICTIONARY_SENSES) + 1)]
    return [
        Sense(english, share / sum(shares))
        for english, share in zip(expressions, shares, strict=False)
    ]


def _weighed(shares: Mapping[str, float], expressions: Sequence[str], times: int) -> list[Sense]:
    """Return senses whose words have the shares that the texts gave them.

    An expression of several words takes as much as its least likely word has, and what is left
    of each word stands alone, written as in the dictionary where it is there. `times` is how often
    the texts have the Chinese word.
    """
    listed = {word for english in expressions for word in tokenise(english)}
    left = {
        word: share
        for word, share in shares.items()
        if _ENGLISH.fullmatch(word) and (word in listed or share * times >= _SEEN)
    }
    spelling_of: dict[str, str] = {}
    several = []
    for english in expressions:
        words = tuple(dict.fromkeys(tokenise(english)))
        if len(words) == 1:
            spelling_of.setdefault(words[0], english)
        elif all(word in left for word in words):
            several.append((min(left[word] for word in words), english, words))
    senses = []
    for _, english, words in sorted(several, key=lambda item: (-item[0], item[1])):
        share = min(left[word] for word in words)
        if share >= _SMALLEST:
            senses.append(Sense(english, share))
            for word in words:
                left[word] -= share
    senses += [
        Sense(spelling_of.get(word, word), share)
        for word, share in left.items()
        if word != NULL and share >= _SMALLEST
    ]
    return sorted(senses, key=lambda sense: (-sense.probability, sense.english))[:_SENSES]


def measure(
    learned: LearnedLexicon,
    rows: Sequence[LabelledContext],
    papers: Sequence[Paper],
    progress: Progress,
) -> dict[str, dict[str, float]]:
    """Return what BM25 over the papers finds for contexts with several ways to ask.

    Relevant are the papers cited, candidates all papers; 80 characters before the marker and 30
    after it are read, authors' surnames are in the index.
    """
    index = WordIndex.build(
        f"{paper.title} {paper.abstract} {' '.join(surname(author) for author in paper.authors)}"
        for paper in papers
    )
    unigrams = shipped_unigrams(learned.terms)
    cutter = cache(lambda text: cut(text, unigrams))

    def knowing(senses: Mapping[str, Sequence[Sense]]) -> DictionaryTranslator:
        return DictionaryTranslator(Lexicon.of(senses, learned.terms), cutter)

    before, after = WINDOW
    citing = [row for row in rows if row.cited]
    sides = [(row.context.left[-before:], row.context.right[:after]) for row in citing]
    dictionary, lexicon = knowing(learned.dictionary), knowing(learned.senses)
    ways: dict[str, list[WordQuery]] = {}
    for name, translator in (("dictionary", dictionary), ("lexicon", lexicon)):
        texts = [f"{left} {right}" for left, right in sides]
        ways[f"{name}, first sense"] = list(translator.translate(texts))
        ways[f"{name}, all senses"] = [query_words(text, translator) for text in texts]
        ways[f"{name}, all senses, faded"] = [
            faded_words(left, right, translator) for left, right in sides
        ]
    figures = {}
    for number, (name, queries) in enumerate(ways.items()):
        progress("measuring", number, len(ways))
        rankings = (
            [papers[int(row)].id for row in index.search(query, DEPTH)[0]] for query in queries
        )
        scored = [
            score_ranking(ranking, row.cited) for ranking, row in zip(rankings, citing, strict=True)
        ]
        means = mean_figures(scored)
        figures[name] = {figure: means[figure] for figure in _SHOWN}
    return figures


CARD = Card(
    what="""\
What the words of a Chinese text may mean in English, and how likely: {words:,} words, of which
texts in both languages show {taught:,} more than once; {terms:,} terms stay whole when text is
cut.""",
    data="""\
for the probabilities, and for single words that no dictionary has, {pairs:,} pairs of texts:
{data}.
Those that may not be copied taught numbers; no text of theirs is in the files.""",
    recipe="""\
`{file}`: IBM model 1 with the dictionary as prior, {settings}. Nothing is drawn by chance.""",
    points={
        "Senses": """\
of [CC-CEDICT](https://cc-cedict.org/) (© MDBG and contributors, CC BY-SA 3.0), changed: notes taken
out, at most eight a word, probabilities added; and of the terminology of
[Dive into Deep Learning](https://zh.d2l.ai) (Apache-2.0 / CC BY-SA 4.0)."""
    },
    form=f"""\
`{TABLE}`, a line a word: the word, then expressions and their probabilities in thousandths;
`{TERMS}`, a line a term.""",
    licence="CC BY-SA 3.0, that of CC-CEDICT.",
    measured="""\
{contexts:,} development contexts, by which choices were made: BM25 over {papers:,} papers with the
surnames of their authors, asked with 80 characters before the marker and 30 after it. *First sense*
writes one English expression a word, *all senses* asks for every meaning by its probability, and
*faded* lets words count less the further they are from the marker: that is how Chinese contexts are
searched.""",
    files=(TABLE, TERMS),
)
