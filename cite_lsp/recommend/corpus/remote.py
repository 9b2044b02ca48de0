"""A remote corpus: recommendations from a server that never delay those of this machine.

Requests run in threads of their own, and a list waits for them only a short time; a late answer is
there for the next letter typed. After failures no requests are sent for a while, and the papers of
this machine appear at once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock

from attrs import evolve, frozen

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Encoder
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.corpus.remote_candidates import (
    RankedCandidates,
    RemotePrecedents,
    RemoteRetrieval,
    find_precedents,
)
from cite_lsp.recommend.corpus.reranker import CorpusModels, shipped_corpus_models
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
"""Seconds that a list waits for a remote corpus by default."""
_ANSWER_SECONDS = 4.0
"""Seconds after which a request to the server fails."""
_OPEN_SECONDS = 5.0
"""The same for requests that open the corpus."""
_LAST_SECONDS = 30.0
"""Seconds for which a replaced connection stays open for its pending requests."""
_SECONDS_BETWEEN_CHECKS = 600.0
"""Seconds between two checks whether the corpus was rebuilt."""
_MOST_LATE = 3
"""Late answers in a row after which lists no longer wait, until an answer is in time again."""
_POLL_SECONDS = 0.02
_THREADS = 6


@frozen(eq=False)
class _Connected:
    """A connected corpus, and what ranks its papers."""

    corpus: MilvusCorpus
    retrieval: RemoteRetrieval


class RemoteCorpus:
    """One remote corpus. Thread-safe; no method waits longer than `wait` seconds.

    It has threads, and a connection once the server is reached; after `close` it has neither, and
    returns nothing.
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
        """Take its address; nothing is requested yet."""
        self.address = address
        self.name = address.collection
        self._access, self._fit, self._wait = access, fit_encoder, wait
        self._breaker = breaker or CircuitBreaker()
        self._executor = ThreadPoolExecutor(_THREADS, thread_name_prefix=f"remote-{self.name}")
        self._requests = ThreadPoolExecutor(_THREADS, thread_name_prefix=f"ask-{self.name}")
        self._lock = Lock()
        self._closed = False
        self._open: _Connected | None = None
        self._opening: Future[None] | None = None
        self._checked = 0.0
        self._pending: dict[Hashable, Future[object]] = {}
        self._answers: LastUsed[Hashable, object] = LastUsed()
        self._late = 0
        self._logged = ""

    def prepare(self) -> None:
        """Start to open the corpus, and wait a little for it."""
        opening = self._reopen()
        if opening is not None:
            wait([opening], self._wait)

    def close(self) -> None:
        """Close threads and connection; pending requests are not waited for."""
        with self._lock:
            self._closed = True
            opened, self._open = self._open, None
        for threads in (self._requests, self._executor):
            threads.shutdown(wait=False, cancel_futures=True)
        if opened is not None:
            opened.corpus.close()

    @property
    def ready(self) -> bool:
        """Whether the corpus is connected."""
        return self._open is not None

    def begin(self, context: Context, cited: Sequence[Paper]) -> None:
        """Request the ranking for a context, so that it runs while other corpora are searched."""
        self._request_ranking(context, _keys(cited))

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

        If the ranking is not there in time these are the papers that have the typed words, and none
        if the server does not answer at all.

        Raises:
            Cancelled: `cancelled` said so.
        """
        deadline = time.monotonic() + self._wait
        request, ranked_future = self._request_ranking(context, _keys(cited))
        typed_future = self._request_typed(typed, limit) if typed.strip() else None
        ranked = self._wait_for(request, ranked_future, deadline, cancelled)
        recommendations = (
            self._ranked(ranked, context, typed, limit)
            if isinstance(ranked, RankedCandidates)
            else []
        )
        if typed_future is not None and len(recommendations) < limit:
            more = self._wait_for(*typed_future, deadline, cancelled)
            paper_ids = {recommendation.paper.id for recommendation in recommendations}
            for fetched in more if isinstance(more, list) else ():
                if fetched.paper.id not in paper_ids:
                    recommendations.append(Recommendation(fetched.paper, 0.0, corpus=self.name))
        return tuple(recommendations[:limit])

    def _ranked(
        self, ranked: RankedCandidates, context: Context, typed: str, limit: int
    ) -> list[Recommendation]:
        allowed = ranked.matching(typed)
        best = [
            candidate
            for candidate in ranked.candidates
            if allowed is None or allowed[candidate.row]
        ][:limit]
        explained = ranked.reasons.explained(best, context, ranked.cited)
        return [evolve(recommendation, corpus=self.name) for recommendation in explained]

    def with_words(self, typed: str, limit: int = 50) -> list[Paper]:
        """Return up to `limit` papers that have all typed words, the newest first."""
        request = self._request_typed(typed, limit)
        papers = self._wait_for(*request, time.monotonic() + self._wait, None)
        return [fetched.paper for fetched in papers] if isinstance(papers, list) else []

    def _request_ranking(
        self, context: Context, cited: tuple[int, ...]
    ) -> tuple[Hashable, Future[object] | None]:
        request = (corpus_cache_key(context), cited)

        def rank(retrieval: RemoteRetrieval) -> object:
            return retrieval.rank(context, cited)

        return request, self._submit(request, rank)

    def _request_typed(self, typed: str, limit: int) -> tuple[Hashable, Future[object] | None]:
        request = ("typed", typed, limit)
        return request, self._submit(request, lambda retrieval: retrieval.typed(typed, limit))

    def _submit(
        self, request: Hashable, function: Callable[[RemoteRetrieval], object]
    ) -> Future[object] | None:
        """Return the pending request; None if it is answered, or may not be sent."""
        self._reopen()
        with self._lock:
            opened, pending = self._open, self._pending.get(request)
            if pending is not None or opened is None or self._answers.get(request) is not None:
                return pending
            if not self._breaker.attempt():
                return None
            future = self._requests.submit(self._run, request, function, opened.retrieval)
            self._pending[request] = future
            return future

    def _run(
        self,
        request: Hashable,
        function: Callable[[RemoteRetrieval], object],
        retrieval: RemoteRetrieval,
    ) -> object:
        started = time.monotonic()
        try:
            answer = function(retrieval)
        except RemoteError as error:
            self._fail(str(error))
            return None
        except Exception as error:  # the papers of this machine are listed whatever fails
            self._trace("a request failed")
            self._fail(f"{self.address.place}: {error}")
            return None
        else:
            self._breaker.succeeded()
            self._logged = ""
            self._late = 0 if time.monotonic() - started <= self._wait else self._late + 1
            with self._lock:
                if self._open is not None and self._open.retrieval is retrieval:
                    self._answers.keep(request, answer)  # an answer of an earlier build is useless
            return answer
        finally:
            with self._lock:
                self._pending.pop(request, None)

    def _wait_for(
        self,
        request: Hashable,
        future: Future[object] | None,
        deadline: float,
        cancelled: Cancel | None,
    ) -> object:
        """Return the answer to a request if it is there or comes in time, else None.

        Raises:
            Cancelled: `cancelled` said so.
        """
        answer = self._answers.get(request)
        if answer is not None or future is None:
            return answer
        patient = self._breaker.closed and self._late < _MOST_LATE
        while patient and not future.done() and (left := deadline - time.monotonic()) > 0:
            stop_if(cancelled)
            wait([future], min(left, _POLL_SECONDS))
        return future.result() if future.done() and not future.cancelled() else None

    def _reopen(self) -> Future[None] | None:
        """Open the corpus in the background if that is due; return the pending opening."""
        with self._lock:
            if self._closed:
                return None
            if self._opening is not None and not self._opening.done():
                return self._opening
            now = time.monotonic()
            if self._open is not None and now - self._checked < _SECONDS_BETWEEN_CHECKS:
                return None
            if not self._breaker.attempt():
                return None
            self._checked = now
            self._opening = self._executor.submit(self._refresh)
            return self._opening

    def _refresh(self) -> None:
        before = self._open
        try:
            if before is not None and not before.corpus.changed(_ANSWER_SECONDS):
                self._breaker.succeeded()
                return
            opened = self._connect()
        except RemoteError as error:
            self._fail(str(error))
            return
        except Exception as error:  # nobody reads the result of this future
            self._trace("it could not be opened")
            self._fail(f"{self.address.place}: {error}")
            return
        self._breaker.succeeded()
        with self._lock:
            closed = self._closed
            self._open = None if closed else opened
            self._answers = LastUsed()
            pending = list(self._pending.values())
        if closed:
            opened.corpus.close()
            return
        if before is not None:
            wait(pending, _LAST_SECONDS)  # their answers come over the old connection
            before.corpus.close()

    def _connect(self) -> _Connected:
        """Connect, and load what ranks the papers there.

        Raises:
            RemoteError: it cannot be reached, or is not there.
        """
        corpus = MilvusCorpus.open(self.address, self._access, timeout=_OPEN_SECONDS)
        try:
            about = corpus.manifest
            encoder = self._fit(about.encoder, about.checkpoint)
            models = self._corpus_models(about.checkpoint) if encoder is not None else None
            precedents: RemotePrecedents | None = None
            if models is not None:
                precedents = find_precedents(corpus, models.precedents, timeout=_OPEN_SECONDS)
        except BaseException:
            corpus.close()
            raise
        retrieval = RemoteRetrieval(
            corpus, encoder, models, precedents, self._executor, _ANSWER_SECONDS
        )
        return _Connected(corpus, retrieval)

    def _corpus_models(self, checkpoint: str) -> CorpusModels | None:
        try:
            return shipped_corpus_models(checkpoint)
        except RankerError as error:
            log.warning("%s; until then %s is ranked by a simpler system", error, self.name)
            return None

    def _trace(self, step: str) -> None:
        """Log an exception that is not the server's, once in an outage."""
        if not (self._logged or self._closed):
            log.exception("%s: %s", self.address.place, step)

    def _fail(self, message: str) -> None:
        """Record a failure; an outage is logged once."""
        if self._closed:  # of an earlier request, over a closed connection
            return
        self._breaker.failed()
        if not self._logged:
            log.warning("%s; papers of this machine are offered meanwhile", message)
        self._logged = message


def _keys(papers: Sequence[Paper]) -> tuple[int, ...]:
    return tuple(sorted({title_key(paper) for paper in papers}))
