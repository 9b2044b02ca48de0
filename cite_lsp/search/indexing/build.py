"""Building a corpus: its papers, their words and their vectors, written into one folder.

A build writes a new version beside the current one and makes it current in one step, so that a
reader has the old or the new corpus and never half of one. What is encoded is saved batch by batch,
and taken over from an interrupted build or from the version before where the text is the same.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from attrs import asdict, frozen

from cite_lsp.corpus.paper_merge import Origins
from cite_lsp.encode.encoder import Encoder
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import (
    CURRENT,
    CorpusIndex,
    Manifest,
    current_version,
    named_version,
    next_version,
    read_manifest,
)
from cite_lsp.search.corpus.version_files import CHECKSUMS, MANIFEST
from cite_lsp.search.indexing.checksums import damage, write_checksums
from cite_lsp.search.indexing.journal import Journal
from cite_lsp.search.indexing.steps import (
    Stage,
    index_vectors,
    index_words,
    paper_keys,
    papers_written,
    remove_passing,
    write_vectors,
    write_version_papers,
)
from cite_lsp.search.vectors.vector_index import SearchIndexError
from cite_lsp.storage.atomic_write import discard, remove_unfinished, write_atomically

NO_PAPERS = "the sources hold no papers; nothing was indexed"


@frozen
class Embedding:
    """How a corpus is embedded, by which encoder and where it cuts texts ("" and 0: not known)."""

    encoder: str = ""
    max_tokens: int = 0


@frozen
class Provenance:
    """What the papers of a build were read from.

    `sources` are the names of all sources; papers have them by number. `searched` are the folders
    and patterns that were searched for them, `inputs` is the signature of what was read ("": not
    known, so that an interrupted build is not continued).
    """

    sources: Sequence[str] = ()
    searched: Sequence[str] = ()
    inputs: str = ""


def embedding_of(folder: Path) -> Embedding:
    """Return how a corpus is embedded: in an unfinished build, else in what is current."""
    current = _current_embedding(folder)
    unfinished = Journal.read(next_version(folder))
    return Embedding(
        unfinished.encoder or current.encoder, unfinished.max_tokens or current.max_tokens
    )


def _current_embedding(folder: Path) -> Embedding:
    version = current_version(folder)
    try:
        if version is None or any(damage(version, MANIFEST)):
            return Embedding()
        about = read_manifest(version)
    except (OSError, ValueError, SearchIndexError):
        return Embedding()
    return Embedding(about.encoder, about.max_tokens)


def build_corpus(
    folder: Path,
    papers: Iterable[Paper | tuple[Paper, Origins]] | None,
    encoder: Encoder,
    *,
    provenance: Provenance = Provenance(),
    max_tokens: int = 0,
    stage: Stage | None = None,
) -> CorpusIndex:
    """Build the corpus of a folder from papers (each once) and make it current.

    A paper may come with the numbers of those sources that have it; without, it is of the first.
    None stands for the papers that an interrupted build wrote from the same inputs (see
    `steps.papers_written`). `max_tokens` is where the encoder was set to cut texts, noted for the
    next build (0: not known).

    Papers whose text was embedded before, by this encoder, are not encoded again. Whatever ends a
    build before it is done, the version before stays current and what was done is kept.

    Raises:
        SearchIndexError: the folder cannot be written, or there are no papers.
    """
    report = stage or (lambda step, done, total: None)
    before, version = current_version(folder), next_version(folder)
    inputs = provenance.inputs
    try:
        version.mkdir(parents=True, exist_ok=True)
        discard(version / CHECKSUMS)  # of a build that ended before the version was current
        if papers is None:
            stored, journal = papers_written(version, inputs), Journal.read(version)
        else:
            stored, journal = write_version_papers(version, _with_origins(papers), inputs, report)
        if stored is None:
            raise SearchIndexError(f"{folder}: {NO_PAPERS}")
        journal = journal.noted(encoder=encoder.name, max_tokens=max_tokens)
        codes = write_vectors(version, before, stored, encoder, report)
        index_words(version, stored, journal, report)
        index_vectors(version, paper_keys(version), codes, report)
        for place in (version, folder):
            remove_unfinished(place)
        manifest = Manifest(
            folder.name,
            len(stored),
            encoder.name,
            encoder.fingerprint,
            tuple(provenance.sources),
            checkpoint=encoder.checkpoint,
            dimensions=encoder.dimensions,
            max_tokens=max_tokens,
            searched=tuple(provenance.searched),
        )
        write_atomically(version / MANIFEST, json.dumps(asdict(manifest), indent=1))
        write_checksums(version)
        if named_version(folder) is None:
            discard(folder / CURRENT)
        write_atomically(folder / CURRENT, version.name)
    except OSError as error:
        raise SearchIndexError(
            f"{folder}: the corpus cannot be written ({error.strerror or error}); what was done is "
            "kept, run the command again when this is mended"
        ) from error
    for old in folder.glob("version-*"):
        if old != version:
            shutil.rmtree(old, ignore_errors=True)
    remove_passing(version)
    return CorpusIndex(folder)


def _with_origins(
    papers: Iterable[Paper | tuple[Paper, Origins]],
) -> Iterator[tuple[Paper, Origins]]:
    for item in papers:
        yield (item, (0,)) if isinstance(item, Paper) else item
