"""What must be known of all papers of a corpus to weigh a few: how frequent words are.

A remote corpus keeps these beside its papers, a few megabytes however large it is: of each kind the
most frequent are counted, the rest share one figure.
"""

from __future__ import annotations

import struct
from collections import Counter

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.paper import Paper
from cite_lsp.search.corpus.texts import searched_text
from cite_lsp.search.words.hashes import word_hash, word_hashes
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.storage.compressed_files import zstd

MOST_WORDS, MOST_TITLE_WORDS = 1 << 17, 1 << 16
_COUNTED_AT_ONCE = 1 << 21
"""Entries of a table while it is counted, from which on the rarest are dropped."""
_HEADER = struct.Struct("<IQd")
_TABLE = struct.Struct("<QQ")
_FORMAT = 2


@frozen(eq=False)
class Frequencies:
    """Counts by hash (ascending); `rest` is that of every hash that is not there."""

    hashes: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    rest: int = 0

    def of(self, hashes: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the counts of hashes, in any shape."""
        if not len(self.hashes):
            return np.full(hashes.shape, self.rest, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        is_counted = self.hashes[places] == hashes
        return np.where(is_counted, self.counts[places].astype(np.int64), self.rest)


@frozen(eq=False)
class CorpusStatistics:
    """Of n papers: words of the texts, words of the titles; the mean length of a text."""

    papers: int
    mean_length: float
    words: Frequencies
    title_words: Frequencies

    def __len__(self) -> int:
        return self.papers

    def frequency(self, word: str) -> int:
        """Return how many papers have a word (as `tokenise` gives it)."""
        return int(self.words.of(np.array([word_hash(word)], dtype=np.uint32))[0])

    def to_bytes(self) -> bytes:
        """Return the statistics as they are stored, compressed."""
        parts = [_HEADER.pack(_FORMAT, self.papers, self.mean_length)]
        for table in (self.words, self.title_words):
            parts.append(_TABLE.pack(len(table.hashes), table.rest))
            parts += [table.hashes.tobytes(), table.counts.tobytes()]
        return zstd.compress(b"".join(parts))

    @classmethod
    def from_bytes(cls, data: bytes) -> CorpusStatistics:
        """Read what `to_bytes` gave.

        Raises:
            ValueError: it is something else, or cut off.
        """
        try:
            data = zstd.decompress(data)
            version, papers, mean_length = _HEADER.unpack_from(data)
            if version != _FORMAT:
                raise ValueError("written by another version of cite-lsp")
            place, tables = _HEADER.size, []
            for _ in range(2):
                size, rest = _TABLE.unpack_from(data, place)
                place += _TABLE.size
                hashes = np.frombuffer(data, np.uint32, size, place)
                counts = np.frombuffer(data, np.uint32, size, place + 4 * size)
                place += 8 * size
                tables.append(Frequencies(hashes, counts, rest))
        except (struct.error, zstd.ZstdError) as error:
            raise ValueError(f"statistics that cannot be read ({error})") from error
        return cls(papers, mean_length, *tables)


class StatisticsCounter:
    """Counts papers as they go by, in bounded memory; `base` are papers counted before."""

    def __init__(self, base: CorpusStatistics | None = None) -> None:
        self._papers = base.papers if base else 0
        self._length = round(base.mean_length * base.papers) if base else 0
        before = (base.words, base.title_words) if base else (_NONE, _NONE)
        self._words, self._title_words = (
            Counter(dict(zip(table.hashes.tolist(), table.counts.tolist(), strict=True)))
            for table in before
        )
        # The rest of a base stays the rest, whatever is counted on top of it.
        self._rests = [table.rest for table in before]

    @property
    def mean_length(self) -> float:
        """Mean number of words of the texts seen so far; 0 before the first."""
        return self._length / self._papers if self._papers else 0.0

    def add(self, paper: Paper) -> None:
        """Count a paper."""
        words = tokenise(searched_text(paper))
        self._papers += 1
        self._length += len(words)
        self._words.update(word_hashes(words).tolist())
        self._title_words.update(word_hashes(tokenise(paper.title)).tolist())
        for table in (self._words, self._title_words):
            _thin(table)

    def statistics(self, mean_length: float | None = None) -> CorpusStatistics:
        """Return what was counted, with the mean length that documents were weighed by, if given.

        Of each kind the most frequent; a rarer one counts as half as frequent as the last of them.
        """
        sizes = (MOST_WORDS, MOST_TITLE_WORDS)
        counted = (self._words, self._title_words)
        tables = [
            _table(counter, most, rest)
            for counter, most, rest in zip(counted, sizes, self._rests, strict=True)
        ]
        mean = self.mean_length if mean_length is None else mean_length
        return CorpusStatistics(self._papers, mean, *tables)


_NONE = Frequencies(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.uint32))


def _thin(table: Counter[int]) -> None:
    """Drop the rarest entries of a table that has grown too large (Manku and Motwani, 2002)."""
    floor = 1
    while len(table) > _COUNTED_AT_ONCE:
        for key in [key for key, count in table.items() if count <= floor]:
            del table[key]
        floor *= 2


def _table(counter: Counter[int], most: int, rest: int) -> Frequencies:
    common = counter.most_common(most)
    if len(counter) > most:
        rest = max(rest, common[-1][1] // 2, 1)
    common.sort()
    hashes, counts = zip(*common, strict=True) if common else ((), ())
    return Frequencies(np.array(hashes, dtype=np.uint32), np.array(counts, dtype=np.uint32), rest)
