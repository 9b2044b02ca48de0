"""Search by words: BM25 over tokenised texts, with every document's score where it is wanted.

What a word adds to a document's score depends on the two alone, so it is computed once, when the
index is built, and stored by word: a query adds up a few columns. An index is a folder of four
arrays, memory-mapped when opened; of the words only hashes are stored.
"""

from __future__ import annotations

import shutil
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cite_lsp.search.vectors.vector_index import Rows, SearchIndexError, unwritable
from cite_lsp.search.words.hashes import long_hash
from cite_lsp.search.words.sparse_weights import K1, B, WordFrequencies
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.storage.array_folder import Kinds, list_starts, open_arrays, save_arrays

Scores = NDArray[np.float32]
WordQuery = str | Sequence[str] | Mapping[str, float]
"""A text, its words, or words with what each counts."""
Indexed = str | Sequence[str] | Sequence[int]
"""A text, its words, or their hashes as `long_hash` gives them."""

_FORMAT = 1
_ARRAYS: Kinds = {
    "words": np.dtype(np.uint64),  # sorted hashes
    "starts": np.dtype(np.int64),  # where the column of each word starts, and the end of the last
    "documents": np.dtype(np.int32),  # the columns: documents in ascending order …
    "impacts": np.dtype(np.float32),  # … and what the word adds to their scores
    "about": np.dtype(np.int64),  # format, number of documents, a thousand times their mean length
}


