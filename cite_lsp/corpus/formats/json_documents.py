"""Large JSON documents, read part by part: a long list is cut into lists that fit into memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TextIO

from attrs import frozen

from cite_lsp.corpus.formats.json_lines import LONGEST_RECORD
from cite_lsp.lazy_re import lazy_re

LISTS = ("items", "references", "entries", "results", "result", "collection", "data")
"""Names that a list of records has in the object around it."""
_LIST = lazy_re(rf'\s*\[|"(?:{"|".join(LISTS)})"\s*:\s*\[(?=\s*\{{)')
_BETWEEN = lazy_re(r"[\s,]*")
_DECODER = json.JSONDecoder()


class NoRecordError(Exception):
    """No record can be read from a `line` of a document on; the message says why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


@frozen
class JsonDocument:
    """A document, or a part of a long one as a list by itself.

    Attributes:
        text: The document.
        line: The line in the file, from 1, in which it begins.
        items_before: How many items of the list come before.
    """

    text: str
    line: int = 1
    items_before: int = 0


def documents_in(file: TextIO, decode: Callable[[str], str]) -> Iterator[JsonDocument]:
    """Yield a document whole if it is short, a long one in parts; `decode` mends its encoding.

    Of a long document only its first list of records is read.

    Raises:
        NoRecordError: in the middle of a long document none can be read.
    """
    text = decode(file.read(LONGEST_RECORD))
    if len(text) < LONGEST_RECORD:
        yield JsonDocument(text)
        return
    listed = _LIST.match(text) or _LIST.search(text)
    if listed is None:
        raise NoRecordError(1, f"no list of records in {LONGEST_RECORD:,} characters")
    end = _behind_separators(text, listed.end())
    line, text = 1 + text.count("\n", 0, end), text[end:]
    items, ended = 0, False
    while True:
        end, count, fault = _whole_items(text)
        if count:
            yield JsonDocument(f"[{text[:end]}]", line, items)
        items += count
        end = _behind_separators(text, end)
        line, text = line + text.count("\n", 0, end), text[end:]
        if fault is None:
            return
        if ended:
            raise NoRecordError(line, "the list ends in the middle, or is broken")
        if len(text) >= LONGEST_RECORD:
            raise NoRecordError(line, f"not valid JSON ({fault}), or a very long record")
        more = decode(file.read(LONGEST_RECORD))
        ended = not more
        text += more


def _behind_separators(text: str, position: int) -> int:
    between = _BETWEEN.match(text, position)
    return between.end() if between else position


def _whole_items(text: str) -> tuple[int, int, str | None]:
    """Return where the items end that are there whole, how many, and what is wrong then.

    Nothing is wrong (None) where the list ends.
    """
    end = count = 0
    while True:
        position = _behind_separators(text, end)
        if text.startswith("]", position):
            return end, count, None
        try:
            _, end = _DECODER.raw_decode(text, position)
        except ValueError as error:
            return end, count, getattr(error, "msg", str(error))
        except RecursionError:
            return end, count, "nested too deeply"
        count += 1
