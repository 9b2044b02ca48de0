"""JSON Lines, plain or compressed, read as a stream; a bad line is reported and costs no other."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO, TypeVar, cast

from cite_lsp.corpus.formats.compressed import BROKEN_ARCHIVE, TooMuchInsideError, open_unpacked
from cite_lsp.errors import CiteLspError
from cite_lsp.lazy_re import lazy_re
from cite_lsp.storage.encodings import decode_bytes, encoding_of

T = TypeVar("T")

Report = Callable[[str], None]
"""Called with what is wrong with a file: "file:line: what; remedy"."""

BYTES_AS_SURROGATES = "surrogateescape"
"""How a text is opened for `decoded`: the bytes of what is not UTF-8 can be had back."""

_SAMPLE_BYTES = 1 << 16
"""Bytes that show the encoding of a text; of an archive they are what it gives at first."""
_CHUNK = 1 << 17
_SKIPPED = lazy_re(r"(?<=; )the (line|row|record) is skipped$")
LONGEST_RECORD = 1 << 24
"""Characters of a record, and of a line; a longer one is no record of a paper."""


class RecordError(CiteLspError):
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
        stream = cast(io.BufferedReader, open_unpacked(path, _SAMPLE_BYTES))
    except OSError as error:
        reason = error.strerror or error
        raise RecordError(f"{path}: {reason}; check the path and the permissions") from error
    try:
        detected = encoding_of(stream.peek(_SAMPLE_BYTES))
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
    encoding = EncodingReport(path, report)
    for number, line in _numbered(path, report or refuse):
        yield number, encoding.read(line, number)


def _numbered(path: Path, on_fault: Report) -> Iterator[tuple[int, str]]:
    """Yield the lines and their numbers, without those that are too long, which are reported.

    Raises:
        RecordError: the file cannot be opened.
        BrokenOffError: the archive is damaged or cut off behind the lines that were yielded.
    """
    number = 0
    with open_text(path, BYTES_AS_SURROGATES) as lines:
        while True:
            number += 1
            try:
                line = lines.readline(LONGEST_RECORD)
                is_whole = len(line) < LONGEST_RECORD or line.endswith("\n")
                if not is_whole:
                    _skip_line(lines)
            except BROKEN_ARCHIVE as error:
                raise BrokenOffError(broken_archive(f"{path}:{number}", error)) from error
            if not line:
                return
            if is_whole:
                yield number, line
            else:
                problem = f"more than {LONGEST_RECORD:,} characters; the line is skipped"
                on_fault(f"{path}:{number}: {problem}")


def read_records(path: Path, report: Report | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number from 1, object) for every line that holds a JSON object.

    A line that does not is reported and skipped; without `report` it is an error. So is an
    archive that ends in the middle or is damaged: what came before is read. What is not UTF-8 is
    read as Windows-1252, and the first such line is reported.

    Raises:
        RecordError: the file cannot be opened, or is broken and nobody takes the report.
    """
    on_fault, encoding = report or refuse, EncodingReport(path, report)
    try:
        for number, line in _numbered(path, on_fault):
            if not line.strip():
                continue
            text, fault = decoded(line, number)
            try:
                record = json.loads(text)
            except (ValueError, RecursionError) as error:
                if number == 1 and "{" not in text and text != line:
                    problem = "no text but a binary format that cannot be read here"
                    on_fault(BrokenOff(f"{path}:1: {problem}"))
                    return
                message = f"{path}:{number}: not JSON ({_fault(error)}); the line is skipped"
                on_fault(BrokenOff(message) if _is_cut_off(line) else message)
                continue
            encoding.add(number, fault)
            if isinstance(record, dict):
                yield number, record
            else:
                on_fault(f"{path}:{number}: not a JSON object; the line is skipped")
    except BrokenOffError as error:
        on_fault(BrokenOff(error))


def read_rows(
    path: Path, report: Report | None, read: Callable[[dict[str, Any]], T | None], fault: str
) -> Iterator[T]:
    """Yield what `read` makes of the objects of a JSON Lines file (plain, .gz or .zst), in order.

    An object of which it makes nothing is passed to `report`, with the `fault`, and skipped.

    Raises:
        RecordError: the file cannot be read; without `report`, also the first bad row.
    """
    on_fault = report or refuse
    for number, record in read_records(path, report):
        row = read(record)
        if row is not None:
            yield row
        else:
            on_fault(f"{path}:{number}: {fault}")


def _fault(error: Exception) -> str:
    """Return what is wrong with a line, by the position in the line alone."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' at')} at character {error.pos + 1:,}"
    return str(error)


def _is_cut_off(line: str) -> bool:
    """Whether a line is the beginning of a record whose rest is not in the file."""
    return line.lstrip().startswith("{") and not line.endswith(("}", "\n"))


def _skip_line(lines: TextIO) -> None:
    """Skip the rest of a line without holding it in memory."""
    while (rest := lines.readline(_CHUNK)) and not rest.endswith("\n"):
        pass


def ignored(message: str) -> None:
    """A report that does nothing: the same was reported before."""


def refuse(message: str) -> None:
    """A report that raises, where the caller gave none.

    Raises:
        RecordError: always, with the message; even where this is that something is skipped.
    """
    raise RecordError(_SKIPPED.sub(r"mend the \1", message))


def broken_archive(where: str, error: Exception) -> BrokenOff:
    """Return the report that an archive cannot be read on at a place, "file:line"."""
    if isinstance(error, TooMuchInsideError):
        return BrokenOff(f"{where}: the archive is not read on: {error}; unpack it, if it is right")
    return BrokenOff(f"{where}: the archive is broken here ({error}); fetch it again")