class WordIndex:
    """BM25 over documents numbered in the order given. Make one with `build` or `open`.

    Safe to share between threads.
    """

    def __init__(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Take the arrays of an index, as `arrays` gave them."""
        self._arrays = arrays
        self._words = arrays["words"]
        self._starts = arrays["starts"]
        self._documents = arrays["documents"]
        self._impacts = arrays["impacts"]
        about = arrays["about"].tolist()
        self._count = int(about[1])
        self.mean_length = about[2] / 1000
        """Mean number of words of a document; 0 where it is not known."""

    @property
    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """All that the index consists of, to be stored elsewhere than in a folder of its own."""
        return dict(self._arrays)

    @classmethod
    def build(
        cls,
        documents: Iterable[Indexed],
        *,
        k1: float = K1,
        b: float = B,
        among: WordFrequencies | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> WordIndex:
        """Index documents, given as texts, as their words or as hashes of these.

        A word w of frequency f in a document of length l adds idf(w) · f / (f + k1 (1 − b + b l /
        mean length)), idf(w) = ln(1 + (n − n_w + ½) / (n_w + ½)): Robertson et al., "Okapi at
        TREC-3" (1994), with the idf of Lucene, which is never negative. With `among`, n, n_w and
        the mean length are those of that index, so that scores of both can stand in one list;
        only a `WordIndex` knows them of hashes.
        """
        counts = _DocumentCounts()
        for document in documents:
            counts.add(tokenise(document) if isinstance(document, str) else document)
            if progress:
                progress(1)
        return cls(_columns(counts, k1, b, among))

    @classmethod
    def open(cls, folder: Path) -> WordIndex:
        """Open a saved index, memory-mapped.

        Raises:
            SearchIndexError: it is missing, cut off, or not such a folder.
        """
        try:
            arrays = open_arrays(folder, _ARRAYS)
            if len(arrays["about"]) != 3 or int(arrays["about"][0]) != _FORMAT:
                raise ValueError("of another version")
            if len(arrays["starts"]) != len(arrays["words"]) + 1:
                raise ValueError("words and columns do not match")
            ends = {int(arrays["starts"][-1]), len(arrays["documents"]), len(arrays["impacts"])}
            if len(ends) != 1:
                raise ValueError("columns are cut off")
        except (OSError, ValueError) as error:
            raise SearchIndexError(
                f"{folder}: not an index of words ({error}); build it again"
            ) from error
        return cls(arrays)

    def save(self, folder: Path) -> None:
        """Write the index to a folder; what a killed process leaves of it does not open.

        Raises:
            SearchIndexError: it cannot be written.
        """
        try:
            shutil.rmtree(folder, ignore_errors=True)
            save_arrays(folder, _ARRAYS, self._arrays)
        except OSError as error:
            raise unwritable(folder, error) from error

    def __len__(self) -> int:
        return self._count

    def scores(self, query: WordQuery) -> Scores:
        """Return the score of every document, shape (len(index),), for a text or its words.

        A word that the query repeats counts as often, one with a weight counts as much. Documents
        without a word of it score 0.
        """
        scores = np.zeros(self._count, dtype=np.float32)
        weights = word_counts(query)
        for column, weight in zip(self._columns_of(weights), weights.values(), strict=True):
            if column is None:
                continue
            impacts = np.asarray(self._impacts[column], dtype=np.float32)
            # A document stands once in a column, so that adding by index misses nothing.
            scores[self._documents[column]] += (
                impacts if weight == 1 else impacts * np.float32(weight)
            )
        return scores

    def scores_of(self, rows: Rows, queries: Sequence[WordQuery]) -> Scores:
        """Return the scores of some documents for several texts or their words, shape (q, r).

        `rows` are distinct, in any order. Of each word only what it adds to these documents is
        looked up, once for all queries.
        """
        by_word: dict[str, list[float]] = {}
        for number, query in enumerate(queries):
            for word, weight in word_counts(query).items():
                by_word.setdefault(word, [0.0] * len(queries))[number] = weight
        order = np.argsort(rows)
        ascending = np.asarray(rows, dtype=np.int32)[order]
        sums = np.zeros((len(queries), len(rows)), dtype=np.float32)
        columns = dict(zip(by_word, self._columns_of(by_word), strict=True))
        for word, weights in by_word.items():
            column = columns[word]
            if column is None:
                continue
            documents = self._documents[column]
            if len(documents) < len(ascending):
                places = np.searchsorted(ascending, documents)
                there = np.flatnonzero(places < len(ascending))
                there = there[ascending[places[there]] == documents[there]]
                held = places[there]
            else:
                there = np.minimum(np.searchsorted(documents, ascending), len(documents) - 1)
                held = np.flatnonzero(documents[there] == ascending)
                there = there[held]
            impacts = np.asarray(self._impacts[column][there], dtype=np.float32)
            for number, weight in enumerate(weights):
                if weight:
                    sums[number, held] += impacts * np.float32(weight)
        scores = np.empty_like(sums)
        scores[:, order] = sums
        return scores

    def search(self, query: WordQuery, k: int) -> tuple[Rows, Scores]:
        """Return the k best documents and their scores, best first; those that score 0 never."""
        scores = self.scores(query)
        rows = np.flatnonzero(scores)
        if k < len(rows):
            rows = rows[np.argpartition(-scores[rows], k)[: max(0, k)]]
        rows = rows[np.lexsort((rows, -scores[rows]))].astype(np.int64)
        return rows, scores[rows]

    def frequency(self, word: str | int) -> int:
        """Return how many documents have a word (as `tokenise` gives it, or its hash)."""
        (column,) = self._columns_of((word,))
        return column.stop - column.start if column else 0

    def _columns_of(self, words: Collection[str | int]) -> list[slice | None]:
        """Return where the column of each word stands, None for a word that no document has."""
        if not len(self._words):
            return [None] * len(words)
        wanted = np.fromiter(map(long_hash, words), dtype=np.uint64, count=len(words))
        places = np.minimum(np.searchsorted(self._words, wanted), len(self._words) - 1)
        starts, ends = self._starts[places].tolist(), self._starts[places + 1].tolist()
        is_indexed = (self._words[places] == wanted).tolist()
        return [
            slice(start, end) if there else None
            for start, end, there in zip(starts, ends, is_indexed, strict=True)
        ]


class ExtendedWordIndex:
    """The documents of an index, and others behind them.

    What is rare, and how long documents are, is as it was in the index.
    """

    def __init__(
        self, base: WordIndex, more: tuple[WordIndex, ...] = (), rows: Rows | None = None
    ) -> None:
        """Take the indexes of the documents, and the rows of those that there are, or None."""
        self._base = base
        self._more = more
        self._rows = np.arange(len(base) + sum(map(len, more))) if rows is None else rows

    def extended(self, documents: Sequence[Indexed]) -> ExtendedWordIndex:
        """Return the same with further documents behind all others."""
        indexed = len(self._base) + sum(map(len, self._more))
        fresh = WordIndex.build(documents, among=self._base)
        rows = np.concatenate([self._rows, np.arange(indexed, indexed + len(fresh))])
        return ExtendedWordIndex(self._base, (*self._more, fresh), rows)

    @classmethod
    def renewed(cls, base: WordIndex, source: Rows, fresh: Sequence[str]) -> ExtendedWordIndex:
        """Return an index of documents most of which are known: only the others are read.

        `source` gives for each document, in its order, the number that it has in `base`, or -1;
        `fresh` are the texts of those.
        """
        rows, new = source.copy(), np.flatnonzero(source < 0)
        rows[new] = len(base) + np.arange(len(new))
        return cls(base, (WordIndex.build(fresh, among=base),), rows)

    def only(self, rows: Rows) -> ExtendedWordIndex:
        """Return the same with only the documents at `rows`."""
        return ExtendedWordIndex(self._base, self._more, self._rows[rows])

    def __len__(self) -> int:
        return len(self._rows)

    def scores(self, query: WordQuery) -> Scores:
        """Return the score of every document, as `WordIndex.scores` does."""
        scores = [index.scores(query) for index in (self._base, *self._more)]
        return np.concatenate(scores)[self._rows]


def word_counts(query: WordQuery) -> Mapping[str, float]:
    """Return how much each word of a query counts: as often as it stands there, or its weight."""
    if isinstance(query, Mapping):
        return query
    return Counter(tokenise(query) if isinstance(query, str) else query)


class _DocumentCounts:
    """How often each word stands in each document, the words of all documents end to end."""

    def __init__(self) -> None:
        self.vocabulary: dict[Any, int] = {}
        """Numbers of words, or of their hashes."""
        self.words, self.frequencies = array("i"), array("f")
        self.sizes, self.lengths = array("i"), array("f")
        """The distinct words of each document, and all of them."""

    def add(self, words: Sequence[str] | Sequence[int]) -> None:
        """Count the words of the next document."""
        counted: Counter[Any] = Counter(words)
        numbers = self.vocabulary
        self.words.extend([numbers.setdefault(word, len(numbers)) for word in counted])
        self.frequencies.extend(counted.values())
        self.sizes.append(len(counted))
        self.lengths.append(counted.total())


def _columns(
    counts: _DocumentCounts, k1: float, b: float, among: WordFrequencies | None
) -> dict[str, NDArray[np.generic]]:
    """Turn the words of documents into columns by word."""
    vocabulary, words = list(counts.vocabulary), counts.words
    hashes = np.array([long_hash(word) for word in vocabulary], dtype=np.uint64)
    by_hash = np.argsort(hashes)
    place = np.empty(len(by_hash), dtype=np.int32)
    place[by_hash] = np.arange(len(by_hash), dtype=np.int32)
    word_of = place[np.frombuffer(words, dtype=np.int32)] if words else np.zeros(0, np.int32)
    order = np.argsort(word_of, kind="stable")  # stable: documents stay in ascending order
    in_documents = np.bincount(word_of, minlength=len(hashes))

    count = len(counts.sizes)
    sizes = np.asarray(counts.sizes, dtype=np.int32)
    document_of = np.repeat(np.arange(count, dtype=np.int32), sizes)
    length = np.asarray(counts.lengths, dtype=np.float32)
    mean = float(length.mean()) if count else 0.0
    total, having = count, in_documents
    if among is not None:
        mean, total = among.mean_length, len(among)
        frequencies_there = [max(among.frequency(word), 1) for word in vocabulary]
        having = np.array(frequencies_there, dtype=np.int64)[by_hash]
    damping = np.asarray(k1 * (1 - b + b * length / (mean or 1.0)), dtype=np.float32)
    idf = np.log1p((total - having + 0.5) / (having + 0.5)).astype(np.float32)
    frequency = np.asarray(counts.frequencies, dtype=np.float32)
    impacts = idf[word_of] * (frequency / (frequency + damping[document_of]))
    return {
        "words": hashes[by_hash],
        "starts": list_starts(in_documents),
        "documents": document_of[order],
        "impacts": impacts[order],
        "about": np.array([_FORMAT, count, round(mean * 1000)], dtype=np.int64),
    }
