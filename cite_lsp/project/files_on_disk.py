"""The texts of files as they are on disk, where no editor has them open."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from cite_lsp.library.load.read import SUFFIXES, is_database
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.storage.caches import LastUsed
from cite_lsp.storage.encodings import decode_bytes
from cite_lsp.storage.regular_files import LARGEST_TEXT, read_regular, unsuitable
from cite_lsp.storage.stamps import Stamp, stamp

_LARGEST_DRAFT = 16_000_000
"""Bytes of a draft, or of a file in its folder; a book has a tenth of that."""
_MOST_CHARACTERS = 16_000_000
"""Characters of texts that are kept, beside a longer one that was read last; what is read again
costs little."""
_MOST_LINES = 100


class FilesOnDisk:
    """Reads texts and their lines, again only when a file has changed. Thread-safe.

    Files are decoded as bibliographies are. A database has no text.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._read: dict[Path, tuple[Stamp, str]] = {}
        self._size = 0
        self._lines: LastUsed[Path, LineIndex] = LastUsed(_MOST_LINES)

    def read(self, path: Path) -> str | None:
        """Return the text of a file, None where it cannot be read.

        The same string comes back until the file changes, or many others have been read. What
        cannot be decoded is replaced.
        """
        if is_database(path):
            return None
        # The stamp is older than what is read: a change in between is seen the next time.
        current = stamp(path)
        with self._lock:
            cached = self._read.get(path)
            if cached is not None and cached[0] == current:
                self._read[path] = self._read.pop(path)
                return cached[1]
        try:
            text = decode_bytes(read_regular(path, _limit(path)))[0] if current else None
        except (OSError, ValueError):
            text = None
        with self._lock:
            self._drop(path)
            if text is not None:
                self._read[path] = current, text
                self._size += len(text)
            while self._size > _MOST_CHARACTERS and len(self._read) > 1:
                self._drop(next(iter(self._read)))
        return text

    def _drop(self, path: Path) -> None:
        _, text = self._read.pop(path, (None, ""))
        self._size -= len(text)

    def stamp_read(self, path: Path) -> Stamp:
        """Return the stamp of a file from before its text was read, else its present one."""
        with self._lock:
            cached = self._read.get(path)
        return cached[0] if cached is not None else stamp(path)

    def lines(self, path: Path) -> LineIndex | None:
        """Return the text of a file with its lines; as `read`."""
        text = self.read(path)
        if text is None:
            return None
        lines = self._lines.get(path)
        if lines is None or lines.text is not text:
            lines = LineIndex(text)
            self._lines.keep(path, lines)
        return lines

    def open_text(self, path: Path) -> str | None:
        """Return the text of an open buffer: nothing is open."""
        return None


def unread_reason(path: Path) -> str:
    """Return why a file that is there is not read; "" where it may be, or there is none."""
    return unsuitable(path, _limit(path))


def _limit(path: Path) -> int:
    return LARGEST_TEXT if path.suffix.lower() in SUFFIXES else _LARGEST_DRAFT
