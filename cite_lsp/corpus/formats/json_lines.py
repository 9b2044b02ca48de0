"""JSON Lines, plain or compressed, read as a stream; a bad line is reported and costs no other."""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast

import zstandard

from cite_lsp.storage.encodings import decode_bytes, encoding_of
from cite_lsp.storage.regular_files import open_regular

Report = Callable[[str], None]
"""Called with what is wrong with a file: "file:line: what; remedy"."""

BROKEN_ARCHIVE = (OSError, EOFError, zlib.error, zstandard.ZstdError)
"""What reading on in a damaged or cut-off archive raises."""

BYTES_AS_SURROGATES = "surrogateescape"
"""How a text is opened for `decoded`: the bytes of what is not UTF-8 can be had back."""

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_SAMPLE_BYTES = 1 << 16
"""Bytes that show the encoding of a text; of an archive they are what it gives at first."""
_CHUNK = 1 << 17
_SKIPPED = re.compile(r"(?<=; )the (line|row|record) is skipped$")
_LONGEST = 1 << 24
"""Characters of a line; a longer one is no record of a paper."""
_WIDEST_WINDOW = 1 << 31  # dumps made with `zstd --long=31`


class RecordError(Exception):
    """A file cannot be read as JSON Lines; the message names the file, the line and the remedy."""


class BrokenOffError(RecordError):
    """A file could not be read to its end: what else it holds is not known."""


class BrokenOff(str):
    """A report that a file cannot be read on, where others are of a record that is skipped."""


class ReadAnyway(str):
    """A report of what is wrong with a text and costs no record, as its encoding."""


def open_text(path: Path, errors: str = "replace", encoding: str = "utf-8-sig") -> TextIO:
    """Open a text file for reading; gzip and zstd are known by their content and decompressed.

    `errors` is what becomes of bytes that are not of the `encoding`, as for `open`. A text with
    the mark of UTF-16, which PowerShell writes, is read as that, and Chinese in GBK as GB18030.

    Raises:
        RecordError: the file is missing or may not be read.
    """
    try:
        file = cast(io.BufferedReader, open_regular(path, _SAMPLE_BYTES))
    except OSError as error:
        reason = error.strerror or error
        raise RecordError(f"{path}: {reason}; check the path and the permissions") from error
    start = file.peek(len(_ZSTANDARD))
    stream: IO[bytes] = file
    if start.startswith(_GZIP):
        file.close()
        stream = cast(IO[bytes], gzip.open(path, "rb"))
    elif start.startswith(_ZSTANDARD):
        stream = io.BufferedReader(_ZstandardStream(file))
    try:
        detected = encoding_of(cast(io.BufferedReader, stream).peek(_SAMPLE_BYTES))
    except BROKEN_ARCHIVE:
        detected = ""  # reading on will raise
    if detected == "utf-16" or (detected and encoding == "utf-8-sig"):
        encoding, errors = detected, "replace"
    return io.TextIOWrapper(stream, encoding=encoding, errors=errors)


