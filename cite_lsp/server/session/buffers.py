"""The texts that the editor has open, and how the rest of the server reads files.

Buffers are immutable and replaced on every edit: the event loop writes them, workers read them. A
worker that answers a request reads under `BufferStore.pinned`, so that offsets, texts and the
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
class Buffer:
    """An open text: where it is, which version of it, and its text with its lines.

    `resolved` is the path with symbolic links followed, as it was when the buffer was opened.
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
    ) -> Buffer:
        """Return the buffer after the changes of one `didChange`, in order."""
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


class BufferStore:
    """All open buffers, by URI and by path, and the files beside them.

    `folder` is where unsaved buffers are assumed to be.
    """

    def __init__(self, encoding: Encoding = "utf-16", folder: Path | None = None) -> None:
        self.encoding: Encoding = encoding
        self.folder = folder
        self._by_uri: dict[str, Buffer] = {}
        self._by_path: Mapping[Path, Buffer] = {}
        self._pinned = threading.local()
        self._disk = FilesOnDisk()
        self._resolved: LastUsed[Path, tuple[float, Path]] = LastUsed(_MOST_PATHS)

    def __iter__(self) -> Iterator[Buffer]:
        return iter(tuple(self._by_uri.values()))

    def open(self, item: types.TextDocumentItem) -> Buffer:
        """Store a buffer that the client opened (again)."""
        path = path_of(item.uri, item.language_id, self.folder)
        lines = LineIndex(item.text)
        buffer = Buffer(item.uri, path, resolved(path), item.version, lines)
        self._put(item.uri, buffer)
        return buffer

    def change(self, params: types.DidChangeTextDocumentParams) -> Buffer | None:
        """Apply edits; those to a buffer that is not open are ignored, and logged."""
        identifier = params.text_document
        buffer = self._by_uri.get(identifier.uri)
        if buffer is None:
            logger.warning("%s changed but is not open: the change is ignored", identifier.uri)
            return None
        buffer = buffer.edited(params.content_changes, identifier.version, self.encoding)
        self._put(identifier.uri, buffer)
        return buffer

    def settle(self, uri: str) -> None:
        """Take the text of a buffer as finished where it was edited last."""
        if buffer := self._by_uri.get(uri):
            self._put(uri, evolve(buffer, touched_at=-math.inf))

    def close(self, uri: str) -> Buffer | None:
        """Forget a buffer: its file on disk counts from now on."""
        buffer = self._by_uri.pop(uri, None)
        self._index()
        return buffer

    def get(self, uri: str) -> Buffer | None:
        """Return the open buffer of a URI in its latest version."""
        return self._by_uri.get(uri)

    def snapshot(self) -> Mapping[Path, Buffer]:
        """Return the open buffers as they are now, by path."""
        return self._by_path

    @contextmanager
    def pinned(
        self, buffers: Mapping[Path, Buffer], cancelled: Cancel | None = None
    ) -> Iterator[None]:
        """Let `find`, `read`, `lines` and `uri` in this thread answer from a snapshot.

        Reading raises `Cancelled` once `cancelled` says so.
        """
        self._pinned.buffers, self._pinned.cancelled = buffers, cancelled
        try:
            yield
        finally:
            self._pinned.buffers = self._pinned.cancelled = None

    def find(self, path: Path) -> Buffer | None:
        """Return the open buffer of a path, however the path is spelled."""
        pinned: Mapping[Path, Buffer] | None = getattr(self._pinned, "buffers", None)
        buffers = self._by_path if pinned is None else pinned
        if not buffers:
            return None
        return buffers.get(path) or buffers.get(self._resolve(path))

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
        buffer = self.find(path)
        return buffer.text if buffer else self._disk.read(path)

    def saved(self, buffer: Buffer) -> bool:
        """Whether the file of a buffer has the same text."""
        return self._disk.read(buffer.path) == buffer.text

    def stamp_read(self, path: Path) -> Stamp:
        """Return the stamp of a file on disk from before it was read, else its present one."""
        return self._disk.stamp_read(path)

    def lines(self, path: Path) -> LineIndex | None:
        """Return the text of a file with its lines; as `read`."""
        buffer = self.find(path)
        return buffer.lines if buffer else self._disk.lines(path)

    def open_text(self, path: Path) -> str | None:
        """Return the text of a file that is open in the editor, None where it is not."""
        buffer = self.find(path)
        return buffer.text if buffer else None

    def uri(self, path: Path) -> str:
        """Return the URI of a path, as the client spells it where it has the file open."""
        buffer = self.find(path)
        return buffer.uri if buffer else uri_of(path)

    def _put(self, uri: str, buffer: Buffer) -> None:
        self._by_uri[uri] = buffer
        self._index()

    def _index(self) -> None:
        # A new mapping each time: those handed out as snapshots stay as they were.
        buffers = tuple(self._by_uri.values())
        by_target = {buffer.resolved: buffer for buffer in buffers}
        self._by_path = by_target | {buffer.path: buffer for buffer in buffers}
