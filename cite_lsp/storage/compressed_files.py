"""Files of models that may lie compressed: NAME, or NAME.zst with the same content."""

from __future__ import annotations

import sys
from pathlib import Path

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd  # a copy of Python's own module

_SUFFIX = ".zst"
_LEVEL = 19


class PackedFileError(ValueError):
    """A compressed file is cut off or damaged; the message is the reason."""


def stored_path(path: Path) -> Path:
    """Return where a file lies: under its own name, or compressed; its own where it does not."""
    packed = path.with_name(path.name + _SUFFIX)
    return packed if packed.is_file() and not path.is_file() else path


def is_packed(path: Path) -> bool:
    """Return whether a file is compressed, by its name."""
    return path.suffix == _SUFFIX


def content(path: Path) -> bytes:
    """Return what a file holds, whether it is compressed or not.

    Raises:
        OSError: it cannot be read.
        PackedFileError: it is damaged.
    """
    data = path.read_bytes()
    if not is_packed(path):
        return data
    try:
        return zstd.decompress(data)
    except zstd.ZstdError as error:
        raise PackedFileError(str(error)) from error


def write(path: Path, data: bytes) -> None:
    """Write a file, compressed if its name says so.

    Raises:
        OSError: it cannot be written.
    """
    path.write_bytes(zstd.compress(data, level=_LEVEL) if is_packed(path) else data)
