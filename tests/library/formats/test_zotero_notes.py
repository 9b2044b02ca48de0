"""The notes of Zotero's items."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cite_lsp.library import read_bibliography
from cite_lsp.library.entries import Entry
from cite_lsp.library.formats.zotero_notes import LONGEST_NOTE
from tests.library.formats.test_zotero import SCHEMA, add

NOTES = "CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT);"


@pytest.fixture
def zotero(tmp_path: Path) -> Path:
    path = tmp_path / "zotero.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA + NOTES)
        for title in ("Tides", "Marshes"):
            add(database, 3, [], title=title)
    return path


def note(path: Path, number: int, item: int | None, text: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO itemNotes VALUES (?, ?, ?)", (number, item, text))


def entries(path: Path) -> dict[str, Entry]:
    bibliography = read_bibliography(path)
    assert bibliography.problems == ()
    return {entry.paper.title: entry for entry in bibliography.entries}


def test_notes_are_plain_text_of_their_item_in_order(zotero: Path) -> None:
    note(zotero, 12, 1, "<p>Second</p>")
    note(zotero, 11, 1, '<div class="zotero-note znv1"><p>Read <b>again</b></p></div>')
    note(zotero, 13, None, "<p>On its own</p>")
    assert entries(zotero)["Tides"].record.notes == ("Read again", "Second")
    assert entries(zotero)["Marshes"].record.notes == ()


def test_a_note_in_the_trash_is_left_out(zotero: Path) -> None:
    note(zotero, 11, 1, "<p>Gone</p>")
    with closing(sqlite3.connect(zotero)) as database, database:
        database.execute("INSERT INTO deletedItems VALUES (11)")
    assert entries(zotero)["Tides"].record.notes == ()


def test_notes_are_kept_up_to_a_length(zotero: Path) -> None:
    note(zotero, 11, 1, f"<p>{'word ' * 500}</p>")
    note(zotero, 12, 1, "<p>one too many</p>")
    (text,) = entries(zotero)["Tides"].record.notes
    assert len(text) <= LONGEST_NOTE and text.endswith("word…")


def test_a_note_too_large_to_be_read_hides_no_other(zotero: Path) -> None:
    note(zotero, 11, 1, f'<img src="data:image/png;base64,{"A" * 5_000_000}">')
    note(zotero, 12, 1, "<p>Read</p>")
    note(zotero, 13, 2, "<p>Here</p>")
    assert entries(zotero)["Tides"].record.notes == ("Read",)
    assert entries(zotero)["Marshes"].record.notes == ("Here",)


def test_computed_notes_are_refused_as_other_tables_are(zotero: Path) -> None:
    with closing(sqlite3.connect(zotero)) as database, database:
        database.execute("DROP TABLE itemNotes")
        database.execute("CREATE VIEW itemNotes AS SELECT 9 itemID, 1 parentItemID, 'x' note")
    (problem,) = read_bibliography(zotero).problems
    assert "its tables are computed" in problem.message


def test_an_entry_whose_note_changes_is_another_record(zotero: Path) -> None:
    note(zotero, 11, 1, "<p>Before</p>")
    before = entries(zotero)
    with closing(sqlite3.connect(zotero)) as database, database:
        database.execute("UPDATE itemNotes SET note = '<p>After</p>'")
    assert entries(zotero)["Tides"].record != before["Tides"].record
    assert entries(zotero)["Marshes"].record == before["Marshes"].record
