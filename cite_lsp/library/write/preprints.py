"""Find entries of preprints, and turn them into the records of their publications.

The new record keeps the key, the title, and all else that only the writer knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.values import Field, fields_of
from cite_lsp.library.entries import Entry
from cite_lsp.library.text.latex_decode import decode
from cite_lsp.library.text.paper_fields import PUBLISHED_IN, kind_of
from cite_lsp.library.write.bibtex_style import (
    BibtexHabits,
    cased,
    delimited,
    field_line,
    habitual_fields,
)
from cite_lsp.paper import Paper, fold, is_published

VENUES = frozenset(
    "journal journaltitle booktitle howpublished publisher institution organization".split()
)
"""Fields that say where a work appeared."""
_DATES = ("year", "date")
_BEFORE_THE_REST = ("title", "author", *_DATES)
NUMBERS = ("volume", "number", "pages", "eid")
_ARCHIVE = lazy_re(
    r"arxiv|\bcorr\b|biorxiv|medrxiv|preprint|\bssrn\b|cornell univ|cold spring harbor|\babs/"
)
_YET_TO = lazy_re(r"\b(?:in press|in prep|submitted|under review|to appear|forthcoming)\b")
_KIND = lazy_re(r"@\s*([A-Za-z]+)")


class _Parts(NamedTuple):
    """The text of a field in a record: up to its value, the value, and up to the next field."""

    name: str
    head: str
    value: str
    between: str


def is_preprint(entry: Entry) -> bool:
    """Whether all that an entry says of where its paper appeared is an archive of preprints."""
    paper = entry.paper
    return kind_of(paper) == "article" and not is_published(paper.doi)


def is_publication(paper: Paper) -> bool:
    """Whether the journal, collection or meeting of a paper is known."""
    venue = fold(paper.venue)
    return venue[:1].isalnum() and not _YET_TO.search(venue) and kind_of(paper) in PUBLISHED_IN


def published_record(entry: Entry, paper: Paper, habits: BibtexHabits) -> str | None:
    """Return the record of a preprint as that of its publication; None where it is not written.

    Its type, venue, year, DOI and address become those of `paper`; fields of the preprint alone
    (`volume = {abs/…}`, the month) are removed, and all else stays as it is written.

    Args:
        entry: The preprint, of a .bib file.
        paper: Its publication.
        habits: How the file is written.
    """
    kind = _KIND.match(entry.raw)
    behind_key = entry.record.key_at + len(entry.key)
    fields = list(fields_of(entry.raw, behind_key, entry.macros))
    if entry.source != "bibtex" or kind is None or not fields or entry.record.links:
        return None
    new_kind, new = habitual_fields(paper, habits)
    names = ("url", "doi", *_DATES, *VENUES)
    new = {name: text for name, text in new.items() if name in names and "arxiv.org" not in text}
    new_fields = _published_fields(entry.raw, fields, new, habits)
    return "".join(
        (
            entry.raw[: kind.start(1)],
            cased(new_kind, habits.kind_case),
            entry.raw[kind.end(1) : fields[0].start],
            *(field.head + field.value + field.between for field in new_fields),
            entry.raw[fields[-1].end :],
        )
    )


def _published_fields(
    raw: str, fields: Sequence[Field], new: dict[str, str], habits: BibtexHabits
) -> list[_Parts]:
    """Return the fields of the new record: those that stay, and those of the publication."""
    year = next((new[name] for name in _DATES if name in new), "")
    left = dict(new)
    if any(field.name in _DATES for field in fields):
        left = {name: text for name, text in left.items() if name not in _DATES}
    ends = [field.start for field in fields[1:]] + [fields[-1].end]
    new_fields: list[_Parts] = []
    place = 0
    for field, end in zip(fields, ends, strict=True):
        head, between = raw[field.start : field.value_at], raw[field.end : end]
        name, text = _replacement(field, left, year)
        if name is None:
            if new_fields:  # the text before it, mostly a comma, is removed too
                new_fields[-1] = new_fields[-1]._replace(between=between)
            continue
        if name != field.name:
            head = _renamed(head, field.name, name, habits)
            if new_fields:
                gap = _indented(new_fields[-1].between, field.name, name, habits)
                new_fields[-1] = new_fields[-1]._replace(between=gap)
        if text is None:
            value = raw[field.value_at : field.end]
        elif text.isdigit() and raw[field.value_at].isdigit():
            value = text
        else:
            value = delimited(name, text, habits)
        new_fields.append(_Parts(name, head, value, between))
        if name in _BEFORE_THE_REST or name in VENUES:
            place = len(new_fields)
    return _with_new_fields(new_fields, place, left, habits, "\r\n" if "\r\n" in raw else "\n")


def _replacement(field: Field, left: dict[str, str], year: str) -> tuple[str | None, str | None]:
    """Return the name and the new value of a field, taken from those `left` to be written.

    The value is None where it stays as it is, the name where the field is removed.
    """
    value = fold(decode(field.value))
    of_archive = not value.strip() or _ARCHIVE.search(value) is not None
    if field.name in _DATES and year and year not in value:
        return field.name, year
    if field.name in VENUES and of_archive:
        venue = next((name for name in left if name in VENUES), None)
        return venue, left.pop(venue) if venue else None
    if field.name == "month" or (field.name in NUMBERS and of_archive):
        return None, None
    return field.name, left.pop(field.name, None)


def _indented(between: str, before: str, name: str, habits: BibtexHabits) -> str:
    """Return what stands before a field for one with another name: names may end in a column."""
    if not (habits.column and habits.right_aligned):
        return between
    bare = between.rstrip(" ")
    return bare + " " * max(len(between) - len(bare) + len(before) - len(name), 0)


def _renamed(head: str, before: str, name: str, habits: BibtexHabits) -> str:
    """Return what stands before a value with another name, the equals sign where it was."""
    gap = head[len(before) :]
    blanks = len(gap) - len(gap.lstrip(" "))
    if blanks > 1:
        gap = " " * max(blanks + len(before) - len(name), 1) + gap.lstrip(" ")
    return cased(name, habits.name_case) + gap


def _with_new_fields(
    fields: list[_Parts],
    place: int,
    more: dict[str, str],
    habits: BibtexHabits,
    line_break: str,
) -> list[_Parts]:
    """Return fields with more of them from a place on, laid out as the one before."""
    for name, text in more.items():
        value = delimited(name, text, habits)
        between = "," + (" " if habits.one_line else line_break + habits.indent)
        if place == 0:
            head = field_line(name, text, habits).strip().removesuffix(value)
            fields.insert(0, _Parts(name, head, value, between if fields else ""))
        else:
            model = fields[place - 1]
            gap = (fields[place - 2].between if place > 1 else model.between) or between
            gap = _indented(gap, model.name, name, habits)
            fields[place - 1] = model._replace(between=gap)
            head = _renamed(model.head, model.name, name, habits)
            fields.insert(place, _Parts(name, head, value, model.between))
        place += 1
    return fields
