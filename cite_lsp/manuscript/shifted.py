"""What was found in a text: as it stands after an edit above it, and on which side of that."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

from attrs import fields

from cite_lsp.manuscript.layout import Span, Table
from cite_lsp.manuscript.text.edited import last_letter

T = TypeVar("T")
Parts = tuple[list[Any], list[Any], list[Any]]


def shifted(item: T, by: int) -> T:
    """Return a span, or another thing whose numbers are offsets, so many characters further."""
    result: T = _shifted(item, by)
    return result


def _shifted(part: Any, by: int) -> Any:  # noqa: ANN401 - a thing, or what it is made of
    kind: Any = type(part)
    if kind is int:
        return part + by
    if kind is tuple:
        return tuple([_shifted(each, by) for each in part])
    if kind is str or kind is bool:
        return part
    return kind(*[_shifted(value, by) for value in _values_of(kind)(part)])


@cache
def _values_of(kind: Any) -> Callable[[Any], tuple[Any, ...]]:  # noqa: ANN401 - a class
    return attrgetter(*(field.name for field in fields(kind)))


def parted(items: Iterable[Any], text: str, first: int, last: int) -> Parts | None:
    """Part what stands above, in and below a range; None where something reaches over an edge.

    What ends in the blank line at an edge counts as reaching over it.
    """
    parts: Parts = ([], [], [])
    above_end, inside_end = last_letter(text, first), last_letter(text, last)
    for item in items:
        start, end = extent(item)
        if start >= last:
            parts[2].append(item)
        elif start < first and end <= above_end:
            parts[0].append(item)
        elif start >= first and end <= inside_end:
            parts[1].append(item)
        else:
            return None
    return parts


def extent(item: Any) -> Span:  # noqa: ANN401 - whatever has a start and an end
    """Return the range of a thing; of a table with its captions, which may stand apart from it."""
    if type(item) is tuple:
        first, last = item
        return first, last
    if type(item) is Table and item.captions:
        edges = (item.start, item.end, *sum(item.captions, ()))
        return min(edges), max(edges)
    return item.start, item.end
