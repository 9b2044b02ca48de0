"""The one reader of files that others wrote: regular files of sane size, and nothing that blocks.

A workspace may be somebody else's. A pipe in it would hang whoever reads it, a device has no end,
and standard input is the protocol of the server.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path
from typing import BinaryIO

LARGEST_TEXT = 128_000_000
"""Bytes of a draft or a bibliography; the whole ACL Anthology has half of that."""
LARGEST_SETTINGS = 1_000_000
"""Bytes of a file of settings."""

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_CHUNK = 1 << 20


class UnsuitableFileError(OSError):
    """A file is not read: it is no regular file, or too large. `strerror` says which."""


def read_regular(path: Path, limit: int = LARGEST_TEXT) -> bytes:
    """Return the content of a regular file.

    Raises:
        UnsuitableFileError: it is no regular file, or holds more than `limit` bytes.
        OSError: it cannot be read.
        ValueError: no file can have this path.
    """
    with open_regular(path, buffering=0) as file:
        stated = os.fstat(file.fileno()).st_size
        if stated > limit:
            raise _too_large(path, limit)
        # The size is not believed: files that the kernel makes up say 0, others grow.
        parts: list[bytes] = []
        size = 0
        while part := os.read(file.fileno(), max(stated - size, _CHUNK)):
            parts.append(part)
            size += len(part)
            if size > limit:
                raise _too_large(path, limit)
    return b"".join(parts)


def open_regular(path: Path, buffering: int = io.DEFAULT_BUFFER_SIZE) -> BinaryIO:
    """Open a regular file to read it, which never blocks.

    Raises:
        UnsuitableFileError: it is no regular file.
        OSError: it cannot be opened.
        ValueError: no file can have this path.
    """
    _expect_regular(path, os.stat(path))  # to open a device may set it going
    return open(path, "rb", buffering=buffering, opener=_open)


def _open(path: str, _: int) -> int:
    descriptor = os.open(path, _FLAGS)
    try:
        _expect_regular(path, os.fstat(descriptor))  # it may have been replaced
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def unsuitable(path: Path, limit: int = LARGEST_TEXT) -> str:
    """Return why `read_regular` refuses a file that is there; "" where it does not, or none is.

    Its size is believed.
    """
    try:
        status = os.stat(path)
        _expect_regular(path, status)
    except UnsuitableFileError as error:
        return str(error.strerror)
    except (OSError, ValueError):
        return ""
    return str(_too_large(path, limit).strerror) if status.st_size > limit else ""


def _expect_regular(path: Path | str, status: os.stat_result) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    kind = next((name for test, name in _KINDS if test(status.st_mode)), "no regular file")
    raise UnsuitableFileError(errno.EINVAL, f"it is {kind}, not a file", str(path))


def _too_large(path: Path, limit: int) -> UnsuitableFileError:
    message = f"it is larger than {limit // 1_000_000} MB"
    return UnsuitableFileError(errno.EFBIG, message, str(path))
