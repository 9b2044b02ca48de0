"""A long list in one JSON document, cut into lists that are short enough to be read as a whole."""

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
    begins = decode(file.read(LONGEST_RECORD))
    if len(begins) < LONGEST_RECORD:
        yield JsonDocument(begins)
        return
    listed = _LIST.match(begins) or _LIST.search(begins)
    if listed is None:
        raise NoRecordError(1, f"no list of records in {LONGEST_RECORD:,} characters")
    yield from _Parts(file, decode, begins, listed.end()).documents()


class _Parts:
    """The items of a list, as text that is read piece by piece."""

    def __init__(
        self, file: TextIO, decode: Callable[[str], str], text: str, position: int
    ) -> None:
        """Take the text that was read so far, and where in it the first item stands."""
        self._file, self._decode = file, decode
        self._line = 1
        self._text = text
        self._drop(position)
        self._ended = False
        self._items = 0

    def documents(self) -> Iterator[JsonDocument]:
        """Yield the items as lists of their own."""
        while True:
            end, count, fault = self._whole_items()
            if count:
                yield JsonDocument(f"[{self._text[:end]}]", self._line, self._items)
            self._items += count
            self._drop(end)
            if fault is None:
                return
            if self._ended:
                raise NoRecordError(self._line, "the list ends in the middle, or is broken")
            if len(self._text) >= LONGEST_RECORD:
                raise NoRecordError(self._line, f"not valid JSON ({fault}), or a very long record")
            more = self._decode(self._file.read(LONGEST_RECORD))
            self._ended = not more
            self._text += more

    def _drop(self, end: int) -> None:
        """Forget the text up to an offset, and what separates items behind it."""
        between = _BETWEEN.match(self._text, end)
        end = between.end() if between else end
        self._line += self._text.count("\n", 0, end)
        self._text = self._text[end:]

    def _whole_items(self) -> tuple[int, int, str | None]:
        """Return where the items end that are there whole, how many, and what is wrong then.

        Nothing is wrong (None) where the list ends.
        """
        end = count = 0
        while True:
            between = _BETWEEN.match(self._text, end)
            position = between.end() if between else end
            if self._text.startswith("]", position):
                return end, count, None
            try:
                _, end = _DECODER.raw_decode(self._text, position)
            except ValueError as error:
                return end, count, getattr(error, "msg", str(error))
            except RecursionError:
                return end, count, "nested too deeply"
            count += 1
