"""Building or updating a corpus from sources: what they have now, beside what others had before.

The papers of the sources that are named are read again: new and changed ones are taken, those that
no source has any more are gone. Papers of the corpus's other sources stay.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path

from attrs import evolve, frozen

from cite_lsp.corpus.citations import CitationScratch, Cites
from cite_lsp.corpus.merge import Origins, PaperMerge
from cite_lsp.encode.model import Encoder
from cite_lsp.paper import Paper
from cite_lsp.search.build_lock import build_lock
from cite_lsp.search.corpus_index import CorpusIndex, Stage, build_corpus, next_version
from cite_lsp.search.references import FOLDER as REFERENCES
from cite_lsp.search.references import References, write_references
from cite_lsp.search.vectors import SearchIndexError

log = logging.getLogger(__name__)

ReadSource = Callable[[str], Iterable[Paper | Cites]]

_WORDS_SHARE = 0.7
"""Bytes that words, columns and typed words take for a byte of papers (measured)."""
_GRAPH_BYTES = 160
"""Bytes that a paper takes in the graph of vectors, beside its vector."""
_SCRATCH = "incoming.jsonl"
_CITATIONS, _CONTEXTS = "incoming.pairs", "incoming.contexts"


@frozen
class Plan:
    """What a build is about to do: the papers it has read, and the bytes on disk it will take."""

    papers: int
    bytes_needed: int
    bytes_free: int


def update_corpus(
    folder: Path,
    sources: Sequence[str],
    read: ReadSource,
    encoder: Encoder,
    *,
    replace: bool = False,
    stage: Stage | None = None,
    announce: Callable[[Plan], None] | None = None,
) -> CorpusIndex:
    """Bring a corpus up to date with some sources, and make the new version current.

    Args:
        folder: That of the corpus; made where there is none.
        sources: The names of the sources to read.
        read: Yields the papers of a source, and who cites whom where the source says it.
        encoder: What makes the vectors; texts that it embedded before are not embedded again.
        replace: Forget the papers of all other sources.
        stage: Told how far the build is.
        announce: Told what the build needs before anything large is written.

    Raises:
        SearchIndexError: another process builds this corpus, the disk is too small, nothing was
            found to index, or the folder cannot be written.
    """
    tell = stage or (lambda what, done, total: None)
    with build_lock(folder):
        merge, citations = _opened_scratch(folder)
        try:
            names = _take(merge, citations, folder, sources, read, replace, tell)
            plan = _plan(folder, merge, encoder.dimensions)
            if announce is not None:
                announce(plan)
            if plan.bytes_needed > plan.bytes_free:
                raise SearchIndexError(
                    f"{folder}: the corpus needs {plan.bytes_needed / 1e6:,.0f} MB more and only "
                    f"{plan.bytes_free / 1e6:,.0f} MB are free; make room or set CITE_LSP_HOME to "
                    "another disk"
                )
            papers = _with_references(merge, citations, next_version(folder))
            return build_corpus(folder, papers, encoder, sources=names, stage=stage)
        finally:
            merge.close()
            citations.close()


def _with_references(
    merge: PaperMerge, citations: CitationScratch, version: Path
) -> Iterator[tuple[Paper, Origins]]:
    """Yield the merged papers, and write who cites whom once all of them are known."""
    count = 0
    for paper, origins in merge.papers():
        count += 1
        yield paper, origins
    shutil.rmtree(version / REFERENCES, ignore_errors=True)
    if count and len(citations):
        write_references(version / REFERENCES, merge, citations, count)


def _opened_scratch(folder: Path) -> tuple[PaperMerge, CitationScratch]:
    try:
        return (
            PaperMerge(folder / _SCRATCH),
            CitationScratch(folder / _CITATIONS, folder / _CONTEXTS),
        )
    except OSError as error:
        raise SearchIndexError(
            f"{folder}: the corpus cannot be written ({error.strerror or error}); check the folder "
            "and its permissions"
        ) from error


def _take(
    merge: PaperMerge,
    citations: CitationScratch,
    folder: Path,
    sources: Sequence[str],
    read: ReadSource,
    replace: bool,
    tell: Callable[[str, int, int], None],
) -> list[str]:
    """Put what the other sources had and what these have into the scratch; return all their names.

    Raises:
        SearchIndexError: the papers cannot be written.
    """
    before = None if replace else _before(folder)
    kept = [name for name in (before.manifest.sources if before else ()) if name not in sources]
    names = [*kept, *sources]
    try:
        if before is not None:
            numbers = {
                number: names.index(name)
                for number, name in enumerate(before.manifest.sources)
                if name in kept
            }
            references = _whole_references(before)
            former: Iterator[list[int]] = (
                repeat([]) if references is None else references.marks_by_row()
            )
            for (paper, origins), marks in zip(before.with_origins(), former, strict=False):
                left = tuple(sorted(numbers[one] for one in origins if one in numbers))
                if left:
                    merge.add(paper, left, marks)
            if references is not None:
                _keep_citations(references, numbers, citations)
        for number, name in enumerate(sources, len(kept)):
            for one in read(name):
                if isinstance(one, Cites):
                    citations.add(one, number)
                    continue
                merge.add(one, (number,))
                if len(merge) % 1000 == 0:
                    tell("reading", len(merge), 0)
    except OSError as error:
        raise SearchIndexError(
            f"{folder}: the corpus cannot be written ({error.strerror or error}); what was there "
            "before is as it was, run the command again when this is mended"
        ) from error
    tell("reading", len(merge), len(merge))
    return names


def _whole_references(before: CorpusIndex) -> References | None:
    """Return the references of the version before, None where they are damaged or there are none.

    What is damaged comes back when the sources that have it are read again.
    """
    try:
        return before.references
    except SearchIndexError as error:
        log.warning("%s", error)
        return None


def _keep_citations(
    references: References, numbers: Mapping[int, int], citations: CitationScratch
) -> None:
    """Take over the citations of the sources that stay, as numbered now."""
    for pairs in references.pairs_from(numbers):
        citations.add_pairs(pairs)
    for context in references.kept_contexts():
        if context.origin in numbers:
            citations.add_context(evolve(context, origin=numbers[context.origin]))


def _before(folder: Path) -> CorpusIndex | None:
    try:
        return CorpusIndex(folder)
    except SearchIndexError:
        return None  # none yet, or one that only its sources can restore


def _plan(folder: Path, merge: PaperMerge, dimensions: int) -> Plan:
    """Return what the version that is built will take at most, beside the one there is.

    Vectors are kept in sixteen bits for later builds, twice while they are made, and in eight bits
    in the graph.
    """
    each = 2 * (2 * dimensions + 16) + dimensions + _GRAPH_BYTES
    needed = int(merge.size * (1 + _WORDS_SHARE)) + len(merge) * each
    return Plan(len(merge), needed, shutil.disk_usage(folder).free)
