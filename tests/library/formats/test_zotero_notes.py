"""The notes of Zotero's items, and the annotations of their files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cite_lsp.library import read_bibliography
from cite_lsp.library.entries import Entry
from cite_lsp.library.formats.zotero_notes import LONGEST_NOTE
from tests.library.formats.test_zotero import SCHEMA, add

NOTES = """
    CREATE TABLE itemNotes (itemID INTEGER PRIMARY KEY, parentItemID INT, note TEXT);
    CREATE TABLE itemAttachments (itemID INTEGER PRIMARY KEY, parentItemID INT);
    CREATE TABLE itemAnnotations (
        itemID INTEGER PRIMARY KEY, parentItemID INT, text TEXT, comment TEXT, pageLabel TEXT,
        sortIndex TEXT
    );
    INSERT INTO itemAttachments VALUES (5, 1), (6, 2), (7, NULL);
"""
TIDES_PDF, MARSHES_PDF, NOBODYS_PDF = 5, 6, 7


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


def annotate(path: Path, number: int, file: int, *parts: str | None, place: str = "0") -> None:
    """Add an annotation of a file: the text that is marked, a comment, the page."""
    with closing(sqlite3.connect(path)) as database, database:
        row = (number, file, *parts, place)
        database.execute("INSERT INTO itemAnnotations VALUES (?, ?, ?, ?, ?, ?)", row)


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


def test_annotations_follow_the_notes_in_the_order_of_their_places(zotero: Path) -> None:
    annotate(zotero, 21, TIDES_PDF, "Salt < sand", "See <b>there</b>", "12", place="00003|001")
    annotate(zotero, 22, TIDES_PDF, "First", None, "iv", place="00001|009")
    annotate(zotero, 23, TIDES_PDF, None, "A thought", None, place="00002|000")
    annotate(zotero, 24, TIDES_PDF, None, "", "13", place="00000|000")
    annotate(zotero, 25, MARSHES_PDF, "Reed", "", "1")
    annotate(zotero, 26, NOBODYS_PDF, "Gone", "", "1")
    note(zotero, 11, 1, "<p>Note</p>")
    assert entries(zotero)["Tides"].record.notes == (
        "Note", "“First” (p. iv)", "A thought", "“Salt < sand” (p. 12) See there",
    )  # fmt: skip
    assert entries(zotero)["Marshes"].record.notes == ("“Reed” (p. 1)",)


@pytest.mark.parametrize("deleted", [21, TIDES_PDF], ids=["annotation", "file"])
def test_annotations_in_the_trash_are_left_out(zotero: Path, deleted: int) -> None:
    annotate(zotero, 21, TIDES_PDF, "Gone", "", "1")
    annotate(zotero, 22, MARSHES_PDF, "Here", "", "1")
    with closing(sqlite3.connect(zotero)) as database, database:
        database.execute("DELETE FROM deletedItems")
        database.execute("INSERT INTO deletedItems VALUES (?)", (deleted,))
    assert entries(zotero)["Tides"].record.notes == ()
    assert entries(zotero)["Marshes"].record.notes == ("“Here” (p. 1)",)


def test_notes_and_annotations_are_kept_up_to_a_length_together(zotero: Path) -> None:
    note(zotero, 11, 1, f"<p>{'word ' * 150}</p>")
    annotate(zotero, 21, TIDES_PDF, "mark " * 150, "", "1")
    annotate(zotero, 22, TIDES_PDF, "one too many", "", "2")
    notes = entries(zotero)["Tides"].record.notes
    assert len(notes) == 2 and sum(map(len, notes)) <= LONGEST_NOTE


def test_older_versions_have_no_annotations(zotero: Path) -> None:
    note(zotero, 11, 1, "<p>Read</p>")
    with closing(sqlite3.connect(zotero)) as database, database:
        database.execute("DROP TABLE itemAnnotations")
    assert entries(zotero)["Tides"].record.notes == ("Read",)


def test_computed_annotations_are_refused_as_other_tables_are(zotero: Path) -> None:
    with closing(sqlite3.connect(zotero)) as database, database:
        database.execute("DROP TABLE itemAnnotations")
        database.execute("CREATE VIEW itemAnnotations AS SELECT 9 itemID, 5 parentItemID")
    (problem,) = read_bibliography(zotero).problems
    assert "its tables are computed" in problem.message
