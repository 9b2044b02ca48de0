"""A part of Zotero's database: collections, and the library of a group."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cite_lsp.library import Bibliography, LibraryCache
from cite_lsp.library.formats.zotero import read_zotero
from cite_lsp.library.formats.zotero_part import ZoteroPart
from tests.library.formats.test_zotero import SCHEMA, add

COLLECTIONS = """
    CREATE TABLE libraries (libraryID INTEGER PRIMARY KEY, type TEXT);
    CREATE TABLE "groups" (groupID INTEGER PRIMARY KEY, libraryID INT, name TEXT);
    CREATE TABLE collections (
        collectionID INTEGER PRIMARY KEY, collectionName TEXT, parentCollectionID INT,
        libraryID INT);
    CREATE TABLE collectionItems (collectionID INT, itemID INT, orderIndex INT);
    CREATE TABLE deletedCollections (collectionID INTEGER PRIMARY KEY);
    INSERT INTO libraries VALUES (1, 'user'), (2, 'group'), (3, 'feed');
    INSERT INTO "groups" VALUES (77, 2, 'Reading Group');
    INSERT INTO collections VALUES
        (1, 'Thesis', NULL, 1), (2, 'Chapter 1', 1, 1), (3, 'Chapter 2', 1, 1),
        (4, 'Étude', 3, 1), (5, 'Chapter 1', NULL, 2), (6, 'Old', NULL, 1), (7, 'Older', 6, 1),
        (8, 'in/out', NULL, 1);
    INSERT INTO deletedCollections VALUES (6);
    INSERT INTO collectionItems VALUES
        (1, 1, 0), (2, 2, 0), (3, 3, 0), (4, 4, 0), (5, 5, 0), (7, 6, 0), (8, 6, 0);
"""


@pytest.fixture
def zotero(tmp_path: Path) -> Path:
    """Six items with the keys k1 to k6; the fifth is in the library of the group."""
    path = tmp_path / "zotero.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA + COLLECTIONS)
        for number in range(1, 7):
            add(database, 3, [], title=f"Item {number}", extra=f"Citation Key: k{number}")
        database.execute("UPDATE items SET libraryID = 2 WHERE itemID = 5")
    return path


def read(path: Path, *collections: str, library: str = "") -> Bibliography:
    return read_zotero(path, ZoteroPart(collections, library))


def keys(path: Path, *collections: str, library: str = "") -> str:
    bibliography = read(path, *collections, library=library)
    assert bibliography.problems == ()
    return " ".join(sorted(entry.key for entry in bibliography.entries))


def test_without_a_choice_all_items_are_there(zotero: Path) -> None:
    assert keys(zotero) == "k1 k2 k3 k4 k5 k6"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["Thesis"], "k1 k2 k3 k4"),
        (["Thesis/Chapter 2"], "k3 k4"),
        (["Chapter 2"], "k3 k4"),
        (["thesis / CHAPTER 2 / etude"], "k4"),
        (["Étude"], "k4"),
        (["Chapter 1"], "k2 k5"),
        (["Étude", "Thesis/Chapter 1"], "k2 k4"),
        (["in/out"], "k6"),
    ],
)
def test_a_collection_is_taken_with_those_inside_it(
    zotero: Path, names: list[str], expected: str
) -> None:
    assert keys(zotero, *names) == expected


def test_a_group_is_taken_by_its_name_and_the_own_library_by_zoteros(zotero: Path) -> None:
    assert keys(zotero, library="reading group") == "k5"
    assert keys(zotero, library="My Library") == "k1 k2 k3 k4 k6"
    assert keys(zotero, "Chapter 1", library="Reading Group") == "k5"


def test_an_unknown_name_is_one_line_with_those_that_there_are(zotero: Path) -> None:
    bibliography = read(zotero, "Thesis/Chapter 3")
    assert bibliography.entries == ()
    (problem,) = bibliography.problems
    assert problem.path == zotero
    assert problem.message == (
        "zotero.collection: no collection is called “Thesis/Chapter 3”: name one of “Chapter 1”,"
        " “in/out”, “Thesis”, “Thesis/Chapter 1”, “Thesis/Chapter 2”, “Thesis/Chapter 2/Étude”"
    )
    (problem,) = read(zotero, "Thesis", library="Reading Group").problems
    assert problem.message == (
        "zotero.collection: no collection of “Reading Group” is called “Thesis”: name “Chapter 1”"
    )
    bibliography = read(zotero, "Thesis", library="Writers")
    (problem,) = bibliography.problems
    assert bibliography.entries == ()
    assert problem.message == (
        "zotero.library: no library of Zotero is called “Writers”: name one of “My Library”,"
        " “Reading Group”"
    )


def test_of_several_names_those_that_are_known_count(zotero: Path) -> None:
    bibliography = read(zotero, "Étude", "Gone")
    assert [entry.key for entry in bibliography.entries] == ["k4"]
    assert "“Gone”" in bibliography.problems[0].message


def test_what_is_in_the_trash_is_no_collection(zotero: Path) -> None:
    for name in ("Old", "Older"):
        assert "no collection is called" in read(zotero, name).problems[0].message


def test_many_names_are_listed_in_part(zotero: Path) -> None:
    with closing(sqlite3.connect(zotero)) as database, database:
        for number in range(100, 130):
            database.execute(
                "INSERT INTO collections VALUES (?, ?, NULL, 1)", (number, f"{number}")
            )
    (problem,) = read(zotero, "Gone").problems
    assert problem.message.endswith("“110”, “111” and 24 more")


def test_a_database_without_collections_says_so(tmp_path: Path) -> None:
    path = tmp_path / "zotero.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
    (problem,) = read(path, "Thesis").problems
    assert problem.message.endswith("is called “Thesis”, as there is none: take the setting out")


def test_collections_in_a_circle_are_read(zotero: Path) -> None:
    with closing(sqlite3.connect(zotero)) as database, database:
        database.execute("UPDATE collections SET parentCollectionID = 4 WHERE collectionID = 1")
    assert "k4" in keys(zotero, "Étude")


def test_keys_are_the_same_whatever_is_chosen(zotero: Path) -> None:
    with closing(sqlite3.connect(zotero)) as database, database:
        for _ in range(2):
            add(database, 3, [("Ida", "Reed")], title="Tides", date="1990")
        database.execute("INSERT INTO collectionItems VALUES (4, 8, 0)")
    assert keys(zotero, "Étude") == "k4 reedTides1990a"


def test_of_a_key_in_two_libraries_the_chosen_one_counts(zotero: Path) -> None:
    with closing(sqlite3.connect(zotero)) as database, database:
        add(database, 3, [], title="Of the group", extra="Citation Key: k1")
        database.execute("UPDATE items SET libraryID = 2 WHERE itemID = 7")
    titles = {entry.paper.title for entry in read(zotero, library="Reading Group").entries}
    assert titles == {"Item 5", "Of the group"}


def test_a_library_holds_the_part_that_it_was_asked_for_and_follows_changes(zotero: Path) -> None:
    cache = LibraryCache(zotero=ZoteroPart(("Étude",)))
    assert set(cache.load([zotero]).by_key) == {"k4"}
    with closing(sqlite3.connect(zotero)) as database, database:
        database.execute("INSERT INTO collectionItems VALUES (4, 1, 0)")
    assert set(cache.load([zotero]).by_key) == {"k1", "k4"}
