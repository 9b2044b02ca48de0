"""A remote corpus among those that recommendations come from: it may add, and never holds up.

Questions are asked in threads of their own and waited for no longer than the writer's list can
wait; an answer that comes too late is there for the next letter typed. After failures nobody asks
for a while, and whoever types sees the papers of this machine at once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock

from attrs import evolve, frozen

from cite_lsp.encode.model import Cancel, Encoder, stop_if
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.model import Recommendation
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.corpus.models import CorpusModels, shipped_corpus_models
from cite_lsp.recommend.corpus.remote_candidates import (
    Acquaintance,
    Ranked,
    RemoteRetrieval,
    acquaint,
)
from cite_lsp.recommend.query.query import corpus_cache_key
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.milvus.corpus import MilvusCorpus
from cite_lsp.search.remote.address import RemoteAccess, RemoteAddress, RemoteError
from cite_lsp.search.remote.circuit_breaker import CircuitBreaker
from cite_lsp.storage.caches import LastUsed

log = logging.getLogger(__name__)

FitEncoder = Callable[[str, str], Encoder | None]
"""Returns the encoder for vectors of (encoder's name, checkpoint), None where there is none."""

WAIT = 0.3
"""Seconds that a list waits for a remote corpus unless told otherwise."""
_ANSWER_SECONDS = 4.0
"""Seconds after which a question to the server is given up."""
_OPEN_SECONDS = 5.0
"""The same of what is asked once, when the corpus is opened."""
_LAST_SECONDS = 30.0
"""Seconds for which a replaced connection stays open for what was asked over it."""
_LOOKED_EVERY = 600.0
"""Seconds between two looks whether the corpus has been built anew."""
_LATE_MOST = 3
"""Late answers in a row after which nobody waits, until one is in time again."""
_STEP = 0.02
_THREADS = 6


@frozen(eq=False)
class _Open:
    """A corpus that was reached, and what ranks its papers."""

    corpus: MilvusCorpus
    retrieval: RemoteRetrieval


class RemoteCorpus:
    """One remote corpus. Thread-safe; no method waits longer than `wait` seconds.

    It has threads, and a connection once it is reached: `close` lets go of both, and it answers
    nothing from then on.
    """

    def __init__(
        self,
        address: RemoteAddress,
        access: RemoteAccess,
        fit_encoder: FitEncoder,
        *,
        wait: float = WAIT,
        breaker: CircuitBreaker | None = None,
    ) -> None:
        """Take where it is; nothing is asked yet."""
        self.address = address
        self.name = address.collection
        self._access, self._fit, self._wait = access, fit_encoder, wait
        self._breaker = breaker or CircuitBreaker()
        self._executor = ThreadPoolExecutor(_THREADS, thread_name_prefix=f"remote-{self.name}")
        self._questions = ThreadPoolExecutor(_THREADS, thread_name_prefix=f"ask-{self.name}")
        self._lock = Lock()
        self._closed = False
        self._open: _Open | None = None
        self._opening: Future[None] | None = None
        self._looked = 0.0
        self._pending: dict[Hashable, Future[object]] = {}
        self._answers: LastUsed[Hashable, object] = LastUsed()
        self._late = 0
        self._said = ""

    def prepare(self) -> None:
        """Begin to open the corpus, and wait a little for it."""
        opening = self._reopen()
        if opening is not None:
            wait([opening], self._wait)

    def close(self) -> None:
        """Let go of the threads and the server; what was asked is not waited for."""
        with self._lock:
            self._closed = True
            opened, self._open = self._open, None
        for threads in (self._questions, self._executor):
            threads.shutdown(wait=False, cancel_futures=True)
        if opened is not None:
            opened.corpus.close()

    @property
    def ready(self) -> bool:
        """Whether the corpus has been reached."""
        return self._open is not None

    def begin(self, context: Context, cited: Sequence[Paper]) -> None:
        """Ask for a context, so that the answer is on its way while others are looked for."""
        self._asked_for(context, _keys(cited))

    def recommend(
        self,
        context: Context,
        typed: str,
        *,
        limit: int,
        cited: Sequence[Paper] = (),
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` papers for a context, best first, that match what is typed.

        Where the server has not ranked them in time these are the papers that have the typed words,
        and none where it does not answer at all.

        Raises:
            Cancelled: `cancelled` said so.
        """
        deadline = time.monotonic() + self._wait
        asked, ranked_future = self._asked_for(context, _keys(cited))
        typed_future = self._asked_for_words(typed, limit) if typed.strip() else None
        ranked = self._answer(asked, ranked_future, deadline, cancelled)
        result = self._ranked(ranked, context, typed, limit) if isinstance(ranked, Ranked) else []
        if typed_future is not None and len(result) < limit:
            more = self._answer(*typed_future, deadline, cancelled)
            there = {one.paper.id for one in result}
            for fetched in more if isinstance(more, list) else ():
                if fetched.paper.id not in there:
                    result.append(Recommendation(fetched.paper, 0.0, corpus=self.name))
        return tuple(result[:limit])

    def _ranked(
        self, ranked: Ranked, context: Context, typed: str, limit: int
    ) -> list[Recommendation]:
        allowed = ranked.matching(typed)
        best = [
            candidate
            for candidate in ranked.candidates
            if allowed is None or allowed[candidate.row]
        ][:limit]
        explained = ranked.recommender.explained(best, context, ranked.cited)
        return [evolve(recommendation, corpus=self.name) for recommendation in explained]

    def with_words(self, typed: str, limit: int = 50) -> list[Paper]:
        """Return up to `limit` papers that have all typed words, the newest first."""
        asked = self._asked_for_words(typed, limit)
        found = self._answer(*asked, time.monotonic() + self._wait, None)
        return [one.paper for one in found] if isinstance(found, list) else []

    def _asked_for(
        self, context: Context, cited: tuple[int, ...]
    ) -> tuple[Hashable, Future[object] | None]:
        asked = (corpus_cache_key(context), cited)

        def ask(retrieval: RemoteRetrieval) -> object:
            return retrieval.rank(context, cited)

        return asked, self._ask(asked, ask)

    def _asked_for_words(self, typed: str, limit: int) -> tuple[Hashable, Future[object] | None]:
        asked = ("typed", typed, limit)
        return asked, self._ask(asked, lambda retrieval: retrieval.typed(typed, limit))

    def _ask(
        self, asked: Hashable, ask: Callable[[RemoteRetrieval], object]
    ) -> Future[object] | None:
        """Return the question on its way; None where it was answered, or is not to be asked."""
        self._reopen()
        with self._lock:
            opened, pending = self._open, self._pending.get(asked)
            if pending is not None or opened is None or self._answers.get(asked) is not None:
                return pending
            if not self._breaker.attempt():
                return None
            future = self._questions.submit(self._asking, asked, ask, opened.retrieval)
            self._pending[asked] = future
            return future

    def _asking(
        self, asked: Hashable, ask: Callable[[RemoteRetrieval], object], retrieval: RemoteRetrieval
    ) -> object:
        begun = time.monotonic()
        try:
            answer = ask(retrieval)
        except RemoteError as error:
            self._fail(str(error))
            return None
        except Exception as error:  # whoever types gets the papers of this machine, whatever it is
            self._trace("a question failed")
            self._fail(f"{self.address.place}: {error}")
            return None
        else:
            self._breaker.succeeded()
            self._said = ""
            self._late = 0 if time.monotonic() - begun <= self._wait else self._late + 1
            with self._lock:
                if self._open is not None and self._open.retrieval is retrieval:
                    self._answers.keep(asked, answer)  # one of a build before is of no use later
            return answer
        finally:
            with self._lock:
                self._pending.pop(asked, None)

    def _answer(
        self,
        asked: Hashable,
        future: Future[object] | None,
        deadline: float,
        cancelled: Cancel | None,
    ) -> object:
        """Return an answer that is there or comes in time, else None.

        Raises:
            Cancelled: `cancelled` said so.
        """
        known = self._answers.get(asked)
        if known is not None or future is None:
            return known
        patient = self._breaker.closed and self._late < _LATE_MOST
        while patient and not future.done() and (left := deadline - time.monotonic()) > 0:
            stop_if(cancelled)
            wait([future], min(left, _STEP))
        return future.result() if future.done() and not future.cancelled() else None

    def _reopen(self) -> Future[None] | None:
        """Open the corpus where that is due, in the background; return what is on its way."""
        with self._lock:
            if self._closed:
                return None
            if self._opening is not None and not self._opening.done():
                return self._opening
            now = time.monotonic()
            if self._open is not None and now - self._looked < _LOOKED_EVERY:
                return None
            if not self._breaker.attempt():
                return None
            self._looked = now
            self._opening = self._executor.submit(self._opens)
            return self._opening

    def _opens(self) -> None:
        before = self._open
        try:
            if before is not None and not before.corpus.changed(_ANSWER_SECONDS):
                self._breaker.succeeded()
                return
            opened = self._opened()
        except RemoteError as error:
            self._fail(str(error))
            return
        except Exception as error:  # nobody looks at how this ends
            self._trace("it could not be opened")
            self._fail(f"{self.address.place}: {error}")
            return
        self._breaker.succeeded()
        with self._lock:
            closed = self._closed
            self._open = None if closed else opened
            self._answers = LastUsed()
            asked_before = list(self._pending.values())
        if closed:
            opened.corpus.close()
            return
        if before is not None:
            wait(asked_before, _LAST_SECONDS)  # their answers come over the connection of before
            before.corpus.close()

    def _opened(self) -> _Open:
        """Connect, and find out what ranks the papers there.

        Raises:
            RemoteError: it cannot be reached, or is not there.
        """
        corpus = MilvusCorpus.open(self.address, self._access, timeout=_OPEN_SECONDS)
        try:
            about = corpus.manifest
            encoder = self._fit(about.encoder, about.checkpoint)
            learned = self._learned(about.checkpoint) if encoder is not None else None
            known: Acquaintance | None = None
            if learned is not None:
                known = acquaint(corpus, learned.precedents, timeout=_OPEN_SECONDS)
        except BaseException:
            corpus.close()
            raise
        retrieval = RemoteRetrieval(
            corpus, encoder, learned, known, self._executor, _ANSWER_SECONDS
        )
        return _Open(corpus, retrieval)

    def _learned(self, checkpoint: str) -> CorpusModels | None:
        try:
            return shipped_corpus_models(checkpoint)
        except RankerError as error:
            log.warning("%s; until then %s is ranked by a simpler system", error, self.name)
            return None

    def _trace(self, what: str) -> None:
        """Log an exception that is none of the server's, once in an outage."""
        if not (self._said or self._closed):
            log.exception("%s: %s", self.address.place, what)

    def _fail(self, message: str) -> None:
        """Take note of a failure; an outage is told of once."""
        if self._closed:  # of what was asked before, over a connection that is gone
            return
        self._breaker.failed()
        if not self._said:
            log.warning("%s; papers of this machine are offered meanwhile", message)
        self._said = message


def _keys(papers: Sequence[Paper]) -> tuple[int, ...]:
    return tuple(sorted({title_key(paper) for paper in papers}))
