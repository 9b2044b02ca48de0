"""Read Zotero's own database: every item, under the key that Better BibTeX gives it."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cite_lsp.language import HAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.csl.item import CSL
from cite_lsp.library.csl.zotero_items import zotero_to_csl
from cite_lsp.library.entries import Bibliography, Entry, Problem, Record
from cite_lsp.library.formats.locked_database import (
    computed_tables,
    open_database,
    rows,
    rows_if_present,
    write_ahead_log,
)
from cite_lsp.library.formats.zotero_choice import TABLES as TABLES_OF_PARTS
from cite_lsp.library.formats.zotero_choice import ChosenItems, chosen_items
from cite_lsp.library.formats.zotero_notes import TABLES as TABLES_OF_NOTES
from cite_lsp.library.formats.zotero_notes import notes_by_item
from cite_lsp.library.formats.zotero_part import WHOLE, ZoteroPart
from cite_lsp.library.text.key_parts import cased
from cite_lsp.paper import fold

_ITEMS = """
    SELECT items.itemID, itemTypes.typeName, items.key, items.libraryID
    FROM items JOIN itemTypes USING (itemTypeID)
    WHERE itemTypes.typeName NOT IN ('attachment', 'note', 'annotation')
      AND items.itemID NOT IN (SELECT itemID FROM deletedItems)
    ORDER BY items.itemID
"""
_VALUES = """
    SELECT itemData.itemID, fieldsCombined.fieldName, itemDataValues.value
    FROM itemData JOIN fieldsCombined USING (fieldID) JOIN itemDataValues USING (valueID)
"""
_CREATORS = """
    SELECT itemCreators.itemID, creatorTypes.creatorType, creators.firstName, creators.lastName,
           creators.fieldMode
    FROM itemCreators JOIN creators USING (creatorID) JOIN creatorTypes USING (creatorTypeID)
    ORDER BY itemCreators.itemID, itemCreators.orderIndex
"""
_TAGS = """
    SELECT itemTags.itemID, tags.name FROM itemTags JOIN tags USING (tagID)
    ORDER BY itemTags.itemID, tags.name
"""
_TABLES = frozenset(
    """items itemtypes deleteditems itemdata fieldscombined itemdatavalues itemcreators creators
    creatortypes itemtags tags libraries retracteditems""".split()
).union(TABLES_OF_PARTS, TABLES_OF_NOTES)
_NO_FIELDS = ("id", "itemType", "key", "library", "creators", "tags", "retracted")
"""What an item holds here under names of its own."""
_BETTER_BIBTEX = ("better-bibtex.sqlite", "better-bibtex.migrated")
_PINNED = lazy_re(r"^\s*Citation[ -]?Key\s*:\s*(\S+)\s*$", re.MULTILINE | re.IGNORECASE)
_WORD = lazy_re(r"[^\W_]+(?:['’][^\W_]+)*")
_YEAR = lazy_re(r"\d{4}")
_NOT_IN_KEYS = lazy_re(f"[^A-Za-z0-9{HAN}]")
_SKIPPED = frozenset(
    """a ab aboard about above across after against al along amid among an and anti around as at
    before behind below beneath beside besides between beyond but by d da das de del dell dello dei
    degli della delle dem den der des despite die do down du during ein eine einem einen einer eines
    el en et except for from gli i il in inside into is l la las le les like lo los near nor of off
    on onto or over past per plus round save since so some sur than the through to toward towards un
    una unas under underneath une unlike uno unos until up upon versus via von while with within
    without yet zu zum""".split()
)
"""Words that Better BibTeX leaves out of the short title in a key."""
_SHORT_TITLE_WORDS = 3


_Read = tuple[list[dict[str, Any]], ChosenItems, dict[int, tuple[str, ...]]]
"""What a database holds: its items as Zotero names their parts, those chosen, their notes."""


def read_zotero(path: Path, part: ZoteroPart = WHOLE) -> Bibliography:
    """Read a `zotero.sqlite`. Never raises: what is wrong becomes a problem of the bibliography.

    The entries are those of a part of it; whatever that is, an item has the same key.

    An item's key is the one pinned in its `extra` field, else Zotero's own `citationKey`, else the
    one in Better BibTeX's database beside the file, else one made as Better BibTeX makes it:
    family name, three words of the title, year.

    A key is unique within a library: that of an item of the writer's own library means this one,
    whatever items of groups have it too.
    """
    try:
        with open_database(path) as database:
            items, part_items, all_notes = _read(database, part)
    except (sqlite3.Error, OSError, ValueError) as error:
        message = f"not a Zotero database that can be read ({error}): name Zotero's zotero.sqlite"
        return Bibliography(path, (), (Problem(path, 1, message),))
    better_bibtex_keys = _better_bibtex_keys(path.parent)
    keyed = [(item, _given_key(item, better_bibtex_keys)) for item in items]
    taken: dict[int, set[str]] = {}
    for item, key in keyed:
        taken.setdefault(item["library"], set()).update(filter(None, [key]))
    entries: dict[str, Entry] = {}
    libraries: dict[str, int] = {}
    problems = [Problem(path, 1, message) for message in part_items.problems]
    for item, stored_key in keyed:
        library = item["library"]
        key = stored_key or _unused_key(_default_key(item), taken[library])
        taken[library].add(key)
        if not part_items.has(item["id"], library):
            continue
        if key in entries:
            if libraries[key] == library:
                message = f'the key "{key}" is that of two items of Zotero: change one'
                problems.append(Problem(path, 1, message))
            continue
        libraries[key] = library
        data = json.dumps(zotero_to_csl(item), ensure_ascii=False)
        kind = str(item["itemType"]).lower()
        notes = all_notes.get(item["id"], ())
        record = Record(key, kind, path, "", source="zotero", reader=CSL, data=data, notes=notes)
        entries[key] = Entry(record, 0, 1)
    return Bibliography(path, tuple(entries.values()), tuple(problems))


def files_read(path: Path) -> list[Path]:
    """Return the files that the entries of a Zotero database depend on, itself the first."""
    databases = [path, *(path.parent / name for name in _BETTER_BIBTEX)]
    return [*databases, *map(write_ahead_log, databases)]


def _read(database: sqlite3.Connection, part: ZoteroPart) -> _Read:
    if computed_tables(database) & _TABLES:
        raise sqlite3.DatabaseError("its tables are computed")
    types = dict(rows_if_present(database, "SELECT libraryID, type FROM libraries", int, str))
    items = _items(database, types)
    part_items = chosen_items(database, part, types)
    numbers = {item["id"] for item in items if part_items.has(item["id"], item["library"])}
    return items, part_items, notes_by_item(database, numbers)


def _items(database: sqlite3.Connection, types: Mapping[int, str]) -> list[dict[str, Any]]:
    """Return the items with their fields and creators, as Zotero names them.

    Those of the writer's own library come first. What a feed brought is in none until it is saved.
    `types` are those of the libraries, by number.
    """
    items: dict[int, dict[str, Any]] = {}
    for number, kind, key, library in rows(database, _ITEMS, int, str, str, int):
        if types.get(library) != "feed":
            items[number] = {"id": number, "itemType": kind, "key": key, "library": library}
    for number, name, value in rows(database, _VALUES, int, str, str):
        if number in items and name not in _NO_FIELDS:
            items[number][name] = value
    for number, role, first, last, mode in rows(database, _CREATORS, int, str, str, str, str):
        if number in items:
            person = {"creatorType": role}
            person |= {"name": last} if mode == "1" else {"firstName": first, "lastName": last}
            items[number].setdefault("creators", []).append(person)
    for number, tag in rows_if_present(database, _TAGS, int, str):
        if number in items:
            items[number].setdefault("tags", []).append({"tag": tag})
    # Those that Zotero found in Retraction Watch; older versions did not look.
    for (number,) in rows_if_present(database, "SELECT itemID FROM retractedItems", int):
        if number in items:
            items[number]["retracted"] = "yes"
    return sorted(items.values(), key=lambda item: types.get(item["library"]) not in (None, "user"))


def _given_key(item: dict[str, Any], better_bibtex_keys: dict[tuple[int, str], str]) -> str:
    pinned = _PINNED.search(item.get("extra", ""))
    if pinned:
        return pinned[1]
    return item.get("citationKey") or better_bibtex_keys.get((item["library"], item["key"]), "")


def _better_bibtex_keys(folder: Path) -> dict[tuple[int, str], str]:
    """Return Better BibTeX's keys by library and item; of an unreadable database, none."""
    keys: dict[tuple[int, str], str] = {}
    for path in (folder / name for name in _BETTER_BIBTEX):
        if path.is_file():
            with (
                suppress(sqlite3.Error, OSError, ValueError, RecursionError),
                open_database(path) as database,
            ):
                for key, library, item in _stored_keys(database):
                    keys.setdefault((library, item), key)
    return keys


