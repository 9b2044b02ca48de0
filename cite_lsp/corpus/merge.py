"""Papers from many sources, of which those met twice become one with the fields of all.

The papers go to a scratch file as they come; only hashes of what tells them apart stay in memory,
so that a dump of any size can be merged.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from cite_lsp.corpus.stored import StoredPapers, paper_line
from cite_lsp.paper import Paper, fold, normalise_doi, normalise_title, surname

_ENTRY = "entry:"
"""How the id of a paper from a bibliography begins; its key follows, which is no id."""
_TELLING = 4
"""Words from which on a title and a year tell a work; a shorter one is told by its author too."""
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)")
_ARXIV_URL = re.compile(r"arxiv\.org/(?:abs|pdf)/([\w./-]+?)(?:v\d+)?(?:\.pdf)?$", re.IGNORECASE)
_PREPRINT = ("", "article")

Marks = NDArray[np.uint64]
"""Hashes of marks."""
Origins = tuple[int, ...]
"""The numbers of the sources that have a paper, ascending."""


class PaperMerge:
    """Takes papers with `add`, gives each once with `papers`."""

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
        self._marks, self._marked = array("Q"), array("q")
        self._numbers: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    @property
    def size(self) -> int:
        """The bytes of all that was added."""
        return self._ends[-1]

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, paper: Paper, origins: Origins, also: Iterable[int] = ()) -> None:
        """Take a paper and the sources that have it; `also` are hashes of marks that it had before.

        Raises:
            OSError: it cannot be written.
        """
        row = len(self)
        self._ends.append(self._ends[-1] + self._file.write(paper_line(paper)))
        self._origins.extend(origins)
        self._origin_ends.append(len(self._origins))
        for mark in {*map(mark_hash, marks(paper)), *also}:
            self._marks.append(mark)
            self._marked.append(row)

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
        """Yield the papers in the order in which they were first met, with all their sources.

        Keys of bibliographies are no ids: two writers use one key for two works, so the second work
        gets a key of its own.
        """
        self._file.close()
        if not len(self):
            return
        stored = StoredPapers(self._path, np.frombuffer(self._ends, dtype=np.int64))
        groups = _groups(self._marks, self._marked, len(self))
        keys: set[str] = set()
        self._numbers = np.full(len(self), -1, dtype=np.int64)
        given = 0
        for row, paper in enumerate(stored):
            group = groups.get(row)
            if group is not None and group[0] != row:
                continue
            origins = self._origins_of(row)
            if group is not None:
                paper = merged([paper, *(stored[other] for other in group[1:])])
                every = {one for other in group for one in self._origins_of(other)}
                origins = tuple(sorted(every))
            if not paper.title:
                continue  # an abstract whose paper never came
            if paper.id.startswith(_ENTRY):
                paper = evolve(paper, id=_free(paper.id, keys))
                keys.add(paper.id)
            self._numbers[group or [row]] = given
            given += 1
            yield paper, origins

    def places(self) -> tuple[Marks, NDArray[np.int64]]:
        """Return the hashes of all marks, ascending, and the number of the paper that each is of.

        A paper's number says as how many-th `papers` gave it; all of them must have been given.
        """
        marks_of: Marks = np.array(self._marks, dtype=np.uint64)
        numbers = self._numbers[np.array(self._marked, dtype=np.int64)]
        order = np.argsort(marks_of, kind="stable")
        order = order[numbers[order] >= 0]
        distinct, first = np.unique(marks_of[order], return_index=True)
        return distinct, numbers[order][first]

    def close(self) -> None:
        """Remove the scratch file."""
        with suppress(OSError):  # what a full disk has left in the buffer is not wanted any more
            self._file.close()
        self._path.unlink(missing_ok=True)

    def _origins_of(self, row: int) -> Origins:
        return tuple(self._origins[self._origin_ends[row] : self._origin_ends[row + 1]])


def merged(papers: Sequence[Paper]) -> Paper:
    """Return one paper with the fields of several records of it; of each field the first counts.

    What was published goes before its preprint; retracted is what one record calls so.
    """
    first = papers[0]
    published = next((one for one in papers if one.kind not in _PREPRINT), first)
    changes: dict[str, object] = {}
    for name in ("title", "abstract", "authors", "year", "venue", "doi", "url", "language", "kind"):
        own = published if name in ("venue", "kind", "doi", "year") else first
        values = [getattr(own, name), *(getattr(one, name) for one in papers)]
        changes[name] = next((value for value in values if value), getattr(first, name))
    dois = [one.doi for one in (published, *papers) if one.doi]
    changes["doi"] = next((doi for doi in dois if not _ARXIV_DOI.fullmatch(doi)), "".join(dois[:1]))
    changes["arxiv"] = next((number for one in papers if (number := arxiv_of(one))), "")
    changes["retracted"] = any(one.retracted for one in papers)
    return evolve(first, **changes)  # type: ignore[arg-type]


def arxiv_of(paper: Paper) -> str:
    """Return the arXiv number of a paper without its version, "" where it has none."""
    if paper.arxiv:
        return re.sub(r"v\d+$", "", paper.arxiv)
    found = _ARXIV_DOI.fullmatch(paper.doi.lower()) or _ARXIV_URL.search(paper.url)
    return re.sub(r"v\d+$", "", found[1]) if found else ""


def marks(paper: Paper) -> list[str]:
    """Return what tells that two papers are one: id, DOI, arXiv number, title and year."""
    found = []
    if not paper.id.startswith(_ENTRY):
        found.append(f"id {paper.id}")
    if doi := normalise_doi(paper.doi):
        found.append(f"doi {doi}")
    if number := arxiv_of(paper):
        found.append(f"arxiv {number.lower()}")
    if title := normalise_title(paper.title):
        first = "" if title.count(" ") + 1 >= _TELLING else _first_author(paper)
        found.append(f"title {title}\n{paper.year}\n{first}")
    return found


def _first_author(paper: Paper) -> str:
    return fold(surname(paper.authors[0])) if paper.authors else ""


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}~{number}"
    return free


def mark_hash(mark: str) -> int:
    """Return the number that stands for a mark, 64 bits."""
    digest = hashlib.blake2b(mark.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _groups(hashes: array[int], rows: array[int], count: int) -> dict[int, list[int]]:
    """Return, for every row that shares a mark with another, all the rows that are its paper."""
    marks_of: NDArray[np.uint64] = np.frombuffer(hashes, dtype=np.uint64)
    rows_of: NDArray[np.int64] = np.frombuffer(rows, dtype=np.int64)
    if not len(marks_of):
        return {}
    order = np.argsort(marks_of, kind="stable")
    same = np.flatnonzero(marks_of[order][1:] == marks_of[order][:-1])
    parents: dict[int, int] = {}

    def root(row: int) -> int:
        while (parent := parents.get(row, row)) != row:
            parents[row] = row = parents.get(parent, parent)
        return row

    for one, other in zip(
        rows_of[order[same]].tolist(), rows_of[order[same + 1]].tolist(), strict=True
    ):
        first, second = sorted((root(one), root(other)))
        parents[first], parents[second] = first, first
    groups: dict[int, list[int]] = {}
    for row in sorted(parents):
        groups.setdefault(root(row), []).append(row)
    return {row: group for group in groups.values() for row in group if len(group) > 1}
