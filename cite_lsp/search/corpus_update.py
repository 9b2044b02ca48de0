"""Building or updating a corpus from sources: what they have now, beside what others had before.

The papers of the sources that are named are read again: new and changed ones are taken, those that
no source has any more are gone. Papers of the corpus's other sources stay. What an interrupted
build has read from the same files is not read again.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from attrs import frozen

from cite_lsp.corpus.merge import Origins, PaperMerge
from cite_lsp.encode.model import Encoder
from cite_lsp.paper import Paper
from cite_lsp.search.build_journal import inputs_signature
from cite_lsp.search.build_lock import build_lock
from cite_lsp.search.build_steps import Stage, papers_written
from cite_lsp.search.corpus_index import (
    FORMAT,
    CorpusIndex,
    NewerFormatError,
    build_corpus,
    current_version,
    next_version,
)
from cite_lsp.search.precision import DEFAULT_PRECISION, Precision, code_bytes
from cite_lsp.search.texts import encoder_text
from cite_lsp.search.vectors import EXACT_BELOW, GRAPH_BYTES, SearchIndexError

ReadSource = Callable[[str], Iterable[Paper]]
ChooseEncoder = Callable[[int, Sequence[str]], Encoder]
"""Given how many papers there are and the texts of some, returns what embeds them."""

_WORDS_SHARE = 0.7
"""Bytes that words, columns and typed words take for a byte of papers (measured)."""
_PAPER_BYTES = 64
"""Bytes that a paper takes in the small columns and in what keeps its place."""
_SCRATCH = "incoming.jsonl"
_SAMPLED = 256


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
    replace: bool = False,
    precision: Precision = DEFAULT_PRECISION,
    stage: Stage | None = None,
    announce: Callable[[Plan], None] | None = None,
    waiting: Callable[[str], None] | None = None,
) -> CorpusIndex:
    """Bring a corpus up to date with some sources, and make the new version current.

    Args:
        folder: That of the corpus; made where there is none.
        sources: The names of the sources to read.
        read: Yields the papers of a source.
        encoder: What makes the vectors, or chooses what does once the papers are read; texts that
            it embedded before are not embedded again.
        replace: Forget the papers of all other sources.
        precision: In which the vectors are kept.
        stage: Told how far the build is.
        announce: Told what the build needs before anything large is written.
        waiting: Told which process builds this corpus now, and then waited for; without, that is
            an error.

    Raises:
        SearchIndexError: another process builds this corpus, the disk is too small, nothing was
            found to index, or the folder cannot be written.
    """
    tell = stage or (lambda what, done, total: None)
    with build_lock(folder, waiting):
        inputs = _inputs(folder, sources, replace)
        with _papers(folder, sources, read, replace, inputs, tell) as found:
            chosen = encoder(found.count, found.sample()) if callable(encoder) else encoder
            plan = _plan(folder, found, chosen, precision)
            if announce is not None:
                announce(plan)
            if plan.bytes_needed > plan.bytes_free:
                raise SearchIndexError(
                    f"{folder}: the corpus needs {plan.bytes_needed / 1e6:,.0f} MB more and only "
                    f"{plan.bytes_free / 1e6:,.0f} MB are free; make room or set CITE_LSP_HOME to "
                    "another disk"
                )
            return build_corpus(
                folder,
                found.papers(),
                chosen,
                sources=found.names,
                stage=stage,
                precision=precision,
                inputs=inputs,
            )


@frozen
class _Found:
    """The papers of a build: read now, or by an interrupted build (`merge` is None then)."""

    names: Sequence[str]
    count: int
    size: int
    some: Sequence[Paper] | PaperMerge
    merge: PaperMerge | None

    def papers(self) -> Iterator[tuple[Paper, Origins]] | None:
        """Return the papers with their sources, None for those that are written already."""
        return self.merge.papers() if self.merge is not None else None

    def sample(self) -> list[str]:
        """Return the texts of some papers, from all over."""
        if not self.count:
            return []
        rows = range(0, self.count, max(1, self.count // _SAMPLED))
        if isinstance(self.some, PaperMerge):
            return [encoder_text(paper) for paper in self.some.some(rows)]
        return [encoder_text(self.some[row]) for row in rows]


def _inputs(folder: Path, sources: Sequence[str], replace: bool) -> str:
    """Return the signature of all that decides which papers the corpus will have."""
    before = current_version(folder)
    also = [str(FORMAT), before.name if before else "", "replace" if replace else ""]
    return inputs_signature(sources, also)


@contextmanager
def _papers(
    folder: Path,
    sources: Sequence[str],
    read: ReadSource,
    replace: bool,
    inputs: str,
    tell: Stage,
) -> Iterator[_Found]:
    """Give the papers that the corpus will have, and clear up what they were gathered in.

    Raises:
        SearchIndexError: they cannot be written.
    """
    scratch = folder / _SCRATCH
    written = papers_written(next_version(folder), inputs)
    if written is not None:
        scratch.unlink(missing_ok=True)
        tell("reading", len(written), len(written))
        names = _names(None if replace else _before(folder), sources)
        yield _Found(names, len(written), written.size, written, None)
        return
    with closing(_opened_merge(scratch)) as merge:
        names = _take(merge, folder, sources, read, replace, tell)
        yield _Found(names, len(merge), merge.size, merge, merge)


def _opened_merge(scratch: Path) -> PaperMerge:
    try:
        return PaperMerge(scratch)
    except OSError as error:
        raise SearchIndexError(
            f"{scratch.parent}: the corpus cannot be written ({error.strerror or error}); check the"
            " folder and its permissions"
        ) from error


def _names(before: CorpusIndex | None, sources: Sequence[str]) -> list[str]:
    """Return the names of the sources that stay, and of those that are read."""
    kept = [name for name in (before.manifest.sources if before else ()) if name not in sources]
    return [*kept, *sources]


def _take(
    merge: PaperMerge,
    folder: Path,
    sources: Sequence[str],
    read: ReadSource,
    replace: bool,
    tell: Callable[[str, int, int], None],
) -> list[str]:
    """Put into `merge` what the other sources had and what these have; return all their names.

    Raises:
        SearchIndexError: the papers cannot be written.
    """
    before = None if replace else _before(folder)
    names = _names(before, sources)
    kept = names[: len(names) - len(sources)]
    try:
        if before is not None:
            numbers = {
                number: names.index(name)
                for number, name in enumerate(before.manifest.sources)
                if name in kept
            }
            for paper, origins in before.with_origins():
                left = tuple(sorted(numbers[one] for one in origins if one in numbers))
                if left:
                    merge.add(paper, left)
        for number, name in enumerate(sources, len(kept)):
            for paper in read(name):
                merge.add(paper, (number,))
                if len(merge) % 1000 == 0:
                    tell("reading", len(merge), 0)
        merge.flush()
    except OSError as error:
        raise SearchIndexError(
            f"{folder}: the corpus cannot be written ({error.strerror or error}); what was there "
            "before is as it was, run the command again when this is mended"
        ) from error
    tell("reading", len(merge), len(merge))
    return names


def _before(folder: Path) -> CorpusIndex | None:
    """Return the corpus as it is, None where nothing of it can be taken over.

    Raises:
        NewerFormatError: a newer cite-lsp wrote it, and would not find it again.
    """
    try:
        return CorpusIndex(folder)
    except NewerFormatError:
        raise
    except SearchIndexError:
        return None  # none yet, or one that only its sources can restore


def _plan(folder: Path, found: _Found, encoder: Encoder, precision: Precision) -> Plan:
    """Return what the version that is built will take at most, beside what lies there.

    Vectors are kept twice while they are made, and a graph has its own beside its last write.
    """
    each = 2 * (code_bytes(precision, encoder.dimensions) + 16) + _PAPER_BYTES
    if found.count < EXACT_BELOW:
        each += 4 * encoder.dimensions
    else:
        each += 2 * (code_bytes(precision, encoder.dimensions) + GRAPH_BYTES)
    needed = int(found.size * (1 + _WORDS_SHARE)) + found.count * each
    there = sum(path.stat().st_size for path in next_version(folder).rglob("*") if path.is_file())
    free = shutil.disk_usage(folder).free
    return Plan(found.count, max(0, needed - there), free, encoder, precision)
