"""Recipe `co-citation-head`: phase 2 that learns from what phase 1 confuses (after Tanaka et al.).

As published, phase 2 learns to tell papers of one section from papers drawn by chance, which are of
other subjects. This head with hidden units (`train/encoders/head_network.py`) learns from the
questions of phase 2:

- of what the base finds for a training context, which paper belongs to what its section cites;
- of a paper's references, one is left out: of the papers most like it, which was it? There are a
  hundred thousand such questions in a citation graph, against ten thousand contexts.

Beside them two papers of one section, or of one list of references, find each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.corpus.edges import Edge, cited_by_citing
from cite_lsp.encode.encoder import Vectors, unit
from cite_lsp.encode.kinds.headed import Network
from cite_lsp.evaluate.task_pool import pool_vectors
from cite_lsp.evaluate.tasks.phases import DEPTH, PhaseTask
from cite_lsp.recommend.query.query import wide_window
from cite_lsp.train.data.sampling import sections_of
from cite_lsp.train.encoders.batch_learning import RunResult
from cite_lsp.train.encoders.head_network import (
    MOST_CITED,
    HeadQuestion,
    Lesson,
    Measure,
    NetworkSettings,
    fit_network,
)
from cite_lsp.train.encoders.publish import publish_head
from cite_lsp.train.published.head_run import open_still_base, require_answerable
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import DATA, LEARNING
from cite_lsp.train.run.report import Figures, Progress

NAME = "co-citation-head"
TAKES = (*DATA, "base", "edges", *LEARNING)

CANDIDATES = 80
"""Candidates of a question: the k of Tanaka et al."""
LEFT_OUT = 2
"""References of each list that are left out in an epoch, to be the answer of a question."""
_ALIKE = 200
"""Papers most like a reference, of which its question takes `CANDIDATES` by chance."""
_LEAST = 20
"""Fewer candidates make no question."""
_AT_ONCE = 1024

Rows = NDArray[np.int64]


def run(job: Job) -> list[Figures]:
    """Train, write the head with its card; returns what it is worth beside its base."""
    settings = job.settings(NetworkSettings())
    file = job.pool_file()
    learn, check = job.contexts_and_dev()
    pool = job.open_pool(file, job.options.base)
    base, encode = open_still_base(job)
    papers = unit(np.asarray(pool_vectors(pool, base, job.progress)))

    def task(rows: Sequence[LabelledContext]) -> PhaseTask:
        answerable = [row for row in rows if row.cited_abs]
        placed = encode([wide_window(row.context) for row in answerable])
        return PhaseTask(pool, papers, answerable, placed, masked=True)

    measured = task(check)
    require_answerable(measured, second=True)
    allowed = {name: row for name, row in pool.row_of.items() if pool.has_abstract[row]}
    head, result = train(
        papers,
        np.flatnonzero(pool.has_abstract),
        HeadData(
            context_questions(task(learn).retrieved, pool.row_of),
            *groups_of(learn, job.edges(), allowed),
        ),
        lambda head: measured.reorder_by(head.place(papers)),
        settings,
        job.progress,
    )
    return publish_head(
        job,
        head,
        base,
        settings,
        result,
        task=f"{len(pool):,} papers, the order of the {DEPTH} papers that the base finds, masked",
    )


@frozen
class ContextQuestion:
    """A training context: rows that are right, that the base retrieves, that its section cites."""

    right: Sequence[int]
    candidates: Sequence[int]
    cited: Sequence[int]


def context_questions(
    retrieved: Iterable[tuple[LabelledContext, Rows, Sequence[int]]], row_of: Mapping[str, int]
) -> list[ContextQuestion]:
    """Return the questions of training contexts (`PhaseTask.retrieved`), by rows alone."""
    questions = []
    for row, candidates, cited in retrieved:
        right = [row_of[name] for name in row.cited_abs if name in row_of]
        if right:
            others = [candidate for candidate in candidates.tolist() if candidate not in right]
            questions.append(ContextQuestion(right, others[: CANDIDATES - 1], cited))
    return questions


def groups_of(
    contexts: Sequence[LabelledContext], edges: Iterable[Edge], row_of: Mapping[str, int]
) -> tuple[list[list[int]], list[list[int]]]:
    """Return the rows that each section cites, and each list of references: those of two or more.

    `row_of` gives the rows of the papers that count.
    """

    def rows_of(groups: Iterable[Iterable[str]]) -> list[list[int]]:
        rows = ([row_of[name] for name in names if name in row_of] for names in groups)
        return [group for group in rows if len(group) > 1]

    return rows_of(sections_of(contexts)), rows_of(cited_by_citing(edges).values())


@frozen
class HeadData:
    """What a head learns from.

    Attributes:
        contexts: training contexts and what the base retrieves for them.
        sections: rows that each section cites.
        references: rows of each list of references.
    """

    contexts: Sequence[ContextQuestion]
    sections: Sequence[Sequence[int]]
    references: Sequence[Sequence[int]]


def train(
    papers: Vectors,
    drawn_from: Rows,
    data: HeadData,
    measure: Measure,
    settings: NetworkSettings,
    progress: Progress = lambda stage, done, total: None,
) -> tuple[Network, RunResult]:
    """Train the head; see `network.fit_network`.

    `papers` are the unit vectors of the pool by the base, (n, d), `drawn_from` the rows of those
    that may be candidates.

    Raises:
        TrainingError: there is nothing to learn from.
    """
    references = data.references
    alike = _most_alike(papers, drawn_from, sorted({row for group in references for row in group}))
    together = [*data.sections, *references]

    def lesson(rng: np.random.Generator) -> Lesson:
        questions = [
            *_of_contexts(data.contexts, rng),
            *_of_references(references, alike, rng),
        ]
        pairs = [rng.choice(group, 2, replace=False) for group in together]
        order = rng.permutation(len(questions))
        return Lesson(
            [questions[number] for number in order],
            rng.permutation(np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)),
        )

    return fit_network(papers, lesson, measure, settings, progress)


def _of_contexts(
    contexts: Sequence[ContextQuestion], rng: np.random.Generator
) -> list[HeadQuestion]:
    rights = [context.right[int(rng.integers(len(context.right)))] for context in contexts]
    return [
        HeadQuestion((right, *context.candidates), _some(context.cited, rng))
        for right, context in zip(rights, contexts, strict=True)
    ]


def _of_references(
    references: Sequence[Sequence[int]], alike: Mapping[int, Rows], rng: np.random.Generator
) -> list[HeadQuestion]:
    """Ask each list for some of its papers, by the others, among papers like it."""
    questions = []
    for rows in references:
        for right in rng.choice(rows, min(LEFT_OUT, len(rows)), replace=False).tolist():
            others = alike[right][~np.isin(alike[right], rows)]
            if len(others) >= _LEAST:
                count = min(CANDIDATES - 1, len(others))
                negatives = rng.choice(others, count, replace=False).tolist()
                cited = [row for row in rows if row != right]
                questions.append(HeadQuestion((right, *negatives), _some(cited, rng)))
    return questions


def _some(cited: Sequence[int], rng: np.random.Generator) -> Sequence[int]:
    if len(cited) <= MOST_CITED:
        return cited
    sample: list[int] = rng.choice(cited, MOST_CITED, replace=False).tolist()
    return sample


def _most_alike(papers: Vectors, drawn_from: Rows, rows: Sequence[int]) -> dict[int, Rows]:
    """Return the rows of the papers most like each of some, itself left out."""
    others = papers[drawn_from]
    depth = min(_ALIKE + 1, len(drawn_from))
    alike = {}
    for start in range(0, len(rows), _AT_ONCE):
        part = list(rows[start : start + _AT_ONCE])
        cosines = papers[part] @ others.T
        best = np.argpartition(-cosines, depth - 1, axis=1)[:, :depth]
        for row, places in zip(part, drawn_from[best], strict=True):
            alike[row] = places[places != row]
    return alike
