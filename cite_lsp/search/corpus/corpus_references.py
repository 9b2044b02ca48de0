"""The references of a corpus's papers: which paper of it cites which, and in which words.

Beside the rows stand the citations as the sources gave them, by hashed identifiers: what cites a
paper that the corpus lacks finds it in a later build, and what came from a source goes with it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cite_lsp.corpus.citations import (
    PAIR,
    CitationScratch,
    Pairs,
    StoredContext,
    read_stored_context,
    read_stored_contexts,
)
from cite_lsp.corpus.paper_identifiers import IdentifierHashes, scoped_hashes
from cite_lsp.corpus.paper_merge import PaperMerge
from cite_lsp.lazy_re import lazy_re
from cite_lsp.search.corpus.version_files import index_again
from cite_lsp.search.vectors.vector_index import Rows, SearchIndexError
from cite_lsp.storage.array_folder import Kinds, list_starts, open_arrays, places_in, save_arrays

FOLDER = "references"
"""The folder inside a version of a corpus."""
_ARRAYS: Kinds = {
    "starts": np.dtype(np.int64),
    "cites": np.dtype(np.int32),
    "pairs": PAIR,
    "marks": np.dtype(np.uint64),
    "marked": np.dtype(np.int32),
}
_INVERSE = "citing"
"""The folder inside of the same citations by what is cited."""
_INVERSE_ARRAYS: Kinds = {"starts": np.dtype(np.int64), "rows": np.dtype(np.int32)}
_CONTEXTS = "contexts.jsonl"
_AT_ONCE = 1 << 20
_MOST_CONTEXTS = 1_000_000
"""Contexts whose places are known, the first of the file; 16 bytes of memory for each citation."""
_NUMBERS = lazy_re(rb'\{"citing": (\d+), "cited": \[([\d, ]*)\], "origin": (\d+), ')

NumberedContext = tuple[int, StoredContext]
"""The row of a citing paper, and the words in which it cites."""


class References:
    """Which of a corpus's papers cite which: memory-mapped, read on demand. Safe to share."""

    def __init__(self, folder: Path, papers: int) -> None:
        """Open what `write_references` wrote for a corpus of so many papers.

        Raises:
            SearchIndexError: it is missing, damaged, or of another corpus.
        """
        self.folder = folder
        """Where they are stored."""
        self._remedy = index_again(folder.parent.parent)
        try:
            arrays = open_arrays(folder, _ARRAYS)
            by_cited = open_arrays(folder / _INVERSE, _INVERSE_ARRAYS)
        except (OSError, ValueError) as error:
            raise SearchIndexError(
                f"{folder}: the references cannot be read ({error}); {self._remedy}"
            ) from error
        self.starts: NDArray[np.int64] = arrays["starts"]  # type: ignore[assignment]
        """Where the references of each paper start, and the end of the last, shape (n + 1,)."""
        self.cites: NDArray[np.int32] = arrays["cites"]  # type: ignore[assignment]
        """The rows cited, ascending for each paper, shape (citations,)."""
        self._pairs: Pairs = arrays["pairs"]  # type: ignore[assignment]
        self._identifiers: IdentifierHashes = arrays["marks"]  # type: ignore[assignment]
        self._identified_rows: NDArray[np.int32] = arrays["marked"]  # type: ignore[assignment]
        self._by_cited = by_cited
        whole = all(
            len(starts) == papers + 1 and int(starts[-1]) == len(self.cites)
            for starts in (arrays["starts"], by_cited["starts"])
        )
        if not whole or len(by_cited["rows"]) != len(self.cites):
            raise SearchIndexError(f"{folder}: the references are cut off; {self._remedy}")

    def __len__(self) -> int:
        return len(self.cites)

    def of(self, row: int) -> NDArray[np.int32]:
        """Return the rows that a paper cites, ascending."""
        return self.cites[self.starts[row] : self.starts[row + 1]]

    def citing(self, row: int) -> Rows:
        """Return the rows that cite a paper, ascending."""
        start, end = self._by_cited["starts"][row : row + 2].tolist()
        return self._by_cited["rows"][start:end].astype(np.int64)

    def contexts(self) -> Iterator[tuple[int, tuple[int, ...], StoredContext]]:
        """Yield (citing row, cited rows, context) of the contexts whose papers the corpus has.

        Raises:
            SearchIndexError: they are damaged.
        """
        for context in self.stored_contexts():
            identifiers = np.array([context.citing, *context.cited], dtype=np.uint64)
            origins = np.full(len(identifiers), context.origin)
            citing, *cited = _rows_of(
                identifiers, self._identifiers, self._identified_rows, origins
            ).tolist()
            cited_rows = tuple(row for row in cited if row >= 0)
            if citing >= 0 and cited_rows:
                yield citing, cited_rows, context

    def stored_contexts(self) -> Iterator[StoredContext]:
        """Yield all contexts, those of papers that the corpus lacks too.

        Raises:
            SearchIndexError: they are damaged.
        """
        try:
            yield from read_stored_contexts(self.folder / _CONTEXTS)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._unreadable(error) from error

    @property
    def has_contexts(self) -> bool:
        """Whether there are contexts."""
        try:
            return (self.folder / _CONTEXTS).stat().st_size > 0
        except OSError:
            return False

    def contexts_of(self, row: int, most: int, years: NDArray[np.int32]) -> list[NumberedContext]:
        """Return up to `most` contexts that cite a paper, those of the newest papers first.

        `years` are those of all papers. The first call of all reads through the contexts.

        Raises:
            SearchIndexError: they are damaged.
        """
        try:
            cited, citing, offsets = self._context_places
            start, end = np.searchsorted(cited, [row, row + 1]).tolist()
            newest = start + np.argsort(-years[citing[start:end]], kind="stable")[:most]
            contexts = []
            with (self.folder / _CONTEXTS).open("rb") as file:
                for offset in offsets[newest].tolist():
                    file.seek(offset)
                    contexts.append(read_stored_context(file.readline().decode("utf-8")))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._unreadable(error) from error
        return list(zip(citing[newest].tolist(), contexts, strict=True))

    @cached_property
    def _context_places(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """Where the contexts stand whose papers, citing and cited, have a row.

        The rows cited, ascending, (k,), the rows citing, and where the lines begin, in bytes.
        Reading the numbers of every context takes seconds where there are a million.

        Raises:
            OSError, ValueError: the file is missing or holds something else.
        """
        identifiers, origins, offsets, offset = (array("Q"), array("Q")), array("q"), array("q"), 0
        with (self.folder / _CONTEXTS).open("rb") as lines:
            for number, line in enumerate(islice(lines, _MOST_CONTEXTS), 1):
                numbers = _NUMBERS.match(line)
                if numbers is None:
                    raise ValueError(f"line {number} is no context")
                for identifier in numbers[2].split(b", ") if numbers[2] else ():
                    identifiers[0].append(int(identifier))
                    identifiers[1].append(int(numbers[1]))
                    origins.append(int(numbers[3]))
                    offsets.append(offset)
                offset += len(line)
        sources = np.array(origins, dtype=np.int64)
        cited, citing = (
            _rows_of(
                np.array(side, dtype=np.uint64), self._identifiers, self._identified_rows, sources
            )
            for side in identifiers
        )
        places_with_rows = np.flatnonzero((cited >= 0) & (citing >= 0) & (cited != citing))
        order = places_with_rows[np.argsort(cited[places_with_rows], kind="stable")]
        places = np.array(offsets, dtype=np.int64)[order]
        return cited[order].astype(np.int32), citing[order].astype(np.int32), places

    def _unreadable(self, error: Exception) -> SearchIndexError:
        return SearchIndexError(
            f"{self.folder / _CONTEXTS}: contexts of citations cannot be read ({error}); "
            f"{self._remedy}"
        )

    def are_of(self, origin: int) -> bool:
        """Whether a source has citations."""
        return bool((self._pairs["origin"] == origin).any())

    def pairs_from(self, numbers: Mapping[int, int]) -> Iterator[Pairs]:
        """Yield the citations of some sources, with the new numbers of these, part by part."""
        for start in range(0, len(self._pairs), _AT_ONCE):
            part = np.array(self._pairs[start : start + _AT_ONCE])
            pairs = part[np.isin(part["origin"], list(numbers))]
            pairs["origin"] = [numbers[origin] for origin in pairs["origin"].tolist()]
            yield pairs


def _by_cited(
    starts: NDArray[np.int64], cites: NDArray[np.int32]
) -> dict[str, NDArray[np.generic]]:
    """Return citations by what is cited: where those of each paper start, and the rows citing."""
    citing = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    order = np.argsort(cites, kind="stable")
    counts = np.bincount(cites, minlength=len(starts) - 1)
    return {"starts": list_starts(counts), "rows": citing[order]}


def write_references(
    folder: Path,
    merge: PaperMerge,
    scratch: CitationScratch,
    titles: Sequence[int],
    fullness: Sequence[int],
) -> None:
    """Resolve all citations to rows of papers and write them.

    `titles` are the hashes of the titles as identifiers, 0 for none. Of papers of one
    title that is cited it is the one of greatest `fullness`: where a file of PDF has made a paper
    without year or authors, another may know them. A citation that several sources have counts
    once.

    Raises:
        OSError: they cannot be written.
    """
    pairs, papers = scratch.pairs(), len(titles)
    identifiers, numbers = _with_titles(*merge.places(), titles, fullness, pairs)
    keys = [np.zeros(0, dtype=np.int64)]
    for start in range(0, len(pairs), _AT_ONCE):
        part = pairs[start : start + _AT_ONCE]
        origins = part["origin"] if merge.parted else None
        citing, cited = (
            _rows_of(part[side], identifiers, numbers, origins) for side in ("citing", "cited")
        )
        resolved = (citing >= 0) & (cited >= 0) & (citing != cited)
        keys.append(np.unique(citing[resolved] * papers + cited[resolved]))
    distinct = np.unique(np.concatenate(keys))
    citing, cites = np.divmod(distinct, max(papers, 1))
    starts, cited_rows = list_starts(np.bincount(citing, minlength=papers)), cites.astype(np.int32)
    arrays: dict[str, NDArray[np.generic]] = {
        "starts": starts,
        "cites": cited_rows,
        "pairs": pairs,
        "marks": identifiers,
        "marked": numbers.astype(np.int32),
    }
    save_arrays(folder, _ARRAYS, arrays)
    save_arrays(folder / _INVERSE, _INVERSE_ARRAYS, _by_cited(starts, cited_rows))
    with (folder / _CONTEXTS).open("w", encoding="utf-8") as file:
        file.writelines(context.line() for context in scratch.contexts())


def _with_titles(
    identifiers: IdentifierHashes,
    numbers: Rows,
    titles: Sequence[int],
    fullness: Sequence[int],
    pairs: Pairs,
) -> tuple[IdentifierHashes, Rows]:
    """Return identifiers, ascending, together with the titles by which papers are cited."""
    fullest = np.argsort(-np.array(fullness, dtype=np.int8), kind="stable")
    hashes, first = np.unique(np.array(titles, dtype=np.uint64)[fullest], return_index=True)
    rows = fullest[first]
    cited = np.zeros(len(hashes), dtype=bool)
    for start in range(0, len(pairs), _AT_ONCE):
        cited |= np.isin(hashes, pairs["cited"][start : start + _AT_ONCE])
    cited &= (hashes != 0) & ~np.isin(hashes, identifiers)
    identifiers = np.concatenate([identifiers, hashes[cited]])
    order = np.argsort(identifiers, kind="stable")
    return identifiers[order], np.concatenate([numbers, rows[cited]])[order]


def _rows_of(
    wanted: IdentifierHashes,
    identifiers: IdentifierHashes,
    rows: NDArray[np.integer],
    origins: NDArray[np.integer] | None = None,
) -> Rows:
    """Return the row of each identifier, -1 where no paper has it.

    With `origins`, the numbers of the sources that name the identifiers, an id that is no other
    source's matches too.
    """
    result = places_in(identifiers, wanted)
    result[result >= 0] = rows[result[result >= 0]]
    if origins is not None:
        missing = np.flatnonzero(result < 0)
        result[missing] = _rows_of(
            scoped_hashes(wanted[missing], origins[missing]), identifiers, rows
        )
    return result
