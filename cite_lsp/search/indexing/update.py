"""Building or updating a corpus from sources: what they have now, beside what others had before.

The papers of the sources that are named are read again: new and changed ones are taken, those that
no source has any more are gone. Papers of the corpus's other sources stay. What an interrupted
build has read from the same files is not read again.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path

from attrs import frozen

from cite_lsp.encode.model import Encoder
from cite_lsp.search.corpus.index import CorpusIndex, next_version, searched_of
from cite_lsp.search.indexing.build import NO_PAPERS, build_corpus
from cite_lsp.search.indexing.lock import build_lock
from cite_lsp.search.indexing.sources import Gathered, ReadSource, Sources, gathered, signature
from cite_lsp.search.indexing.steps import Stage
from cite_lsp.search.vectors.index import EXACT_BELOW, GRAPH_BYTES, SearchIndexError
from cite_lsp.search.vectors.precision import DEFAULT_PRECISION, Precision, code_bytes

ChooseEncoder = Callable[[int, Sequence[str]], Encoder]
"""Given how many papers there are and the texts of some, returns what embeds them."""

_WORDS_SHARE, _WORDS_BYTES = 0.7, 330
"""Bytes that words, columns and typed words take for a byte of papers, and for a paper beside: what
is short, or in a small corpus, has more words of its own (measured, from 50 papers to 231,000)."""
_REFERENCES_SHARE = 2
"""Bytes that references take for a byte of what they were gathered in, at most."""
_FIXED_BYTES = 256_000
"""Bytes that even the smallest corpus takes: headers, checksums, the ends of blocks."""
_PAPER_BYTES = 64
"""Bytes that a paper takes in the small columns and in what keeps its place."""


@frozen
class Plan:
    """What a build is about to do: the papers it has read, and the bytes on disk it will take.

    `bytes_needed` is what it takes at its fullest, beside what lies there already.
    """

    papers: int
    bytes_needed: int
    bytes_free: int
    encoder: Encoder
    precision: Precision = DEFAULT_PRECISION


def update_corpus(
    folder: Path,
    sources: Sequence[str],
    read: ReadSource,
    encoder: Encoder | ChooseEncoder,
    *,
    searched: Sequence[str] = (),
    gone: Sequence[str] = (),
    replace: bool = False,
    precision: Precision = DEFAULT_PRECISION,
    max_tokens: int = 0,
    stage: Stage | None = None,
    announce: Callable[[Plan], None] | None = None,
    waiting: Callable[[str], None] | None = None,
    broken: Callable[[str], None] | None = None,
    barren: Callable[[str], None] | None = None,
) -> CorpusIndex:
    """Bring a corpus up to date with some sources, and make the new version current.

    Args:
        folder: That of the corpus; made where there is none.
        sources: The names of the sources to read.
        read: Yields the papers of a source, and who cites whom where the source says it; raises
            `BrokenOffError` where that was not all.
        encoder: What makes the vectors, or chooses what does once the papers are read; texts that
            it embedded before are not embedded again.
        searched: The folders and patterns among what was named, to be noted (see `searched_of`).
        gone: Sources that are there no more; what they had goes.
        replace: Forget the papers of all other sources.
        precision: In which the vectors are stored.
        max_tokens: Where the encoder was set to cut texts, to be noted (see `embedding_of`).
        stage: Called with how far the build is.
        announce: Called with what the build needs before anything large is written.
        waiting: Called with which process builds this corpus now, before it is waited for;
            without, that is an error.
        broken: Called for each source that could not be read to its end, and of which the corpus
            keeps what it had.
        barren: Called for each source that was named and has nothing, and is none of the corpus's.

    Raises:
        SearchIndexError: another process builds this corpus, the disk is too small, nothing was
            found to index, now or in any of the sources, or the folder cannot be written.
    """
    report = stage or (lambda what, done, total: None)
    with build_lock(folder, waiting):
        change = Sources(sources, read, searched, gone, replace)
        inputs = signature(folder, change)
        with gathered(folder, change, inputs, report) as incoming:
            if not incoming.count:
                raise SearchIndexError(f"{folder}: {NO_PAPERS}")
            if incoming.barren and len(incoming.barren) == len(sources) and not gone:
                raise SearchIndexError(f"{incoming.barren[0]}; the corpus stays as it was")
            chosen = encoder(incoming.count, incoming.sample()) if callable(encoder) else encoder
            plan = _plan(folder, incoming, chosen, precision)
            if announce is not None:
                announce(plan)
            if plan.bytes_needed > plan.bytes_free:
                raise SearchIndexError(
                    f"{folder}: the corpus needs {ceil(plan.bytes_needed / 1e6):,} MB more and "
                    f"only {plan.bytes_free / 1e6:,.0f} MB are free; make room or set "
                    "CITE_LSP_HOME to another disk"
                )
            before = () if replace else searched_of(folder)
            corpus = build_corpus(
                folder,
                incoming.papers(),
                chosen,
                sources=incoming.names,
                searched=list(dict.fromkeys((*before, *searched))),
                stage=stage,
                precision=precision,
                max_tokens=max_tokens,
                # What is broken or barren is read again when the build continues.
                inputs="" if incoming.broken or incoming.barren else inputs,
            )
        if broken is not None:
            for fault in incoming.broken:
                broken(fault)
        if barren is not None:
            for fault in incoming.barren:
                barren(fault)
        return corpus


def _plan(folder: Path, incoming: Gathered, encoder: Encoder, precision: Precision) -> Plan:
    """Return what the version that is built will take at most, beside what lies there.

    Vectors are stored twice while they are made, and a graph has its own beside its last write.
    Every record counts as a paper: of those merged into others, nothing but the record is stored,
    packed, which takes less.
    """
    each = 2 * (code_bytes(precision, encoder.dimensions) + 16) + _PAPER_BYTES
    if incoming.count < EXACT_BELOW:
        each += 4 * encoder.dimensions
    else:
        each += 2 * (code_bytes(precision, encoder.dimensions) + GRAPH_BYTES)
    needed = int(incoming.size * (1 + _WORDS_SHARE)) + incoming.count * (each + _WORDS_BYTES)
    needed += _REFERENCES_SHARE * incoming.references + _FIXED_BYTES
    there = sum(path.stat().st_size for path in next_version(folder).rglob("*") if path.is_file())
    free = shutil.disk_usage(folder).free
    return Plan(incoming.count, max(0, needed - there), free, encoder, precision)