def decoded(text: str, first_line: int) -> tuple[str, str]:
    """Return lines of a text opened with `BYTES_AS_SURROGATES`, and the fault of their encoding.

    The latter is "" if nothing is; see `decode_bytes`.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return decode_bytes(text.encode("utf-8", BYTES_AS_SURROGATES), first_line)
    return text, ""


class EncodingReport:
    """Reports once for a file that it is not UTF-8."""

    def __init__(self, path: Path, report: Report | None) -> None:
        self._path = path
        self._report = report

    def add(self, line: int, fault: str) -> None:
        """Report what is wrong with the encoding of a line ("" if nothing), if it is the first."""
        if fault and self._report is not None:
            self._report(ReadAnyway(f"{self._path}:{line}: {fault}"))
            self._report = None

    def read(self, text: str, line: int) -> str:
        """Return a line as `decoded` does, and report what is wrong with it."""
        text, fault = decoded(text, line)
        self.add(line, fault)
        return text


def numbered_lines(path: Path, report: Report | None = None) -> Iterator[tuple[int, str]]:
    """Yield (number from 1, line) of a text file (plain, .gz or .zst), as far as it can be read.

    What is not UTF-8 is read as Windows-1252, and the first such line is reported.

    Raises:
        RecordError: the file cannot be opened.
        BrokenOffError: the archive is damaged or cut off behind the lines that were yielded.
    """
    number, encoding = 0, EncodingReport(path, report)
    with open_text(path, BYTES_AS_SURROGATES) as lines:
        while True:
            try:
                line = next(lines, None)
            except BROKEN_ARCHIVE as error:
                raise BrokenOffError(_broken_at(path, number + 1, error)) from error
            if line is None:
                return
            number += 1
            yield number, encoding.read(line, number)


def read_records(path: Path, report: Report | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number from 1, object) for every line that holds a JSON object.

    A line that does not is reported and skipped; without `report` it is an error. So is an
    archive that ends in the middle or is damaged: what came before is read. What is not UTF-8 is
    read as Windows-1252, and the first such line is reported.

    Raises:
        RecordError: the file cannot be opened, or is broken and nobody takes the report.
    """
    on_fault, encoding = report or refuse, EncodingReport(path, report)
    number = 0
    with open_text(path, BYTES_AS_SURROGATES) as lines:
        while True:
            try:
                line = lines.readline(_LONGEST)
            except BROKEN_ARCHIVE as error:
                on_fault(BrokenOff(_broken_at(path, number + 1, error)))
                return
            if not line:
                return
            number += 1
            if len(line) == _LONGEST and not line.endswith("\n"):
                _skip_line(lines)
                on_fault(f"{path}:{number}: more than {_LONGEST:,} characters; the line is skipped")
                continue
            if not line.strip():
                continue
            text, fault = decoded(line, number)
            try:
                record = json.loads(text)
            except (ValueError, RecursionError) as error:
                if number == 1 and "{" not in text and text != line:
                    what = "no text but a binary format that cannot be read here"
                    on_fault(BrokenOff(f"{path}:1: {what}"))
                    return
                message = f"{path}:{number}: not JSON ({_fault(error)}); the line is skipped"
                on_fault(BrokenOff(message) if _is_cut_off(line) else message)
                continue
            encoding.add(number, fault)
            if isinstance(record, dict):
                yield number, record
            else:
                on_fault(f"{path}:{number}: not a JSON object; the line is skipped")


def _fault(error: Exception) -> str:
    """Return what is wrong with a line, by the position in the line alone."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1:,}"
    return str(error)


def _is_cut_off(line: str) -> bool:
    """Whether a line is the beginning of a record whose rest is not in the file."""
    return line.lstrip().startswith("{") and not line.endswith(("}", "\n"))


def _skip_line(lines: TextIO) -> None:
    """Skip the rest of a line without holding it in memory."""
    try:
        while (rest := lines.readline(_CHUNK)) and not rest.endswith("\n"):
            pass
    except BROKEN_ARCHIVE:
        return  # the next reading reports it


def ignored(message: str) -> None:
    """A report that does nothing: the same was reported before."""


def refuse(message: str) -> None:
    """A report that raises, where the caller gave none.

    Raises:
        RecordError: always, with the message; even where this is that something is skipped.
    """
    raise RecordError(_SKIPPED.sub(r"mend the \1", message))


def _broken_at(path: Path, line: int, error: Exception) -> str:
    return f"{path}:{line}: the archive is broken here ({error}); fetch it again"


class _ZstandardStream(io.RawIOBase):
    """The content of zstd frames. Unlike the library's reader it tells an end from a cut."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._frame: Any = None
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any buffer
        while not self._ready:
            unused = b""
            if self._frame is not None and self._frame.eof:
                unused, self._frame = self._frame.unused_data, None
            packed = unused or self._file.read(_CHUNK)
            if not packed:
                if self._frame is not None:
                    raise EOFError("it ends in the middle")
                return 0
            if self._frame is None:
                decompressor = zstandard.ZstdDecompressor(max_window_size=_WIDEST_WINDOW)
                self._frame = decompressor.decompressobj()
            self._ready = self._frame.decompress(packed)
        count = min(len(buffer), len(self._ready))
        buffer[:count], self._ready = self._ready[:count], self._ready[count:]
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
