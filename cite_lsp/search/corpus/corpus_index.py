"""A corpus made searchable and opened for reading: its papers, their words and their vectors.

A folder holds the versions of a corpus, one of them the current one: a reader has all of that and
never half of another.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.paper_merge import Origins
from cite_lsp.encode.encoder import Encoder
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_references import FOLDER as REFERENCES
from cite_lsp.search.corpus.corpus_references import References
from cite_lsp.search.corpus.identifiers import PublishedNumbers
from cite_lsp.search.corpus.paper_columns import PaperColumns
from cite_lsp.search.corpus.version_files import (
    CHECKSUMS,
    MANIFEST,
    NUMBERS,
    index_again,
    open_papers,
    open_vectors,
)
from cite_lsp.search.vectors.vector_index import Rows, SearchIndexError, VectorIndex
from cite_lsp.search.words.typed_words import TypedWords
from cite_lsp.search.words.word_index import WordIndex
from cite_lsp.storage.array_folder import open_array

FORMAT = 4
_CACHED_TITLES = 50_000
CURRENT = "current"
"""The file that names the version that readers use."""
_VERSION = lazy_re(r"version-\d+")
_ORIGINS, _ORIGIN_ENDS = "origins.npy", "origin_ends.npy"


@frozen
class Manifest:
    """The description of a corpus.

    `checkpoint` names the weights that its vectors are from, `dimensions` is their width,
    `max_tokens` where texts were to be cut (0: unknown). `searched` are the folders and patterns
    that were named, which gave files among the `sources`.
    """

    name: str
    papers: int
    encoder: str
    fingerprint: str
    sources: tuple[str, ...] = ()
    format: int = FORMAT
    checkpoint: str = ""
    dimensions: int = 0
    max_tokens: int = 0
    searched: tuple[str, ...] = ()

    def fits(self, encoder: Encoder) -> bool:
        """Whether the vectors of an encoder can be compared with those of the corpus."""
        return self.checkpoint == encoder.checkpoint


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
            except (OSError, ValueError, TypeError, SearchIndexError) as error:
                if current_version(folder) != version:
                    continue  # a build has just put another version in its place
                if isinstance(error, (_OtherFormatError, UnreadableError)):
                    raise
                refused = _refused(error)
                if refused is not None:
                    raise UnreadableError(
                        f"{folder}: the corpus may not be read ({refused.filename}: "
                        f"{refused.strerror}); check its permissions"
                    ) from error
                raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> SearchIndexError:
        remedy = index_again(self.folder, sources=bool(sources_of(self.folder)))
        return SearchIndexError(f"{self.folder}: the corpus is damaged ({error}); {remedy}")

    def _open(self, version: Path) -> None:
        self.manifest = read_manifest(version)
        self.records = version / "papers.jsonl"
        """The file of the papers, a line each, in the order of the rows."""
        self.papers = open_papers(version)
        """The papers by row; each is read when it is looked at."""
        self.years: NDArray[np.int32] = open_array(version / "years.npy", np.dtype(np.int32))
        self.has_abstract: NDArray[np.bool_] = open_array(
            version / "abstracts.npy", np.dtype(np.bool_)
        )
        self.columns = PaperColumns.open(version / "columns")
        self.words = WordIndex.open(version / "words")
        self.embeddings = open_vectors(version, self.manifest.papers, self.manifest.dimensions)
        """The vectors by row, as they are stored, shape (n, dimensions), memory-mapped."""
        self.vectors = VectorIndex.open(version / "vectors.index", self.embeddings)
        self.typed_words = TypedWords.open(version / "typed")
        self.numbers = PublishedNumbers.open(version / NUMBERS)
        """The papers by DOI, arXiv number and page."""
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
        """Return the paper of a row.

        Raises:
            SearchIndexError: its record is damaged.
        """
        try:
            return self.papers[row]
        except ValueError as error:
            raise self._damaged(error) from error

    def numbered(self, typed: str) -> Rows:
        """Return the rows of the papers whose number or page is typed, whole; often none."""
        return self.numbers.rows_of(typed)

    def title(self, row: int) -> str:
        """Return the title of a row: hundreds are read for a context, their abstracts are not."""
        return self._title(row)

    @cached_property
    def _title(self) -> Callable[[int], str]:
        return lru_cache(maxsize=_CACHED_TITLES)(self.papers.title)

    def is_of(self, source: int) -> bool:
        """Whether the source of a number has papers of the corpus.

        Raises:
            SearchIndexError: what says it is damaged.
        """
        return bool((self._origins()[0] == source).any())

    def with_origins(self) -> Iterator[tuple[Paper, Origins]]:
        """Yield the papers with the numbers of the sources that have them.

        Raises:
            SearchIndexError: they are damaged.
        """
        try:
            origins, ends = self._origins()
            for row, paper in enumerate(self.papers):
                yield paper, tuple(origins[ends[row] : ends[row + 1]].tolist())
        except (OSError, ValueError) as error:
            raise self._damaged(error) from error

    def _origins(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the numbers of the sources of all papers, and where those of each begin.

        Raises:
            SearchIndexError: they are damaged.
        """
        folder = self.records.parent
        try:
            origins = open_array(folder / _ORIGINS, np.dtype(np.int32))
            ends = open_array(folder / _ORIGIN_ENDS, np.dtype(np.int64))
            if len(ends) != len(self) + 1:
                raise ValueError(f"{_ORIGIN_ENDS} is of another length")
        except (OSError, ValueError) as error:
            raise self._damaged(error) from error
        return origins, ends

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


