"""What corpora say of the papers that a library has: that one was retracted, where one appeared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from threading import Lock

import numpy as np
from attrs import evolve, frozen

from cite_lsp.library.model import Entry, Record
from cite_lsp.paper import Paper, is_published
from cite_lsp.search.corpus_index import CorpusIndex
from cite_lsp.search.paper_columns import title_key

_AT_ONCE = 1 << 20
"""Papers of a corpus that are looked through together: of large ones not all are in memory."""


@frozen
class Known:
    """The record that a corpus has of a paper."""

    corpus: str
    paper: Paper


class KnownWorks:
    """Finds the records that corpora have of entries, and remembers them. Thread-safe.

    Records of one work have the same title and first author (`title_key`), and no DOIs of two
    publications.
    """

    def __init__(self) -> None:
        self._by_corpus: dict[str, _Titles] = {}
        self._lock = Lock()

    def of(
        self, corpora: Mapping[str, CorpusIndex], entries: Sequence[Entry]
    ) -> list[tuple[Known, ...]]:
        """Return what corpora, by their names, have of each entry."""
        keys = [_key_of(entry.record) for entry in entries]
        found: list[list[Known]] = [[] for _ in entries]
        with self._lock:
            self._by_corpus = {
                name: titles
                if (titles := self._by_corpus.get(name)) and titles.index is index
                else _Titles(index)
                for name, index in corpora.items()
            }
            for name, titles in self._by_corpus.items():
                titles.look_up(keys)
                for place, key in enumerate(keys):
                    record = titles.papers.get(key)
                    if record is not None and _may_be_one(entries[place].paper, record):
                        found[place].append(Known(name, record))
        return [tuple(one) for one in found]


def completed(paper: Paper, records: Iterable[Known]) -> Paper:
    """Return a paper with what its records add: an abstract if it has none, a retraction.

    The same object where they add nothing.
    """
    papers = [one.paper for one in records]
    abstract = paper.abstract or next((one.abstract for one in papers if one.abstract), "")
    retracted = paper.retracted or any(one.retracted for one in papers)
    if (abstract, retracted) == (paper.abstract, paper.retracted):
        return paper
    return evolve(paper, abstract=abstract, retracted=retracted)


class _Titles:
    """The papers of a corpus by their title keys, as far as they were asked for."""

    def __init__(self, index: CorpusIndex) -> None:
        self.index = index
        self.papers: dict[int, Paper | None] = {}

    def look_up(self, keys: Sequence[int]) -> None:
        """Find the papers of those keys that were not asked for before."""
        new = sorted({key for key in keys if key not in self.papers})
        if not new:
            return
        self.papers.update(dict.fromkeys(new))
        wanted = np.array(new, dtype=np.uint64)
        there = self.index.columns.title_keys
        for start in range(0, len(there), _AT_ONCE):
            part = np.asarray(there[start : start + _AT_ONCE])
            places = np.minimum(np.searchsorted(wanted, part), len(wanted) - 1)
            for row in np.flatnonzero(wanted[places] == part).tolist():
                key = int(part[row])
                if self.papers[key] is None:  # of several records the first is it
                    self.papers[key] = self.index.paper(start + row)


@lru_cache(maxsize=1 << 17)
def _key_of(record: Record) -> int:
    return title_key(record.paper)


def _may_be_one(one: Paper, other: Paper) -> bool:
    published = [paper.doi for paper in (one, other) if is_published(paper.doi)]
    return len(set(published)) < 2
