"""Where the contexts that cite a paper stand in the file of all contexts of a corpus.

Reading the numbers of every context takes seconds where there are a million; that is done once for
an opened corpus, when the contexts of a paper are first asked for, and kept in memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.citations import StoredContext, read_stored_context
from cite_lsp.corpus.identity import Marks
from cite_lsp.lazy_re import lazy_re
from cite_lsp.search.vectors.vector_index import Rows

MOST_CONTEXTS = 1_000_000
"""Contexts whose places are known, the first of the file; 16 bytes of memory for each citation."""
_NUMBERS = lazy_re(rb'\{"citing": (\d+), "cited": \[([\d, ]*)\], "origin": (\d+), ')

RowsOfMarks = Callable[[Marks, NDArray[np.integer]], Rows]
"""Returns the row of each mark, -1 without one, given the number of the source that names it."""


@frozen(eq=False)
class ContextPlaces:
    """The contexts of a file by what they cite: rows of the papers cited, ascending, (k,).

    citing: rows of the citing papers, (k,). offsets: where the line of each begins, in bytes, (k,).
    """

    path: Path
    rows: NDArray[np.int32]
    citing: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def of(self, row: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the citing rows and the offsets of the contexts that cite a paper."""
        start, end = np.searchsorted(self.rows, [row, row + 1]).tolist()
        return self.citing[start:end], self.offsets[start:end]

    def read(self, offsets: NDArray[np.int64]) -> list[StoredContext]:
        """Return the contexts at offsets.

        Raises:
            OSError, ValueError, KeyError, TypeError: the file has changed, or is damaged.
        """
        contexts = []
        with self.path.open("rb") as file:
            for offset in offsets.tolist():
                file.seek(offset)
                contexts.append(read_stored_context(file.readline().decode("utf-8")))
        return contexts


def places_of_contexts(path: Path, rows_of: RowsOfMarks) -> ContextPlaces:
    """Return where the contexts of a file stand whose papers, citing and cited, have a row.

    Raises:
        OSError, ValueError: the file is missing or holds something else.
    """
    citing, cited, origins, offsets = (array(kind) for kind in ("Q", "Q", "q", "q"))
    offset = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines):
            if number == MOST_CONTEXTS:
                break
            numbers = _NUMBERS.match(line)
            if numbers is None:
                raise ValueError(f"line {number + 1} is no context")
            for mark in numbers[2].split(b", ") if numbers[2] else ():
                citing.append(int(numbers[1]))
                cited.append(int(mark))
                origins.append(int(numbers[3]))
                offsets.append(offset)
            offset += len(line)
    sources = np.array(origins, dtype=np.int64)
    rows, citing_rows = (
        rows_of(np.array(marks, dtype=np.uint64), sources) for marks in (cited, citing)
    )
    known = np.flatnonzero((rows >= 0) & (citing_rows >= 0) & (rows != citing_rows))
    order = known[np.argsort(rows[known], kind="stable")]
    return ContextPlaces(
        path,
        rows[order].astype(np.int32),
        citing_rows[order].astype(np.int32),
        np.array(offsets, dtype=np.int64)[order],
    )
