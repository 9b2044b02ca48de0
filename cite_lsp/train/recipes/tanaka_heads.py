"""Recipes `tanaka-phase1 --head` and `tanaka-phase2 --head`: both phases as heads on one encoder.

What is learned from, the loss and the number of negatives are those of the recipes that train whole
encoders (Tanaka et al., sections 3.1 and 3.2). Here the encoder is held still and a linear map of
its vectors learns, one for each phase: the pool is embedded once for both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.model import Vectors, unit
from cite_lsp.evaluate.local import Pool, candidates
from cite_lsp.evaluate.metrics import score_ranking
from cite_lsp.recommend.features import nearness
from cite_lsp.recommend.query import read_query
from cite_lsp.train.encoder_run import RunResult
from cite_lsp.train.heads import HeadSettings, Matrix, Triplets, fit
from cite_lsp.train.sampling import Example, context_examples, section_examples

NEGATIVES = 7
DEPTH = 80
"""Candidates that phase 2 reorders (k of Tanaka et al.)."""
_AT_ONCE = 128
_FIGURES = ("mrr@10", "recall@10", "recall@80")

Encode = Callable[[Sequence[str]], Vectors]
Report = Callable[[str, int, int], None]


@frozen
class HeadData:
    """Contexts to learn from and to measure on, and a pool with the base's unit vectors, (n, d).

    `encode` is the base, for the contexts. Negatives are drawn from the papers with an abstract.
    """

    learn: Sequence[LabelledContext]
    check: Sequence[LabelledContext]
    pool: Pool
    papers: Vectors
    encode: Encode

    @property
    def drawn_from(self) -> list[str]:
        """The ids of the papers that may be learned from, in order."""
        there = self.pool.has_abstract
        return sorted(name for name, row in self.pool.row_of.items() if there[row])

    @property
    def asked(self) -> list[LabelledContext]:
        """The development contexts that ask for a paper with an abstract."""
        return [row for row in self.check if row.cited_abs]


def train_phase1(
    data: HeadData, settings: HeadSettings, *, negatives: int = NEGATIVES, report: Report
) -> tuple[Matrix, RunResult]:
    """Train the head that brings contexts near the papers that they cite; see `heads.fit`.

    Raises:
        TrainingError: there is nothing to learn from.
    """
    examples = context_examples(data.learn, data.drawn_from, negatives, settings.seed)
    texts = list(dict.fromkeys(example.anchor for example in examples))
    rows = {text: len(data.papers) + number for number, text in enumerate(texts)}
    vectors = np.concatenate([data.papers, data.encode(texts)])
    asked = data.asked
    contexts = data.encode([read_query(row.context).wide for row in asked])

    def measure(head: Matrix) -> dict[str, float]:
        papers, placed = unit(data.papers @ head), unit(contexts @ head)
        return _mean(
            [
                _scored(data.pool, _best(data.pool, row, cosines), row)
                for row, cosines in _cosines(asked, placed, papers)
            ]
        )

    triplets = _triplets(examples, {**data.pool.row_of, **rows}, negatives)
    return fit(vectors, triplets, measure, settings, lambda a, b: report("training", a, b))


def train_phase2(
    data: HeadData, settings: HeadSettings, *, negatives: int = NEGATIVES, report: Report
) -> tuple[Matrix, RunResult]:
    """Train the head that brings papers cited in one section near each other; see `heads.fit`.

    It is measured by the order that it gives to the 80 papers that the base finds for a context,
    all other papers of the section known.

    Raises:
        TrainingError: there is nothing to learn from.
    """
    examples = section_examples(data.learn, data.drawn_from, negatives, settings.seed)
    asked = [row for row in data.asked if _section(data.pool, row)]
    contexts = data.encode([read_query(row.context).wide for row in asked])
    found = [
        _best(data.pool, row, cosines) for row, cosines in _cosines(asked, contexts, data.papers)
    ]

    def measure(head: Matrix) -> dict[str, float]:
        papers = unit(data.papers @ head)
        return _mean(
            [
                _reordered(data.pool, row, rows, papers)
                for row, rows in zip(asked, found, strict=True)
            ]
        )

    triplets = _triplets(examples, data.pool.row_of, negatives)
    return fit(data.papers, triplets, measure, settings, lambda a, b: report("training", a, b))


def _triplets(examples: Sequence[Example], row_of: Mapping[str, int], negatives: int) -> Triplets:
    rows = [
        [row_of[name] for name in (one.anchor, *one.positives, *one.negatives)]
        for example in examples
        for one in example.single()
        if len(one.negatives) == negatives
    ]
    return np.array(rows, dtype=np.int64).reshape(len(rows), 2 + negatives)


def _section(pool: Pool, row: LabelledContext) -> list[int]:
    names = dict.fromkeys(row.context.section_cited)
    return [pool.row_of[name] for name in names if name in pool.row_of]


def _best(pool: Pool, row: LabelledContext, cosines: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the rows of the greatest cosines among the candidates of a context, best first."""
    rows = np.flatnonzero(candidates(pool, row, "cited_abs"))
    keep = min(DEPTH, len(rows))
    rows = rows[np.argpartition(-cosines[rows], keep - 1)[:keep]] if keep else rows
    return rows[np.argsort(-cosines[rows], kind="stable")]


def _cosines(
    asked: Sequence[LabelledContext], placed: Vectors, papers: Vectors
) -> Iterator[tuple[LabelledContext, NDArray[np.float32]]]:
    """Yield each context with its cosines to all papers, (n,); not all of them fit into memory."""
    for start in range(0, len(asked), _AT_ONCE):
        part = placed[start : start + _AT_ONCE] @ papers.T
        yield from zip(asked[start : start + _AT_ONCE], part, strict=True)


def _scored(pool: Pool, rows: NDArray[np.int64], row: LabelledContext) -> dict[str, float]:
    return score_ranking([pool.paper(int(place)).id for place in rows], row.cited_abs)


def _reordered(
    pool: Pool, row: LabelledContext, rows: NDArray[np.int64], papers: Vectors
) -> dict[str, float]:
    place = {int(one): number for number, one in enumerate(rows)}
    for one in _section(pool, row):
        place.setdefault(one, len(place))
    cited = [place[one] for one in _section(pool, row)]
    nearest = nearness(papers[list(place)], cited)[0][: len(rows)]
    order = np.argsort(-nearest, kind="stable")
    return _scored(pool, rows[order], row)


def _mean(scored: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {
        name: round(float(np.mean([figures[name] for figures in scored] or [0.0])), 4)
        for name in _FIGURES
    }
