"""Files compressed by gzip or Zstandard, read piece by piece: a few bytes can hold gigabytes."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from cite_lsp.storage.compressed_files import zstd
from cite_lsp.storage.regular_files import open_regular

BROKEN_ARCHIVE = (OSError, EOFError, zlib.error, zstd.ZstdError)
"""What reading on in a damaged or cut-off archive raises, or in one that holds too much."""

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_ZSTANDARD_OPTIONS: dict[int, int] = {zstd.DecompressionParameter.window_log_max: 31}
"""Dumps may have been made with `zstd --long=31`."""
_MOST_TIMES = 300
"""How many times its size a file may hold; dumps of papers hold 5 to 30 times theirs."""
_HARMLESS = 100_000_000
"""Bytes that any file may hold."""


class TooMuchInsideError(OSError):
    """A file holds far more than papers can be packed to."""

    def __str__(self) -> str:
        return f"it holds more than {_MOST_TIMES} times its size"


def open_unpacked(path: Path, buffering: int) -> BinaryIO:
    """Open a file, unpacked if its content is that of gzip or Zstandard, with `peek`.

    Reading raises one of `BROKEN_ARCHIVE` where the file is damaged, cut off, or holds too much.

    Raises:
        OSError: it cannot be opened.
    """
    file = cast("io.BufferedReader", open_regular(path, buffering))
    start = file.peek(len(_ZSTANDARD))
    if start.startswith(_GZIP):
        # A piece at a time: what comes before a damaged one is not lost with it.
        bounded = _Bounded(gzip.GzipFile(fileobj=file).readinto1, file)
    elif start.startswith(_ZSTANDARD):
        bounded = _Bounded(zstd.ZstdFile(file, options=_ZSTANDARD_OPTIONS).readinto1, file)
    else:
        return file
    return cast("BinaryIO", io.BufferedReader(bounded, buffering))


class _Bounded(io.RawIOBase):
    """A stream of what a file holds, which ends in an error where that is too much."""

    def __init__(self, read_into: Callable[[Any], int], file: io.BufferedReader) -> None:
        self._read_into, self._file = read_into, file
        self._left = max(_HARMLESS, _MOST_TIMES * os.fstat(file.fileno()).st_size)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any buffer
        count = self._read_into(buffer)
        self._left -= count
        if self._left < 0:
            raise TooMuchInsideError
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
