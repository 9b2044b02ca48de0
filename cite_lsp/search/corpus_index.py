"""A corpus made searchable: its papers, their words and their vectors, in one folder.

A build writes a new version beside the current one and makes it current in one step, so that a
reader has the old or the new corpus and never half of one. What is encoded is kept batch by batch,
and taken over from an interrupted build or from the version before where the text is the same.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray

from cite_lsp.corpus.merge import Origins
from cite_lsp.corpus.stored import StoredPapers, write_papers
from cite_lsp.encode.batches import encode_batches
from cite_lsp.encode.model import Encoder
from cite_lsp.paper import Paper
from cite_lsp.search.checksums import write_checksums
from cite_lsp.search.paper_columns import PaperColumns
from cite_lsp.search.references import FOLDER as REFERENCES
from cite_lsp.search.references import References
from cite_lsp.search.stored_vectors import HalfVectors, StoredVectors, key_array, text_key
from cite_lsp.search.texts import encoder_text, searched_text
from cite_lsp.search.typed_words import TypedWords
from cite_lsp.search.vectors import SearchIndexError, VectorIndex
from cite_lsp.search.words import WordIndex

FORMAT = 2
BATCH = 1024
"""Papers encoded between two writes: what an interruption can lose."""
_CURRENT = "current"
_EMBEDDINGS, _ENCODED = "embeddings", "encoded-"
_VERSION = re.compile(r"version-(\d+)")

Stage = Callable[[str, int, int], None]
"""Told (what is being done, how many are done, of how many)."""


@frozen
class Manifest:
    """What a corpus says of itself. `checkpoint` names the weights that its vectors are from."""

    name: str
    papers: int
    encoder: str
    fingerprint: str
    sources: tuple[str, ...] = ()
    format: int = FORMAT
    checkpoint: str = ""


class CorpusIndex:
    """An indexed corpus, opened for reading. Rows number its papers. Safe to share."""

    def __init__(self, folder: Path) -> None:
        """Open the current version of the corpus in a folder, memory-mapped.

        Raises:
            SearchIndexError: there is none, it is damaged, or another version of cite-lsp wrote it.
        """
        self.folder = folder
        while True:
            version = current_version(folder)
            if version is None:
                raise SearchIndexError(f"{folder}: no corpus here; build one with `cite-lsp index`")
            try:
                self._open(version)
                return
            except (OSError, ValueError, TypeError, KeyError, EOFError, SearchIndexError) as error:
                if current_version(folder) != version:
                    continue  # a build has just put another version in its place
                if isinstance(error, _OtherFormatError):
                    raise
                raise SearchIndexError(
                    f"{folder}: the corpus is damaged ({error}); index its sources again"
                ) from error

    def _open(self, version: Path) -> None:
        record = json.loads((version / "manifest.json").read_text(encoding="utf-8"))
        if not isinstance(record, dict):
            raise ValueError("its manifest is no object")
        if record.get("format") != FORMAT:
            raise _OtherFormatError(
                f"{self.folder}: written by another version of cite-lsp; index its sources again"
            )
        self.manifest = Manifest(**record | {"sources": tuple(record["sources"])})
        self.records = version / "papers.jsonl"
        """The file of the papers, a line each, in the order of the rows."""
        self.papers = StoredPapers(self.records, np.load(version / "starts.npy", mmap_mode="r"))
        """The papers by row; each is read when it is looked at."""
        self.years: NDArray[np.int32] = np.load(version / "years.npy", mmap_mode="r")
        self.has_abstract: NDArray[np.bool_] = np.load(version / "abstracts.npy", mmap_mode="r")
        self.columns = PaperColumns.open(version / "columns")
        self.words = WordIndex.open(version / "words")
        self.vectors = VectorIndex.open(version / "vectors.index")
        self.typed_words = TypedWords.open(version / "typed")
        parts = (
            self,
            self.years,
            self.has_abstract,
            self.columns,
            self.words,
            self.typed_words,
            self.vectors,
        )
        if {len(part) for part in parts} != {self.manifest.papers}:
            raise ValueError("its files are not of one length")

    def __len__(self) -> int:
        return len(self.papers)

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""
        return self.papers[row]

    def with_origins(self) -> Iterator[tuple[Paper, Origins]]:
        """Yield the papers with the numbers of the sources that have them."""
        try:
            origins = np.load(self.records.parent / "origins.npy")
            ends = np.load(self.records.parent / "origin_ends.npy")
        except OSError:  # a corpus of before: any of its sources may have any of its papers
            origins = np.arange(len(self.manifest.sources), dtype=np.int32)
            ends = None
        for row, paper in enumerate(self.papers):
            own = origins if ends is None else origins[ends[row] : ends[row + 1]]
            yield paper, tuple(own.tolist())

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Rows by paper id."""
        return {self.paper(row).id: row for row in range(len(self))}

    @cached_property
    def references(self) -> References | None:
        """Which papers of it cite which, None where its sources do not say.

        Raises:
            SearchIndexError: they are damaged.
        """
        folder = self.records.parent / REFERENCES
        return References(folder, len(self)) if folder.is_dir() else None


