"""Merge papers from many sources: records of one work become one paper with the fields of all.

The papers go to a scratch file as they come; only hashes of their identifying fields stay in
memory, so that a dump of any size can be merged.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from cite_lsp.corpus.identity import (
    ENTRY,
    DisjointSets,
    Identities,
    Marks,
    arxiv_of,
    likenesses,
    mark_in,
    works_of_doi,
)
from cite_lsp.corpus.stored import StoredPapers, paper_line
from cite_lsp.paper import Paper, is_published

_PREPRINT = ("", "article")

Origins = tuple[int, ...]
"""The numbers of the sources that have a paper, ascending."""


@frozen
class SeparateRecord:
    """A record that differs from the paper it belongs to: its row and its line.

    `first`: whether it is the first of a paper, `also` are the marks that it was taken with.
    """

    row: int
    first: bool
    origins: Origins
    also: tuple[int, ...]
    line: bytes


class PaperMerge:
    """Collects papers with `add`, and yields each work once with `papers`."""

    def __init__(self, scratch: Path) -> None:
        """Open the scratch file anew.

        Raises:
            OSError: it cannot be written.
        """
        self._path = scratch
        self._file = scratch.open("wb")
        self._ends = array("q", [0])
        self._origins = array("i")
        self._origin_ends = array("q", [0])
        self._identities = Identities()
        self._also: dict[int, tuple[int, ...]] = {}
        self._numbers: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._parted: set[int] = set()
        self._renamed: dict[int, str] = {}

    @property
    def size(self) -> int:
        """The bytes of all that was added."""
        return self._ends[-1]

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, paper: Paper, origins: Origins, also: tuple[int, ...] = ()) -> None:
        """Add a paper and the sources that have it; `also` are hashes of marks that it had before.

        Raises:
            OSError: it cannot be written.
        """
        self._ends.append(self._ends[-1] + self._file.write(paper_line(paper)))
        self._origins.extend(origins)
        self._origin_ends.append(len(self._origins))
        if also:
            self._also[len(self) - 1] = also
        self._identities.add(paper, also)

    def rewind(self, count: int) -> None:
        """Remove all records but the first `count`.

        Raises:
            OSError: they cannot be taken out of the file.
        """
        self._file.seek(self._ends[count])
        self._file.truncate()
        del self._origins[self._origin_ends[count] :]
        del self._origin_ends[count + 1 :], self._ends[count + 1 :]
        self._also = {row: also for row, also in self._also.items() if row < count}
        self._identities.rewind(count)

    def flush(self) -> None:
        """Write what was added to the scratch file, all of it.

        Raises:
            OSError: it cannot be written.
        """
        self._file.flush()

    def some(self, rows: Iterable[int]) -> list[Paper]:
        """Return some of what was added before the last `flush`, by its number."""
        stored = StoredPapers(self._path, np.array(self._ends, dtype=np.int64))
        return [stored[int(row)] for row in rows]

    def papers(self) -> Iterator[tuple[Paper, Origins]]:
        """Yield the papers in the order of their first records, with all their sources.

        Keys of bibliographies are no ids: two writers use one key for two works, so the second work
        gets a key of its own. So does one whose id another source gives to a work unlike it.
        """
        self._file.close()
        if not len(self):
            return
        stored = StoredPapers(self._path, np.frombuffer(self._ends, dtype=np.int64))
        groups, self._parted = self._identities.groups(
            lambda rows: self._rows_by_work(stored, rows),
            lambda rows: works_of_doi({row: stored[row] for row in rows}),
            lambda rows: any(stored[row].kind == "book" for row in rows),
        )
        taken: set[str] = set()
        self._renamed = {}
        self._numbers = np.full(len(self), -1, dtype=np.int64)
        given = 0
        for row, paper in enumerate(stored):
            group = groups.get(row)
            if group is not None and group[0] != row:
                continue
            origins = self._origins_of(row)
            if group is not None:
                paper = merged([paper, *(stored[other] for other in group[1:])])
                every = {origin for other in group for origin in self._origins_of(other)}
                origins = tuple(sorted(every))
            if not paper.title:
                continue  # an abstract without a paper
            if row in self._parted or paper.id.startswith(ENTRY):
                free = _unused_id(paper.id, taken)
                taken.add(free)
                if free != paper.id:
                    self._renamed[row] = free
                    paper = evolve(paper, id=free)
            self._numbers[group or [row]] = given
            given += 1
            yield paper, origins

    def places(self) -> tuple[Marks, NDArray[np.int64]]:
        """Return the hashes of all marks, ascending, and the number of the paper that each is of.

        A paper's number says as how many-th `papers` gave it; all of them must have been given. An
        id that sources give to several works is of none, but `mark_in` each of these sources of its
        own. The DOI of a book that its parts carry is of the book.
        """
        hashes, rows, doubtful = self._identities.marked()
        numbers = self._numbers[rows]
        numbers[self._identities.shared] = -1
        if self._parted:
            parted = np.flatnonzero(doubtful & np.isin(rows, list(self._parted)))
            pairs = [(at, origin) for at in parted for origin in self._origins_of(int(rows[at]))]
            places, origins = np.array(pairs, dtype=np.int64).T
            hashes = np.concatenate([hashes, mark_in(hashes[places], origins)])
            own, numbers[parted] = numbers[places], -1
            numbers = np.concatenate([numbers, own])
        order = np.argsort(hashes, kind="stable")
        order = order[numbers[order] >= 0]
        distinct, first = np.unique(hashes[order], return_index=True)
        return distinct, numbers[order][first]

    def separate_records(self) -> Iterator[SeparateRecord]:
        """Yield, in order, the records that differ from their papers; all papers must be given."""
        numbers = self._numbers
        alone = (numbers >= 0) & (np.bincount(numbers[numbers >= 0])[numbers] == 1)
        alone[[*self._renamed, *self._also]] = False
        met = np.maximum.accumulate(np.concatenate([[-1], numbers[:-1]]))
        stored = StoredPapers(self._path, np.frombuffer(self._ends, dtype=np.int64))
        for row in np.flatnonzero(~alone).tolist():
            yield SeparateRecord(
                row,
                bool(numbers[row] > met[row]),
                self._origins_of(row),
                self._also.get(row, ()),
                stored.line(row),
            )

    @property
    def renamed(self) -> list[str]:
        """New ids of papers whose own another source gives to another work."""
        return [name for row, name in self._renamed.items() if row in self._parted]

    @property
    def parted(self) -> bool:
        """Whether sources give an id to several works; the papers must have been given."""
        return bool(self._parted)

    def close(self) -> None:
        """Remove the scratch file."""
        with suppress(OSError):  # what a full disk has left in the buffer is not wanted any more
            self._file.close()
        self._path.unlink(missing_ok=True)

    def _rows_by_work(self, stored: StoredPapers, rows: Sequence[int]) -> Iterator[list[int]]:
        """Yield the rows of one id, those of each work together.

        A source gives an id to one work; another may give the same id to a work that is quite
        unlike it. What has no title is of a work only if there is one alone.
        """
        works, first_of = DisjointSets(), dict[str | int, int]()
        titled = {row for row in rows if stored.title(row)}
        for row in rows:
            shared: list[str | int] = [*likenesses(stored[row]), *self._origins_of(row)]
            for likeness in shared:
                works.join((first_of.setdefault(likeness, row), row))
        groups = works.together()
        if sum(not titled.isdisjoint(work) for work in groups) == 1:
            yield list(rows)
        else:
            yield from groups

    def _origins_of(self, row: int) -> Origins:
        return tuple(self._origins[self._origin_ends[row] : self._origin_ends[row + 1]])


def merged(papers: Sequence[Paper]) -> Paper:
    """Return one paper with the fields of several records of it; of each field the first counts.

    What was published goes before its preprint, a list of all authors before one that leaves some
    out; retracted is what one record calls so.
    """
    first = papers[0]
    published = next((paper for paper in papers if paper.kind not in _PREPRINT), first)
    changes: dict[str, object] = {}
    for name in ("title", "abstract", "year", "venue", "url", "language", "kind"):
        own = published if name in ("venue", "kind", "year") else first
        values = [getattr(own, name), *(getattr(paper, name) for paper in papers)]
        changes[name] = next((value for value in values if value), getattr(first, name))
    dois = [paper.doi for paper in (published, *papers) if paper.doi]
    changes["doi"] = next((doi for doi in dois if is_published(doi)), "".join(dois[:1]))
    changes["arxiv"] = next((number for paper in papers if (number := arxiv_of(paper))), "")
    named = min(papers, key=lambda paper: (not paper.authors, paper.more_authors))
    changes["authors"], changes["more_authors"] = named.authors, named.more_authors
    changes["retracted"] = any(paper.retracted for paper in papers)
    return evolve(first, **changes)  # type: ignore[arg-type]


def _unused_id(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}~{number}"
    return free
