"""Values that biblatex takes from an `@xdata` record piece by piece: `xdata=people-author-1`.

See the manual of biblatex, section 3.13.6: the marker names a record, one of its fields, and of a
list the number of one item. It stands for a whole value, or for an item of a list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import LONGEST_FIELD

_MARKER = lazy_re(
    r"\bxdata\s*=\s*(?P<key>[^\s,{}\"=]+)-(?P<field>[A-Za-z]+)(?:-(?P<number>\d{1,4}))?(?![\w-])"
)
_AND = lazy_re(r"[{}]|\s+and\s+", re.IGNORECASE)


class DataReference(NamedTuple):
    """A marker: the key that it names, and where that stands in the text."""

    key: str
    start: int
    end: int


def names_data(raw: str) -> bool:
    """Whether a record may hold such a marker; most records are told fast that hold none."""
    return "xdata" in raw and _MARKER.search(raw) is not None


def data_references(text: str, start: int = 0, end: int | None = None) -> Iterator[DataReference]:
    """Yield the markers in a range of a text."""
    for marker in _MARKER.finditer(text, start, len(text) if end is None else end):
        yield DataReference(marker["key"], *marker.span("key"))


def with_data(value: str, find: Mapping[str, Mapping[str, str]]) -> str:
    """Return a value with its markers replaced; `find` has the fields of records by lower-case key.

    A marker that leads nowhere is left out, as biber leaves it out, and so is one behind others
    that have given more than is read of a field.
    """
    left = LONGEST_FIELD

    def replaced(marker: re.Match[str]) -> str:
        nonlocal left
        text = taken(marker) if left > 0 else ""
        left -= len(text)
        return text

    def taken(marker: re.Match[str]) -> str:
        fields = find.get(marker["key"].lower(), {})
        whole = fields.get(marker["field"].lower(), "")
        if not marker["number"]:
            return whole
        items = list(_items(whole))
        number = int(marker["number"])
        return items[number - 1] if 0 < number <= len(items) else ""

    items = (_MARKER.sub(replaced, item).strip() for item in _items(value))
    return " and ".join(filter(None, items)) if "xdata" in value else value


def _items(value: str) -> Iterator[str]:
    """Yield the items of a list that "and" parts, but not within braces."""
    depth = start = 0
    for mark in _AND.finditer(value):
        sign = mark.group()
        if sign in "{}":
            depth += 1 if sign == "{" else -1
        elif depth <= 0:
            yield value[start : mark.start()]
            start = mark.end()
    yield value[start:]
