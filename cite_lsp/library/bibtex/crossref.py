"""Fields inherited from other entries: `crossref` (BibTeX, biblatex) and `xdata` (biblatex)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import evolve

from cite_lsp.library.model import Entry, Record

_LINKS = ("crossref", "xdata")
_NOT_INHERITED = frozenset(
    "crossref xref xdata entryset entrysubtype execute ids label options presort related "
    "relatedoptions relatedstring relatedtype shorthand shorthandintro sortkey".split()
)
"""Fields that control how an entry is processed and do not describe it."""
_GENERATIONS = 30
"""The most generations of inheritance; a longer chain, which nobody writes, is cut."""
_PARTS = frozenset("inproceedings conference incollection inbook inreference".split())
_RENAMED = {
    "title": "booktitle",
    "subtitle": "booksubtitle",
    "titleaddon": "booktitleaddon",
}
_RENAMED_IN_JOURNAL = {
    "title": "journaltitle",
    "subtitle": "journalsubtitle",
    "shorttitle": "shortjournal",
}


def links_of(record: Record) -> tuple[tuple[str, str], ...]:
    """Return the (field, lower-case key) pairs of the `crossref` and `xdata` fields of a record."""
    lower = record.raw.lower()
    if not any(name in lower for name in _LINKS):
        return ()
    return tuple(
        (field.name, key.strip().lower())
        for field in record.located
        if field.name in _LINKS
        for key in field.value.split(",")
        if key.strip()
    )


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
    known = _without_parents(record) if depth > _GENERATIONS else done.get(id(record))
    if known is not None:
        return known
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


def inherited(record: Record, own: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a record, followed by those that it inherits from its parents.

    `xdata` passes on every field. `crossref` follows biblatex's rules: the title of a collection or
    journal is the book title or journal title of its parts, never their own title. A field that the
    record has itself is kept.
    """
    fields = dict(own)
    for kind, key in sorted(record.links, key=lambda link: link[0] != "xdata"):
        parent = record.parents.get(key)
        if parent is None:
            continue
        for name, value in parent.fields.items():
            inherited_name = (
                name if kind == "xdata" else _inherited_name(name, record.kind, parent.fields)
            )
            if (
                value
                and inherited_name
                and name not in _NOT_INHERITED
                and not fields.get(inherited_name)
            ):
                fields[inherited_name] = value
    return fields


def _inherited_name(name: str, kind: str, parent: Mapping[str, str]) -> str:
    """Return the name under which a part inherits a field of its whole; "" if it does not."""
    if kind in _PARTS:
        # Classic BibTeX has the whole name its booktitle itself.
        return "" if name == "title" and parent.get("booktitle") else _RENAMED.get(name, name)
    if kind == "article":
        return _RENAMED_IN_JOURNAL.get(name, name)
    return name
