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

from cite_lsp.encode.encoder import Encoder
from cite_lsp.search.corpus.corpus_index import CorpusIndex, next_version, searched_of
from cite_lsp.search.indexing.build import NO_PAPERS, Provenance, build_corpus
from cite_lsp.search.indexing.gathering import GatheredPapers, Sources, gather_papers, signature
from cite_lsp.search.indexing.lock import build_lock
from cite_lsp.search.indexing.steps import Stage
from cite_lsp.search.vectors.vector_index import EXACT_BELOW, GRAPH_BYTES, SearchIndexError

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
class BuildPlan:
    """What a build is about to do: the papers it has read, and the bytes on disk it will take.

    `bytes_needed` is what it takes at its fullest, beside what lies there already.
    """

    papers: int
    bytes_needed: int
    bytes_free: int
    encoder: Encoder


@frozen
class UpdateListener:
    """What is called while a corpus is updated.

    Attributes:
        stage: With how far the update is.
        announce: With what it needs, before anything large is written.
        waiting: With which process builds this corpus now, before it is waited for; without, that
            is an error.
        broken: For each source that could not be read to its end, with what the corpus has of it.
        barren: For each source that was named and has nothing, and is none of the corpus's.
    """

    stage: Stage = lambda step, done, total: None
    announce: Callable[[BuildPlan], None] = lambda plan: None
    waiting: Callable[[str], None] | None = None
    broken: Callable[[str], None] = lambda message: None
    barren: Callable[[str], None] = lambda message: None


def update_corpus(
    folder: Path,
    sources: Sources,
    encoder: Encoder | ChooseEncoder,
    *,
    max_tokens: int = 0,
    listener: UpdateListener = UpdateListener(),
) -> CorpusIndex:
    """Bring a corpus up to date with some sources, and make the new version current.

    Args:
        folder: That of the corpus; made where there is none.
        sources: What is read, and which of the corpus's sources are there no more.
        encoder: What makes the vectors, or chooses what does once the papers are read; texts that
            it embedded before are not embedded again.
        max_tokens: Where the encoder was set to cut texts, noted for the next build (0: not known).
        listener: What is called meanwhile.

    Raises:
        SearchIndexError: another process builds this corpus, the disk is too small, nothing was
            found to index, now or in any of the sources, or the folder cannot be written.
    """
    with build_lock(folder, listener.waiting):
        inputs = signature(folder, sources)
        with gather_papers(folder, sources, inputs, listener.stage) as incoming:
            if not incoming.count:
                raise SearchIndexError(f"{folder}: {NO_PAPERS}")
            every = len(incoming.barren) == len(sources.names)
            if incoming.barren and every and not sources.gone:
                raise SearchIndexError(f"{incoming.barren[0]}; the corpus stays as it was")
            chosen_encoder = (
                encoder(incoming.count, incoming.sample()) if callable(encoder) else encoder
            )
            plan = _plan(folder, incoming, chosen_encoder)
            listener.announce(plan)
            if plan.bytes_needed > plan.bytes_free:
                raise SearchIndexError(
                    f"{folder}: the corpus needs {ceil(plan.bytes_needed / 1e6):,} MB more and "
                    f"only {plan.bytes_free / 1e6:,.0f} MB are free; make room or set "
                    "CITE_LSP_HOME to another disk"
                )
            before = () if sources.replace else searched_of(folder)
            provenance = Provenance(
                incoming.names,
                list(dict.fromkeys((*before, *sources.searched))),
                # What is broken or barren is read again when the build continues.
                inputs="" if incoming.broken or incoming.barren else inputs,
            )
            corpus = build_corpus(
                folder,
                incoming.papers(),
                chosen_encoder,
                provenance=provenance,
                max_tokens=max_tokens,
                stage=listener.stage,
            )
        for fault in incoming.broken:
            listener.broken(fault)
        for fault in incoming.barren:
            listener.barren(fault)
        return corpus


def _plan(folder: Path, incoming: GatheredPapers, encoder: Encoder) -> BuildPlan:
    """Return what the version that is built will take at most, beside what lies there.

    Vectors are stored twice while they are made, and a graph has its own beside its last write.
    Every record counts as a paper: of those merged into others, nothing but the record is stored,
    packed, which takes less.
    """
    each = 2 * (encoder.dimensions + 16) + _PAPER_BYTES
    if incoming.count < EXACT_BELOW:
        each += 4 * encoder.dimensions
    else:
        each += 2 * (encoder.dimensions + GRAPH_BYTES)
    needed = int(incoming.size * (1 + _WORDS_SHARE)) + incoming.count * (each + _WORDS_BYTES)
    needed += _REFERENCES_SHARE * incoming.references + _FIXED_BYTES
    bytes_written = sum(
        path.stat().st_size for path in next_version(folder).rglob("*") if path.is_file()
    )
    free = shutil.disk_usage(folder).free
    return BuildPlan(incoming.count, max(0, needed - bytes_written), free, encoder)
