"""What was found in a text, as it stands after an edit above it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from attrs import evolve

from cite_lsp.manuscript.layout import Note, Span, Table
from cite_lsp.manuscript.model import BibliographyItem, EntrySet, Marker, MarkerKey

T = TypeVar("T")


def shifted(item: T, by: int) -> T:
    """Return a span, or another thing with a `start` and an `end`, so many characters further."""
    move = _MOVES.get(type(item), _of_range)
    result: T = move(item, by)
    return result


def _span(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by


def _key(key: MarkerKey, by: int) -> MarkerKey:
    return MarkerKey(key.text, key.start + by, key.end + by)


def _marker(marker: Marker, by: int) -> Marker:
    return Marker(
        marker.command,
        tuple([MarkerKey(key.text, key.start + by, key.end + by) for key in marker.keys]),
        marker.start + by,
        marker.end + by,
        marker.closed,
        tuple([(start + by, end + by) for start, end in marker.lists]),
    )


def _note(note: Note, by: int) -> Note:
    return Note(note.start + by, note.body + by, note.close + by, note.end + by, note.remark)


def _table(table: Table, by: int) -> Table:
    return Table(
        table.start + by,
        table.body + by,
        table.end + by,
        tuple(_span(caption, by) for caption in table.captions),
        tuple(row + by for row in table.rows),
    )


def _item(item: BibliographyItem, by: int) -> BibliographyItem:
    return BibliographyItem(_key(item.key, by), item.start + by, item.end + by, item.text)


def _entry_set(entries: EntrySet, by: int) -> EntrySet:
    members = tuple(_key(member, by) for member in entries.members)
    return EntrySet(_key(entries.key, by), members, entries.start + by, entries.end + by)


def _of_range(item: Any, by: int) -> Any:  # noqa: ANN401 - whatever has a start and an end
    return evolve(item, start=item.start + by, end=item.end + by)


_MOVES: dict[type, Callable[[Any, int], Any]] = {
    tuple: _span,
    MarkerKey: _key,
    Marker: _marker,
    Note: _note,
    Table: _table,
    BibliographyItem: _item,
    EntrySet: _entry_set,
}
