"""What a student of Chinese learns from: texts cut into words, and the vectors of their meaning."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.bilingual import Parallel, Term, sentences
from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.chinese import spaced
from cite_lsp.encode.model import Encoder, Vectors
from cite_lsp.recommend.query_map import unit
from cite_lsp.train.switched_text import Switch, senses

SENSES = 4
"""Senses of a word whose mean it starts from."""
_LEFT, _RIGHT = (30, 120), (0, 50)
"""Characters around a marker that are shown, from fewest to most."""
_WORDS_SWITCHED = 100
"""English words of an abstract that are put into Chinese."""
_SHARE = (0.6, 1.0)
"""Share of the known words that are put into Chinese, from fewest to most."""

Taught = tuple[list[str], NDArray[np.floating]]
"""Texts as the student reads them, and the vectors where they belong."""


@frozen
class Sources:
    """The material of a run.

    papers: titles with abstract, a row each of `paper_vectors`, by which the teacher has put them.
    titles: titles alone, for the teacher to encode.
    contexts: Chinese contexts; `cited` maps a paper's id to its title.
    """

    parallel: Sequence[Parallel]
    terms: Sequence[Term]
    papers: Sequence[str]
    paper_vectors: NDArray[np.floating]
    titles: Sequence[str]
    contexts: Sequence[LabelledContext]
    cited: Mapping[str, str]


def term_vectors(terms: Iterable[Term], teacher: Encoder) -> dict[str, Vectors]:
    """Return for each Chinese word the mean of the teacher's vectors of its first senses."""
    by_word: dict[str, list[str]] = {}
    for term in terms:
        known = by_word.setdefault(term.zh, [])
        sense = senses(term)
        if sense and sense not in known and len(known) < SENSES:
            known.append(sense)
    distinct = sorted({sense for known in by_word.values() for sense in known})
    place = {sense: number for number, sense in enumerate(distinct)}
    vectors = teacher.encode(distinct)
    return {
        word: unit(vectors[[place[sense] for sense in known]].mean(axis=0))
        for word, known in by_word.items()
        if known
    }


def switched(texts: Sequence[str], switch: Switch, dice: random.Random) -> list[str]:
    """Put English texts into Chinese words, as the student reads them."""
    found = []
    for text in texts:
        shortened = " ".join(text.split()[:_WORDS_SWITCHED])
        found.append(spaced(switch(shortened, dice, share=dice.uniform(*_SHARE))))
    return found


def windows(rows: Sequence[LabelledContext], dice: random.Random) -> list[str]:
    """Return the text around each marker, as much of it as chance decides."""
    found = []
    for row in rows:
        left, right = dice.randint(*_LEFT), dice.randint(*_RIGHT)
        found.append(f"{row.context.left[-left:]} {row.context.right[:right]}".strip())
    return found


def gather(
    sources: Sources,
    switch: Switch,
    teacher: Encoder,
    translate: Callable[[Sequence[str]], list[str]],
    seed: int,
) -> Iterator[tuple[str, Taught]]:
    """Yield the kinds of material with their names."""
    dice = random.Random(f"cross-lingual {seed}")
    pairs = [pair for text in sources.parallel for pair in sentences(text)]
    pairs += [text for text in sources.parallel if len(sentences(text)) > 1]
    yield (
        "parallel text",
        ([spaced(pair.zh) for pair in pairs], teacher.encode([pair.en for pair in pairs])),
    )
    shown = windows(sources.contexts, dice)
    yield (
        "contexts and their word by word translation",
        ([spaced(text) for text in shown], teacher.encode(translate(shown))),
    )
    asked = [
        (number, sources.cited[name])
        for number, row in enumerate(sources.contexts)
        for name in row.cited
        if name in sources.cited
    ]
    titles = sorted({title for _, title in asked})
    place = {title: number for number, title in enumerate(titles)}
    vectors = teacher.encode(titles)
    yield (
        "contexts and the titles cited there",
        (
            [spaced(shown[number]) for number, _ in asked],
            vectors[[place[title] for _, title in asked]],
        ),
    )
    yield (
        "titles in Chinese words",
        (switched(sources.titles, switch, dice), teacher.encode(sources.titles)),
    )
    yield (
        "titles and abstracts in Chinese words",
        (switched(sources.papers, switch, dice), sources.paper_vectors),
    )
