"""The items of a part of a Zotero database: of collections and those inside them, of a library."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.formats.locked_database import rows_if_present
from cite_lsp.library.formats.zotero_part import COLLECTION, LIBRARY, OWN_LIBRARY, ZoteroPart
from cite_lsp.library.text.invisible_characters import printable_line
from cite_lsp.paper import fold

TABLES = frozenset(("collections", "collectionitems", "deletedcollections", "groups"))
_MOST_NAMED = 12
_DEEPEST = 100
"""Collections inside each other; a damaged database may have them in a circle."""
_SEPARATOR = lazy_re(r"\s*/\s*")

_COLLECTIONS = "SELECT collectionID, libraryID, collectionName, parentCollectionID FROM collections"
_DELETED = "SELECT collectionID FROM deletedCollections"
_MEMBERS = "SELECT collectionID, itemID FROM collectionItems"
_GROUPS = 'SELECT libraryID, name FROM "groups"'


@frozen
class ChosenItems:
    """The items of a part.

    libraries, items: their numbers, None for all. problems: which names are unknown.
    """

    libraries: frozenset[int] | None = None
    items: frozenset[int] | None = None
    problems: tuple[str, ...] = ()

    def has(self, item: int, library: int) -> bool:
        """Whether an item of a library is among them."""
        return (self.libraries is None or library in self.libraries) and (
            self.items is None or item in self.items
        )


@frozen
class _Collection:
    """A collection with its library and path: "Thesis/Chapter 2"; those above it, itself first."""

    library: int
    path: str
    line: tuple[int, ...]


def chosen_items(
    database: sqlite3.Connection, part: ZoteroPart, types: Mapping[int, str]
) -> ChosenItems:
    """Return the items of a part of a database; `types` are those of its libraries, by number.

    A name is that of any collection, wherever it stands; with those above it before it, it is that
    of some only. An unknown one is a problem that says which there are, and holds no items.

    Raises:
        sqlite3.Error: it takes too long, or finds too much.
    """
    problems: list[str] = []
    libraries = None
    if part.library:
        names = {number: OWN_LIBRARY for number, kind in types.items() if kind == "user"}
        names |= dict(rows_if_present(database, _GROUPS, int, str))
        library_name = _comparable(part.library)
        libraries = frozenset(
            number for number, name in names.items() if _comparable(name) == library_name
        )
        if not libraries:
            problems.append(_unknown(LIBRARY, "library of Zotero", part.library, names.values()))
    if not part.collections or problems:
        return ChosenItems(libraries, None, tuple(problems))
    collections = {
        number: collection
        for number, collection in _collections(database).items()
        if types.get(collection.library) != "feed"
        and (libraries is None or collection.library in libraries)
    }
    inside: set[int] = set()
    for name in part.collections:
        tops = {
            number for number, collection in collections.items() if _is_called(collection, name)
        }
        if not tops:
            where = f" of “{printable_line(part.library)}”" if part.library else ""
            paths = [collection.path for collection in collections.values()]
            problems.append(_unknown(COLLECTION, f"collection{where}", name, paths))
        inside.update(
            number
            for number, collection in collections.items()
            if not tops.isdisjoint(collection.line)
        )
    members = rows_if_present(database, _MEMBERS, int, int)
    items = frozenset(item for collection, item in members if collection in inside)
    return ChosenItems(libraries, items, tuple(problems))


def _collections(database: sqlite3.Connection) -> dict[int, _Collection]:
    """Return the collections by number, but for those in the trash and what is inside them."""
    row_by_number = {
        number: (library, name, int(parent) if parent.isdecimal() else None)
        for number, library, name, parent in rows_if_present(
            database, _COLLECTIONS, int, int, str, str
        )
    }
    deleted = {number for (number,) in rows_if_present(database, _DELETED, int)}
    collections = {}
    for number, (library, _, _) in row_by_number.items():
        line = tuple(_line(number, row_by_number))
        if deleted.isdisjoint(line):
            path = "/".join(row_by_number[above][1] for above in reversed(line))
            collections[number] = _Collection(library, path, line)
    return collections


def _line(number: int, row_by_number: Mapping[int, tuple[int, str, int | None]]) -> Iterator[int]:
    """Yield a collection, the one that it is in, and so on."""
    above: int | None = number
    for _ in range(_DEEPEST):
        if above is None or above not in row_by_number:
            return
        yield above
        above = row_by_number[above][2]


def _is_called(collection: _Collection, name: str) -> bool:
    comparable = _comparable(name)
    path = _comparable(collection.path)
    return path == comparable or path.endswith(f"/{comparable}")


def _comparable(name: str) -> str:
    return _SEPARATOR.sub("/", fold(" ".join(name.split())))


def _unknown(setting: str, kind: str, name: str, all_names: Iterable[str]) -> str:
    """Return the problem of a name that nothing has, with the names that there are."""
    names: Sequence[str] = sorted(set(all_names), key=fold)
    if not names:
        return f"{setting}: no {kind} is called “{name}”, as there is none: take the setting out"
    listed = ", ".join(f"“{printable_line(each)}”" for each in names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    of_several = "one of " if len(names) > 1 else ""
    return (
        f"{setting}: no {kind} is called “{printable_line(name)}”: name {of_several}{listed}{more}"
    )
