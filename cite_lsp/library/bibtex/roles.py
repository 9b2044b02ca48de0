"""Which records are no papers to cite: data, switches of styles, parts of sets."""

from __future__ import annotations

from collections.abc import Iterable

from cite_lsp.library.entries import Entry, Record

STYLE_SWITCHES = frozenset(("control", "ieeetranbstctl"))
"""Records that set up a style: REVTeX's and IEEEtran's, cited by a command of their own or none."""
_NO_PAPERS = STYLE_SWITCHES | {"xdata"}
PROCEEDINGS = frozenset(("proceedings", "mvproceedings"))
"""Records whose `booktitle`, in styles of classic BibTeX, is their own title."""
SET = "set"
"""The kind of a record that stands for several: biblatex's `@set`, `\\defbibentryset`."""


def members_of(record: Record) -> list[Record]:
    """Return the records that a set stands for, as far as they exist; none of any other record."""
    if record.kind != SET:
        return []
    named = (key for field, key in record.links if field == "entryset")
    return [record.parents[key] for key in named if key in record.parents]


def uncitable(entries: Iterable[Entry]) -> list[int]:
    """Return the numbers of the entries that are not to be offered as papers.

    The members of an `@set` are cited by its key.
    """
    entries = tuple(entries)
    members = {
        key
        for entry in entries
        if entry.kind == SET and entry.raw.startswith("@")
        for field, key in entry.record.links
        if field == "entryset"
    }
    return [
        number
        for number, entry in enumerate(entries)
        if entry.kind in _NO_PAPERS or (members and entry.key.lower() in members)
    ]
