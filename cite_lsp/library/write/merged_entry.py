"""Two entries of one work as one record, which has the fields of both."""

from __future__ import annotations

from cite_lsp.library.bibtex.values import Field, fields_of
from cite_lsp.library.entries import Entry
from cite_lsp.library.write.preprints import NUMBERS, VENUES, is_preprint

_SPELLINGS = (
    {"journal", "journaltitle"},
    {"year", "date"},
    {"address", "location"},
    {"archiveprefix", "eprinttype"},
    {"primaryclass", "eprintclass"},
    {"institution", "school", "organization"},
    {"pdf", "file"},
)
"""Fields that BibTeX and biblatex name differently."""
_OF_A_PREPRINT = VENUES | {*NUMBERS, "year", "date", "month"}
"""Fields of a preprint that say nothing of what it became."""


def fuller(entry: Entry, other: Entry) -> Entry:
    """Return which of two entries says more of the work: a publication rather than a preprint."""

    def weight(entry: Entry) -> tuple[bool, int]:
        return not is_preprint(entry), sum(map(bool, entry.fields.values()))

    return other if weight(other) > weight(entry) else entry


def merged_record(entry: Entry, other: Entry, key: str) -> str | None:
    """Return the record of an entry under a key, with the fields that only the other has.

    Nothing that the record says changes. It is None where the two are not BibTeX, or lean on other
    entries.
    """
    fields, more = _fields(entry), _fields(other)
    if not fields or not all(map(_stands_alone, (entry, other))):
        return None
    raw, last = entry.raw, fields[-1]
    before = fields[-2].end if len(fields) > 1 else entry.record.key_at + len(entry.key)
    gap = raw[before : last.start]
    if gap.strip() != ",":
        gap = ",\r\n  " if "\r\n" in raw else ",\n  "
    names = {name for field in fields for name in _spellings(field.name)}
    if is_preprint(other) and not is_preprint(entry):
        names |= _OF_A_PREPRINT
    added = ""
    for field in more:
        if field.name not in names and field.value.strip():
            names.add(field.name)
            added += gap + other.raw[field.start : field.end]
    at = entry.record.key_at
    behind_key = raw[at + len(entry.key) : last.end]
    return raw[:at] + key + behind_key + added + raw[last.end :]


def _fields(entry: Entry) -> list[Field]:
    start = entry.record.key_at + len(entry.key)
    return list(fields_of(entry.raw, start, entry.macros)) if entry.source == "bibtex" else []


def _stands_alone(entry: Entry) -> bool:
    return entry.raw.startswith("@") and not entry.record.links


def _spellings(name: str) -> set[str]:
    return next((names for names in _SPELLINGS if name in names), {name})
