"""Task `bilingual`: a Chinese context, a pool of papers mostly in English, which did it cite.

As Tang, Wan, Zhang (SIGIR 2014) measure: every context, every paper of the pool a candidate; MAP,
MRR and Recall@k of the first hundred. What the section cites at its other markers is known, as it
is when a draft is revised.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

import numpy as np

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.evaluate.metrics import DEPTH
from cite_lsp.evaluate.tasks.local import RankedContext

Split = Literal["document", "context"]
SPLITS: tuple[Split, ...] = ("document", "context")
"""document: no document of the test is in the training. context: as published, contexts fall by
chance, so that a test context finds others of its own document in the training."""
CUTOFFS = (1, 5, 10, 20, 30, 50, 80, 100)
INTERVALS = ("map@100", "mrr@100", "recall@10")
"""Figures that are given with a 95 % bootstrap interval over contexts."""
_TENTHS = 10


def split_by_context(
    rows: Sequence[LabelledContext], seed: int = 13
) -> tuple[list[LabelledContext], list[LabelledContext], list[LabelledContext]]:
    """Deal contexts out by chance: eight tenths to learn from, one to stop by, one to measure."""
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    first, second = 8 * len(rows) // _TENTHS, 9 * len(rows) // _TENTHS
    learn, check, test = (
        [rows[place] for place in sorted(part)]
        for part in (order[:first], order[first:second], order[second:])
    )
    return learn, check, test


def recall_curve(results: Sequence[RankedContext]) -> list[float]:
    """Return Recall@1 to Recall@100, the mean over contexts (Tang et al., eq. 11)."""
    total = np.zeros(DEPTH)
    for result in results:
        for rank, name in enumerate(result.ranking[:DEPTH]):
            if name in result.relevant:
                total[rank:] += 1 / len(result.relevant)
    return [round(float(value), 4) for value in total / max(len(results), 1)]
