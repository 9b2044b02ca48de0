"""The texts that the editor has open, and how the rest of the server reads files.

Documents are immutable and replaced on every edit: the event loop writes them, workers read them. A
worker that answers a request reads under `DocumentStore.pinned`, so that offsets, texts and the
edits it proposes all belong to the version the request was made for, however fast the writer types.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import evolve, field, frozen
from lsprotocol import types

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.manuscript.lines import Encoding, LineIndex
from cite_lsp.manuscript.text.text_diff import difference
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.folders import composed
from cite_lsp.server.session.uris import path_of, resolved, uri_of
from cite_lsp.storage.caches import LastUsed
from cite_lsp.storage.stamps import Stamp

logger = logging.getLogger(__name__)

_MOST_PATHS = 1000
_RESOLVED_FOR = 1.0
"""Seconds for which the target of a symbolic link is taken to be the same."""


@frozen
class Document:
    """An open document: where it is, which version of it, and its text with its lines.

    `resolved` is the path with symbolic links followed, as it was when the document was opened.
    `touched` is the offset behind the last edit, made at `touched_at` (monotonic seconds, before
    all time where there was none or the text was saved since).
    """

    uri: str
    path: Path
    resolved: Path
    version: int | None
    lines: LineIndex = field(repr=False)
    touched: int = 0
    touched_at: float = -math.inf

    @property
    def text(self) -> str:
        """The text of this version."""
        return self.lines.text

    def edited(
        self,
        changes: Sequence[types.TextDocumentContentChangeEvent],
        version: int | None,
        encoding: Encoding,
    ) -> Document:
        """Return the document after the changes of one `didChange`, in order."""
        lines, touched, touched_at = self.lines, self.touched, self.touched_at
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                start = offset_of(lines, change.range.start, encoding)
                end = offset_of(lines, change.range.end, encoding)
                edit = TextEdit(start, end, change.text)
            else:
                edit = difference(lines.text, change.text)
            lines = lines.replace(edit.start, edit.end, edit.text)
            touched, touched_at = edit.start + len(edit.text), time.monotonic()
        return evolve(self, version=version, lines=lines, touched=touched, touched_at=touched_at)


def offset_of(lines: LineIndex, position: types.Position, encoding: Encoding) -> int:
    """Return the code-point offset of a protocol position."""
    return lines.offset(position.line, position.character, encoding)


def position_of(lines: LineIndex, offset: int, encoding: Encoding) -> types.Position:
    """Return the protocol position of a code-point offset."""
    return types.Position(*lines.position(offset, encoding))


def range_of(lines: LineIndex, start: int, end: int, encoding: Encoding) -> types.Range:
    """Return the protocol range of two code-point offsets."""
    return types.Range(position_of(lines, start, encoding), position_of(lines, end, encoding))


class DocumentStore:
    """All open documents, by URI and by path, and the files beside them.

    `folder` is where unsaved buffers are assumed to be.
    """

    def __init__(self, encoding: Encoding = "utf-16", folder: Path | None = None) -> None:
        self.encoding: Encoding = encoding
        self.folder = folder
        self._by_uri: dict[str, Document] = {}
        self._by_path: Mapping[Path, Document] = {}
        self._pinned = threading.local()
        self._disk = FilesOnDisk()
        self._resolved: LastUsed[Path, tuple[float, Path]] = LastUsed(_MOST_PATHS)

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._by_uri.values()))

    def open(self, item: types.TextDocumentItem) -> Document:
        """Store a document that the client opened (again)."""
        path = path_of(item.uri, item.language_id, self.folder)
        lines = LineIndex(item.text)
        document = Document(item.uri, path, resolved(path), item.version, lines)
        self._put(item.uri, document)
        return document

    def change(self, params: types.DidChangeTextDocumentParams) -> Document | None:
        """Apply edits; those to a document that is not open are ignored, and logged."""
        identifier = params.text_document
        document = self._by_uri.get(identifier.uri)
        if document is None:
            logger.warning("%s changed but is not open: the change is ignored", identifier.uri)
            return None
        document = document.edited(params.content_changes, identifier.version, self.encoding)
        self._put(identifier.uri, document)
        return document

    def settle(self, uri: str) -> None:
        """Take the text of a document as finished where it was edited last."""
        if document := self._by_uri.get(uri):
            self._put(uri, evolve(document, touched_at=-math.inf))

    def close(self, uri: str) -> Document | None:
        """Forget a document: its file on disk counts from now on."""
        document = self._by_uri.pop(uri, None)
        self._index()
        return document

    def get(self, uri: str) -> Document | None:
        """Return the open document of a URI in its latest version."""
        return self._by_uri.get(uri)

    def snapshot(self) -> Mapping[Path, Document]:
        """Return the open documents as they are now, by path."""
        return self._by_path

    @contextmanager
    def pinned(
        self, documents: Mapping[Path, Document], cancelled: Cancel | None = None
    ) -> Iterator[None]:
        """Let `find`, `read`, `lines` and `uri` in this thread answer from a snapshot.

        Reading raises `Cancelled` once `cancelled` says so.
        """
        self._pinned.documents, self._pinned.cancelled = documents, cancelled
        try:
            yield
        finally:
            self._pinned.documents = self._pinned.cancelled = None

    def find(self, path: Path) -> Document | None:
        """Return the open document of a path, however the path is spelled."""
        pinned: Mapping[Path, Document] | None = getattr(self._pinned, "documents", None)
        documents = self._by_path if pinned is None else pinned
        if not documents:
            return None
        return documents.get(path) or documents.get(self._resolve(path))

    def _resolve(self, path: Path) -> Path:
        """Return a path with symbolic links followed, as it was at most a moment ago."""
        now = time.monotonic()
        cached = self._resolved.get(path)
        if cached is None or now > cached[0] + _RESOLVED_FOR:
            cached = now, self._without_links(path)
            self._resolved.keep(path, cached)
        return cached[1]

    def _without_links(self, path: Path) -> Path:
        """Return a path with symbolic links followed; folders above it once for all their files."""
        if os.name == "nt" or path.parent == path or path.name == ".." or os.path.islink(path):
            return resolved(path)
        folder = self._resolve(path.parent)
        return path if folder == path.parent else folder / composed(path.name)

    def read(self, path: Path) -> str | None:
        """Return the text of a file: the open buffer, else the one on disk, None without either.

        A database has none. Files are decoded as bibliographies are. The same string comes back
        until the file changes, or many others have been read.

        Raises:
            Cancelled: the request that this thread works for is cancelled.
        """
        stop_if(getattr(self._pinned, "cancelled", None))
        document = self.find(path)
        return document.text if document else self._disk.read(path)

    def saved(self, document: Document) -> bool:
        """Whether the file of a document has the same text."""
        return self._disk.read(document.path) == document.text

    def stamp_read(self, path: Path) -> Stamp:
        """Return the stamp of a file on disk from before it was read, else its present one."""
        return self._disk.stamp_read(path)

    def lines(self, path: Path) -> LineIndex | None:
        """Return the text of a file with its lines; as `read`."""
        document = self.find(path)
        return document.lines if document else self._disk.lines(path)

    def buffer(self, path: Path) -> str | None:
        """Return the text of a file that is open in the editor, None where it is not."""
        document = self.find(path)
        return document.text if document else None

    def uri(self, path: Path) -> str:
        """Return the URI of a path, as the client spells it where it has the file open."""
        document = self.find(path)
        return document.uri if document else uri_of(path)

    def _put(self, uri: str, document: Document) -> None:
        self._by_uri[uri] = document
        self._index()

    def _index(self) -> None:
        # A new mapping each time: those handed out as snapshots stay as they were.
        documents = tuple(self._by_uri.values())
        by_target = {document.resolved: document for document in documents}
        self._by_path = by_target | {document.path: document for document in documents}
