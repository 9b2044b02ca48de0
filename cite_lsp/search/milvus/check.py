"""Whether a remote corpus answers, and is what was written there.

The check costs little whatever the size of the corpus: how many papers the server counts, and
for a sample of them whether the record can be read and the paper is found by its own vector.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from attrs import evolve, frozen

from cite_lsp.corpus.stored_papers import paper_of
from cite_lsp.search.corpus.filters import Filters
from cite_lsp.search.milvus.corpus import MilvusCorpus
from cite_lsp.search.remote.address import RemoteAccess, RemoteAddress, RemoteError

SAMPLE = 50
"""Papers that are searched for."""
ENOUGH = 0.9
"""Share of them that an index of neighbours finds when it is sound."""
SECONDS = 10.0
"""After which a server counts as not answering."""
_QUERY_SIZE = 10
_SAME = 1e-3
"""Cosines to an own vector that are less than this below 1 are those of the same text."""


@frozen
class RemoteState:
    """What a remote corpus answered: `fault` is one line where it did not, and the rest is empty.

    `seconds` is what opening it took, or what it took to find that it cannot be.
    """

    address: str
    name: str
    seconds: float
    papers: int = 0
    encoder: str = ""
    words: bool = False
    fault: str = ""


@frozen
class RemoteCheck:
    """The result: `counted` papers on the server, `recall` of the sample (NaN: not measured).

    `question` is the median time in seconds of a search for ten neighbours of each of ten papers.
    """

    state: RemoteState
    counted: int
    recall: float
    question: float
    faults: tuple[str, ...]


def remote_state(address: RemoteAddress, access: RemoteAccess) -> RemoteState:
    """Open a remote corpus and say what it is; nothing is raised."""
    corpus, state = _opened(address, access)
    if corpus is not None:
        corpus.close()
    return state


def check_remote(address: RemoteAddress, access: RemoteAccess) -> RemoteCheck:
    """Check a remote corpus; what is wrong with it is in the result, nothing is raised.

    Filters of the address do not matter: all of its papers are counted and sampled.
    """
    corpus, state = _opened(evolve(address, filters=Filters()), access)
    if corpus is None:
        return RemoteCheck(state, 0, float("nan"), float("nan"), (state.fault,))
    try:
        return _checked(corpus, state)
    except RemoteError as error:
        return RemoteCheck(state, 0, float("nan"), float("nan"), (str(error),))
    finally:
        corpus.close()


def _opened(
    address: RemoteAddress, access: RemoteAccess
) -> tuple[MilvusCorpus | None, RemoteState]:
    start = time.monotonic()
    try:
        corpus = MilvusCorpus.open(address, access, timeout=SECONDS)
    except RemoteError as error:
        took = time.monotonic() - start
        return None, RemoteState(address.place, address.collection, took, fault=str(error))
    about = corpus.manifest
    return corpus, RemoteState(
        address.place,
        address.collection,
        time.monotonic() - start,
        len(corpus),
        about.encoder,
        corpus.has_words,
    )


def _checked(corpus: MilvusCorpus, state: RemoteState) -> RemoteCheck:
    place, faults = state.address, []
    counted = corpus.count(timeout=SECONDS)
    if counted != len(corpus):
        faults.append(
            f"{place}: the server counts {counted:,} papers, {len(corpus):,} were written; unless "
            "a build is at work there, run `cite-lsp index` for it again"
        )
    sample = corpus.sample(SAMPLE, timeout=SECONDS)
    for row in sample:
        fault = _unreadable(row)
        if fault:
            faults.append(f"{place}: paper {row['id']} cannot be read ({fault}); index it again")
            break
    times, hits = [], 0
    for start in range(0, len(sample), _QUERY_SIZE):
        rows = sample[start : start + _QUERY_SIZE]
        started = time.monotonic()
        hits += _count_hits(corpus, rows)
        times.append(time.monotonic() - started)
    recall = hits / len(sample) if sample else float("nan")
    if recall < ENOUGH:
        faults.append(
            f"{place}: {recall:.0%} of {len(sample)} papers are found by their own vectors; have "
            "the server build its index anew"
        )
    question = float(np.median(times)) if times else float("nan")
    return RemoteCheck(state, counted, recall, question, tuple(faults))


def _unreadable(row: dict[str, Any]) -> str:
    try:
        paper_of(str(row["paper"]).encode())
    except (ValueError, TypeError, KeyError) as error:
        return str(error) or type(error).__name__
    return ""


def _count_hits(corpus: MilvusCorpus, rows: list[dict[str, Any]]) -> int:
    """Return how many papers are among the ten nearest to their own vectors.

    Of papers with the same text any will do.
    """
    vectors = np.array([row["vector"] for row in rows], dtype=np.float32)
    near = corpus.nearest(vectors, 10, timeout=SECONDS)
    hits = 0
    for row, vector, ids in zip(rows, vectors, near, strict=True):
        if int(row["id"]) in ids or not vector.any():
            hits += 1
        elif ids:
            first = corpus.fetch(ids[:1], timeout=SECONDS)
            hits += bool(first and float(first[0].vector @ vector) > 1 - _SAME)
    return hits
