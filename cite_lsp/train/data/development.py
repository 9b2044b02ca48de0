"""A small task to measure an encoder on while it is trained: held-out contexts, a sample of papers.

Quick, not comparable with `cite-lsp eval`: the pool is a sample, and years do not count.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.encoder import Vectors
from cite_lsp.evaluate.metrics import mean_figures, score_ranking
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.query.query import wide_window
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.train.run.encoding import Encode
from cite_lsp.train.run.report import TrainingError

CONTEXTS, PAPERS = 400, 2000
"""The most contexts of a task, and the papers among which theirs are."""
DEPTH = 10
"""Where the rankings are cut: MRR@10 and Recall@10."""
CANDIDATES = 80
"""What phase 2 is given to reorder (k of Tanaka et al.)."""


@frozen
class Question:
    """Rows of the queries, of the papers that are right, and of those to be ranked.

    A paper's score is its greatest cosine to the queries, itself left out. Without `candidates` all
    papers are ranked, except those that are queries.
    """

    queries: tuple[int, ...]
    relevant: frozenset[int]
    candidates: tuple[int, ...] = ()


@frozen
class DevelopmentTask:
    """Questions over texts, the first `papers` of which are papers."""

    texts: tuple[str, ...]
    papers: int
    questions: tuple[Question, ...]

    def figures(self, encode: Encode) -> dict[str, float]:
        """Return MRR@10 and Recall@10 of an encoder."""
        vectors = encode(self.texts)
        scored = []
        for question in self.questions:
            rows, scores = self._scores(vectors, question)
            best = rows[np.argsort(-scores, kind="stable")[:DEPTH]]
            scored.append(score_ranking(best.tolist(), question.relevant, (DEPTH,)))
        means = mean_figures(scored)
        return {"mrr@10": means["mrr@10"], "recall@10": means["recall@10"]}

    def _scores(
        self, vectors: Vectors, question: Question
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        rows = np.array(question.candidates or range(self.papers), dtype=np.int64)
        cosines = vectors[rows] @ vectors[list(question.queries)].T
        cosines[rows[:, None] == np.array(question.queries)] = -np.inf
        return rows, cosines.max(axis=1)


def context_task(
    rows: Sequence[LabelledContext],
    papers: Mapping[str, Paper],
    *,
    seed: int,
    text: Callable[[Context], str] = wide_window,
    contexts: int = CONTEXTS,
    size: int = PAPERS,
) -> DevelopmentTask:
    """Return a task of phase 1: up to `contexts` contexts, whose papers are among `size`.

    `text` gives the query of a context: by default the words around it.

    Raises:
        TrainingError: no context cites one of the papers.
    """
    rng = random.Random(f"development {seed}")
    sample = _choose(rows, papers, contexts, rng, lambda row: True)
    place, texts = _sample(sample, papers, size, rng)
    count, questions = len(texts), []
    for row in sample:
        relevant = frozenset(place[name] for name in row.cited if name in place)
        questions.append(Question((len(texts),), relevant))
        texts.append(text(row.context))
    return DevelopmentTask(tuple(texts), count, tuple(questions))


def section_task(
    rows: Sequence[LabelledContext],
    papers: Mapping[str, Paper],
    encode: Encode,
    *,
    seed: int,
    contexts: int = CONTEXTS,
    size: int = PAPERS,
) -> DevelopmentTask:
    """Return a task of phase 2: order 80 candidates by the papers that the section cites.

    The candidates are what `encode` retrieves for the context in phase 1, so all of them fit the
    words.

    Raises:
        TrainingError: no context cites one of the papers in a section that cites another.
    """
    rng = random.Random(f"development {seed}")
    sample = _choose(
        rows,
        papers,
        contexts,
        rng,
        lambda row: any(n in papers for n in row.context.section_cited),
    )
    place, texts = _sample(sample, papers, size, rng)
    count = len(texts)
    vectors = encode([*texts, *(wide_window(row.context) for row in sample)])
    questions = []
    for number, row in enumerate(sample):
        relevant = frozenset(place[name] for name in row.cited if name in place)
        queries = tuple(place[name] for name in row.context.section_cited if name in place)
        cosines = vectors[:count] @ vectors[count + number]
        candidates = tuple(int(best) for best in np.argsort(-cosines, kind="stable")[:CANDIDATES])
        questions.append(Question(queries, relevant, candidates))
    return DevelopmentTask(tuple(texts), count, tuple(questions))


def _choose(
    rows: Sequence[LabelledContext],
    papers: Mapping[str, Paper],
    count: int,
    rng: random.Random,
    fit: Callable[[LabelledContext], bool],
) -> list[LabelledContext]:
    usable = [row for row in rows if any(name in papers for name in row.cited) and fit(row)]
    if not usable:
        raise TrainingError(
            "the contexts of --dev cite none of the papers, or their sections do not, so that"
            " nothing says when to stop; check that both name papers by the same ids"
        )
    return rng.sample(usable, min(count, len(usable)))


def _sample(
    rows: Sequence[LabelledContext], papers: Mapping[str, Paper], size: int, rng: random.Random
) -> tuple[dict[str, int], list[str]]:
    """Return rows by id and the texts: the papers that the contexts need, filled up by chance."""
    needed = {name for row in rows for name in (*row.cited, *row.context.section_cited)}
    names = sorted(name for name in needed if name in papers)
    others = sorted(name for name in papers if name not in needed)
    names += rng.sample(others, min(max(0, size - len(names)), len(others)))
    place = {name: number for number, name in enumerate(names)}
    return place, [encoder_text(papers[name]) for name in names]