class _OtherFormatError(SearchIndexError):
    """The corpus is whole, but not of this format."""


def current_version(folder: Path) -> Path | None:
    """Return the folder of the version that readers use, None where there is none."""
    try:
        name = (folder / _CURRENT).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
    return folder / name if _VERSION.fullmatch(name) and (folder / name).is_dir() else None


def corpus_folders(root: Path) -> list[Path]:
    """Return the folders below one that hold a corpus, by name."""
    try:
        return sorted(folder for folder in root.iterdir() if (folder / _CURRENT).exists())
    except OSError:
        return []


def list_corpora(root: Path) -> list[CorpusIndex | SearchIndexError]:
    """Open every corpus below a folder, by name; a damaged one is given as its error."""
    result: list[CorpusIndex | SearchIndexError] = []
    for folder in corpus_folders(root):
        try:
            result.append(CorpusIndex(folder))
        except SearchIndexError as error:
            result.append(error)
    return result


def next_version(folder: Path) -> Path:
    """Return the folder of the version that a build writes now: new, or left by an interrupted one.

    A version is numbered one above the current one.
    """
    before = current_version(folder)
    found = _VERSION.fullmatch(before.name) if before else None
    return folder / f"version-{int(found[1]) + 1 if found else 1}"


def build_corpus(
    folder: Path,
    papers: Iterable[Paper | tuple[Paper, Origins]],
    encoder: Encoder,
    *,
    sources: Sequence[str] = (),
    stage: Stage | None = None,
) -> CorpusIndex:
    """Build the corpus of a folder from papers (each once) and make it current.

    A paper may come with the numbers of those of the `sources` that have it; without, it is of the
    first.

    Papers whose text was embedded before, by this encoder, are not encoded again. Whatever ends a
    build before it is done, the version before stays current and what was encoded is kept.

    Raises:
        SearchIndexError: the folder cannot be written, or there are no papers.
    """
    tell = stage or (lambda what, done, total: None)
    before, version = current_version(folder), next_version(folder)
    try:
        version.mkdir(parents=True, exist_ok=True)
        kept = _write_papers(version, _with_origins(papers), tell)
        if kept is None:
            raise SearchIndexError(f"{folder}: the sources hold no papers; nothing was indexed")
        vectors = _write_vectors(version, before, kept, encoder, tell)
        _index(version, kept, vectors, tell)
        manifest = Manifest(
            folder.name,
            len(kept),
            encoder.name,
            encoder.fingerprint,
            tuple(sources),
            checkpoint=encoder.checkpoint,
        )
        _write_atomically(version / "manifest.json", json.dumps(asdict(manifest), indent=1))
        write_checksums(version)
        _write_atomically(folder / _CURRENT, version.name)
    except OSError as error:
        raise SearchIndexError(
            f"{folder}: the corpus cannot be written ({error.strerror or error}); what was done is "
            "kept, run the command again when this is mended"
        ) from error
    for old in folder.glob("version-*"):
        if old != version:
            shutil.rmtree(old, ignore_errors=True)
    for encoded in version.glob(f"{_ENCODED}*"):
        encoded.unlink(missing_ok=True)
    return CorpusIndex(folder)


def _with_origins(
    papers: Iterable[Paper | tuple[Paper, Origins]],
) -> Iterator[tuple[Paper, Origins]]:
    for one in papers:
        yield (one, (0,)) if isinstance(one, Paper) else one


