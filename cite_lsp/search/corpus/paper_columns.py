"""What the second stage reads of many papers at once: title words, names, the title itself, hashed.

Hundreds of candidates are looked at for every letter that a writer types; parsing their records
would cost more than ranking them. So a corpus keeps these as columns, memory-mapped when opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.paper import Paper, fold, normalise_title, surname
from cite_lsp.search.corpus.statistics import CorpusStatistics
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.hashes import Hashes, word_hash, word_hashes
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.storage.array_folder import StoredArrays, list_starts
from cite_lsp.storage.text_hash import text_hash

AUTHORS_READ = 12
"""Authors of a paper that are stored; the rest of a large collaboration adds nothing."""
_LONGEST_HANDLE = 2


def title_key(paper: Paper) -> int:
    """Return a number that two records of one work share: of its title and first author, 64 bits.

    Where there is no author the title stands alone.
    """
    first = fold(surname(paper.authors[0])) if paper.authors else ""
    return text_hash(f"{normalise_title(paper.title)}\n{first}")


def surname_hashes(paper: Paper) -> list[int]:
    """Return the hashes of the surnames of a paper's first authors, in order."""
    return [word_hash(fold(surname(author))) for author in paper.authors[:AUTHORS_READ]]


def handle(title: str) -> str:
    """Return the name that a title gives its method ("BERT" of "BERT: Pre-training …"), folded.

    "" where the title has no such name of one or two words before a colon.
    """
    name, colon, rest = title.partition(":")
    words = fold(name).split()
    return " ".join(words) if colon and rest and 0 < len(words) <= _LONGEST_HANDLE else ""


@frozen
class Ragged:
    """Lists of numbers of several rows, end to end: list i is `values[starts[i]:starts[i + 1]]`."""

    starts: NDArray[np.int64]
    values: NDArray[np.generic]

    def sums(self, values: NDArray[np.floating]) -> NDArray[np.float32]:
        """Sum what stands beside the numbers over each list, shape (r,)."""
        running = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
        return np.asarray(running[self.starts[1:]] - running[self.starts[:-1]], dtype=np.float32)


def take(starts: NDArray[np.int64], rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the values of the lists of `rows` stand, and the starts of those lists."""
    firsts, ends = starts[rows], starts[rows + 1]
    new = list_starts(ends - firsts)
    places = np.arange(new[-1]) + np.repeat(firsts - new[:-1], ends - firsts)
    return places, new


@frozen
class PaperColumn:
    """What is stored of a paper: hashes of title words, surnames, handle, venue; its title key."""

    title_words: Hashes
    authors: list[int]
    key: int
    handle: int
    venue: int


def paper_column(paper: Paper) -> PaperColumn:
    """Return what is stored of a paper."""
    name = handle(paper.title)
    return PaperColumn(
        word_hashes(tokenise(paper.title)),
        surname_hashes(paper),
        title_key(paper),
        word_hash(name) if name else 0,
        word_hash(fold(paper.venue)) if paper.venue else 0,
    )


class PaperColumns(StoredArrays):
    """Columns of the papers of a corpus. Make them with `build` or `open`. Safe to share."""

    kinds = {
        "title_keys": np.dtype(np.uint64),
        "title_starts": np.dtype(np.int64),
        "title_words": np.dtype(np.uint32),
        "title_weights": np.dtype(np.float16),
        "author_starts": np.dtype(np.int64),
        "authors": np.dtype(np.uint32),
        "handles": np.dtype(np.uint32),
        "venues": np.dtype(np.uint32),
    }
    lists = {"title_starts": "title_words", "author_starts": "authors"}

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Take the arrays, from `build` or from a folder."""
        super().__init__(arrays)
        self.title_keys: NDArray[np.uint64] = arrays["title_keys"]
        """`title_key` of every paper, shape (n,)."""
        self.handles: Hashes = arrays["handles"]
        """Hash of the `handle` of every title, 0 where it has none, shape (n,)."""
        self.venues: Hashes = arrays["venues"]
        """Hash of every venue, 0 where it is not known, shape (n,)."""

    def __len__(self) -> int:
        return len(self.title_keys)

    @classmethod
    def build(cls, papers: Iterable[Paper]) -> PaperColumns:
        """Read the columns of papers, in their order."""
        return cls.join(map(paper_column, papers))

    @classmethod
    def join(
        cls, columns: Iterable[PaperColumn], among: CorpusStatistics | None = None
    ) -> PaperColumns:
        """Put what was read of papers, in their order, side by side.

        The weight of a title word is its idf among the titles, ln(1 + n / n_w): those of the papers
        given, or those of the larger corpus that they are of, `among`.
        """
        words: list[Hashes] = []
        authors: list[list[int]] = []
        keys, handles, venues = [], [], []
        for column in columns:  # once: papers may be read from disk as they are looked at
            words.append(column.title_words)
            authors.append(column.authors)
            keys.append(column.key)
            handles.append(column.handle)
            venues.append(column.venue)
        title_words = np.concatenate(words) if words else np.zeros(0, dtype=np.uint32)
        if among is None:
            _, place, having = np.unique(title_words, return_inverse=True, return_counts=True)
            frequencies = having[place] if len(title_words) else having
        else:
            frequencies = np.maximum(among.title_words.of(title_words), 1)
        weights = np.log1p(len(words if among is None else among) / frequencies)
        flat = [number for names in authors for number in names]
        return cls(
            {
                "title_keys": np.array(keys, dtype=np.uint64),
                "title_starts": list_starts([len(title) for title in words]),
                "title_words": title_words,
                "title_weights": weights.astype(np.float16),
                "author_starts": list_starts([len(names) for names in authors]),
                "authors": np.array(flat, dtype=np.uint32),
                "handles": np.array(handles, dtype=np.uint32),
                "venues": np.array(venues, dtype=np.uint32),
            }
        )

    def titles(self, rows: Rows) -> tuple[Ragged, NDArray[np.float32]]:
        """Return the hashes of the title words of rows, and the weights of the words."""
        places, starts = take(self._arrays["title_starts"], rows)
        weights = np.asarray(self._arrays["title_weights"][places], dtype=np.float32)
        return Ragged(starts, self._arrays["title_words"][places]), weights

    def authors(self, rows: Rows) -> Ragged:
        """Return the hashes of the authors' surnames of rows."""
        places, starts = take(self._arrays["author_starts"], rows)
        return Ragged(starts, self._arrays["authors"][places])
