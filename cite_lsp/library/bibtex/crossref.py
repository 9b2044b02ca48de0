"""What a record has from others: `crossref` (BibTeX, biblatex), `xdata` and sets (biblatex)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import evolve

from cite_lsp.library.bibtex.xdata import data_references, names_data, with_data
from cite_lsp.library.entries import Entry, Record
from cite_lsp.paper import LONGEST_FIELD

LINKS = ("crossref", "xdata", "entryset")
"""The fields by which records take from others, or stand for them; so does `xdata=` in values."""
PIECES = "xdata="
"""The field of a link that stands for a piece of a value."""
_NOT_INHERITED = frozenset(
    "crossref xref xdata entryset entrysubtype execute ids label options presort related "
    "relatedoptions relatedstring relatedtype shorthand shorthandintro sortkey".split()
)
"""Fields that control how an entry is processed and do not describe it."""
_GENERATIONS = 30
"""The most generations of inheritance; a longer chain, which nobody writes, is cut."""
_BOOK_PARTS = frozenset(("inbook", "bookinbook", "suppbook"))
_COLLECTION_PARTS = frozenset(("incollection", "inreference", "suppcollection"))
_MEETING_PARTS = frozenset(("inproceedings", "conference"))
_JOURNAL_PARTS = frozenset(("article", "suppperiodical"))
_PARTS = _BOOK_PARTS | _COLLECTION_PARTS | _MEETING_PARTS
_VOLUMES_OF = {
    "mvbook": _BOOK_PARTS | {"book"},
    "mvcollection": _COLLECTION_PARTS | {"collection", "reference"},
    "mvreference": _COLLECTION_PARTS | {"collection", "reference"},
    "mvproceedings": _MEETING_PARTS | {"proceedings"},
}
"""What works of several volumes hold, by their kind."""
_TITLES = ("title", "subtitle", "titleaddon")
_NOT_OF_PARTS = frozenset("shorttitle sorttitle indextitle indexsorttitle".split())
_RENAMED_IN_JOURNAL = {
    "title": "journaltitle",
    "subtitle": "journalsubtitle",
    "shorttitle": "shortjournal",
}


def links_of(record: Record) -> tuple[tuple[str, str], ...]:
    """Return the (field, lower-case key) pairs of the records that a record takes from or holds."""
    lower = record.raw.lower()
    if not any(name in lower for name in LINKS):
        return ()
    named = tuple(
        (field.name, key.strip().lower())
        for field in record.located
        if field.name in LINKS
        for key in field.value.split(",")
        if key.strip()
    )
    if not names_data(record.raw):
        return named
    pieces = (reference.key.lower() for reference in data_references(record.raw))
    return named + tuple((PIECES, key) for key in dict.fromkeys(pieces))


def link(
    entries: Sequence[Entry], find: Callable[[str], Record | None]
) -> Iterator[tuple[int, Entry]]:
    """Set the parents of the records that name others; `find` looks records up by lower-case key.

    Yields:
        The position of each entry that changes by that, and the entry to put there.
    """
    done: dict[int, Record] = {}
    for position, entry in enumerate(entries):
        if entry.record.links:
            record = _with_parents(entry.record, find, done)
            if record is not entry.record:
                yield position, evolve(entry, record=record)


def _with_parents(
    record: Record, find: Callable[[str], Record | None], done: dict[int, Record], depth: int = 0
) -> Record:
    """Return a record with its parents set; `done` are the records already linked, by id."""
    cached = _without_parents(record) if depth > _GENERATIONS else done.get(id(record))
    if cached is not None:
        return cached
    done[id(record)] = _without_parents(record)  # in a cycle nothing is inherited
    linked_records = ((key, find(key)) for _, key in record.links)
    parents = {
        key: _with_parents(parent, find, done, depth + 1)
        for key, parent in linked_records
        if parent and parent is not record
    }
    same = parents.keys() == record.parents.keys() and all(
        _same_record(parent, record.parents[key]) for key, parent in parents.items()
    )
    done[id(record)] = linked = record if same else evolve(record, parents=parents)
    return linked


def _without_parents(record: Record) -> Record:
    """Return a record without its parents: those of the file as it was before an edit."""
    return evolve(record, parents={}) if record.parents else record


def _same_record(first: Record, second: Record) -> bool:
    """Whether two records are the same object, or equal records without parents."""
    if first is second:
        return True
    alone = not (first.parents or second.parents)
    return alone and first == second and first.macros is second.macros


def inherited(record: Record, record_fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a record, followed by those that it inherits from its parents.

    `xdata` passes on every field, and `xdata=` in a value the piece that it names. `crossref`
    follows biblatex's rules (its manual, appendix B): the title of a collection or journal is the
    book title or journal title of its parts, never their own title. A field that the record has
    itself is kept.
    """
    fields = dict(record_fields)
    if any(kind == PIECES for kind, _ in record.links):
        data = {key: parent.fields for key, parent in record.parents.items()}
        fields = {name: with_data(value, data)[:LONGEST_FIELD] for name, value in fields.items()}
    for kind, key in sorted(record.links, key=lambda link: link[0] != "xdata"):
        parent = record.parents.get(key)
        if parent is None or kind not in ("crossref", "xdata"):
            continue
        for name, value in parent.fields.items():
            if not value or name in _NOT_INHERITED:
                continue
            names = (name,) if kind == "xdata" else _inherited_names(name, record.kind, parent)
            for inherited_name in names:
                if not fields.get(inherited_name):
                    fields[inherited_name] = value
    return fields


def _inherited_names(name: str, kind: str, parent: Record) -> tuple[str, ...]:
    """Return the names under which a part inherits a field of its whole, none if it does not."""
    if kind in _VOLUMES_OF.get(parent.kind, ()):
        whole = "main"
    elif kind in _PARTS:
        whole = "book"
    elif kind in _JOURNAL_PARTS:
        return (_RENAMED_IN_JOURNAL.get(name, name),)
    else:
        return (name,)
    if name in _NOT_OF_PARTS:
        return ()
    if name in _TITLES:
        # Classic BibTeX has the whole name its booktitle itself.
        named = whole == "book" and name == "title" and parent.fields.get("booktitle")
        return () if named else (whole + name,)
    if name == "author" and kind in _BOOK_PARTS and parent.kind in ("book", "mvbook"):
        return ("author", "bookauthor")
    return (name,)
