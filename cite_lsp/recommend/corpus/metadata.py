"""What corpora say of the papers that a library has: that one was retracted, where one appeared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from threading import Lock

import numpy as np
from attrs import evolve, frozen

from cite_lsp.library.model import Entry, Record
from cite_lsp.paper import Paper, is_published
from cite_lsp.search.corpus.index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key

_AT_ONCE = 1 << 20
"""Papers of a corpus that are looked through together: of large ones not all are in memory."""


@frozen
class CorpusRecord:
    """The record that a corpus has of a paper."""

    corpus: str
    paper: Paper


class CorpusRecords:
    """Finds the records that corpora have of entries, and remembers them. Thread-safe.

    Records of one work have the same title and first author (`title_key`), and no DOIs of two
    publications.
    """

    def __init__(self) -> None:
        self._by_corpus: dict[str, _Titles] = {}
        self._lock = Lock()

    def of(
        self, corpora: Mapping[str, CorpusIndex], entries: Sequence[Entry]
    ) -> list[tuple[CorpusRecord, ...]]:
        """Return what corpora, by their names, have of each entry."""
        keys = [_key_of(entry.record) for entry in entries]
        found: list[list[CorpusRecord]] = [[] for _ in entries]
        for name, titles in self._titles_of(corpora).items():
            papers = titles.papers_of(keys)
            for place, key in enumerate(keys):
                record = papers.get(key)
                if record is not None and _may_be_one(entries[place].paper, record):
                    found[place].append(CorpusRecord(name, record))
        return [tuple(one) for one in found]

    def _titles_of(self, corpora: Mapping[str, CorpusIndex]) -> Mapping[str, _Titles]:
        with self._lock:
            self._by_corpus = {
                name: titles
                if (titles := self._by_corpus.get(name)) and titles.index is index
                else _Titles(index)
                for name, index in corpora.items()
            }
            return self._by_corpus


def completed(paper: Paper, records: Iterable[CorpusRecord]) -> Paper:
    """Return a paper with what its records add: an abstract if it has none, a retraction.

    The same object where they add nothing.
    """
    papers = [record.paper for record in records]
    abstract = paper.abstract or next((known.abstract for known in papers if known.abstract), "")
    retracted = paper.retracted or any(known.retracted for known in papers)
    if (abstract, retracted) == (paper.abstract, paper.retracted):
        return paper
    return evolve(paper, abstract=abstract, retracted=retracted)


class _Titles:
    """The papers of a corpus by their title keys, as far as they were asked for. Thread-safe.

    Who asks for what is known by now does not wait for others whose papers are being looked for:
    going over a corpus of millions takes a second. Two may look for the same.
    """

    def __init__(self, index: CorpusIndex) -> None:
        self.index = index
        self._papers: Mapping[int, Paper | None] = {}
        self._lock = Lock()

    def papers_of(self, keys: Sequence[int]) -> Mapping[int, Paper | None]:
        """Return the papers of some keys, and of others; None where the corpus has none."""
        papers = self._papers
        new = sorted({key for key in keys if key not in papers})
        if not new:
            return papers
        found = _look_up(self.index, new)
        with self._lock:
            # A new mapping each time: those handed out stay as they were.
            self._papers = {**self._papers, **found}
            return self._papers


def _look_up(index: CorpusIndex, keys: Sequence[int]) -> dict[int, Paper | None]:
    """Return the papers of some keys, which rise; of several records of a work the first."""
    found: dict[int, Paper | None] = dict.fromkeys(keys)
    wanted = np.array(keys, dtype=np.uint64)
    there = index.columns.title_keys
    for start in range(0, len(there), _AT_ONCE):
        part = np.asarray(there[start : start + _AT_ONCE])
        places = np.minimum(np.searchsorted(wanted, part), len(wanted) - 1)
        for row in np.flatnonzero(wanted[places] == part).tolist():
            key = int(part[row])
            if found[key] is None:
                found[key] = index.paper(start + row)
    return found


@lru_cache(maxsize=1 << 17)
def _key_of(record: Record) -> int:
    return title_key(record.paper)


def _may_be_one(one: Paper, other: Paper) -> bool:
    published = [paper.doi for paper in (one, other) if is_published(paper.doi)]
    return len(set(published)) < 2
