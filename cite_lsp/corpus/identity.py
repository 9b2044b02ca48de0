"""Find the records of one work: by id, DOI, arXiv number, and by unambiguous titles.

Only hashes of the identifying fields stay in memory. The result does not depend on the order of
the records.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cite_lsp.corpus.paper_identifiers import (
    UNAMBIGUOUS_WORDS,
    IdentifierHashes,
    first_author,
    identifier_hash,
    identifiers_of,
    title_identifier,
    words_in_title,
)
from cite_lsp.language import has_han
from cite_lsp.paper import (
    Paper,
    is_published,
    joined_title,
    title_ends,
)

_PARTS_OF_BOOKS = frozenset("chapter entry-dictionary entry-encyclopedia".split())
Rows = NDArray[np.int64]
Works = Callable[[list[int]], Iterable[list[int]]]
"""Given the rows of one id, returns those of each work."""


def likenesses(paper: Paper) -> list[str]:
    """Return what records of one id share, at least one thing, if they are of one work.

    That is how the title begins (up to a colon), how it ends, or who wrote it when.
    """
    begins, ends = title_ends(paper.title)
    author = first_author(paper)
    shared = [f"begins {begins}", f"ends {ends}"] if begins else []
    if author and paper.year:
        shared.append(f"by {author} {paper.year}")
    return shared


def works_of_doi(papers: Mapping[int, Paper]) -> list[list[int]]:
    """Return the rows of the records of one DOI, those of each work together.

    They are of one work, but for the parts of a book that carry its DOI: these have titles that are
    not alike, and authors of their own. Chapters are distinguished by their titles alone. A record
    without a title or an author is of the only work that there is; so is a translated title.
    """
    works, first_of = DisjointSets(), dict[str, int]()
    for row, paper in papers.items():
        begins, ends = title_ends(paper.title)
        author = "" if paper.kind in _PARTS_OF_BOOKS else first_author(paper)
        shared = [f"begins {begins}", f"ends {ends}"] if begins else []
        for likeness in [*shared, *([f"by {author}"] if author else []), f"row {row}"]:
            works.join((first_of.setdefault(likeness, row), row))
    groups = works.together()
    identified = [group for group in groups if any(_is_identified(papers[row]) for row in group)]
    wholes = {joined_title(paper.venue) for paper in papers.values() if paper.venue}
    if len(identified) == 1:
        rest = [group for group in groups if group is not identified[0]]
        apart = [group for group in rest if any(_title_in(papers[row], wholes) for row in group)]
        joined = [row for group in rest if group not in apart for row in group]
        return [sorted((*identified[0], *joined)), *apart]
    translated = {tuple({has_han(papers[row].title) for row in group}) for group in groups}
    if len(identified) < 2 or (len(groups) == 2 and translated == {(True,), (False,)}):
        return [sorted(papers)]
    return groups


def _is_identified(paper: Paper) -> bool:
    return bool(paper.title and first_author(paper))


def _title_in(paper: Paper, titles: Container[str]) -> bool:
    return bool(paper.title) and joined_title(paper.title) in titles


def _undated_hash(paper: Paper) -> int:
    """Return the hash of a title alone, 0 for a short one."""
    identifier = title_identifier(paper.title)
    return identifier_hash(identifier) if identifier else 0


def _title_hash(paper: Paper, author: str) -> int:
    """Return the hash of title and year, and of the author where the title is short; 0 for none."""
    title = joined_title(paper.title)
    if not title:
        return 0
    short = words_in_title(title) < UNAMBIGUOUS_WORDS
    return identifier_hash(f"title {title}\n{paper.year}" + (f"\n{author}" if short else ""))


_SURE, _OF_A_SOURCE, _DOI = range(3)
"""Kinds of identifiers: all others; an id that does not name its source; a DOI."""


def _kind_of_identifier(identifier: str) -> int:
    if identifier.startswith("doi "):
        return _DOI
    return _OF_A_SOURCE if identifier.startswith("id ") and ":" not in identifier else _SURE


class Identities:
    """The identifying fields of records, added one by one with `add`. Rows number the records."""

    def __init__(self) -> None:
        self._identifiers, self._identified_rows = array("Q"), array("q")
        self._kinds = array("b")
        self._shared: list[int] = []
        self._titles, self._authors = array("Q"), array("I")
        self._undated, self._dated = array("Q"), array("b")
        self._published = array("b")

    def __len__(self) -> int:
        return len(self._titles)

    def add(self, paper: Paper) -> None:
        """Add a record."""
        row, author = len(self), first_author(paper)
        self._titles.append(_title_hash(paper, author))
        self._authors.append(identifier_hash(author) & 0xFFFFFFFF if author else 0)
        self._undated.append(_undated_hash(paper))
        self._dated.append(paper.year is not None)
        self._published.append(is_published(paper.doi))
        kinds = {
            identifier_hash(identifier): _kind_of_identifier(identifier)
            for identifier in identifiers_of(paper)
        }
        self._identifiers.extend(kinds)
        self._identified_rows.extend([row] * len(kinds))
        self._kinds.extend(kinds.values())

    def rewind(self, count: int) -> None:
        """Remove all records but the first `count`."""
        first = bisect_left(self._identified_rows, count)
        del self._identifiers[first:], self._identified_rows[first:], self._kinds[first:]
        del self._titles[count:], self._authors[count:], self._published[count:]
        del self._undated[count:], self._dated[count:]

    def identified(self) -> tuple[IdentifierHashes, Rows, NDArray[np.bool_]]:
        """Return identifiers, the row of each, and whether it is an id that its source alone uses.

        Such an id does not show where it comes from, as "openalex:W1" does.
        """
        hashes: IdentifierHashes = np.array(self._identifiers, dtype=np.uint64)
        rows: Rows = np.array(self._identified_rows, dtype=np.int64)
        return hashes, rows, np.array(self._kinds, dtype=np.int8) == _OF_A_SOURCE

    @property
    def shared(self) -> Rows:
        """The places of the identifiers that are DOIs of several works, a whole and its parts.

        Those of the whole itself are not among them. They are known when `groups` has been called.
        """
        return np.array(self._shared, dtype=np.int64)

    def groups(
        self, works: Works, works_of_doi: Works, is_whole: Callable[[list[int]], bool]
    ) -> tuple[dict[int, list[int]], set[int]]:
        """Return the records of one work, and those of several works that share an id.

        The first is, for every row that shares its work with another, all the rows of the work; the
        second the rows of ids that `works` has found to be of several. Of the works of a DOI,
        `is_whole` recognises the book that it is of.
        """
        same, separated = DisjointSets(), set[int]()
        self._shared = []
        hashes, rows_of, doubtful = self.identified()
        dois = np.array(self._kinds, dtype=np.int8) == _DOI
        for places in _equal_hashes(hashes):
            rows = rows_of[places].tolist()
            if dois[places].all() and not self._have_one_title(rows):
                parts = list(works_of_doi(rows))
                for part in parts:
                    same.join(part)
                if len(parts) > 1:
                    whole = {row for part in parts if is_whole(part) for row in part}
                    self._shared += [int(place) for place in places if rows_of[place] not in whole]
            elif not doubtful[places].all() or self._have_one_title(rows):
                same.join(rows)
            else:
                parts = list(works(rows))
                for part in parts:
                    same.join(part)
                if len(parts) > 1:
                    separated.update(rows)
        for rows in list(self._works_of_one_title(same)):
            same.join(rows)
        for rows in list(self._undated_works(same)):
            same.join(rows)
        return {row: rows for rows in same.together() if len(rows) > 1 for row in rows}, separated

    def _have_one_title(self, rows: Sequence[int]) -> bool:
        return len({self._titles[row] for row in rows} - {0}) <= 1

    def _works_of_one_title(self, same: DisjointSets) -> Iterator[list[int]]:
        """Yield, by a row of each, the works that are one by title and year.

        Their first authors are the same. A record that names none goes with those that do if there
        is only one author that it can be. Works with DOIs of their own are several, and it is not
        known of which of them another record is, if it is not said otherwise.
        """
        links = [
            link
            for rows in _equal_hashes(np.array(self._titles, dtype=np.uint64))
            for link in self._works_of_one_author(rows.tolist(), same)
        ]
        clusters = DisjointSets()
        for link in links:
            clusters.join(link)
        published = {same.root(row) for row in same if self._published[row]}
        published.update(root for root in clusters if self._published[root])
        dois = Counter(clusters.root(root) for root in clusters if root in published)
        for link in links:
            if dois[clusters.root(link[0])] > 1:
                link = [root for root in link if root not in published]
            if len(link) > 1:
                yield link

    def _undated_works(self, same: DisjointSets) -> Iterator[list[int]]:
        """Yield, by a row of each, works that name no year, and the only dated one of their title.

        They are by nobody, or by whom that is by. Of works with DOIs of their own none goes with
        another, and of works by several none with one by nobody.
        """
        dated = {same.root(row) for row in same if self._dated[row]}
        published = {same.root(row) for row in same if self._published[row]}
        for rows in _equal_hashes(np.array(self._undated, dtype=np.uint64)):
            authors_by_root: dict[int, set[int]] = {}
            for row in rows.tolist():
                root = same.root(row)
                authors_by_root.setdefault(root, set()).add(self._authors[row])
                if self._dated[row]:
                    dated.add(root)
                if self._published[row]:
                    published.add(root)
            of_title = [root for root in authors_by_root if root in dated]
            if len(of_title) != 1:
                continue
            people = {
                author for authors in authors_by_root.values() for author in authors if author
            }
            title_authors = authors_by_root[of_title[0]] - {0} or (
                people if len(people) == 1 else set()
            )
            link = [
                root for root, authors in authors_by_root.items() if authors - {0} <= title_authors
            ]
            if len(published.intersection(link)) > 1:
                link = [root for root in link if root in dated or root not in published]
            if of_title[0] in link and len(link) > 1:
                yield link

    def _works_of_one_author(self, rows: Sequence[int], same: DisjointSets) -> Iterator[list[int]]:
        """Yield, of records of one title, those works that may be one by their first authors."""
        roots = {row: same.root(row) for row in rows}
        if len(set(roots.values())) == 1:
            return
        by_author, first_of = DisjointSets(), dict[int, int]()
        for row, root in roots.items():
            if author := self._authors[row]:
                by_author.join((first_of.setdefault(author, root), root))
        groups = by_author.together()
        nameless = [root for root in dict.fromkeys(roots.values()) if root not in by_author]
        if len(groups) == 1:
            groups[0].extend(nameless)
        else:
            groups.append(nameless)
        yield from (group for group in groups if len(group) > 1)


class DisjointSets:
    """A union-find structure over numbers; the least number of each set is its root."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def __iter__(self) -> Iterator[int]:
        return iter(self._parents)

    def __contains__(self, number: int) -> bool:
        return number in self._parents

    def root(self, number: int) -> int:
        """Return the root of a number's set; the number itself where it was never joined."""
        parents = self._parents
        while (parent := parents.get(number, number)) != number:
            parents[number] = number = parents.get(parent, parent)
        return number

    def join(self, numbers: Iterable[int]) -> None:
        """Join the sets of some numbers."""
        first: int | None = None
        for number in numbers:
            root = self.root(number)
            low, high = (root, root) if first is None else sorted((first, root))
            self._parents[low] = self._parents[high] = first = low

    def together(self) -> list[list[int]]:
        """Return the sets, the numbers of each ascending, by their roots."""
        sets: dict[int, list[int]] = {}
        for number in sorted(self._parents):
            sets.setdefault(self.root(number), []).append(number)
        return list(sets.values())


def _equal_hashes(hashes: IdentifierHashes) -> Iterator[Rows]:
    """Yield the places, ascending, of every hash that occurs several times; 0 is no hash."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    same = np.flatnonzero((ordered[1:] == ordered[:-1]) & (ordered[1:] != 0))
    if not len(same):
        return
    apart = np.diff(same) != 1
    firsts = same[np.concatenate([[True], apart])].tolist()
    lasts = same[np.concatenate([apart, [True]])].tolist()
    for first, last in zip(firsts, lasts, strict=True):
        yield order[first : last + 2]
