"""The papers of a build: of named sources as they are now, of all others as the corpus has them.

It is gathered in scratch files beside the corpus. What an interrupted build has written from the
same files is taken as it is.
"""

from __future__ import annotations

import logging
import shutil
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from attrs import evolve, frozen

from cite_lsp.corpus.citations import CitationScratch, PaperCitations, SourceItem
from cite_lsp.corpus.formats.json_lines import BrokenOffError
from cite_lsp.corpus.paper_identifiers import identifier_by_title, identifier_hash
from cite_lsp.corpus.paper_merge import Origins, PaperMerge, PaperRecords
from cite_lsp.corpus.source_paths import covers
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import (
    FORMAT,
    CorpusIndex,
    UnreadableError,
    current_version,
    next_version,
    sources_of,
)
from cite_lsp.search.corpus.corpus_references import FOLDER as REFERENCES
from cite_lsp.search.corpus.corpus_references import References, write_references
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.search.corpus.version_files import index_again
from cite_lsp.search.indexing.checksums import PAPER_FILES, REFERENCE_FILES, damage
from cite_lsp.search.indexing.journal import inputs_signature
from cite_lsp.search.indexing.source_records import (
    by_source,
    source_records,
    write_source_records,
)
from cite_lsp.search.indexing.steps import Stage, papers_written
from cite_lsp.search.vectors.vector_index import SearchIndexError

log = logging.getLogger(__name__)

ReadSource = Callable[[str], Iterable[SourceItem]]


@frozen
class Sources:
    """The sources of a build: `names` are read anew by `read`; `gone` are there no more.

    `read` yields the papers of a source, and who cites whom where the source says it; it raises
    `BrokenOffError` where that was not all. `searched` are the folders and patterns that were
    named, in which sources were found; with `replace` the corpus forgets all sources but these.
    """

    names: Sequence[str]
    read: ReadSource
    searched: Sequence[str] = ()
    gone: Sequence[str] = ()
    replace: bool = False

    def found(self, name: str) -> bool:
        """Whether a source was found in a folder or by a pattern."""
        return any(covers(origin, name) for origin in self.searched)


_SCRATCH, _CITATIONS, _CONTEXTS = "incoming.jsonl", "incoming.pairs", "incoming.contexts"
_SAMPLED = 256


