from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cite_lsp.library import Bibliography, LibraryCache, read_bibliography
from cite_lsp.library.write.new_entry import NewEntry, new_entry

SCHEMA = """
    CREATE TABLE itemTypes (itemTypeID INTEGER PRIMARY KEY, typeName TEXT);
    CREATE TABLE items (itemID INTEGER PRIMARY KEY, itemTypeID INT, key TEXT, libraryID INT);
    CREATE TABLE fieldsCombined (fieldID INTEGER PRIMARY KEY, fieldName TEXT);
    CREATE TABLE itemData (itemID INT, fieldID INT, valueID INT);
    CREATE TABLE itemDataValues (valueID INTEGER PRIMARY KEY, value);
    CREATE TABLE creators (creatorID INTEGER PRIMARY KEY, firstName, lastName, fieldMode INT);
    CREATE TABLE creatorTypes (creatorTypeID INTEGER PRIMARY KEY, creatorType TEXT);
    CREATE TABLE itemCreators (itemID INT, creatorID INT, creatorTypeID INT, orderIndex INT);
    CREATE TABLE deletedItems (itemID INTEGER PRIMARY KEY);
    INSERT INTO itemTypes VALUES (1, 'journalArticle'), (2, 'attachment'), (3, 'book');
    INSERT INTO creatorTypes VALUES (1, 'author'), (2, 'editor');
"""


def add(
    database: sqlite3.Connection, kind: int, people: list[tuple[str, str]], **fields: str
) -> None:
    """Add an item as Zotero does, its key "K" and its number."""
    number = database.execute("SELECT count(*) + 1 FROM items").fetchone()[0]
    database.execute("INSERT INTO items VALUES (?, ?, ?, 1)", (number, kind, f"K{number}"))
    for order, (first, last) in enumerate(people):
        mode = int(not first)
        creator = database.execute(
            "INSERT INTO creators (firstName, lastName, fieldMode) VALUES (?, ?, ?)",
            (first, last, mode),
        ).lastrowid
        database.execute("INSERT INTO itemCreators VALUES (?, ?, 1, ?)", (number, creator, order))
    for name, value in fields.items():
        known = database.execute("SELECT fieldID FROM fieldsCombined WHERE fieldName = ?", (name,))
        row = known.fetchone()
        field = (
            row[0]
            if row
            else database.execute(
                "INSERT INTO fieldsCombined (fieldName) VALUES (?)", (name,)
            ).lastrowid
        )
        made = database.execute("INSERT INTO itemDataValues (value) VALUES (?)", (value,)).lastrowid
        database.execute("INSERT INTO itemData VALUES (?, ?, ?)", (number, field, made))


@pytest.fixture
def zotero(tmp_path: Path) -> Path:
    path = tmp_path / "Zotero" / "zotero.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        add(
            database,
            1,
            [("Rósa", "Lúz"), ("", "Marsh Society")],
            title="The growth of tidal marshes on the coast",
            date="2011-03-00 03/2011",
            publicationTitle="Mud",
            DOI="10.1000/a",
            abstractNote="About mud.",
        )
        add(database, 1, [("R.", "Luz")], title="Growth: tidal marshes again", date="2011")
        add(database, 2, [], title="file.pdf")
        add(database, 3, [], title="Pinned", extra="note\nCitation Key: my:key\n")
        add(database, 3, [], title="Deleted")
        add(database, 3, [], title="Kept")
        database.execute("INSERT INTO deletedItems VALUES (5)")
    return path


def keys(bibliography: Bibliography) -> list[str]:
    return [entry.key for entry in bibliography.entries]


def test_items_are_entries_under_keys_like_those_of_better_bibtex(zotero: Path) -> None:
    bibliography = read_bibliography(zotero)
    assert bibliography.problems == ()
    assert keys(bibliography) == [
        "luzGrowthTidalMarshes2011",
        "luzGrowthTidalMarshes2011a",
        "my:key",
        "Kept",
    ]


