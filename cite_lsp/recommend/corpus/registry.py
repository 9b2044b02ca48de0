"""The corpora that recommendations come from beside the library: opened late, renewed when rebuilt.

Nothing is read before the first draft is made ready; an opened corpus is memory-mapped. A build
that ends while the server runs is seen at the next question. A corpus whose name is an address is
a remote one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from threading import Lock

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from cite_lsp import paths
from cite_lsp.encode.model import Cancel, Encoder
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper, normalise_title
from cite_lsp.recommend.base.model import Recommendation
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.corpus.encoders import CorpusEncoders, WarnOnce
from cite_lsp.recommend.corpus.recommender import Candidate, CorpusRecommender
from cite_lsp.recommend.corpus.remote import WAIT, RemoteCorpus
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.recommend.evidence.precedent_arrays import PrecedentsError
from cite_lsp.recommend.query.query import corpus_cache_key
from cite_lsp.search.corpus.index import (
    CorpusIndex,
    UnreadableError,
    corpus_folders,
    current_version,
)
from cite_lsp.search.remote.address import RemoteAccess, RemoteAddress, is_address, read_address
from cite_lsp.search.vectors.index import SearchIndexError
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.storage.caches import ByObject, LastUsed

EVERY = "*"
"""The name that stands for all corpora of this machine."""
_LIKE = 5
"""Papers with the words of a title that are compared with it."""
_ROWS_KEPT = 20_000
"""Titles of which it is remembered where they stand in a corpus."""
_RUN = re.compile(r"[^\W\d_]+|\d+")
_OTHERS = ("etal", "et", "al", "ea")
_RANKED = 1000
"""Papers that a context puts in order before it is known what is typed."""


@frozen(eq=False)
class Corpus:
    """An opened corpus. `version` is the folder that it was opened from."""

    name: str
    version: Path
    index: CorpusIndex
    recommender: CorpusRecommender
    drafts: tuple[CitingDraft, ...] = ()
    """What the recommender knows of the writer's drafts."""
    _recommended: LastUsed[Hashable, tuple[Recommendation, ...]] = field(
        factory=lambda: LastUsed(), init=False
    )
    _ranked: LastUsed[Hashable, list[Candidate]] = field(factory=lambda: LastUsed(), init=False)

    def recommend(
        self,
        context: Context,
        typed: str,
        *,
        limit: int,
        cited: Sequence[int] = (),
        draft: Path | None = None,
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` papers for a context, best first, that match what is typed.

        `draft` is the main file of the draft that asks.

        Raises:
            Cancelled: `cancelled` said so.
        """
        place = (corpus_cache_key(context), tuple(cited), draft)
        allowed = self._matching(typed)
        if allowed is None:
            found = self._recommended.get((*place, limit))
            if found is None:
                found = self.recommender.recommend(
                    context, limit=limit, cited=cited, draft=draft, cancelled=cancelled
                )
                self._recommended.keep((*place, limit), found)
            return tuple(evolve(one, corpus=self.name) for one in found)
        ranked = self._ranked.get(place)
        if ranked is None:
            ranked = self.recommender.rank(
                context, limit=_RANKED, cited=cited, draft=draft, cancelled=cancelled
            )
            self._ranked.keep(place, ranked)
        best = [candidate for candidate in ranked if allowed[candidate.row]][:limit]
        # What the context says nothing of is found by what is typed alone, the newest first.
        rest = np.flatnonzero(allowed)
        rest = rest[~np.isin(rest, [candidate.row for candidate in best])]
        rest = rest[np.argsort(-self.index.years[rest], kind="stable")]
        missing = rest[: limit - len(best)].tolist()
        others = (Candidate(row, 0.0, math.nan, math.nan) for row in missing)
        explained = self.recommender.explained((*best, *others), context, cited, draft)
        return tuple(evolve(recommendation, corpus=self.name) for recommendation in explained)

    def with_words(self, typed: str, limit: int = 50) -> list[int]:
        """Return the rows of up to `limit` papers that have all typed words, the newest first."""
        matching = self._matching(typed)
        rows = np.flatnonzero(matching) if matching is not None else np.zeros(0, dtype=np.int64)
        newest = rows[np.argsort(-self.index.years[rows], kind="stable")][:limit]
        return [int(row) for row in newest]

    def row_of(self, paper: Paper) -> int:
        """Return the row of a paper by its title, -1 where the corpus lacks it."""
        title = normalise_title(paper.title)
        rows, _ = self.index.words.search(tokenise(paper.title), _LIKE)
        for row in rows.tolist() if title else ():
            if normalise_title(self.index.paper(row).title) == title:
                return int(row)
        return -1

    def _matching(self, typed: str) -> NDArray[np.bool_] | None:
        if len(rows := self.index.numbered(typed)):
            return np.isin(np.arange(len(self.index)), rows)
        found = self.index.typed_words.matching(typed)
        if found is not None and not found.any():
            # The beginning of a key, perhaps, in which the words stand without blanks.
            words = [run for run in _RUN.findall(typed) if run.lower() not in _OTHERS]
            found = self.index.typed_words.matching(" ".join(words)) if words else found
        return found


class Corpora:
    """The corpora in a folder, or those of given names. Thread-safe; methods may block."""

    def __init__(
        self,
        names: Sequence[str] | None = None,
        *,
        root: Path | None = None,
        load_encoder: Callable[[str], Encoder],
        access: RemoteAccess | None = None,
        wait: float = WAIT,
    ) -> None:
        """Take the names, in the order that counts; None or "*" for all of this machine.

        `access` opens the servers of remote corpora, by default what the environment says; `wait`
        is how many seconds a list waits for them.
        """
        self._warn = WarnOnce()
        self._encoders = CorpusEncoders(load_encoder, self._warn)
        own = (
            None
            if names is None or EVERY in names
            else [name for name in names if not is_address(name)]
        )
        self._names = own
        self._remote: dict[str, RemoteCorpus] = {}
        for address in self._addresses(names or ()):
            self._remote[str(address)] = RemoteCorpus(
                address, access or RemoteAccess.from_environment(), self._encoders.fit, wait=wait
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

    def prepare(self, own: Encoder | None, drafts: tuple[CitingDraft, ...] = ()) -> None:
        """Open what there is, with the encoders that made the vectors; `own` is the draft's.

        `drafts` are what the writer cited before; the same tuple costs nothing again.
        """
        with self._lock:
            if self._closed:
                return
            self._ready = True
            self._drafts = drafts
        self._encoders.own = own
        for remote in self._remote.values():
            remote.prepare()
        for corpus in self.opened(own):
            about = corpus.index.manifest
            if corpus.recommender.encoder is None:
                self._encoders.load(about.encoder, about.name)
        self.opened(own)

    def opened(self, own: Encoder | None) -> tuple[Corpus, ...]:
        """Return the corpora as they are now; none before `prepare` was called."""
        self._encoders.own = own
        if not self._ready or (self._names is not None and not self._names):
            return ()
        with self._lock:
            if self._closed:
                return ()
            folders = self._folders()
            self._opened = {
                folder.name: corpus
                for folder in folders
                if (corpus := self._open(folder, own)) is not None
            }
            # One that is gone may come back under the same version, with other papers.
            self._indexes = {
                name: index for name, index in self._indexes.items() if name in self._opened
            }
            return tuple(self._opened.values())

    def indexes(self) -> dict[str, CorpusIndex]:
        """Return the corpora on this machine by name, opened to be looked things up in if need be.

        That takes milliseconds, where `opened` has to load what ranks.
        """
        if self._names is not None and not self._names:
            return {}
        found: dict[str, tuple[Path, CorpusIndex]] = {}
        with self._lock:
            if self._closed:
                return {}
            for folder in self._folders():
                version, ready = current_version(folder), self._opened.get(folder.name)
                if ready is not None and ready.version == version:
                    found[folder.name] = ready.version, ready.index
                elif version is not None and (index := self._index(folder, version)) is not None:
                    found[folder.name] = version, index
            self._indexes = found
        return {name: index for name, (_, index) in found.items()}

    def _index(self, folder: Path, version: Path | None) -> CorpusIndex | None:
        """Open a corpus; the same object while things are looked up in this version of it.

        What was found in a corpus is kept by the object, and a large one takes a while to search.
        """
        before = self._indexes.get(folder.name)
        if before is not None and before[0] == version:
            return before[1]
        try:
            return CorpusIndex(folder)
        except SearchIndexError as error:
            self._warn(str(error))
            return None

    def remote(self) -> tuple[RemoteCorpus, ...]:
        """Return the remote corpora, reached or not; none before `prepare` was called."""
        return tuple(self._remote.values()) if self._ready else ()

    def close(self) -> None:
        """Let go of the servers of remote corpora; from then on there are no corpora."""
        with self._lock:
            self._closed, self._ready = True, False
            self._opened, self._indexes = {}, {}
        for remote in self._remote.values():
            remote.close()

    def rows_of(self, corpus: Corpus, papers: Sequence[Paper]) -> list[int]:
        """Return the rows in a corpus of those papers that it has."""
        known = self._rows.setdefault(corpus.index, lambda: LastUsed(_ROWS_KEPT))
        rows = []
        for paper in papers:
            row = known.get(paper.title)
            if row is None:
                row = corpus.row_of(paper)
                known.keep(paper.title, row)
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

    def _open(self, folder: Path, own: Encoder | None) -> Corpus | None:
        version = current_version(folder)
        known = self._opened.get(folder.name)
        if known is None or known.version != version:
            index = self._index(folder, version)
            if index is None:
                return known if known is not None and version is not None else None
            known = Corpus(folder.name, version or folder, index, CorpusRecommender(index, None))
        encoder, drafts = self._encoders.fitting(known.index.manifest, own), self._drafts
        if encoder is not known.recommender.encoder or drafts is not known.drafts:
            recommender = self._recommender(known.index, encoder, drafts)
            known = evolve(known, recommender=recommender, drafts=drafts)
        return known

    def _recommender(
        self, index: CorpusIndex, encoder: Encoder | None, drafts: Sequence[CitingDraft]
    ) -> CorpusRecommender:
        """Return a recommender ready to be asked; one that learned nothing, where need be."""
        recommender = CorpusRecommender(index, encoder, drafts=drafts)
        try:
            recommender.prepare()
        except (RankerError, PrecedentsError) as error:
            self._warn(f"{error}; until then corpora are ranked by a simpler system")
            return CorpusRecommender(index, encoder, system="fused")
        return recommender

    def _addresses(self, names: Sequence[str]) -> Iterator[RemoteAddress]:
        for name in dict.fromkeys(filter(is_address, names)):
            try:
                yield read_address(name)
            except ValueError as error:
                self._warn(str(error))