def _stored_keys(database: sqlite3.Connection) -> Iterator[tuple[str, int, str]]:
    """Yield key, library and item: from a table of keys, or from the JSON of older versions."""
    tables = {name for (name,) in rows(database, "SELECT name FROM sqlite_master", str)}
    if computed_tables(database).intersection(("citationkey", "better-bibtex")):
        return
    if "citationkey" in tables:
        yield from rows(
            database, "SELECT citationKey, libraryID, itemKey FROM citationkey", str, int, str
        )
    elif "better-bibtex" in tables:
        for name, data in rows(database, 'SELECT name, data FROM "better-bibtex"', str, str):
            document = json.loads(data) if name.endswith("citekey") else None
            records = document.get("data") if isinstance(document, dict) else None
            for row in records if isinstance(records, list) else ():
                if isinstance(row, dict) and isinstance(library := row.get("libraryID", 1), int):
                    yield str(row.get("citekey", "")), library, str(row.get("itemKey", ""))


def _default_key(item: dict[str, Any]) -> str:
    """Make a key as `auth.lower + shorttitle(3,3) + year` does, Better BibTeX's default."""
    creators = item.get("creators", [])
    first = next((creator for creator in creators if creator["creatorType"] == "author"), None)
    person = first or (creators[0] if creators else {})
    family = _plain(str(person.get("lastName") or person.get("name") or ""))
    words = _WORD.findall(item.get("title", ""))
    words = [_plain(word) for word in words if word.casefold() not in _SKIPPED]
    title = "".join(cased(word, "capital") for word in words[:_SHORT_TITLE_WORDS])
    year = _YEAR.search(item.get("date", ""))
    return f"{family.lower()}{title}{year.group() if year else ''}" or f"zotero-{item['key']}"


def _plain(text: str) -> str:
    """Return a text as keys hold it: no accents, blanks or punctuation, its case kept."""
    letters = [fold(letter).upper() if letter.isupper() else fold(letter) for letter in text]
    return _NOT_IN_KEYS.sub("", "".join(letters))


def _unused_key(key: str, taken: set[str]) -> str:
    """Return a key that no item has: with a, b, … z, then with numbers behind it."""
    if key not in taken:
        return key
    letters = (key + letter for letter in "abcdefghijklmnopqrstuvwxyz")
    numbered = (f"{key}-{number}" for number in range(2, len(taken) + 3))
    return next(candidate for candidate in (*letters, *numbered) if candidate not in taken)
