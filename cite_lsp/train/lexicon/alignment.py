"""IBM model 1: which words translate which, learned from pairs of texts that say the same.

Source: Brown, Della Pietra, Della Pietra, Mercer, "The mathematics of statistical machine
translation: parameter estimation" (Computational Linguistics, 1993), model 1, with a Dirichlet
prior that a dictionary gives. All pairs of words are numbers in a few arrays, so that a pass over
millions of them takes a second.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.train.run.report import Steps

Numbers = NDArray[np.int64]
Shares = NDArray[np.float64]

NULL = ""
"""The empty source word, which accounts for words that translate none."""


@frozen
class TextPair:
    """The words of a text and of its translation."""

    source: tuple[str, ...]
    target: tuple[str, ...]


Table = Mapping[str, Mapping[str, float]]
"""For each source word the target words that it may mean, with t(target | source)."""


def align(
    pairs: Sequence[TextPair],
    *,
    prior: Table | None = None,
    iterations: int = 5,
    smallest: float = 1e-3,
    progress: Steps = lambda done, total: None,
) -> dict[str, dict[str, float]]:
    """Return t(target | source) of every source word, after so many passes of EM.

    `prior` are pseudo-counts: what a dictionary says, times how much it is believed. Shares below
    `smallest` are left out. A word's shares sum to one before that; those of `NULL` stand, too.
    """
    cells = _cells(pairs, prior or {})
    shares = cells.start()
    for number in range(iterations):
        shares = cells.step(shares)
        progress(number + 1, iterations)
    return cells.table(shares, smallest)


@frozen(eq=False)
class _Cells:
    """Every source and target word that stand in one pair, as arrays.

    An occurrence is a source word and a target word of one pair; a cell is the two words, wherever
    they occur together; a slot is a target word of one pair.
    """

    sources: list[str]
    targets: list[str]
    cell_source: Numbers
    cell_target: Numbers
    prior: Shares
    cell: Numbers
    slot: Numbers
    times: Shares
    slot_weight: Shares

    def start(self) -> Shares:
        """Return shares that are equal for all target words met, and higher for the dictionary."""
        return self._normalised(np.ones(len(self.cell_source)) + self.prior)

    def step(self, shares: Shares) -> Shares:
        """Return the shares after one pass: expected counts, made to sum to one."""
        likely = shares[self.cell] * self.times
        total = np.bincount(self.slot, likely, minlength=len(self.slot_weight))
        expected = likely * (self.slot_weight / np.maximum(total, 1e-300))[self.slot]
        counts = np.bincount(self.cell, expected, minlength=len(shares))
        return self._normalised(counts + self.prior)

    def table(self, shares: Shares, smallest: float) -> dict[str, dict[str, float]]:
        """Return the shares by words."""
        by_source: dict[str, dict[str, float]] = {}
        for place in np.flatnonzero(shares >= smallest).tolist():
            row = by_source.setdefault(self.sources[int(self.cell_source[place])], {})
            row[self.targets[int(self.cell_target[place])]] = float(shares[place])
        return by_source

    def _normalised(self, counts: Shares) -> Shares:
        totals = np.bincount(self.cell_source, counts, minlength=len(self.sources))
        return counts / np.maximum(totals, 1e-300)[self.cell_source]


def _cells(pairs: Sequence[TextPair], prior: Table) -> _Cells:
    source_of: dict[str, int] = {NULL: 0}
    target_of: dict[str, int] = {}
    keys: list[Numbers] = []
    slots: list[Numbers] = []
    times: list[Shares] = []
    slot_weight: list[float] = []
    for pair in pairs:
        if not pair.source or not pair.target:
            continue
        from_words, to_words = Counter(pair.source), Counter(pair.target)
        rows = [0, *(source_of.setdefault(word, len(source_of)) for word in from_words)]
        columns = [target_of.setdefault(word, len(target_of)) for word in to_words]
        first = len(slot_weight)
        slot_weight += to_words.values()
        keys.append((np.array(rows)[:, None] << 32 | np.array(columns)[None, :]).ravel())
        slots.append(np.tile(np.arange(first, first + len(columns)), len(rows)))
        times.append(np.repeat(np.array([1.0, *from_words.values()]), len(columns)))
    believed = {
        source_of.setdefault(word, len(source_of)) << 32
        | target_of.setdefault(meaning, len(target_of)): count
        for word, meanings in prior.items()
        for meaning, count in meanings.items()
    }
    occurring = np.concatenate(keys) if keys else np.zeros(0, dtype=np.int64)
    prior_keys = np.fromiter(believed, dtype=np.int64, count=len(believed))
    cells, cell = np.unique(np.concatenate([occurring, prior_keys]), return_inverse=True)
    counts = np.zeros(len(cells))
    counts[cell[len(occurring) :]] = list(believed.values())
    return _Cells(
        sources=list(source_of),
        targets=list(target_of),
        cell_source=cells >> 32,
        cell_target=cells & 0xFFFFFFFF,
        prior=counts,
        cell=cell[: len(occurring)],
        slot=np.concatenate(slots) if slots else np.zeros(0, dtype=np.int64),
        times=np.concatenate(times) if times else np.zeros(0),
        slot_weight=np.array(slot_weight, dtype=np.float64),
    )
