"""The corpora that recommendations come from beside the library: opened late, renewed when rebuilt.

Nothing is read before the first draft is made ready; an opened corpus is memory-mapped. A build
that ends while the server runs is seen at the next question.
"""

from __future__ import annotations

import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from cite_lsp import paths
from cite_lsp.encode.cached import CachedEncoder
from cite_lsp.encode.model import Encoder, EncoderError
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper, normalise_title
from cite_lsp.recommend.corpus_recommender import Candidate, CorpusRecommender
from cite_lsp.recommend.model import Reason, Recommendation
from cite_lsp.recommend.precedents import PrecedentsError
from cite_lsp.recommend.query import read_query
from cite_lsp.recommend.query_map import QueryMapError
from cite_lsp.recommend.ranker import RankerError
from cite_lsp.recommend.reasons import SIMILAR_SENTENCE, shared_words
from cite_lsp.search.corpus_index import CorpusIndex, corpus_folders, current_version
from cite_lsp.search.tokens import tokenise
from cite_lsp.search.vectors import SearchIndexError

log = logging.getLogger(__name__)

Cancel = Callable[[], bool]
_LIKE = 5
"""Papers with the words of a title that are compared with it."""
_ROWS_KEPT = 20_000
_RUN = re.compile(r"[^\W\d_]+|\d+")
_OTHERS = ("etal", "et", "al", "ea")
_ANSWERS_KEPT = 8
_RANKED = 1000
"""Papers that a context puts in order before it is known what is typed."""
T = TypeVar("T")


class Kept(Generic[T]):
    """The last few answers, by what was asked: a key that is typed is asked for letter by letter.

    Thread-safe.
    """

    def __init__(self) -> None:
        self._answers: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def get(self, asked: Hashable) -> T | None:
        """Return an answer, None where it is not kept."""
        with self._lock:
            return self._answers.get(asked)

    def keep(self, asked: Hashable, answer: T) -> None:
        """Keep an answer; the oldest one is forgotten for it."""
        with self._lock:
            self._answers[asked] = answer
            while len(self._answers) > _ANSWERS_KEPT:
                self._answers.popitem(last=False)


