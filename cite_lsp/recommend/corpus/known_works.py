"""What the corpora on this machine know of the works that libraries have.

Nothing needs to be prepared.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from threading import Lock

from cite_lsp.encode.encoder import Encoder
from cite_lsp.library import Library
from cite_lsp.library.entries import Entry
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import CitedElsewhere, CitedFor
from cite_lsp.recommend.corpus.citation_links import CitationLinks, Direction, citation_links
from cite_lsp.recommend.corpus.corpus_records import (
    CorpusRecord,
    CorpusRecords,
    completed,
    numbered_records,
    numbers_of,
    published_numbers,
)
from cite_lsp.recommend.corpus.encoders import WarnOnce
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.recommend.evidence.cited_elsewhere import cited_elsewhere
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.vectors.vector_index import SearchIndexError

_Completed = tuple[Mapping[str, CorpusIndex], Mapping[int, Paper]]
"""The corpora that were searched, and the papers of a library that they completed, by row."""


class KnownWorks:
    """The records of works, their citations and how they are cited. Thread-safe."""

    def __init__(self, corpora: Corpora) -> None:
        self._corpora = corpora
        self._warn = WarnOnce()
        self._records = CorpusRecords()
        self._completed: weakref.WeakKeyDictionary[Library, _Completed] = (
            weakref.WeakKeyDictionary()
        )
        self._lock = Lock()

    def corpus_names(self) -> tuple[str, ...]:
        """Return the names of the corpora."""
        return tuple(index.manifest.name for index in self._corpora.indexes().values())

    def records(self, entries: Sequence[Entry]) -> list[tuple[CorpusRecord, ...]]:
        """Return the records that corpora have of each entry."""
        return self._records.of(self._corpora.indexes(), entries)

    def numbered(self, entries: Sequence[Entry]) -> list[tuple[CorpusRecord, ...]]:
        """Return the records that corpora have under the numbers of each entry."""
        return numbered_records(self._corpora.indexes(), entries)

    def completed(self, library: Library) -> Mapping[int, Paper]:
        """Return the papers of a library that corpora on this machine complete, by row.

        They have abstracts that their entries lack, or are marked as retracted.
        """
        corpora = self._corpora.indexes()
        with self._lock:
            cached = self._completed.get(library)
        if cached is None or cached[0] != corpora:
            cached = corpora, self._complete(library, corpora)
            with self._lock:
                self._completed[library] = cached
        return cached[1]

    def _complete(
        self, library: Library, corpora: Mapping[str, CorpusIndex]
    ) -> Mapping[int, Paper]:
        entry_records = self._records.of(corpora, library.entries)
        rows = [row for row, records in enumerate(entry_records) if records]
        papers = {row: library.entries[row].paper for row in rows}
        filled = {row: completed(paper, entry_records[row]) for row, paper in papers.items()}
        return {row: paper for row, paper in filled.items() if paper is not papers[row]}

    def links(self, library: Library, entry: Entry, direction: Direction) -> CitationLinks | None:
        """Return what citations link to the work of an entry; None where no corpus knows."""
        try:
            return citation_links(self._corpora.indexes(), library, entry, direction)
        except SearchIndexError as error:
            self._warn(str(error))
            return None

    def have_contexts(self) -> bool:
        """Whether a corpus on this machine knows in which words papers are cited."""
        references_by_corpus = (index.references for index in self._corpora.indexes().values())
        return any(
            references is not None and references.has_contexts
            for references in references_by_corpus
        )

    def cited_elsewhere(
        self, paper: Paper, entry: Entry | None, cited_for: CitedFor, encoder: Encoder | None
    ) -> CitedElsewhere | None:
        """Return how another paper cites one, nearest to what the writer says; None if unknown.

        `entry` is that of the library, if it has one; `encoder` compares sentences. It may take
        seconds the first time.
        """
        numbers = list(published_numbers(entry)) if entry else list(numbers_of(paper))
        try:
            return cited_elsewhere(self._corpora.indexes(), paper, numbers, cited_for, encoder)
        except SearchIndexError as error:
            self._warn(str(error))
            return None
