"""The notes on items of Zotero: those that hang from an item, and annotations of its files.

A note is HTML. An annotation is what was highlighted in a PDF, EPUB or web page that an item has as
an attachment, and what was said of it. Both are read as plain text of bounded length.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import suppress

from cite_lsp.library.formats.locked_database import rows_if_present
from cite_lsp.library.text.display import shortened
from cite_lsp.library.text.html_text import text_of_html

TABLES = frozenset(("itemnotes", "itemattachments", "itemannotations"))
LONGEST_NOTE = 1000
"""Characters of all notes and annotations of an item that are kept."""
_LONGEST_READ = 20_000
"""Characters of a note's HTML, and of each part of an annotation, that are read."""
_NOTES = """
    SELECT itemID, parentItemID FROM itemNotes
    WHERE parentItemID IS NOT NULL AND itemID NOT IN (SELECT itemID FROM deletedItems)
    ORDER BY parentItemID, itemID
"""
_NOTE = "SELECT substr(note, 1, :most) FROM itemNotes WHERE itemID = :number"
_ANNOTATIONS = """
    SELECT annotation.itemID, attachment.parentItemID
    FROM itemAnnotations annotation
    JOIN itemAttachments attachment ON attachment.itemID = annotation.parentItemID
    WHERE attachment.parentItemID IS NOT NULL
      AND annotation.itemID NOT IN (SELECT itemID FROM deletedItems)
      AND attachment.itemID NOT IN (SELECT itemID FROM deletedItems)
    ORDER BY attachment.parentItemID, attachment.itemID, annotation.sortIndex, annotation.itemID
"""
_ANNOTATION = """
    SELECT substr(text, 1, :most), substr(comment, 1, :most), substr(pageLabel, 1, :most)
    FROM itemAnnotations WHERE itemID = :number
"""


def notes_by_item(
    database: sqlite3.Connection, items: Collection[int]
) -> dict[int, tuple[str, ...]]:
    """Return the notes on items, by their numbers, as plain text; of an item without any, none.

    Annotations follow the notes, in the order of their places. Both are additional: what cannot be
    read, or takes too long, is left out.
    """
    notes: dict[int, tuple[str, ...]] = {}
    for listing, reading, as_text in (
        (_NOTES, _NOTE, _note),
        (_ANNOTATIONS, _ANNOTATION, _annotation),
    ):
        with suppress(sqlite3.Error):
            for number, item in rows_if_present(database, listing, int, int):
                left = LONGEST_NOTE - sum(map(len, notes.get(item, ())))
                if (
                    item in items
                    and left > 0
                    and (text := as_text(*_values(database, reading, number)))
                ):
                    notes[item] = (*notes.get(item, ()), shortened(text, left))
    return notes


def _values(database: sqlite3.Connection, query: str, number: int) -> list[str]:
    """Return the values of a row, as text; none where one is larger than any may be."""
    try:
        row = database.execute(query, {"most": _LONGEST_READ, "number": number}).fetchone()
    except sqlite3.DataError:
        return []
    return [value if isinstance(value, str) else "" for value in row or ()]


def _note(html: str = "") -> str:
    return text_of_html(html)


def _annotation(text: str = "", comment: str = "", page: str = "") -> str:
    """Return an annotation as Zotero copies one into a note: “what is marked” (p. 3) comment."""
    marked, remark, label = (text_of_html(part) for part in (text, comment, page))
    if not marked and not remark:  # a drawing, or the picture of a place
        return ""
    where = f"(p. {label})" if label else ""
    return " ".join(filter(None, (f"“{marked}”" if marked else "", where, remark)))