@frozen(eq=False)
class Corpus:
    """An opened corpus. `version` is the folder that it was opened from."""

    name: str
    version: Path
    index: CorpusIndex
    recommender: CorpusRecommender
    _recommended: Kept[tuple[Recommendation, ...]] = field(factory=lambda: Kept(), init=False)
    _ranked: Kept[list[Candidate]] = field(factory=lambda: Kept(), init=False)

    def recommend(
        self,
        context: Context,
        typed: str,
        *,
        limit: int,
        cited: Sequence[int] = (),
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` papers for a context, best first, that match what is typed.

        Raises:
            Cancelled: `cancelled` said so.
        """
        query = read_query(context)
        place = (query, context.title, context.year, tuple(cited))
        allowed = self._matching(typed)
        if allowed is None:
            found = self._recommended.get((*place, limit))
            if found is None:
                found = self.recommender.recommend(
                    context, limit=limit, cited=cited, cancelled=cancelled
                )
                self._recommended.keep((*place, limit), found)
            return tuple(evolve(one, corpus=self.name) for one in found)
        ranked = self._ranked.get(place)
        if ranked is None:
            ranked = self.recommender.rank(context, limit=_RANKED, cited=cited, cancelled=cancelled)
            self._ranked.keep(place, ranked)
        best = [one for one in ranked if allowed[one.row]][:limit]
        result = [
            self._explained(one.row, one.score, one.similarity, query.near, context.language)
            for one in best
        ]
        # What the context says nothing of is found by what is typed alone, the newest first.
        rest = np.flatnonzero(allowed)
        rest = rest[~np.isin(rest, [one.row for one in best])]
        rest = rest[np.argsort(-self.index.years[rest], kind="stable")]
        missing = rest[: limit - len(result)].tolist()
        others = (
            self._explained(row, 0.0, np.nan, query.near, context.language) for row in missing
        )
        return (*result, *others)

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
        found = self.index.typed_words.matching(typed)
        if found is not None and not found.any():
            # The beginning of a key, perhaps, in which the words stand without blanks.
            words = [run for run in _RUN.findall(typed) if run.lower() not in _OTHERS]
            found = self.index.typed_words.matching(" ".join(words)) if words else found
        return found

    def _explained(
        self, row: int, score: float, similarity: float, near: str, language: str
    ) -> Recommendation:
        paper = self.index.paper(row)
        reasons = []
        if similarity >= SIMILAR_SENTENCE:  # NaN, without an encoder, never is
            reasons.append(Reason("sentence", similarity))
        if words := shared_words(paper, near):
            reasons.append(Reason("words", float(len(words)), words=words))
        return Recommendation(paper, score, None, tuple(reasons), self.name, language=language)


class Corpora:
    """The corpora in a folder, or those of given names. Thread-safe; methods may block."""

    def __init__(
        self,
        names: Sequence[str] | None = None,
        *,
        root: Path | None = None,
        load_encoder: Callable[[str], Encoder],
    ) -> None:
        """Take the names, in the order that counts; None for all that there are."""
        self._names = names
        self._root = root
        self._load = load_encoder
        self._lock = Lock()
        self._ready = False
        self._opened: dict[str, Corpus] = {}
        self._encoders: dict[str, Encoder | None] = {}
        self._complaints: set[str] = set()
        self._rows: dict[tuple[str, Path, str], int] = {}

    def prepare(self, own: Encoder | None) -> None:
        """Open what there is, with the encoders that made the vectors; `own` is the draft's."""
        self._ready = True
        for corpus in self.opened(own):
            about = corpus.index.manifest
            if corpus.recommender.encoder is None and about.encoder not in self._encoders:
                self._encoders[about.encoder] = self._encoder(about.encoder, about.name)
        self.opened(own)

    def opened(self, own: Encoder | None) -> tuple[Corpus, ...]:
        """Return the corpora as they are now; none before `prepare` was called."""
        if not self._ready or self._names == ():
            return ()
        with self._lock:
            folders = self._folders()
            self._opened = {
                folder.name: corpus
                for folder in folders
                if (corpus := self._open(folder, own)) is not None
            }
            return tuple(self._opened.values())

    def rows_of(self, corpus: Corpus, papers: Sequence[Paper]) -> list[int]:
        """Return the rows in a corpus of those papers that it has."""
        rows = []
        for paper in papers:
            name = (corpus.name, corpus.version, paper.title)
            if name not in self._rows:
                if len(self._rows) >= _ROWS_KEPT:
                    self._rows.clear()
                self._rows[name] = corpus.row_of(paper)
            if (row := self._rows[name]) >= 0:
                rows.append(row)
        return rows

    def _folders(self) -> list[Path]:
        root = self._root or paths.corpora_folder()
        if self._names is None:
            return corpus_folders(root)
        return [root / name for name in dict.fromkeys(self._names)]

    def _open(self, folder: Path, own: Encoder | None) -> Corpus | None:
        version = current_version(folder)
        known = self._opened.get(folder.name)
        if known is None or known.version != version:
            try:
                index = CorpusIndex(folder)
            except SearchIndexError as error:
                self._complain(str(error))
                return known if known is not None and version is not None else None
            known = Corpus(folder.name, version or folder, index, CorpusRecommender(index, None))
        encoder = self._fitting(known.index, own)
        if encoder is not known.recommender.encoder:
            known = evolve(known, recommender=self._recommender(known.index, encoder))
        return known

    def _recommender(self, index: CorpusIndex, encoder: Encoder | None) -> CorpusRecommender:
        """Return a recommender ready to be asked; one that learned nothing, where need be."""
        recommender = CorpusRecommender(index, encoder)
        try:
            recommender.prepare()
        except (RankerError, PrecedentsError, QueryMapError) as error:
            self._complain(f"{error}; until then corpora are ranked by a simpler system")
            return CorpusRecommender(index, encoder, system="fused")
        return recommender

    def _fitting(self, index: CorpusIndex, own: Encoder | None) -> Encoder | None:
        """Return an encoder whose vectors can be compared with those of a corpus."""
        about = index.manifest
        for encoder in (own, self._encoders.get(about.encoder)):
            if encoder is None:
                continue
            if about.checkpoint == encoder.checkpoint or (
                not about.checkpoint and about.encoder == encoder.name
            ):
                return encoder
        return None

    def _encoder(self, name: str, corpus: str) -> Encoder | None:
        try:
            return CachedEncoder(self._load(name), on_disk=False)
        except EncoderError as error:
            self._complain(f"{corpus}: {error}; it is searched by words only")
            return None

    def _complain(self, message: str) -> None:
        if message not in self._complaints:
            self._complaints.add(message)
            log.warning("%s", message)
