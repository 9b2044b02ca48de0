"""Nearest vectors: exact where there are few, a graph of neighbours (HNSW) where there are many.

Rows are numbered in the order given. A file holds one index and is memory-mapped when opened: it
costs milliseconds and shares its memory with every other process that opened it.

A graph keeps its vectors in eight bits (`precision.py`), and what it finds is scored again by the
query as it is, unrounded; docs/research/evaluation.md has what that costs and finds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cite_lsp.encode.encoder import Vectors, unit
from cite_lsp.errors import CiteLspError
from cite_lsp.search.vectors.neighbour_graph import (
    interruptible,
    new_graph,
    restore_graph,
    save_graph,
)
from cite_lsp.search.vectors.precision import encoded
from cite_lsp.storage.array_folder import open_array
from cite_lsp.storage.atomic_write import replacing

if TYPE_CHECKING:  # a library is ranked without it
    from usearch.index import Index

Rows = NDArray[np.int64]
"""Numbers of rows; -1 where there is none."""

EXACT_BELOW = 20_000
"""Vectors up to which looking at every one is faster than a graph is to build."""
GRAPH_BYTES = 170
"""Bytes of a vector in a graph beside its numbers: its neighbours, its key."""

_ADDED_AT_ONCE = 16_384
_SAVE_SECONDS = 20.0
"""Seconds of building between two writes of a graph: what an interruption can lose."""
_QUERIES_AT_ONCE = 32
"""Queries answered at a time: their cosines with all vectors of a matrix stand in memory."""
_SCORED_AGAIN = 16
"""Vectors beyond those wanted that are scored again: rounding moves some across the border."""

_NUMPY_MAGIC = b"\x93NUMPY"


class SearchIndexError(CiteLspError):
    """An index file is missing, cut off or of another kind; the message says so in one line.

    The remedy is always the same: build it again.
    """


def unwritable(path: Path, error: Exception) -> SearchIndexError:
    """Return the error that says why an index cannot be written, and what to do."""
    reason = getattr(error, "strerror", None) or error
    return SearchIndexError(
        f"{path}: the index cannot be written ({reason}); make room or check the permissions, and "
        "run the command again"
    )


class VectorIndex:
    """Cosine similarity over rows of vectors. Make one with `build` or `open`."""

    def __init__(self, rows: NDArray[np.generic], graph: Index | None) -> None:
        """Take the vectors by row, of any length and type, and the graph; for use by this module.

        Without a graph they are unit vectors in 32 bits.
        """
        self._rows = rows
        self._graph = graph

    @classmethod
    def build(
        cls,
        vectors: NDArray[np.generic],
        path: Path | None = None,
        *,
        exact_below: int = EXACT_BELOW,
        part: Path | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> VectorIndex:
        """Index vectors of shape (n, dimensions); lengths do not matter, a zero row scores 0.

        Args:
            vectors: of any type, perhaps a memory map: they are read in parts.
            path: where the index is saved, if anywhere.
            exact_below: how many vectors need a graph.
            part: a file in which an unfinished graph of these same vectors is saved and found.
            progress: called with how many more vectors are done.

        Raises:
            SearchIndexError: a file cannot be written.
        """
        if len(vectors) < exact_below:
            index = cls(unit(vectors), None)
            if progress:
                progress(len(vectors))
        else:
            graph = _begun(part, vectors)
            index = cls(vectors, graph)
            index._fill(graph, part, progress)
        if path is not None:
            index.save(path)
        if part is not None:
            part.unlink(missing_ok=True)
        return index

    def _fill(
        self, graph: Index, part: Path | None, progress: Callable[[int], None] | None
    ) -> None:
        saved_at = time.monotonic()
        if progress and len(graph):
            progress(len(graph))
        for start in range(len(graph), len(self), _ADDED_AT_ONCE):
            codes = encoded(np.asarray(self._rows[start : start + _ADDED_AT_ONCE]), "i8")
            numbers = np.arange(start, start + len(codes), dtype=np.uint64)
            with interruptible():
                graph.add(numbers, codes)
            if progress:
                progress(len(codes))
            if part is not None and time.monotonic() - saved_at > _SAVE_SECONDS:
                self.save(part)
                saved_at = time.monotonic()

    @classmethod
    def open(cls, path: Path, rows: NDArray[np.generic]) -> VectorIndex:
        """Open a saved index, memory-mapped; `rows` are the vectors as they are stored beside it.

        Raises:
            SearchIndexError: it is missing, cut off, or not such a file.
        """
        try:
            with path.open("rb") as file:
                exact = file.read(len(_NUMPY_MAGIC)) == _NUMPY_MAGIC
            if exact:
                return cls(open_array(path, np.dtype(np.float32), axes=2), None)
            graph = restore_graph(path, view=True)
            if rows.shape != (len(graph), graph.ndim):
                raise ValueError(f"{len(graph)} vectors of {graph.ndim} in it, {rows.shape} beside")
            return cls(rows, graph)
        except (OSError, ValueError, RuntimeError) as error:
            raise SearchIndexError(
                f"{path}: not an index of vectors ({error}); build it again"
            ) from error

    def save(self, path: Path) -> None:
        """Write the index to a file, whole or not at all.

        Raises:
            SearchIndexError: the file cannot be written.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as scratch:
                if self._graph is None:
                    with scratch.open("wb") as file:
                        np.save(file, self._rows)
                else:
                    save_graph(self._graph, scratch)
        except (OSError, ValueError, RuntimeError) as error:
            raise unwritable(path, error) from error

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def exact(self) -> bool:
        """Whether every vector is looked at, so that no neighbour is missed."""
        return self._graph is None

    def search(self, queries: Vectors, k: int) -> tuple[Rows, Vectors]:
        """Return the nearest rows to each query and their cosines, best first.

        Queries have shape (n, dimensions), or (dimensions,) for one. Both results have shape (n,
        min(k, len(index))); where a graph finds fewer, rows are -1 and cosines -inf.
        """
        queries = unit(np.atleast_2d(queries))
        k = min(k, len(self))
        rows = np.full((len(queries), k), -1, dtype=np.int64)
        scores = np.full((len(queries), k), -np.inf, dtype=np.float32)
        if k <= 0:
            return rows, scores
        for start in range(0, len(queries), _QUERIES_AT_ONCE):
            part = slice(start, start + _QUERIES_AT_ONCE)
            if self._graph is not None:
                self._search_graph(self._graph, queries[part], rows[part], scores[part])
            else:
                matrix = np.asarray(self._rows, dtype=np.float32)
                _search_matrix(matrix, queries[part], rows[part], scores[part])
        return rows, scores

    def scores(self, query: Vectors, rows: Rows) -> Vectors:
        """Return the cosines, shape (len(rows),), of one query with the rows named."""
        return np.asarray(self.vectors(rows) @ unit(np.atleast_2d(query))[0], dtype=np.float32)

    def vectors(self, rows: Rows) -> Vectors:
        """Return the unit vectors of rows, shape (len(rows), dimensions).

        Raises:
            IndexError: there is no such row.
        """
        rows = np.asarray(rows, dtype=np.int64)
        if len(rows) and not 0 <= rows.min() <= rows.max() < len(self):
            raise IndexError(f"rows {rows.min()} to {rows.max()} of an index of {len(self)}")
        if self._graph is None:
            return np.asarray(self._rows[rows], dtype=np.float32)
        return unit(self._rows[rows])

    def _search_graph(self, graph: Index, queries: Vectors, rows: Rows, scores: Vectors) -> None:
        # Imported where needed: a library is ranked without it.
        from usearch.index import BatchMatches

        limit = rows.shape[1]
        depth = min(limit + _SCORED_AGAIN, len(self))
        with interruptible():
            matches = graph.search(encoded(queries, "i8"), depth, threads=1)
        # One query in a matrix is answered as one query alone, without the first axis.
        keys = np.atleast_2d(matches.keys)
        counts = matches.counts if isinstance(matches, BatchMatches) else [keys.shape[1]]
        for query, count in enumerate(counts):
            near = keys[query, :count].astype(np.int64)
            cosines = np.clip(self.vectors(near) @ queries[query], -1, 1)
            best = np.lexsort((near, -cosines))[:limit]
            rows[query, : len(best)] = near[best]
            scores[query, : len(best)] = cosines[best]


def _search_matrix(matrix: Vectors, queries: Vectors, rows: Rows, scores: Vectors) -> None:
    k = rows.shape[1]
    every = np.clip(queries @ matrix.T, -1, 1)
    for query, cosines in enumerate(every):
        best = np.argpartition(-cosines, k - 1)[:k] if k < len(cosines) else np.arange(k)
        rows[query] = best[np.lexsort((best, -cosines[best]))]
        scores[query] = cosines[rows[query]]


def _begun(part: Path | None, vectors: NDArray[np.generic]) -> Index:
    """Return the graph that an interrupted build has left, or a new one."""
    if part is not None and part.exists():
        try:
            graph = restore_graph(part, view=False)
            if graph.ndim == vectors.shape[1] and len(graph) <= len(vectors):
                return graph
        except (ValueError, RuntimeError):
            part.unlink(missing_ok=True)  # of no use, and no harm
    return new_graph(vectors.shape[1])
