"""JSON Lines, plain or compressed, read as a stream; a bad line is reported and costs no other."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import zstandard


class RecordError(Exception):
    """A file cannot be read as JSON Lines; the message names the file, the line and the remedy."""


def open_text(path: Path) -> TextIO:
    """Open a text file for reading; `.gz` and `.zst` are decompressed as they are read.

    Raises:
        RecordError: the file is missing or may not be read.
    """
    try:
        with path.open("rb") as probe:
            magic = probe.read(4)
        if magic[:2] == b"\x1f\x8b":
            return gzip.open(path, "rt", encoding="utf-8", errors="replace")
        if magic == b"\x28\xb5\x2f\xfd":
            stream = zstandard.ZstdDecompressor().stream_reader(path.open("rb"), closefd=True)
            return io.TextIOWrapper(io.BufferedReader(stream), encoding="utf-8", errors="replace")
        return path.open(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        reason = error.strerror or error
        raise RecordError(f"{path}: {reason}; check the path and the permissions") from error


def read_records(
    path: Path, report: Callable[[str], None] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number from 1, object) for every line that holds a JSON object.

    A line that does not is told to `report` ("file:line: what; remedy") and skipped; without
    `report` it is an error. So is an archive that ends in the middle: what came before is kept.

    Raises:
        RecordError: the file cannot be opened, or is broken and nobody takes the report.
    """
    tell = report or _refuse
    number = 0
    with open_text(path) as lines:
        while True:
            try:
                line = next(lines, None)
            except (OSError, EOFError, zstandard.ZstdError) as error:
                tell(f"{path}:{number + 1}: the archive is broken here ({error}); fetch it again")
                return
            if line is None:
                return
            number += 1
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (json.JSONDecodeError, RecursionError) as error:
                tell(f"{path}:{number}: not JSON ({error}); the line is skipped")
                continue
            if isinstance(record, dict):
                yield number, record
            else:
                tell(f"{path}:{number}: not a JSON object; the line is skipped")


def _refuse(message: str) -> None:
    raise RecordError(message)
