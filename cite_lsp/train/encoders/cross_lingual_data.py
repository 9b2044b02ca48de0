"""Training data of recipe `cross-lingual`: Chinese texts, and the vectors of their English.

`query-encoder-zh` learns from some of it before it sees contexts.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.parallel_texts import GlossaryTerm, ParallelText, sentences
from cite_lsp.encode.encoder import Encoder, Vectors, unit
from cite_lsp.encode.tokens.chinese import spaced
from cite_lsp.train.data.code_switching import CodeSwitcher, senses

SENSES = 3
"""Senses of a word whose mean stands for it."""
_WORDS_SWITCHED = 60
"""English words of a paper that are put into Chinese."""
_SHARE = (0.6, 1.0)
"""Share of the known words that are put into Chinese, from fewest to most."""

Taught = tuple[list[str], NDArray[np.floating]]
"""Texts as the student reads them, and the vectors where they belong, (n, dimensions)."""


@frozen
class Material:
    """What a run learns from, as read; `paper_vectors` are the teacher's, a row each of `papers`.

    A paper is its title, or its title and abstract.
    """

    parallel: Sequence[ParallelText]
    terms: Sequence[GlossaryTerm]
    papers: Sequence[str]
    paper_vectors: NDArray[np.floating]


@frozen
class ChineseWords:
    """Chinese words of a glossary: where their English lies, and what puts English into them."""

    vectors: Mapping[str, Vectors]
    switch: CodeSwitcher


def term_vectors(terms: Iterable[GlossaryTerm], teacher: Encoder) -> dict[str, Vectors]:
    """Return for each Chinese word the mean of the teacher's vectors of its first senses."""
    by_word: dict[str, list[str]] = {}
    for term in terms:
        word_senses = by_word.setdefault(term.zh, [])
        sense = senses(term)
        if sense and sense not in word_senses and len(word_senses) < SENSES:
            word_senses.append(sense)
    distinct = sorted({sense for word_senses in by_word.values() for sense in word_senses}, key=len)
    place = {sense: number for number, sense in enumerate(distinct)}
    vectors = teacher.encode(distinct)
    return {
        word: unit(vectors[[place[sense] for sense in word_senses]].mean(axis=0))
        for word, word_senses in by_word.items()
        if word_senses
    }


def aligned(texts: Iterable[ParallelText]) -> list[ParallelText]:
    """Return texts sentence by sentence where that can be done."""
    return [pair for text in texts for pair in sentences(text)]


def switched(
    texts: Sequence[str], switch: CodeSwitcher, rng: random.Random, vocabulary: Container[str]
) -> list[str]:
    """Put English texts into Chinese words, as the student reads them."""
    mixed = []
    for text in texts:
        shortened = " ".join(text.split()[:_WORDS_SWITCHED])
        mixed.append(spaced(switch(shortened, rng, share=rng.uniform(*_SHARE)), vocabulary))
    return mixed


def gather(
    material: Material,
    words: ChineseWords,
    teacher: Encoder,
    vocabulary: Container[str],
    seed: int,
    progress: Callable[[str], None] = lambda kind: None,
) -> Iterator[tuple[str, Taught]]:
    """Yield what is learned from, by kind; `vocabulary` is that of the student."""
    progress("parallel text")
    pairs = aligned(material.parallel)
    english = [pair.en for pair in pairs]
    yield (
        "sentences of parallel text",
        ([spaced(pair.zh, vocabulary) for pair in pairs], teacher.encode(english)),
    )
    terms = sorted(words.vectors)
    yield "words of the glossary", (terms, np.stack([words.vectors[word] for word in terms]))
    progress("papers in Chinese words")
    rng = random.Random(f"switched {seed}")
    yield (
        "papers in Chinese words",
        (
            switched(material.papers, words.switch, rng, vocabulary),
            material.paper_vectors,
        ),
    )
