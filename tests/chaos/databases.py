"""Zotero's database as anybody may have made it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from functools import partial
from pathlib import Path

from tests.chaos.trials import Trial, sized

KIND = "Zotero's database"
TEXT = "---\nbibliography: [good.bib, zotero.sqlite]\n---\n[@¦]\n"
TABLES = {
    "items": "itemID, itemTypeID, key, libraryID",
    "itemTypes": "itemTypeID, typeName",
    "deletedItems": "itemID",
    "itemData": "itemID, fieldID, valueID",
    "fieldsCombined": "fieldID, fieldName",
    "itemDataValues": "valueID, value",
    "itemCreators": "itemID, creatorID, creatorTypeID, orderIndex",
    "creators": "creatorID, firstName, lastName, fieldMode",
    "creatorTypes": "creatorTypeID, creatorType",
    "itemTags": "itemID, tagID",
    "tags": "tagID, name",
}
ROWS: dict[str, tuple[object, ...]] = {
    "items": (1, 1, "KEY", 1),
    "itemTypes": (1, "book"),
    "itemData": (1, 1, 1),
    "fieldsCombined": (1, "title"),
    "itemDataValues": (1, "On tides"),
    "itemCreators": (1, 1, 1, 0),
    "creators": (1, "Ada", "Moon", 0),
    "creatorTypes": (1, "author"),
}
ENDLESS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"


def _database(
    path: Path, without: str = "", statements: Iterable[str] = (), rows: bool = True
) -> None:
    with closing(sqlite3.connect(path)) as database:
        for table, columns in TABLES.items():
            if table != without:
                database.execute(f"CREATE TABLE {table} ({columns})")
                if rows and (row := ROWS.get(table)):
                    database.execute(
                        f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row
                    )
        for statement in statements:
            database.execute(statement)
        database.commit()


def _view(table: str, folder: Path, _: float) -> None:
    columns = ", ".join(f"n AS {name}" for name in TABLES[table].split(", "))
    view = f"CREATE VIEW {table} AS {ENDLESS} SELECT {columns} FROM c"
    _database(folder / "zotero.sqlite", table, [view])


def _product(folder: Path, size: float) -> None:
    """Every value belongs to every item, and there are many of both."""
    count = sized(30, 3_000, size)
    statements = [
        f"INSERT INTO {table} {ENDLESS} SELECT {values} FROM c LIMIT {count}"
        for table, values in (
            ("items", "n, 1, n, 1"),
            ("itemData", "1, 1, 1"),
            ("itemDataValues", "1, n"),
            ("fieldsCombined", "1, n"),
        )
    ]
    _database(folder / "zotero.sqlite", statements=statements)


def _types(value: str, folder: Path, _: float) -> None:
    statements = [
        f"INSERT INTO {table} VALUES ({','.join([value] * len(columns.split(',')))})"
        for table, columns in TABLES.items()
    ]
    statements += [
        f"INSERT INTO itemDataValues VALUES (2, {value})",
        "INSERT INTO fieldsCombined VALUES (2, 'creators')",
        "INSERT INTO itemData VALUES (1, 2, 2)",
        f"INSERT INTO creators VALUES (2, {value}, {value}, {value})",
        f"INSERT INTO creatorTypes VALUES (2, {value})",
        "INSERT INTO itemCreators VALUES (1, 2, 2, 1)",
        f"INSERT INTO tags VALUES (1, {value})",
        "INSERT INTO itemTags VALUES (1, 1)",
    ]
    _database(folder / "zotero.sqlite", statements=statements)


def _long_value(folder: Path, size: float) -> None:
    length = sized(5_000_000, 900_000_000, size)
    value = f"INSERT INTO itemDataValues VALUES (1, zeroblob({length}))"
    _database(folder / "zotero.sqlite", statements=[value])


def _better(document: str, folder: Path, _: float) -> None:
    _database(folder / "zotero.sqlite")
    with closing(sqlite3.connect(folder / "better-bibtex.sqlite")) as database:
        database.execute('CREATE TABLE "better-bibtex" (name, data)')
        row = ("better-bibtex.citekey", document)
        database.execute('INSERT INTO "better-bibtex" VALUES (?, ?)', row)
        database.commit()


def _cut_off(folder: Path, _: float) -> None:
    _database(folder / "zotero.sqlite")
    data = (folder / "zotero.sqlite").read_bytes()
    (folder / "zotero.sqlite").write_bytes(data[: len(data) // 2])


def _scrambled(folder: Path, _: float) -> None:
    _database(folder / "zotero.sqlite")
    data = bytearray((folder / "zotero.sqlite").read_bytes())
    data[100::97] = bytes(len(data[100::97]))
    (folder / "zotero.sqlite").write_bytes(data)


TRIALS = (
    *(
        Trial(
            KIND, f"a view without end as {table}", partial(_view, table), TEXT, ".md", "computed"
        )
        for table in ("items", "itemData", "tags")
    ),
    Trial(KIND, "every value of every item", _product, TEXT, ".md"),
    *(
        Trial(KIND, f"{value} everywhere", partial(_types, value), TEXT, ".md")
        for value in ("NULL", "x'ff00'", "1.5", "'text'", "9223372036854775807", "-1", "''")
    ),
    Trial(KIND, "a very long value", _long_value, TEXT, ".md", "too big"),
    *(
        Trial(KIND, f"Better BibTeX: {name}", partial(_better, document), TEXT, ".md")
        for name, document in (
            ("a list", "[1]"),
            ("data of numbers", '{"data": [1, null, {}]}'),
            ("data that is none", '{"data": 7}'),
            ("nested deeply", "[" * 100_000),
            ("other types", json.dumps({"data": [{"citekey": [1], "libraryID": [2]}]})),
        )
    ),
    Trial(KIND, "cut off", _cut_off, TEXT, ".md", "not a Zotero database"),
    Trial(KIND, "scrambled", _scrambled, TEXT, ".md", "not a Zotero database"),
)
