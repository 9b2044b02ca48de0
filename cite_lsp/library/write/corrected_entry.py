"""Write what is known of a work into an entry that says otherwise; all else stays."""

from __future__ import annotations

from collections.abc import Collection

from cite_lsp.library.bibtex.values import fields_of
from cite_lsp.library.entries import Entry
from cite_lsp.library.match.claims import Claim
from cite_lsp.library.write.bibtex_style import BibtexHabits, delimited, habitual_fields
from cite_lsp.paper import Paper

_FIELDS: dict[str, Claim] = {
    "title": "title",
    "author": "authors",
    "year": "year",
    "date": "year",
}
_PARTS_OF_TITLES = ("subtitle", "titleaddon")


def corrected_record(
    entry: Entry, paper: Paper, claims: Collection[Claim], habits: BibtexHabits
) -> str | None:
    """Return the record of an entry with some of its claims replaced by those of a paper.

    It is None where a claim does not stand in a field of its own: it is inherited, or a part of a
    title.
    """
    raw = entry.raw
    if entry.source != "bibtex" or not raw.startswith("@"):
        return None
    fields = list(fields_of(raw, entry.record.key_at + len(entry.key), entry.macros))
    _, known = habitual_fields(paper, habits)
    known.setdefault("year", known.get("date", ""))
    known["date"] = known["year"]
    parts, done, corrected = [], 0, set()
    for field in fields:
        claim = _FIELDS.get(field.name)
        if claim in claims and (text := known.get(field.name)):
            corrected.add(claim)
            bare = text.isdigit() and raw[field.value_at].isdigit()
            value = text if bare else delimited(field.name, text, habits)
            parts += [raw[done : field.value_at], value]
            done = field.end
    split = "title" in claims and any(field.name in _PARTS_OF_TITLES for field in fields)
    if split or corrected != set(claims):
        return None
    return "".join((*parts, raw[done:]))
