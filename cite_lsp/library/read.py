"""Read a bibliography file from disk, whatever its encoding and whatever is wrong with it."""

from __future__ import annotations

import codecs
import os
from pathlib import Path
from threading import Lock

from attrs import evolve

from cite_lsp.library.model import Bibliography, Problem
from cite_lsp.library.scan import parse_bibliography


def read_bibliography(path: Path) -> Bibliography:
    """Read a BibTeX file. Never raises: what is wrong becomes a problem of the bibliography."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return _empty(path, "the bibliography does not exist: create it or correct its name")
    except IsADirectoryError:
        return _empty(path, "the bibliography is a folder: name a .bib file in it")
    except PermissionError:
        return _empty(path, "the bibliography may not be read: give yourself permission to read it")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return _empty(path, f"the bibliography cannot be read ({reason}): check its name and disk")
    text, problem = decode_bytes(data)
    if not text.strip():
        return _empty(path, "the bibliography is empty: add entries to it")
    bibliography = parse_bibliography(text, path)
    if problem:
        problems = (Problem(path, 1, problem), *bibliography.problems)
        return evolve(bibliography, problems=problems)
    if not bibliography.entries and not bibliography.problems:
        message = "the bibliography holds no entry: is it a BibTeX file?"
        return Bibliography(path, (), (Problem(path, 1, message),))
    return bibliography


Stamp = tuple[int, int, int] | None
"""Modification time in ns, size and inode of a file; None where there is none."""


def stamp(path: Path) -> Stamp:
    """Return what changes when a file, or what a link leads to, is changed or replaced."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


class DiskReader:
    """Reads texts from disk, again only when the file has changed. Thread-safe.

    Called with a path it returns the text (what cannot be decoded replaced), or None where no file
    can be read. It is the reader of drafts where no buffer is open.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._read: dict[Path, tuple[Stamp, str]] = {}

    def __call__(self, path: Path) -> str | None:
        """Return the text of a file, or None."""
        # The stamp is older than what is read: a change in between is seen the next time.
        current = stamp(path)
        with self._lock:
            known = self._read.get(path)
        if known is not None and known[0] == current:
            return known[1]
        try:
            text = decode_bytes(path.read_bytes())[0] if current else None
        except (OSError, ValueError):
            text = None
        with self._lock:
            if text is None:
                self._read.pop(path, None)
            else:
                self._read[path] = current, text
        return text


def decode_bytes(data: bytes) -> tuple[str, str]:
    """Decode a file: UTF-16 by its mark, else UTF-8, else Windows-1252.

    Returns:
        The text without byte order mark, and what is wrong with the encoding ("" if nothing is).
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace"), ""
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
    try:
        text, name = data.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        text, name = data.decode("latin-1"), "Latin-1"
    return text, f"not UTF-8 (byte 0x{byte:02x} in line {line}), read as {name}: save it as UTF-8"


def _empty(path: Path, message: str) -> Bibliography:
    return Bibliography(path, (), (Problem(path, 1, message),))