@frozen
class GatheredPapers:
    """The papers of a build: read now, or by an interrupted build.

    `names` are those of all sources of the corpus, `size` the bytes of the papers, `references` the
    bytes of who cites whom. `broken` are messages on sources whose reading broke off: the corpus
    keeps what it had of them, or takes what was read of those that are named anew. `barren` are
    messages on named sources that have nothing; they are none of the corpus's.
    """

    names: Sequence[str]
    count: int
    size: int
    references: int
    _papers: Callable[[], Iterator[tuple[Paper, Origins]]] | None
    _some: Callable[[Iterable[int]], list[Paper]]
    broken: Sequence[str] = ()
    barren: Sequence[str] = ()

    def papers(self) -> Iterator[tuple[Paper, Origins]] | None:
        """Return the papers with their sources, None for those that are written already."""
        return self._papers() if self._papers is not None else None

    def sample(self) -> list[str]:
        """Return the texts of some papers, from all over."""
        if not self.count:
            return []
        rows = range(0, self.count, max(1, self.count // _SAMPLED))
        return [encoder_text(paper) for paper in self._some(rows)]


@frozen
class _Scratch:
    """What is gathered: the records of papers, and who cites whom."""

    papers: PaperRecords
    citations: CitationScratch

    def place(self) -> tuple[int, tuple[int, int, int]]:
        """Return the position that `rewind` needs to remove all that is added from now on."""
        return len(self.papers), self.citations.place()

    def rewind(self, place: tuple[int, tuple[int, int, int]]) -> None:
        """Remove all that was added since `place` returned this position."""
        self.papers.rewind(place[0])
        self.citations.rewind(place[1])

    def read(self, items: Iterable[SourceItem], number: int, report: Stage) -> str:
        """Take what a source has; return why the reading broke off, "" where it did not.

        Raises:
            OSError: it cannot be written.
        """
        try:
            for item in items:
                if isinstance(item, PaperCitations):
                    self.citations.add(item, number)
                    continue
                self.papers.add(item, (number,))
                if len(self.papers) % 1000 == 0:
                    report("reading", len(self.papers), 0)
        except BrokenOffError as error:
            return str(error)
        return ""


def signature(folder: Path, sources: Sources) -> str:
    """Return the signature of all that decides which papers the corpus will have."""
    before = current_version(folder)
    replace = "replace" if sources.replace else ""
    also = [str(FORMAT), before.name if before else "", replace, *sources.gone]
    return inputs_signature(sources.names, also)


@contextmanager
def gather_papers(
    folder: Path, sources: Sources, inputs: str, report: Stage
) -> Iterator[GatheredPapers]:
    """Give the papers that the corpus will have, and clear up what they were gathered in.

    Those of sources that are `gone` are not among them, unless another source has them. What was
    found in a folder or by a pattern, one of those `searched`, is a source even if it has nothing.

    Raises:
        SearchIndexError: they cannot be written.
    """
    scratch = [folder / name for name in (_SCRATCH, _CITATIONS, _CONTEXTS)]
    version = next_version(folder)
    papers = papers_written(version, inputs)
    if papers is not None:
        for path in scratch:
            path.unlink(missing_ok=True)
        report("reading", len(papers), len(papers))
        names = _names(_former_corpus(folder, sources), sources)
        yield GatheredPapers(
            names,
            len(papers),
            papers.size,
            0,
            None,
            lambda rows: [papers[row] for row in rows],
        )
        return
    with ExitStack() as stack:
        try:
            records = stack.enter_context(closing(PaperRecords(scratch[0])))
            citations = stack.enter_context(closing(CitationScratch(*scratch[1:])))
        except OSError as error:
            raise SearchIndexError(
                f"{folder}: the corpus cannot be written ({error.strerror or error}); check the "
                "folder and its permissions"
            ) from error
        names, broken, barren = _take(_Scratch(records, citations), folder, sources, report)
        yield GatheredPapers(
            names,
            len(records),
            records.size,
            sum(path.stat().st_size for path in scratch[1:] if path.exists()),
            lambda: _with_the_rest(records, citations, version),
            records.some,
            broken,
            barren,
        )


def _with_the_rest(
    records: PaperRecords, citations: CitationScratch, version: Path
) -> Iterator[tuple[Paper, Origins]]:
    """Yield the merged papers; once all are known write what made them, and who cites whom."""
    merge = PaperMerge(records)
    count, titles, fullness = 0, array("Q"), array("b")
    for paper, origins in merge.papers():
        count += 1
        identifier = identifier_by_title(paper)
        titles.append(identifier_hash(identifier) if identifier else 0)
        fullness.append(bool(paper.year) + bool(paper.authors))
        yield paper, origins
    if merge.renamed:
        log.warning(
            "%d paper(s) have an id that another source gives to an unrelated one; they are kept "
            "as %s …: give each source ids of its own",
            len(merge.renamed),
            merge.renamed[0],
        )
    shutil.rmtree(version / REFERENCES, ignore_errors=True)
    if count and len(citations):
        write_references(version / REFERENCES, merge, citations, titles, fullness)
    if count:
        write_source_records(version, merge)


def _names(before: CorpusIndex | None, sources: Sources) -> list[str]:
    """Return the names of the sources that stay, in their order, and of new ones."""
    removed = set(sources.gone)
    former = [name for name in (before.manifest.sources if before else ()) if name not in removed]
    return list(dict.fromkeys([*former, *sources.names]))


def _renumbered(before: CorpusIndex | None, names: Sequence[str]) -> dict[int, int]:
    """Return the numbers of the sources that stay, by those that they had."""
    places = {name: number for number, name in enumerate(names)}
    former = before.manifest.sources if before else ()
    return {old: places[name] for old, name in enumerate(former) if name in places}


def _take(
    scratch: _Scratch, folder: Path, sources: Sources, report: Stage
) -> tuple[list[str], list[str], list[str]]:
    """Put what these sources have and what the others had into the scratch.

    Each is taken in at its place, so that the papers are those of a build from all of them. Where
    the reading of one breaks off it stays as the corpus had it, if that had anything of it.

    Returns:
        The names of all sources, of which the reading broke off, and of which that were named there
        is nothing: those are none of the sources.

    Raises:
        SearchIndexError: the papers cannot be written, or would be lost to `replace`.
    """
    before = _former_corpus(folder, sources)
    former_names = before.manifest.sources if before is not None else ()
    references = _whole_references(before) if before is not None else None
    names = _names(before, sources)
    numbers = _renumbered(before, names)
    records = source_records(before, numbers) if before is not None else ()
    again = {number for number, name in enumerate(names) if name in set(sources.names)}
    kept: list[str] = []
    broken: list[str] = []
    barren: list[str] = []

    try:
        for place, due in enumerate(by_source(records, len(names))):
            number, name = len(kept), names[place]
            if place in again:
                start = scratch.place()
                fault = scratch.read(sources.read(name), number, report)
                if fault and sources.replace and name in sources_of(folder):
                    raise SearchIndexError(f"{fault}; the corpus stays as it was")
                is_new = name not in former_names and not sources.found(name)
                if is_new and scratch.place() == start:
                    # Those that follow are new, too: no earlier paper has their numbers.
                    barren.append(fault or f"{name}: holds no papers")
                    continue
                if fault and before is not None and _has(before, references, name):
                    scratch.rewind(start)
                    again.remove(number)
                    broken.append(f"{fault}; the corpus keeps what it had of this file")
                elif fault and is_new:
                    broken.append(f"{fault}; the corpus has what could be read of this file")
            kept.append(name)
            for paper, origins in due:
                if left := tuple(origin for origin in origins if origin not in again):
                    scratch.papers.add(paper, left)
        if references is not None:
            stay = {old: new for old, new in numbers.items() if new not in again}
            _keep_citations(references, stay, scratch.citations)
        scratch.papers.flush()
    except OSError as error:
        raise SearchIndexError(
            f"{folder}: the corpus cannot be written ({error.strerror or error}); what was there "
            "before is as it was, run the command again when this is mended"
        ) from error
    report("reading", len(scratch.papers), len(scratch.papers))
    return kept, broken, barren


def _has(before: CorpusIndex, references: References | None, name: str) -> bool:
    if name not in before.manifest.sources:
        return False
    number = before.manifest.sources.index(name)
    return before.is_of(number) or (references is not None and references.are_of(number))


def _whole_references(before: CorpusIndex) -> References | None:
    """Return the references of the version before, None where they are damaged or there are none.

    What is damaged comes back when the sources that have it are read again.
    """
    changed = next(damage(before.records.parent, REFERENCE_FILES), "")
    if changed:
        log.warning("%s: %s; %s", before.folder, changed, index_again(before.folder))
        return None
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
    for context in references.stored_contexts():
        if context.origin in numbers:
            citations.add_context(evolve(context, origin=numbers[context.origin]))


def _former_corpus(folder: Path, sources: Sources) -> CorpusIndex | None:
    """Return the corpus as it is, None where nothing of it can be or is to be taken over.

    Raises:
        UnreadableError: it may be whole, and would be lost to whoever can read it.
    """
    if sources.replace:
        return None
    try:
        corpus = CorpusIndex(folder)
    except UnreadableError:
        raise
    except SearchIndexError:
        return None  # none yet, or one that only its sources can restore
    return None if any(damage(corpus.records.parent, *PAPER_FILES)) else corpus