class UnreadableError(SearchIndexError):
    """This process cannot read the corpus, which may be whole: it must not be overwritten."""


class NewerFormatError(UnreadableError):
    """A newer cite-lsp wrote the corpus."""


def _refused(error: BaseException | None) -> PermissionError | None:
    """Return the refusal that an error comes of, None where it does not come of one."""
    while error is not None and not isinstance(error, PermissionError):
        error = error.__cause__
    return error


def read_manifest(version: Path) -> Manifest:
    """Read the manifest of a version of a corpus.

    Raises:
        SearchIndexError: another version of cite-lsp wrote it.
        OSError, ValueError: it is missing or damaged; the message names it.
    """
    try:
        record = json.loads((version / MANIFEST).read_text(encoding="utf-8"))
        format = record.get("format")
        # Earlier ones could have vectors in sixteen bits.
        if format == FORMAT and record.pop("precision", "i8") == "i8":
            lists = {name: tuple(record[name]) for name in ("sources", "searched")}
            return Manifest(**record | lists)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{MANIFEST} cannot be read: {error}") from error
    raise _other_format(version.parent, format)


def _other_format(folder: Path, version: object) -> SearchIndexError:
    remedy = index_again(folder)
    if isinstance(version, int) and version > FORMAT:
        return NewerFormatError(
            f"{folder}: written by a newer cite-lsp (format {version}, this one reads up to "
            f"{FORMAT}); upgrade cite-lsp, or index its sources again with --replace"
        )
    return _OtherFormatError(f"{folder}: written by another version of cite-lsp; {remedy}")


def current_version(folder: Path) -> Path | None:
    """Return the folder of the version that readers use, None where there is none.

    Where the file that names it is damaged, it is the newest that was built to the end.
    """
    named = named_version(folder)
    if named is None and os.path.exists(folder / CURRENT):
        return max(_versions_built(folder), key=_number, default=None)
    return named


def named_version(folder: Path) -> Path | None:
    """Return the version that the file of the current one names, None where it names none."""
    try:
        name = (folder / CURRENT).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
    return folder / name if _VERSION.fullmatch(name) and (folder / name).is_dir() else None


def _versions_built(folder: Path) -> Iterator[Path]:
    """Yield the versions that were built to the end: their checksums are the last that is built."""
    for checksums in folder.glob(f"version-*/{CHECKSUMS}"):
        if _VERSION.fullmatch(checksums.parent.name):
            yield checksums.parent


def _number(version: Path) -> int:
    return int(version.name.partition("-")[2])


def sources_of(folder: Path) -> tuple[str, ...]:
    """Return the sources of the current version, even of a damaged one; none if unknown."""
    return _manifest_strings(folder, "sources")


def searched_of(folder: Path) -> tuple[str, ...]:
    """Return the folders and patterns of its sources in the same way."""
    return _manifest_strings(folder, "searched")


def _manifest_strings(folder: Path, field: str) -> tuple[str, ...]:
    version = current_version(folder)
    try:
        text = (version / MANIFEST).read_text(encoding="utf-8") if version else "{}"
        values = json.loads(text).get(field, ())
        return tuple(value for value in values if isinstance(value, str))
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return ()


def corpus_folders(root: Path) -> list[Path]:
    """Return the folders below one that hold a corpus, by name.

    Raises:
        UnreadableError: what is there may not be looked at.
    """
    try:
        return sorted(folder for folder in root.iterdir() if (folder / CURRENT).exists())
    except PermissionError as error:
        raise UnreadableError(
            f"{root}: corpora may not be read ({error.strerror}); check its permissions"
        ) from error
    except OSError:
        return []


def list_corpora(
    root: Path, names: Sequence[str] | None = None
) -> list[CorpusIndex | SearchIndexError]:
    """Open the corpora of these names below a folder, or all of them by name.

    One that is damaged or missing is given as its error.
    """
    result: list[CorpusIndex | SearchIndexError] = []
    try:
        folders = corpus_folders(root) if names is None else [root / name for name in names]
    except UnreadableError as error:
        return [error]
    for folder in folders:
        try:
            result.append(CorpusIndex(folder))
        except SearchIndexError as error:
            result.append(error)
    return result


def next_version(folder: Path) -> Path:
    """Return the folder of the version that a build writes now: new, or left by an interrupted one.

    A version is numbered one above the current one.
    """
    current = current_version(folder)
    return folder / f"version-{_number(current) + 1 if current else 1}"
