"""The texts of files as they are on disk, where no editor has them open."""

from __future__ import annotations

from pathlib import Path

from cite_lsp.library.load.read import DiskReader, is_database
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.storage.caches import LastUsed
from cite_lsp.storage.stamps import Stamp

_MOST_LINES = 100


class FilesOnDisk:
    """Reads texts and their lines, again only when a file has changed. Thread-safe.

    Files are decoded as bibliographies are. A database has no text.
    """

    def __init__(self) -> None:
        self._disk = DiskReader()
        self._lines: LastUsed[Path, LineIndex] = LastUsed(_MOST_LINES)

    def read(self, path: Path) -> str | None:
        """Return the text of a file, None where it cannot be read.

        The same string comes back until the file changes, or many others have been read.
        """
        return None if is_database(path) else self._disk(path)

    def stamp_read(self, path: Path) -> Stamp:
        """Return the stamp of a file from before its text was read, else its present one."""
        return self._disk.stamp_read(path)

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

    def buffer(self, path: Path) -> str | None:
        """Return the text of an open document: nothing is open."""
        return None
