"""Merge papers from many sources: records of one work become one paper with the fields of all.

The papers go to a scratch file as they come; only hashes of their identifying fields stay in
memory, so that a dump of any size can be merged.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from cite_lsp.corpus.identity import DisjointSets, Identities, likenesses, works_of_doi
from cite_lsp.corpus.paper_identifiers import ENTRY, IdentifierHashes, arxiv_of, scoped_hashes
from cite_lsp.corpus.stored_papers import StoredPapers, paper_line
from cite_lsp.paper import Paper, is_published

_PREPRINT = ("", "article")

Origins = tuple[int, ...]
"""The numbers of the sources that have a paper, ascending."""


class PaperRecords:
    """The records of papers that sources have, in a scratch file in the order in which they come.

    A `PaperMerge` makes papers of them. `identities` are their identifying fields.
    """

    def __init__(self, scratch: Path) -> None:
        """Open the scratch file anew.

        Raises:
            OSError: it cannot be written.
        """
        self.identities = Identities()
        self._path = scratch
        self._file = scratch.open("wb")
        self._ends = array("q", [0])
        self._origins = array("i")
        self._origin_ends = array("q", [0])
        self.titled = bytearray()
        """Whether each record has a title."""
        self.keyed: set[int] = set()
        """The numbers of the records whose ids are keys of bibliographies."""

    @property
    def size(self) -> int:
        """The bytes of all records."""
        return self._ends[-1]

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, paper: Paper, origins: Origins) -> None:
        """Add a record and the sources that have it.

        Raises:
            OSError: it cannot be written.
            ValueError: a merge of the records has begun.
        """
        self._ends.append(self._ends[-1] + self._file.write(paper_line(paper)))
        self._origins.extend(origins)
        self._origin_ends.append(len(self._origins))
        row = len(self) - 1
        if paper.id.startswith(ENTRY):
            self.keyed.add(row)
        self.titled.append(bool(paper.title))
        self.identities.add(paper)

    def rewind(self, count: int) -> None:
        """Remove all records but the first `count`.

        Raises:
            OSError: they cannot be taken out of the file.
        """
        self._file.seek(self._ends[count])
        self._file.truncate()
        del self._origins[self._origin_ends[count] :]
        del self._origin_ends[count + 1 :], self._ends[count + 1 :], self.titled[count:]
        self.keyed = {row for row in self.keyed if row < count}
        self.identities.rewind(count)

    def flush(self) -> None:
        """Write the records to the scratch file, all of them.

        Raises:
            OSError: it cannot be written.
        """
        self._file.flush()

    def finish(self) -> None:
        """Take no further record.

        Raises:
            OSError: they cannot be written.
        """
        self._file.close()

    def stored(self) -> StoredPapers:
        """Return what the scratch file holds of the records, of which there must be some."""
        return StoredPapers(self._path, np.frombuffer(self._ends, dtype=np.int64))

    def some(self, rows: Iterable[int]) -> list[Paper]:
        """Return some of the records by their numbers, once they are written."""
        stored = self.stored()
        return [stored[int(row)] for row in rows]

    def origins_of(self, row: int) -> Origins:
        """Return the sources that have a record."""
        return tuple(self._origins[self._origin_ends[row] : self._origin_ends[row + 1]])

    def close(self) -> None:
        """Remove the scratch file."""
        with suppress(OSError):  # what a full disk has left in the buffer is not wanted any more
            self._file.close()
        self._path.unlink(missing_ok=True)


class PaperMerge:
    """The papers that records are of, each once, in the order of their first records.

    `len` is how many they are. They can be read as long as the records are not closed.
    """

    def __init__(self, records: PaperRecords) -> None:
        """Find out which records are of one work; no further record can be added.

        Keys of bibliographies are no ids: two writers use one key for two works, so the second work
        gets a key of its own. So does one whose id another source gives to a work unlike it.

        Raises:
            OSError: the records cannot be written.
        """
        records.finish()
        self._records = records
        self._parted: set[int] = set()
        self._renamed: dict[int, str] = {}
        self._numbers = np.full(len(records), -1, dtype=np.int64)
        self._count = 0
        if len(records):
            stored = records.stored()
            groups, self._parted = records.identities.groups(
                lambda rows: self._rows_by_work(stored, rows),
                lambda rows: works_of_doi({row: stored[row] for row in rows}),
                lambda rows: any(stored[row].kind == "book" for row in rows),
            )
            self._number(stored, groups)

    def _number(self, stored: StoredPapers, groups: Mapping[int, list[int]]) -> None:
        """Number the papers, and give those an id whose own is another's."""
        taken: set[str] = set()
        for row in range(len(stored)):
            rows = groups.get(row, [row])
            if rows[0] != row or not any(self._records.titled[row] for row in rows):
                continue  # of a paper above, or an abstract without a paper
            if row in self._parted or row in self._records.keyed:
                name = stored[row].id
                free = _unused_id(name, taken)
                taken.add(free)
                if free != name:
                    self._renamed[row] = free
            self._numbers[rows] = self._count
            self._count += 1

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _is_first(self) -> NDArray[np.bool_]:
        """For each record whether it is the first of a paper."""
        met = np.maximum.accumulate(np.concatenate([[-1], self._numbers[:-1]]))
        is_first: NDArray[np.bool_] = self._numbers > met
        return is_first

    @cached_property
    def _count_of_paper(self) -> NDArray[np.int64]:
        """For each record how many records its paper is made of; 0 where it is of none."""
        has_paper = self._numbers >= 0
        counts = np.zeros(len(has_paper), dtype=np.int64)
        counts[has_paper] = np.bincount(self._numbers[has_paper])[self._numbers[has_paper]]
        return counts

    def papers(self) -> Iterator[tuple[Paper, Origins]]:
        """Yield the papers with all their sources."""
        if not self._count:
            return
        stored, origins_of = self._records.stored(), self._records.origins_of
        joined = np.flatnonzero(self._count_of_paper > 1)
        joined = joined[np.argsort(self._numbers[joined], kind="stable")]
        start = 0
        for row in np.flatnonzero(self._is_first).tolist():
            paper, origins = stored[row], origins_of(row)
            if (count := int(self._count_of_paper[row])) > 1:
                rows = joined[start : start + count].tolist()
                start += count
                paper = merged([stored[other] for other in rows])
                origins = tuple(sorted({origin for other in rows for origin in origins_of(other)}))
            if row in self._renamed:
                paper = evolve(paper, id=self._renamed[row])
            yield paper, origins

    def places(self) -> tuple[IdentifierHashes, NDArray[np.int64]]:
        """Return the hashes of all identifiers, ascending, and the number of the paper of each.

        A paper's number says as how many-th `papers` gives it. An id that sources give to several
        works is of none, but scoped to each of these sources (`scoped_hashes`). The DOI of a book
        that its parts carry is of the book.
        """
        hashes, rows, doubtful = self._records.identities.identified()
        numbers = self._numbers[rows]
        numbers[self._records.identities.shared] = -1
        if self._parted:
            separated = np.flatnonzero(doubtful & np.isin(rows, list(self._parted)))
            pairs = [
                (at, origin)
                for at in separated
                for origin in self._records.origins_of(int(rows[at]))
            ]
            places, origins = np.array(pairs, dtype=np.int64).T
            hashes = np.concatenate([hashes, scoped_hashes(hashes[places], origins)])
            separated_numbers, numbers[separated] = numbers[places], -1
            numbers = np.concatenate([numbers, separated_numbers])
        order = np.argsort(hashes, kind="stable")
        order = order[numbers[order] >= 0]
        distinct, first = np.unique(hashes[order], return_index=True)
        return distinct, numbers[order][first]

    def separate_records(self) -> Iterator[tuple[int, bool, Origins, bytes]]:
        """Yield, in order, the records that differ from their papers.

        Of each come its row, whether it is the first of a paper, its sources, and its line.
        """
        if not len(self._records):
            return
        alone = self._count_of_paper == 1
        alone[[*self._renamed]] = False
        stored = self._records.stored()
        for row in np.flatnonzero(~alone).tolist():
            first, origins = bool(self._is_first[row]), self._records.origins_of(row)
            yield row, first, origins, stored.line(row)

    @property
    def renamed(self) -> list[str]:
        """New ids of papers whose own another source gives to another work."""
        return [name for row, name in self._renamed.items() if row in self._parted]

    @property
    def parted(self) -> bool:
        """Whether sources give an id to several works."""
        return bool(self._parted)

    def _rows_by_work(self, stored: StoredPapers, rows: Sequence[int]) -> Iterator[list[int]]:
        """Yield the rows of one id, those of each work together.

        A source gives an id to one work; another may give the same id to a work that is quite
        unlike it. What has no title is of a work only if there is one alone.
        """
        works, first_of = DisjointSets(), dict[str | int, int]()
        titled = {row for row in rows if self._records.titled[row]}
        for row in rows:
            shared: list[str | int] = [*likenesses(stored[row]), *self._records.origins_of(row)]
            for likeness in shared:
                works.join((first_of.setdefault(likeness, row), row))
        groups = works.together()
        if sum(not titled.isdisjoint(work) for work in groups) == 1:
            yield list(rows)
        else:
            yield from groups


def merged(papers: Sequence[Paper]) -> Paper:
    """Return one paper with the fields of several records of it; of each field the first counts.

    What was published goes before its preprint, a list of all authors before one that leaves some
    out; retracted is what one record calls so.
    """
    first = papers[0]
    published = next((paper for paper in papers if paper.kind not in _PREPRINT), first)
    changes: dict[str, object] = {}
    for name in ("title", "abstract", "year", "venue", "url", "language", "kind"):
        preferred = published if name in ("venue", "kind", "year") else first
        values = [getattr(preferred, name), *(getattr(paper, name) for paper in papers)]
        changes[name] = next((value for value in values if value), getattr(first, name))
    dois = [paper.doi for paper in (published, *papers) if paper.doi]
    doi = next((doi for doi in dois if is_published(doi)), "".join(dois[:1]))
    spellings = (paper.written_doi for paper in papers if paper.doi == doi and paper.written_doi)
    changes["doi"], changes["written_doi"] = doi, next(spellings, "")
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