def _index(version: Path, papers: Sequence[Paper], vectors: HalfVectors, tell: Stage) -> None:
    """Index the words and the vectors of the papers."""
    PaperColumns.build(papers).save(version / "columns")
    tell("words", 0, len(papers))
    words = WordIndex.build(searched_text(paper) for paper in papers)
    words.save(version / "words")
    TypedWords.build(papers).save(version / "typed")
    tell("words", len(papers), len(papers))
    done = 0

    def progress(count: int) -> None:
        nonlocal done
        done += count
        tell("neighbours", done, len(papers))

    VectorIndex.build(vectors, version / "vectors.index", progress=progress)


def _write_papers(
    version: Path, papers: Iterable[tuple[Paper, Origins]], tell: Stage
) -> StoredPapers | None:
    """Write the papers, their columns and their sources; None where there are no papers."""
    starts, years, abstracts = array("q", [0]), array("i"), array("b")
    origins, origin_ends = array("i"), array("q", [0])

    def passing() -> Iterator[Paper]:
        for paper, own in papers:
            origins.extend(own)
            origin_ends.append(len(origins))
            yield paper

    for end, paper in write_papers(version / "papers.jsonl", passing()):
        starts.append(end)
        years.append(paper.year or 0)
        abstracts.append(bool(paper.abstract))
        if len(years) % 1000 == 0:
            tell("papers", len(years), 0)
    tell("papers", len(years), len(years))
    np.save(version / "starts.npy", np.array(starts, dtype=np.int64))
    np.save(version / "years.npy", np.array(years, dtype=np.int32))
    np.save(version / "abstracts.npy", np.array(abstracts, dtype=bool))
    np.save(version / "origins.npy", np.array(origins, dtype=np.int32))
    np.save(version / "origin_ends.npy", np.array(origin_ends, dtype=np.int64))
    if not years:
        return None
    return StoredPapers(version / "papers.jsonl", np.array(starts, dtype=np.int64))


def _write_vectors(
    version: Path, before: Path | None, papers: Sequence[Paper], encoder: Encoder, tell: Stage
) -> HalfVectors:
    """Embed the papers into a store whose rows are theirs; return its vectors, memory-mapped.

    What has to be encoded goes to a store beside it first, which stays until the version is
    current: a build that is broken off leaves it to the next one.
    """
    width, fingerprint = encoder.dimensions, encoder.fingerprint
    keys = key_array([text_key(fingerprint, encoder_text(paper)) for paper in papers])
    fresh = version / f"{_ENCODED}{text_key(fingerprint, '').decode()}"
    stores = [StoredVectors(fresh, width)]
    if before is not None:
        stores.append(StoredVectors(before / _EMBEDDINGS, width))
    known = np.isin(keys, np.concatenate([store.keys for store in stores]))
    _, firsts = np.unique(keys, return_index=True)
    missing = np.setdiff1d(firsts, np.flatnonzero(known))
    done = len(papers) - len(missing)
    tell("encoding", done, len(papers))
    parts = [missing[start : start + BATCH] for start in range(0, len(missing), BATCH)]
    texts = ([encoder_text(papers[row]) for row in rows] for rows in parts)
    for number, encoded in encode_batches(encoder, texts):
        stores[0].append(keys[parts[number]], encoded)
        done += len(encoded)
        tell("encoding", done, len(papers))
    stores[0] = StoredVectors(fresh, width)
    rows_of_papers = StoredVectors(version / _EMBEDDINGS, width)
    rows_of_papers.remove()
    for start in range(0, len(papers), BATCH):
        part = keys[start : start + BATCH]
        vectors = np.zeros((len(part), width), dtype=np.float16)
        for store in stores:
            store.fill(vectors, part)
        rows_of_papers.append(part, vectors)
    path = (version / _EMBEDDINGS).with_suffix(".f16")
    return np.memmap(path, dtype=np.float16, mode="r", shape=(len(papers), width))


def _write_atomically(path: Path, text: str) -> None:
    scratch = path.with_name(path.name + ".new")
    scratch.write_text(text, encoding="utf-8")
    os.replace(scratch, path)
