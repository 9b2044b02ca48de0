"""A corpus made searchable: its papers, their words and their vectors, in one folder.

A build writes a new version beside the current one and makes it current in one step, so that a
reader has the old or the new corpus and never half of one. Vectors are written batch by batch
and taken over from an interrupted build, or from the version before, where the text is the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, frozen
from numpy.typing import NDArray

from cite_lsp.encode.model import Encoder, Vectors
from cite_lsp.paper import Paper
from cite_lsp.search.vectors import SearchIndexError, VectorIndex
from cite_lsp.search.words import WordIndex

FORMAT = 1
BATCH = 1024
"""Papers encoded between two writes: what an interruption can lose."""
_CURRENT = "current"

Stage = Callable[[str, int, int], None]
"""Told (what is being done, how many are done, of how many)."""


def encoder_text(paper: Paper) -> str:
    """The text of a paper that is embedded: title and abstract (Tanaka et al., section 3)."""
    return f"{paper.title}. {paper.abstract}" if paper.abstract else paper.title


def searched_text(paper: Paper) -> str:
    """The text of a paper whose words are indexed: everything by which a sentence may name it."""
    year = str(paper.year or "")
    return " ".join((paper.title, " ".join(paper.authors), year, paper.venue, paper.abstract))


@frozen
class Manifest:
    """What a corpus says of itself."""

    name: str
    papers: int
    encoder: str
    fingerprint: str
    sources: tuple[str, ...] = ()
    format: int = FORMAT


class CorpusIndex:
    """An indexed corpus, opened for reading. Rows number its papers. Safe to share."""

    def __init__(self, folder: Path) -> None:
        """Open the current version of the corpus in a folder, memory-mapped.

        Raises:
            SearchIndexError: there is none, it is damaged, or a newer version wrote it.
        """
        version = current_version(folder)
        if version is None:
            raise SearchIndexError(f"{folder}: no corpus here; build one with `cite-lsp index`")
        try:
            record = json.loads((version / "manifest.json").read_text(encoding="utf-8"))
            if record.get("format") != FORMAT:
                raise SearchIndexError(
                    f"{folder}: written by another version of cite-lsp; index its sources again"
                )
            record["sources"] = tuple(record["sources"])
            self.manifest = Manifest(**record)
            self._records = np.memmap(version / "papers.jsonl", dtype=np.uint8, mode="r")
            self._starts: NDArray[np.int64] = np.load(version / "starts.npy", mmap_mode="r")
            self.years: NDArray[np.int32] = np.load(version / "years.npy", mmap_mode="r")
            self.has_abstract: NDArray[np.bool_] = np.load(version / "abstracts.npy", mmap_mode="r")
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise SearchIndexError(
                f"{folder}: the corpus is damaged ({error}); index its sources again"
            ) from error
        self.folder = folder
        self.words = WordIndex.open(version / "words")
        self.vectors = VectorIndex.open(version / "vectors.index")

    def __len__(self) -> int:
        return len(self._starts) - 1

    def paper(self, row: int) -> Paper:
        """Return the paper of a row."""
        record = json.loads(self._records[self._starts[row] : self._starts[row + 1]].tobytes())
        return Paper(**(record | {"authors": tuple(record["authors"])}))

    @cached_property
    def row_of(self) -> dict[str, int]:
        """Rows by paper id."""
        return {self.paper(row).id: row for row in range(len(self))}


def current_version(folder: Path) -> Path | None:
    """Return the folder of the version that readers use, None where there is none."""
    try:
        name = (folder / _CURRENT).read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return folder / name if name and (folder / name).is_dir() else None


def list_corpora(root: Path) -> list[CorpusIndex | SearchIndexError]:
    """Open every corpus below a folder, by name; a damaged one is given as its error."""
    result: list[CorpusIndex | SearchIndexError] = []
    for folder in sorted(root.iterdir()) if root.is_dir() else ():
        if (folder / _CURRENT).exists():
            try:
                result.append(CorpusIndex(folder))
            except SearchIndexError as error:
                result.append(error)
    return result


def build_corpus(
    folder: Path,
    papers: Iterable[Paper],
    encoder: Encoder,
    *,
    sources: Sequence[str] = (),
    stage: Stage | None = None,
) -> CorpusIndex:
    """Build the corpus of a folder from papers (each id once) and make it current.

    Papers whose text was embedded before, by this encoder, are not encoded again.

    Raises:
        SearchIndexError: the folder cannot be written, or there are no papers.
    """
    tell = stage or (lambda what, done, total: None)
    before = current_version(folder)
    number = int(before.name.rpartition("-")[2]) + 1 if before else 1
    version = folder / f"version-{number}"
    try:
        version.mkdir(parents=True, exist_ok=True)
        kept = list(_write_papers(version, papers, tell))
        if not kept:
            raise SearchIndexError(f"{folder}: the sources hold no papers; nothing was indexed")
        vectors = _write_vectors(version, before, kept, encoder, tell)
        tell("words", 0, len(kept))
        WordIndex.build(searched_text(paper) for paper in kept).save(version / "words")
        tell("neighbours", 0, len(kept))
        VectorIndex.build(vectors, version / "vectors.index")
        manifest = Manifest(
            folder.name, len(kept), encoder.name, encoder.fingerprint, tuple(sources)
        )
        _write_atomically(version / "manifest.json", json.dumps(asdict(manifest), indent=1))
        _write_atomically(folder / _CURRENT, version.name)
    except OSError as error:
        raise SearchIndexError(
            f"{folder}: the corpus cannot be written ({error.strerror or error}); what was done is "
            "kept, run the command again when this is mended"
        ) from error
    for old in folder.glob("version-*"):
        if old != version:
            shutil.rmtree(old, ignore_errors=True)
    return CorpusIndex(folder)


def _write_papers(version: Path, papers: Iterable[Paper], tell: Stage) -> Iterable[Paper]:
    starts, years, abstracts = [0], [], []
    with (version / "papers.jsonl").open("wb") as file:
        for paper in papers:
            record: dict[str, Any] = asdict(paper)
            starts.append(
                starts[-1] + file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            )
            years.append(paper.year or 0)
            abstracts.append(bool(paper.abstract))
            if len(years) % 1000 == 0:
                tell("papers", len(years), 0)
            yield paper
    np.save(version / "starts.npy", np.array(starts, dtype=np.int64))
    np.save(version / "years.npy", np.array(years, dtype=np.int32))
    np.save(version / "abstracts.npy", np.array(abstracts, dtype=bool))


def _write_vectors(
    version: Path, before: Path | None, papers: Sequence[Paper], encoder: Encoder, tell: Stage
) -> Vectors:
    """Embed the papers into `embeddings.f16`, resuming and reusing what is there; return a map of it."""
    hashes = np.array([_text_hash(encoder.fingerprint, paper) for paper in papers], dtype="S16")
    known = [_Known.read(known_in, encoder) for known_in in (version, before) if known_in]
    path, scratch = version / "embeddings.f16", version / "embeddings.new"
    with scratch.open("wb") as file, (version / "hashes.new").open("wb") as marks:
        for start in range(0, len(papers), BATCH):
            batch = range(start, min(start + BATCH, len(papers)))
            rows = np.zeros((len(batch), encoder.dimensions), dtype=np.float16)
            missing = []
            for place, row in enumerate(batch):
                found = (vectors.get(hashes[row]) for vectors in known)
                vector = next((vector for vector in found if vector is not None), None)
                if vector is None:
                    missing.append(place)
                else:
                    rows[place] = vector
            if missing:
                texts = [encoder_text(papers[batch[place]]) for place in missing]
                rows[missing] = encoder.encode(texts)
            file.write(rows.tobytes())
            marks.write(hashes[batch.start : batch.stop].tobytes())
            file.flush()
            marks.flush()
            tell("encoding", batch.stop, len(papers))
    os.replace(scratch, path)
    os.replace(version / "hashes.new", version / "hashes.s16")
    return np.memmap(path, dtype=np.float16, mode="r", shape=(len(papers), encoder.dimensions))


class _Known:
    """Vectors by the hash of encoder and text: those of an earlier or interrupted build."""

    def __init__(self, rows: dict[bytes, int], vectors: NDArray[np.float16]) -> None:
        self._rows, self._vectors = rows, vectors

    @classmethod
    def read(cls, version: Path, encoder: Encoder) -> _Known:
        rows: dict[bytes, int] = {}
        parts = []
        for marks, vectors in (("hashes.s16", "embeddings.f16"), ("hashes.new", "embeddings.new")):
            try:
                keys = np.fromfile(version / marks, dtype="S16")
                width = encoder.dimensions
                data = np.fromfile(version / vectors, dtype=np.float16)
                data = data[: len(data) // width * width].reshape(-1, width)
            except OSError:
                continue
            offset = sum(len(part) for part in parts)
            whole = min(len(keys), len(data))
            rows.update((key, offset + row) for row, key in enumerate(keys[:whole].tolist()))
            parts.append(data[:whole])
        if not parts:
            return cls({}, np.zeros((0, encoder.dimensions), dtype=np.float16))
        return cls(rows, np.concatenate(parts))

    def get(self, key: bytes) -> NDArray[np.float16] | None:
        row = self._rows.get(key)
        return None if row is None else self._vectors[row]


def _text_hash(fingerprint: str, paper: Paper) -> bytes:
    text = f"{fingerprint}\n{encoder_text(paper)}".encode("utf-8", "surrogatepass")
    # Hexadecimal, because numpy strips zero bytes from the end of byte strings.
    return hashlib.blake2b(text, digest_size=8).hexdigest().encode()


def _write_atomically(path: Path, text: str) -> None:
    scratch = path.with_name(path.name + ".new")
    scratch.write_text(text, encoding="utf-8")
    os.replace(scratch, path)