def test_items_are_papers(zotero: Path) -> None:
    entry = read_bibliography(zotero).entries[0]
    paper = entry.paper
    assert (entry.kind, entry.source, entry.raw) == ("journalarticle", "zotero", "")
    assert (paper.authors, paper.year) == (("Rósa Lúz", "Marsh Society"), 2011)
    assert (paper.venue, paper.doi, paper.abstract) == ("Mud", "10.1000/a", "About mud.")


def test_what_zotero_found_retracted_is_known_as_such(zotero: Path) -> None:
    assert not any(entry.paper.retracted for entry in read_bibliography(zotero).entries)
    with closing(sqlite3.connect(zotero)) as database, database:
        database.execute("CREATE TABLE retractedItems (itemID INTEGER, data TEXT, flag INT)")
        database.execute("INSERT INTO retractedItems VALUES (1, '{}', 0), (99, '{}', 0)")
    entries = read_bibliography(zotero).entries
    assert [entry.paper.retracted for entry in entries] == [True, False, False, False]


def test_keys_come_from_the_database_of_better_bibtex(zotero: Path) -> None:
    with closing(sqlite3.connect(zotero.parent / "better-bibtex.sqlite")) as database, database:
        database.execute("CREATE TABLE citationkey (itemID, itemKey, libraryID, citationKey)")
        database.execute(
            "INSERT INTO citationkey VALUES (1, 'K1', 1, 'luz2011'), (4, 'K4', 1, 'x')"
        )
    assert keys(read_bibliography(zotero)) == [
        "luz2011",
        "luzGrowthTidalMarshes2011",
        "my:key",
        "Kept",
    ]


def test_or_from_the_one_of_its_older_versions(zotero: Path) -> None:
    data = json.dumps({"data": [{"itemKey": "K1", "libraryID": 1, "citekey": "old2011"}]})
    with closing(sqlite3.connect(zotero.parent / "better-bibtex.sqlite")) as database, database:
        database.execute('CREATE TABLE "better-bibtex" (name, data)')
        database.execute(
            'INSERT INTO "better-bibtex" VALUES (?, ?)', ("better-bibtex.citekey", data)
        )
    assert keys(read_bibliography(zotero))[0] == "old2011"


def test_the_database_is_read_while_zotero_has_it_locked_and_left_untouched(zotero: Path) -> None:
    before = zotero.read_bytes()
    with closing(sqlite3.connect(zotero, isolation_level=None)) as database:
        database.execute("BEGIN EXCLUSIVE")
        assert len(read_bibliography(zotero).entries) == 4
    assert zotero.read_bytes() == before
    assert [path.name for path in zotero.parent.iterdir()] == ["zotero.sqlite"]


def test_new_keys_of_better_bibtex_are_noticed(zotero: Path) -> None:
    cache = LibraryCache()
    assert "luz2011" not in cache.load([zotero]).by_key
    test_keys_come_from_the_database_of_better_bibtex(zotero)
    assert "luz2011" in cache.load([zotero]).by_key


def test_another_database_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "zotero.sqlite"
    path.write_bytes(b"no database at all" * 99)
    (problem,) = read_bibliography(path).problems
    assert "name Zotero's zotero.sqlite" in problem.message


def test_tags_are_keywords(zotero: Path) -> None:
    assert not any(entry.paper.keywords for entry in read_bibliography(zotero).entries)
    with closing(sqlite3.connect(zotero)) as database, database:
        database.execute("CREATE TABLE tags (tagID INTEGER PRIMARY KEY, name TEXT)")
        database.execute("CREATE TABLE itemTags (itemID INT, tagID INT, type INT)")
        database.execute("INSERT INTO tags VALUES (1, 'salt marsh'), (2, 'accretion')")
        database.execute("INSERT INTO itemTags VALUES (1, 1, 0), (1, 2, 1), (99, 1, 0)")
    entries = read_bibliography(zotero).entries
    assert [entry.paper.keywords for entry in entries] == ["accretion; salt marsh", "", "", ""]


