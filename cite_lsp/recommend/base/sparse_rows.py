"""Sparse matrices, such as TF-IDF vectors, and the vocabulary that makes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from attrs import field, frozen
from numpy.typing import NDArray

from cite_lsp.storage.array_folder import list_starts

Places = NDArray[np.int32]
Values = NDArray[np.float32]
Table = NDArray[np.float32]

_CHUNK = 1 << 16
"""Entries gathered at once: enough to be fast, few enough to stay in the processor's cache."""


@frozen(eq=False)
class SparseRows:
    """n rows end to end: row i holds `values` at `places` from starts[i] to starts[i + 1].

    starts (n + 1,), places and values (entries,). `width` is the length of a row.
    """

    starts: NDArray[np.int64]
    places: Places
    values: Values
    width: int

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row(self, number: int) -> tuple[Places, Values]:
        """Return the places and values of a row."""
        part = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return self.places[part], self.values[part]

    def take(self, numbers: NDArray[np.integer]) -> SparseRows:
        """Return some of the rows, in the order of `numbers`."""
        sizes = self.starts[numbers + 1] - self.starts[numbers]
        starts = list_starts(sizes)
        entries = np.arange(starts[-1]) + np.repeat(self.starts[numbers] - starts[:-1], sizes)
        return SparseRows(starts, self.places[entries], self.values[entries], self.width)

    def numbers(self) -> NDArray[np.int64]:
        """Return the number of the row in which each entry stands, shape (entries,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def times(self, table: Table) -> Table:
        """Multiply by a table, shape (width, d) to (n, d)."""
        product = np.zeros((len(self), table.shape[1]), dtype=np.float32)
        filled = np.flatnonzero(np.diff(self.starts))  # reduceat knows no empty stretches
        done = 0
        while done < len(filled):
            begin = int(self.starts[filled[done]])
            last = int(np.searchsorted(self.starts[filled + 1], begin + _CHUNK, side="right"))
            rows = filled[done : max(last, done + 1)]
            end = int(self.starts[rows[-1] + 1])
            gathered = table[self.places[begin:end]]
            gathered *= self.values[begin:end, None]
            product[rows] = np.add.reduceat(gathered, self.starts[rows] - begin, axis=0)
            done += len(rows)
        return product

    def transposed(self) -> SparseRows:
        """Return the columns as rows."""
        order = np.argsort(self.places, kind="stable")
        numbers = self.numbers().astype(np.int32)
        return SparseRows(
            list_starts(np.bincount(self.places, minlength=self.width)),
            numbers[order],
            self.values[order],
            len(self),
        )


@frozen(eq=False)
class Vocabulary:
    """Words in a fixed order with their inverse document frequencies, shape (words,)."""

    words: tuple[str, ...]
    idf: Values
    _place: Mapping[str, int] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_place", {word: place for place, word in enumerate(self.words)})

    @classmethod
    def of(cls, bags: Sequence[Mapping[str, float]]) -> Vocabulary:
        """Return the words of bags, in alphabetical order; idf(w) = ln(n / n_w) + 1."""
        having: dict[str, int] = {}
        for bag in bags:
            for word in bag:
                having[word] = having.get(word, 0) + 1
        words = sorted(having)
        counts = np.array([having[word] for word in words], dtype=np.float64)
        return cls(tuple(words), (np.log(len(bags) / counts) + 1).astype(np.float32))

    def extended(self, other: Vocabulary) -> Vocabulary:
        """Return this vocabulary with the words of another that it lacks put behind its own."""
        new = [place for place, word in enumerate(other.words) if word not in self._place]
        words = (*self.words, *(other.words[place] for place in new))
        return Vocabulary(words, np.concatenate([self.idf, other.idf[new]]))

    def __len__(self) -> int:
        return len(self.words)

    def place(self, word: str) -> int | None:
        """Return where a word stands, None if it is not known."""
        return self._place.get(word)

    def vector(self, bag: Mapping[str, float]) -> tuple[Places, Values]:
        """Return the TF-IDF vector of a bag, of unit length: places in order, and values.

        A word of frequency f counts ln(1 + f) · idf; one that is not known does not count.
        """
        places, counts = self._counted(bag)
        values = np.log1p(counts) * self.idf[places]
        length = float(np.linalg.norm(values))
        return places, np.asarray(values / length if length else values, dtype=np.float32)

    def vectors(self, bags: Iterable[Mapping[str, float]]) -> SparseRows:
        """Return the TF-IDF vectors of bags."""
        return self._rows(self.vector(bag) for bag in bags)

    def counts(self, bags: Iterable[Mapping[str, float]]) -> SparseRows:
        """Return how often the words stand in bags."""
        return self._rows(self._counted(bag) for bag in bags)

    def _counted(self, bag: Mapping[str, float]) -> tuple[Places, Values]:
        pairs = sorted(
            (place, count)
            for word, count in bag.items()
            if (place := self._place.get(word)) is not None
        )
        places = np.array([place for place, _ in pairs], dtype=np.int32)
        return places, np.array([count for _, count in pairs], dtype=np.float32)

    def _rows(self, rows: Iterable[tuple[Places, Values]]) -> SparseRows:
        listed = list(rows)
        return SparseRows(
            list_starts([len(places) for places, _ in listed]),
            np.concatenate([np.zeros(0, np.int32), *(places for places, _ in listed)]),
            np.concatenate([np.zeros(0, np.float32), *(values for _, values in listed)]),
            len(self),
        )
