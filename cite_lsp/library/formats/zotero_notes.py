"""The notes that hang from items of Zotero: HTML, read as plain text of bounded length."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from contextlib import suppress

from cite_lsp.library.formats.locked_database import rows_if_there
from cite_lsp.library.text.display import shortened
from cite_lsp.library.text.html_text import text_of_html

TABLES = frozenset(("itemnotes",))
LONGEST_NOTE = 1000
"""Characters of all notes of an item that are kept."""
_LONGEST_READ = 20_000
"""Characters of a note's HTML that are read."""
_PARENTS = """
    SELECT itemID, parentItemID FROM itemNotes
    WHERE parentItemID IS NOT NULL AND itemID NOT IN (SELECT itemID FROM deletedItems)
    ORDER BY parentItemID, itemID
"""
_NOTE = "SELECT substr(note, 1, ?) FROM itemNotes WHERE itemID = ?"


def notes_by_item(
    database: sqlite3.Connection, items: Collection[int]
) -> dict[int, tuple[str, ...]]:
    """Return the notes of items, by their numbers, as plain text; of an item without any, none.

    Notes are additional: one that cannot be read, or takes too long, is left out.
    """
    notes: dict[int, tuple[str, ...]] = {}
    with suppress(sqlite3.Error):
        for number, item in rows_if_there(database, _PARENTS, int, int):
            left = LONGEST_NOTE - sum(map(len, notes.get(item, ())))
            if item in items and left > 0 and (text := _text(database, number)):
                notes[item] = (*notes.get(item, ()), shortened(text, left))
    return notes


def _text(database: sqlite3.Connection, number: int) -> str:
    """Return the text of a note; "" of one that is larger than any value may be."""
    try:
        row = database.execute(_NOTE, (_LONGEST_READ, number)).fetchone()
    except sqlite3.DataError:
        return ""
    return text_of_html(row[0]) if row and isinstance(row[0], str) else ""
