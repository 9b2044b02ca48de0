"""The corpora that take part beside the library: opened when needed, again when rebuilt.

Nothing is read before the first draft is prepared; an opened corpus is memory-mapped. A build that
ends while the server runs is seen at the next request. A corpus whose name is an address is remote.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from cite_lsp import paths
from cite_lsp.cancelling import Cancel
from cite_lsp.encode.encoder import Encoder
from cite_lsp.encode.load import load_encoder
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.corpus.encoders import CorpusEncoders, WarnOnce
from cite_lsp.recommend.corpus.ranking import RANKED, Candidate
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.recommend.published.methods import NO_METHODS, Methods
from cite_lsp.recommend.query.query import corpus_cache_key
from cite_lsp.search.corpus.corpus_index import (
    CorpusIndex,
    UnreadableError,
    corpus_folders,
    current_version,
)
from cite_lsp.search.corpus.work_rows import row_with_title
from cite_lsp.search.remote.address import RemoteAccess, RemoteAddress, is_address, read_address
from cite_lsp.search.vectors.vector_index import SearchIndexError
from cite_lsp.storage.caches import ByObject, LastUsed

if TYPE_CHECKING:
    from cite_lsp.recommend.corpus.recommender import CorpusRecommender
    from cite_lsp.recommend.corpus.remote import RemoteCorpus

ALL_LOCAL = "*"
"""The name for all corpora of this machine."""
_CACHED_ROWS = 20_000
"""Titles whose rows in a corpus are cached."""
_LETTERS_OR_DIGITS = lazy_re(r"[^\W\d_]+|\d+")
_ET_AL = ("etal", "et", "al", "ea")


@frozen(eq=False)
class Corpus:
    """An opened corpus, and what ranks its papers."""

    name: str
    index: CorpusIndex
    recommender: CorpusRecommender
    drafts: tuple[CitingDraft, ...] = ()
    """The writer's drafts that the recommender uses."""
    _ranked: LastUsed[Hashable, list[Candidate]] = field(factory=lambda: LastUsed(), init=False)

    def recommend(
        self,
        context: Context,
        typed: str,
        *,
        limit: int,
        cited: Sequence[int] = (),
        draft: Path | None = None,
        by_method: bool = False,
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` papers for a context, best first, that match what is typed.

        `draft` is the main file of the draft, `by_method` whether the writer's methods rank.

        Raises:
            Cancelled: `cancelled` said so.
        """
        cache_key = (corpus_cache_key(context), tuple(cited), draft, by_method)
        ranked = self._ranked.get(cache_key)
        if ranked is None:
            ranked = self.recommender.rank(
                context,
                limit=RANKED,
                cited=cited,
                draft=draft,
                by_method=by_method,
                cancelled=cancelled,
            )
            self._ranked.keep(cache_key, ranked)
        allowed = self._matching(typed)
        best = [each for each in ranked if allowed is None or allowed[each.row]][:limit]
        if allowed is not None:
            # Papers that were not ranked match what is typed alone, the newest first.
            rest = np.flatnonzero(allowed)
            rest = rest[~np.isin(rest, [candidate.row for candidate in best])]
            rest = rest[np.argsort(-self.index.years[rest], kind="stable")]
            missing = rest[: limit - len(best)].tolist()
            best += [Candidate(row, 0.0, math.nan, math.nan) for row in missing]
        explained = self.recommender.reasons.explained(best, context, cited, draft)
        return tuple(evolve(recommendation, corpus=self.name) for recommendation in explained)

    @property
    def encoder(self) -> Encoder | None:
        """The encoder of its vectors, None where it is not loaded."""
        return self.recommender.encoder

    def with_words(self, typed: str, limit: int = 50) -> list[int]:
        """Return the rows of up to `limit` papers that have all typed words, the newest first."""
        matching = self._matching(typed)
        rows = np.flatnonzero(matching) if matching is not None else np.zeros(0, dtype=np.int64)
        newest = rows[np.argsort(-self.index.years[rows], kind="stable")][:limit]
        return [int(row) for row in newest]

    def row_of(self, paper: Paper) -> int:
        """Return the row of a paper by its title, -1 where the corpus lacks it."""
        return row_with_title(self.index, paper.title)

    def _matching(self, typed: str) -> NDArray[np.bool_] | None:
        if len(rows := self.index.numbered(typed)):
            return np.isin(np.arange(len(self.index)), rows)
        matching = self.index.typed_words.matching(typed)
        if matching is not None and not matching.any():
            # Perhaps the beginning of a key, in which words stand without blanks.
            words = [run for run in _LETTERS_OR_DIGITS.findall(typed) if run.lower() not in _ET_AL]
            matching = self.index.typed_words.matching(" ".join(words)) if words else matching
        return matching


class Corpora:
    """The corpora in a folder, or those of given names. Thread-safe; methods may block."""

    def __init__(
        self,
        names: Sequence[str] | None = None,
        *,
        root: Path | None = None,
        load_encoder: Callable[[str], Encoder] = load_encoder,
        access: RemoteAccess | None = None,
        wait: float | None = None,
        methods: Methods = NO_METHODS,
    ) -> None:
        """Take the names, in their order of precedence; None or "*" for all of this machine.

        `access` opens the servers of remote corpora, by default what the environment says; `wait`
        is how many seconds a list waits for them, None for the default. `methods` are those of the
        writer.
        """
        self._methods = methods
        self._warn = WarnOnce()
        self._encoders = CorpusEncoders(load_encoder, self._warn)
        local_names = (
            None
            if names is None or ALL_LOCAL in names
            else [name for name in names if not is_address(name)]
        )
        self._names = local_names
        self._remote: dict[str, RemoteCorpus] = {}
        for address in self._addresses(names or ()):
            # Imported where needed: hardly anybody has remote corpora.
            from cite_lsp.recommend.corpus.remote import WAIT, RemoteCorpus

            self._remote[str(address)] = RemoteCorpus(
                address,
                access or RemoteAccess.from_environment(),
                self._encoders.fit,
                wait=WAIT if wait is None else wait,
            )
        self._drafts: tuple[CitingDraft, ...] = ()
        self._root = root
        self._lock = Lock()
        self._ready = False
        self._closed = False
        self._opened: dict[str, Corpus] = {}
        self._indexes: dict[str, tuple[Path, CorpusIndex]] = {}
        # By the opened corpus, not by its version: one built again has the same, and other rows.
        self._rows: ByObject[CorpusIndex, LastUsed[str, int]] = ByObject()

    def prepare(self, draft_encoder: Encoder | None, drafts: tuple[CitingDraft, ...] = ()) -> None:
        """Open the corpora, with the encoders of their vectors.

        `drafts` are the stored drafts of the writer; the same tuple costs nothing again.
        """
        with self._lock:
            if self._closed:
                return
            self._ready = True
            self._drafts = drafts
        self._encoders.draft_encoder = draft_encoder
        for remote in self._remote.values():
            remote.prepare()
        for index in self.indexes().values():
            about = index.manifest
            if self._encoders.fitting(about) is None:
                self._encoders.load(about.encoder, about.name)
        self.opened()

    def opened(self) -> tuple[Corpus, ...]:
        """Return the corpora in their current versions; none before `prepare` was called."""
        if not self._ready or (self._names is not None and not self._names):
            return ()
        with self._lock:
            if self._closed:
                return ()
            indexes = self._current(missing=True)
            self._opened = {name: self._ranked(name, index) for name, index in indexes.items()}
            return tuple(self._opened.values())

    def indexes(self) -> dict[str, CorpusIndex]:
        """Return the indexes of the corpora on this machine by name, opened now if need be.

        That takes milliseconds, while `opened` has to load the models.
        """
        if self._names is not None and not self._names:
            return {}
        with self._lock:
            return {} if self._closed else self._current()

    def names(self) -> tuple[str, ...]:
        """Return the names of the corpora that can be opened."""
        self.prepare(self._encoders.draft_encoder, self._drafts)
        local = [corpus.name for corpus in self.opened()]
        return (*local, *(remote.name for remote in self.remote() if remote.ready))

    def with_words(self, typed: str) -> Iterator[tuple[str, Iterable[Paper]]]:
        """Yield the papers of each corpus that have all typed words, with its name."""
        for corpus in self.opened():
            yield corpus.name, map(corpus.index.paper, corpus.with_words(typed))
        for remote in self.remote():
            yield remote.name, remote.with_words(typed)

    def _current(self, *, missing: bool = False) -> dict[str, CorpusIndex]:
        """Return the index of each corpus; the same object as long as its version is the same.

        Lookups are cached by this object, and searching a large corpus takes a while. A corpus that
        is gone is forgotten: it may come back with the same version and other papers. With
        `missing` a warning tells of it.
        """
        current: dict[str, tuple[Path, CorpusIndex]] = {}
        for folder in self._folders():
            version, index = current_version(folder), self._indexes.get(folder.name)
            if version is None:
                if missing:
                    self._index(folder)
                continue
            if index is None or index[0] != version:
                opened = self._index(folder)
                index = (version, opened) if opened is not None else index
            if index is not None:
                current[folder.name] = index
        self._indexes = current
        return {name: index for name, (_, index) in current.items()}

    def _index(self, folder: Path) -> CorpusIndex | None:
        try:
            return CorpusIndex(folder)
        except SearchIndexError as error:
            self._warn(str(error))
            return None

    def remote(self) -> tuple[RemoteCorpus, ...]:
        """Return the remote corpora, reached or not; none before `prepare` was called."""
        return tuple(self._remote.values()) if self._ready else ()

    def close(self) -> None:
        """Close the connections of remote corpora; from then on there are no corpora."""
        with self._lock:
            self._closed, self._ready = True, False
            self._opened, self._indexes = {}, {}
        for remote in self._remote.values():
            remote.close()

    def rows_of(self, corpus: Corpus, papers: Sequence[Paper]) -> list[int]:
        """Return the rows in a corpus of those papers that it has."""
        cached_rows = self._rows.setdefault(corpus.index, lambda: LastUsed(_CACHED_ROWS))
        rows = []
        for paper in papers:
            row = cached_rows.get(paper.title)
            if row is None:
                row = corpus.row_of(paper)
                cached_rows.keep(paper.title, row)
            if row >= 0:
                rows.append(row)
        return rows

    def _folders(self) -> list[Path]:
        root = self._root or paths.corpora_folder()
        if self._names is None:
            try:
                return corpus_folders(root)
            except UnreadableError as error:
                self._warn(str(error))
                return []
        return [root / name for name in dict.fromkeys(self._names)]

    def _ranked(self, name: str, index: CorpusIndex) -> Corpus:
        """Return a corpus with what ranks its papers by now."""
        corpus, drafts = self._opened.get(name), self._drafts
        encoder = self._encoders.fitting(index.manifest)
        if corpus is not None and corpus.index is index:
            if encoder is corpus.encoder and drafts is corpus.drafts:
                return corpus
        return Corpus(name, index, self._recommender(index, encoder, drafts), drafts)

    def _recommender(
        self, index: CorpusIndex, encoder: Encoder | None, drafts: Sequence[CitingDraft]
    ) -> CorpusRecommender:
        """Return a recommender with its models loaded; by a simpler system if that fails."""
        # Imported where needed: most writers have no corpora, and none waits for what ranks them.
        from cite_lsp.recommend.corpus.recommender import CorpusRecommender

        recommender = CorpusRecommender(index, encoder, drafts=drafts, methods=self._methods)
        try:
            recommender.prepare()
        except RankerError as error:
            self._warn(f"{error}; until then corpora are ranked by a simpler system")
            return CorpusRecommender(index, encoder, system="fused", methods=self._methods)
        return recommender

    def _addresses(self, names: Sequence[str]) -> Iterator[RemoteAddress]:
        for name in dict.fromkeys(filter(is_address, names)):
            try:
                yield read_address(name)
            except ValueError as error:
                self._warn(str(error))
