"""What files packed by gzip or Zstandard hold, piece by piece: a few bytes can hold gigabytes."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from cite_lsp.storage.regular_files import open_regular

BROKEN_ARCHIVE = (OSError, EOFError, zlib.error, zstandard.ZstdError)
"""What reading on in a damaged or cut-off archive raises, or in one that holds too much."""

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PACKED = 1 << 11
"""Bytes that are unpacked at a time: Zstandard makes up to 64 MB of them."""
_WIDEST_WINDOW = 1 << 31  # dumps made with `zstd --long=31`
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
    file = cast(io.BufferedReader, open_regular(path, buffering))
    start = file.peek(len(_ZSTANDARD))
    if start.startswith(_GZIP):
        # A piece at a time: what comes before a damaged one is not lost with it.
        bounded = _Bounded(gzip.GzipFile(fileobj=file).readinto1, file)
    elif start.startswith(_ZSTANDARD):
        bounded = _Bounded(_ZstandardStream(file).readinto, file)
    else:
        return file
    return cast(BinaryIO, io.BufferedReader(bounded, buffering))


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


class _ZstandardStream(io.RawIOBase):
    """The content of zstd frames. Unlike the library's reader it tells an end from a cut."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self._frame: Any = None
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any buffer
        while not self._ready:
            unused = b""
            if self._frame is not None and self._frame.eof:
                unused, self._frame = self._frame.unused_data, None
            packed = unused or self._file.read(_PACKED)
            if not packed:
                if self._frame is not None:
                    raise EOFError("it ends in the middle")
                return 0
            if self._frame is None:
                decompressor = zstandard.ZstdDecompressor(max_window_size=_WIDEST_WINDOW)
                self._frame = decompressor.decompressobj()
            self._ready = memoryview(self._frame.decompress(packed))
        count = min(len(buffer), len(self._ready))
        buffer[:count], self._ready = self._ready[:count], self._ready[count:]
        return count
