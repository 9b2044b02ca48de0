"""The records that corpora have of the papers of a library: abstracts, retractions, venues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from threading import Lock

import numpy as np
from attrs import evolve, frozen

from cite_lsp.library.entries import Entry, Record
from cite_lsp.library.match.dedupe import own_arxiv
from cite_lsp.paper import Paper, is_published
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.storage.array_folder import places_in

_AT_ONCE = 1 << 20
"""Papers of a corpus that are searched at once: a large corpus is not all in memory."""


@frozen
class CorpusRecord:
    """The record that a corpus has of a paper."""

    corpus: str
    paper: Paper


class CorpusRecords:
    """The records that corpora have of entries, cached. Thread-safe.

    Records of the same work have the same title and first author (`title_key`), and no DOIs of two
    publications.
    """

    def __init__(self) -> None:
        self._by_corpus: dict[str, _Titles] = {}
        self._lock = Lock()

    def of(
        self, corpora: Mapping[str, CorpusIndex], entries: Sequence[Entry]
    ) -> list[tuple[CorpusRecord, ...]]:
        """Return the records of each entry in corpora, which are given by name."""
        if not corpora:
            return [()] * len(entries)
        keys = [key_of(entry.record) for entry in entries]
        records_by_entry: list[list[CorpusRecord]] = [[] for _ in entries]
        for name, titles in self._titles_of(corpora).items():
            papers = titles.papers_of(keys)
            for index, key in enumerate(keys):
                paper = papers.get(key)
                if paper is not None and _may_be_same_work(entries[index].paper, paper):
                    records_by_entry[index].append(CorpusRecord(name, paper))
        return [tuple(records) for records in records_by_entry]

    def _titles_of(self, corpora: Mapping[str, CorpusIndex]) -> Mapping[str, _Titles]:
        with self._lock:
            self._by_corpus = {
                name: titles
                if (titles := self._by_corpus.get(name)) and titles.index is index
                else _Titles(index)
                for name, index in corpora.items()
            }
            return self._by_corpus


def numbered_records(
    corpora: Mapping[str, CorpusIndex], entries: Sequence[Entry]
) -> list[tuple[CorpusRecord, ...]]:
    """Return the records that corpora have under the DOI and arXiv number of each entry."""
    return [
        tuple(
            CorpusRecord(name, index.paper(row))
            for name, index in corpora.items()
            for row in dict.fromkeys(
                row
                for number in published_numbers(entry)
                for row in index.numbered(number).tolist()
            )
        )
        for entry in entries
    ]


def published_numbers(entry: Entry) -> Iterator[str]:
    """Yield the numbers that a corpus may know the work of an entry by: DOI, arXiv number."""
    if doi := entry.paper.doi:
        yield doi
    if arxiv := own_arxiv(entry):
        yield f"arXiv:{arxiv}"


def numbers_of(paper: Paper) -> Iterator[str]:
    """Yield the numbers that a corpus may know a paper by, as `published_numbers` does."""
    if paper.doi:
        yield paper.doi
    if paper.arxiv:
        yield f"arXiv:{paper.arxiv}"


def completed(paper: Paper, records: Iterable[CorpusRecord]) -> Paper:
    """Return a paper completed from its records: an abstract if it has none, a retraction.

    It is the same object if they add nothing.
    """
    papers = [record.paper for record in records]
    abstract = paper.abstract or next(
        (record_paper.abstract for record_paper in papers if record_paper.abstract), ""
    )
    retracted = paper.retracted or any(record_paper.retracted for record_paper in papers)
    if (abstract, retracted) == (paper.abstract, paper.retracted):
        return paper
    return evolve(paper, abstract=abstract, retracted=retracted)


class _Titles:
    """The papers of a corpus by their title keys, as far as they were looked up. Thread-safe.

    Nobody waits for papers that others look up: searching a corpus of millions takes a second. Two
    threads may look up the same papers.
    """

    def __init__(self, index: CorpusIndex) -> None:
        self.index = index
        self._papers: Mapping[int, Paper | None] = {}
        self._lock = Lock()

    def papers_of(self, keys: Sequence[int]) -> Mapping[int, Paper | None]:
        """Return the papers of some keys, and perhaps of more; None if the corpus lacks a paper."""
        papers = self._papers
        new = sorted({key for key in keys if key not in papers})
        if not new:
            return papers
        looked_up = _look_up(self.index, new)
        with self._lock:
            # A new mapping each time: callers hold the earlier ones.
            self._papers = {**self._papers, **looked_up}
            return self._papers


def _look_up(index: CorpusIndex, keys: Sequence[int]) -> dict[int, Paper | None]:
    """Return the papers of some keys, given in ascending order; the first of several records."""
    paper_of: dict[int, Paper | None] = dict.fromkeys(keys)
    keys_array = np.array(keys, dtype=np.uint64)
    title_keys = index.columns.title_keys
    for start in range(0, len(title_keys), _AT_ONCE):
        part = np.asarray(title_keys[start : start + _AT_ONCE])
        for row in np.flatnonzero(places_in(keys_array, part) >= 0).tolist():
            key = int(part[row])
            if paper_of[key] is None:
                paper_of[key] = index.paper(start + row)
    return paper_of


@lru_cache(maxsize=1 << 17)
def key_of(record: Record) -> int:
    """Return the `title_key` of a record's paper."""
    return title_key(record.paper)


def _may_be_same_work(paper: Paper, other: Paper) -> bool:
    published = [paper.doi for paper in (paper, other) if is_published(paper.doi)]
    return len(set(published)) < 2
