"""A .bib file as blocks: each record with the comments directly above it, and the text between.

The blocks of a file, one behind the other, are the file: what keeps, moves or rewrites some of
them loses nothing of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.scanner import BibtexScan, OtherRecord
from cite_lsp.library.entries import Entry

_LINE = lazy_re(r"[^\r\n]*(?:\r\n?|\n)?")
_BLANK_LINES = lazy_re(r"(?:[^\S\r\n]*+(?:\r\n?|\n))*+")


@frozen
class FileBlock:
    """A stretch of a file: a record, with the comments above and the blank lines below, or text.

    It goes from `start` to `end`. Without a `record` it is text that belongs to none.
    """

    start: int
    end: int
    record: Entry | OtherRecord | None = None

    @property
    def entry(self) -> Entry | None:
        """The entry that it is of, None where it is of none."""
        return self.record if isinstance(self.record, Entry) else None


def blocks_of(text: str, path: Path) -> list[FileBlock]:
    """Return the blocks of a .bib file in order; `path` is only noted down."""
    scan = BibtexScan(text, path).run()
    return list(_blocks(text, scan))


def _blocks(text: str, scan: BibtexScan) -> Iterator[FileBlock]:
    records: list[Entry | OtherRecord] = [*scan.entries, *scan.others]
    records.sort(key=lambda record: record.start)
    done = 0
    for number, record in enumerate(records):
        start = _with_comments(text, done, record.start)
        if done < start:
            yield FileBlock(done, start)
        behind = records[number + 1].start if number + 1 < len(records) else len(text)
        done = _behind(text, record.end, behind)
        yield FileBlock(start, done, record)
    if done < len(text):
        yield FileBlock(done, len(text))


def _with_comments(text: str, floor: int, start: int) -> int:
    """Return where the lines directly above a record begin, none before `floor`."""
    start = _line_start(text, floor, start)
    while start > floor:
        above = _line_start(text, floor, start - 1)
        if not text[above:start].strip():
            break
        start = above
    return start


def _line_start(text: str, floor: int, offset: int) -> int:
    """Return where the line of an offset begins; the offset of a line feed is in that line."""
    if offset > floor and text[offset - 1 : offset + 1] == "\r\n":
        offset -= 1
    return max(text.rfind("\n", floor, offset), text.rfind("\r", floor, offset), floor - 1) + 1


def _behind(text: str, end: int, limit: int) -> int:
    """Return where the line on which a record ends is over, and the blank lines behind it.

    Where the next record begins on that line, at `limit`, that is there.
    """
    line = _LINE.match(text, end, limit)
    blank = _BLANK_LINES.match(text, line.end() if line else end, limit)
    return blank.end() if blank else end
