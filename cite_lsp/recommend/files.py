"""Draft files from disk, for those who have no open buffers: command line and evaluation."""

from __future__ import annotations

from pathlib import Path


def read_draft(path: Path) -> str | None:
    """Return the text of a file, None where it cannot be read; broken bytes are replaced."""
    try:
        data = path.read_bytes()
    except (OSError, ValueError):
        return None
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return data.decode(encoding, errors="replace")