def test_dates_are_what_they_mean(zotero: Path) -> None:
    stored = {
        "Only a year": "1987-00-00 1987",
        "A month": "1987-04-00 April 1987",
        "A day": "1987-04-09 9/4/1987",
        "To come": "0000-00-00 in press",
        "Nothing": "0000-00-00",
        "As typed": "spring 1987",
    }
    with closing(sqlite3.connect(zotero)) as database, database:
        for title, date in stored.items():
            add(database, 3, [("Ida", "Reed")], title=title, date=date)
    entries = {entry.paper.title: entry for entry in read_bibliography(zotero).entries}
    dates = {title: entries[title].fields.get("date", "") for title in stored}
    assert dates == {
        "Only a year": "1987",
        "A month": "1987-4",
        "A day": "1987-4-9",
        "To come": "in press",
        "Nothing": "",
        "As typed": "spring 1987",
    }
    years = [entries[title].paper.year for title in stored]
    assert years == [1987, 1987, 1987, None, None, 1987]


BIBLATEX = "@article{a,\n  title = {T},\n  journaltitle = {J},\n  date = {2018-03}\n}\n"


@pytest.mark.parametrize(
    "stored, written",
    [
        ("1987-00-00 1987", "date = {1987}"),
        ("1987-04-00 April 1987", "date = {1987-04}"),
        ("0000-00-00 in press", "year = {in press}"),
    ],
)
def test_a_date_is_written_to_a_bibliography_as_what_it_means(
    zotero: Path, stored: str, written: str
) -> None:
    with closing(sqlite3.connect(zotero)) as database, database:
        add(database, 1, [("Ida", "Reed")], title="Dated", date=stored, publicationTitle="Mud")
    (entry,) = (
        entry for entry in read_bibliography(zotero).entries if entry.paper.title == "Dated"
    )
    addition = new_entry(BIBLATEX, Path("a.bib"), NewEntry("k", entry.paper, details=entry.fields))
    assert written in addition.text
    assert "-00" not in addition.text


def test_what_stands_in_the_write_ahead_log_is_in_the_library(zotero: Path) -> None:
    cache = LibraryCache()
    assert "reedNewest1987" not in cache.load([zotero]).by_key
    with closing(sqlite3.connect(zotero)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA locking_mode=EXCLUSIVE")  # as Zotero has it
        with database:
            add(database, 3, [("Ida", "Reed")], title="The newest", date="1987-00-00 1987")
        before = {path.name: path.read_bytes() for path in zotero.parent.iterdir()}
        assert before["zotero.sqlite-wal"]
        assert "reedNewest1987" in cache.load([zotero]).by_key
        assert {path.name: path.read_bytes() for path in zotero.parent.iterdir()} == before
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert "reedNewest1987" in cache.load([zotero]).by_key


def with_libraries(zotero: Path) -> None:
    """Add a feed and a group beside the writer's own library, which is the third."""
    with closing(sqlite3.connect(zotero)) as database, database:
        database.execute("CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT)")
        database.execute("INSERT INTO libraries VALUES (3, 'user'), (1, 'group'), (2, 'feed')")
        database.execute("UPDATE items SET libraryID = 2 WHERE itemID = 1")
        add(database, 3, [], title="Pinned by myself", extra="Citation Key: my:key")
        database.execute("UPDATE items SET libraryID = 3 WHERE itemID = 7")


def test_what_a_feed_brought_is_not_in_the_library(zotero: Path) -> None:
    with_libraries(zotero)
    titles = [entry.paper.title for entry in read_bibliography(zotero).entries]
    assert "The growth of tidal marshes on the coast" not in titles
    assert "Growth: tidal marshes again" in titles


def test_of_a_key_in_several_libraries_the_item_of_the_writers_own_counts(zotero: Path) -> None:
    with_libraries(zotero)
    bibliography = read_bibliography(zotero)
    (entry,) = (entry for entry in bibliography.entries if entry.key == "my:key")
    assert entry.paper.title == "Pinned by myself"
    assert bibliography.problems == ()


def test_a_key_twice_in_one_library_is_a_problem(zotero: Path) -> None:
    with closing(sqlite3.connect(zotero)) as database, database:
        add(database, 3, [], title="Pinned again", extra="Citation Key: my:key")
    (problem,) = read_bibliography(zotero).problems
    assert "my:key" in problem.message
