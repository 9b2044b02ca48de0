"""The corpora, opened only where there are any: most writers have none.

Without corpora their modules are not even imported, which would delay the first answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from attrs import frozen

from cite_lsp import paths
from cite_lsp.encode import load_encoder
from cite_lsp.encode.encoder import Cancel, Encoder
from cite_lsp.library import Library
from cite_lsp.library.entries import Entry
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import CitedElsewhere, CitedFor, Recommendation
from cite_lsp.recommend.corpus.corpus_query import CorpusQuery
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.recommend.published.methods import NO_METHODS, Methods
from cite_lsp.search.remote.address import RemoteAccess, is_address

if TYPE_CHECKING:
    from cite_lsp.recommend.corpus.citation_links import CitationLinks, Direction
    from cite_lsp.recommend.corpus.corpus_records import CorpusRecord
    from cite_lsp.recommend.corpus.merge import CorpusMerger, CorpusPaper
    from cite_lsp.recommend.corpus.registry import Corpus
    from cite_lsp.search.corpus.corpus_index import CorpusIndex


class NoCorpora:
    """Stands for `CorpusMerger` without corpora: nothing is added, nothing is known."""

    def prepare(
        self, library: Library, cited: Sequence[str], drafts: tuple[CitingDraft, ...] = ()
    ) -> None:
        """See `CorpusMerger.prepare`."""

    def indexes(self) -> tuple[CorpusIndex, ...]:
        """See `CorpusMerger.indexes`."""
        return ()

    def opened(self) -> tuple[Corpus, ...]:
        """See `CorpusMerger.opened`."""
        return ()

    def rows_of(self, corpus: Corpus, papers: Sequence[Paper]) -> list[int]:
        """See `CorpusMerger.rows_of`."""
        return []

    def keyed(self, library: Library, root: Path, candidate: Recommendation) -> Recommendation:
        """See `CorpusMerger.keyed`."""
        return candidate

    def searched(self) -> tuple[CorpusIndex, ...]:
        """See `CorpusMerger.searched`."""
        return ()

    def searched_names(self) -> tuple[str, ...]:
        """See `CorpusMerger.searched_names`."""
        return ()

    def known(self, entries: Sequence[Entry]) -> list[tuple[CorpusRecord, ...]]:
        """See `CorpusMerger.known`."""
        return [()] * len(entries)

    def numbered(self, entries: Sequence[Entry]) -> list[tuple[CorpusRecord, ...]]:
        """See `CorpusMerger.numbered`."""
        return [()] * len(entries)

    def completed(self, library: Library) -> Mapping[int, Paper]:
        """See `CorpusMerger.completed`."""
        return {}

    def names(self) -> tuple[str, ...]:
        """See `CorpusMerger.names`."""
        return ()

    def join(
        self,
        query: CorpusQuery,
        from_library: tuple[Recommendation, ...],
        *,
        limit: int,
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """See `CorpusMerger.join`."""
        return from_library

    def recommended_as(self, library: Library, root: Path, key: str) -> Recommendation | None:
        """See `CorpusMerger.recommended_as`."""
        return None

    def existing_key(self, library: Library, paper: Paper) -> str | None:
        """See `CorpusMerger.existing_key`."""
        return None

    def links(self, library: Library, entry: Entry, direction: Direction) -> CitationLinks | None:
        """See `CorpusMerger.links`."""
        return None

    def linked(
        self, library: Library, root: Path, links: CitationLinks, limit: int
    ) -> list[Recommendation]:
        """See `CorpusMerger.linked`."""
        return []

    def have_contexts(self) -> bool:
        """See `CorpusMerger.have_contexts`."""
        return False

    def cited_elsewhere(
        self, paper: Paper, entry: Entry | None, cited_for: CitedFor
    ) -> CitedElsewhere | None:
        """See `CorpusMerger.cited_elsewhere`."""
        return None

    def search(self, typed: str, libraries: Sequence[Library], limit: int) -> list[CorpusPaper]:
        """See `CorpusMerger.search`."""
        return []

    def close(self) -> None:
        """See `CorpusMerger.close`."""


@frozen
class CorpusChoice:
    """The corpora that take part: their names, or the addresses of remote ones.

    names: None for all of this machine. access: opens remote ones, by default from the environment.
    wait: how many seconds a list waits for remote ones, None for the default. methods: those of the
    writer.
    """

    names: Sequence[str] | None = ()
    access: RemoteAccess | None = None
    wait: float | None = None
    methods: Methods = NO_METHODS


class LazyCorpora:
    """Makes the merger of corpora once, when there are corpora. Thread-safe."""

    def __init__(self, choice: CorpusChoice, encoder: Callable[[], Encoder | None]) -> None:
        """Take the corpora, and what returns the encoder of drafts, if it is loaded."""
        self._choice = choice
        self._names = tuple(choice.names) if choice.names is not None else None
        self._encoder = encoder
        self._none = NoCorpora()
        self._merger: CorpusMerger | None = None
        self._closed = False
        self._lock = Lock()

    def get(self) -> CorpusMerger | NoCorpora:
        """Return the merger of corpora; nothing is imported if there can be none."""
        remote = any(map(is_address, self._names or ()))
        if self._names == () or not (remote or paths.corpora_folder().is_dir()):
            return self._none
        with self._lock:
            if self._closed:
                return self._none
            if self._merger is None:
                # Imported where needed: a server that ranks no corpus starts without them.
                from cite_lsp.recommend.corpus.merge import CorpusMerger
                from cite_lsp.recommend.corpus.registry import Corpora
                from cite_lsp.recommend.corpus.remote import WAIT

                corpora = Corpora(
                    self._names,
                    load_encoder=load_encoder,
                    access=self._choice.access,
                    wait=WAIT if self._choice.wait is None else self._choice.wait,
                    methods=self._choice.methods,
                )
                self._merger = CorpusMerger(corpora, self._encoder)
            return self._merger

    def close(self) -> None:
        """Close the corpora; from then on there are none."""
        with self._lock:
            self._closed = True
            merger, self._merger = self._merger, None
        if merger is not None:
            merger.close()
