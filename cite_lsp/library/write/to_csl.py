"""Convert an entry to a CSL item, for a citation processor or for another file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.values import MONTHS
from cite_lsp.library.csl.item import read_item
from cite_lsp.library.entries import Entry
from cite_lsp.library.text.journals import venue_text
from cite_lsp.library.text.latex_decode import decode
from cite_lsp.library.text.metadata import language_code
from cite_lsp.library.text.names import names_more, split_names
from cite_lsp.library.text.paper_fields import csl_person
from cite_lsp.library.text.people import OTHERS

_TYPES = {
    **dict.fromkeys(("article", "periodical", "suppperiodical"), "article-journal"),
    **dict.fromkeys(("book", "mvbook", "collection", "mvcollection", "proceedings"), "book"),
    **dict.fromkeys(("inproceedings", "conference"), "paper-conference"),
    **dict.fromkeys(("incollection", "inbook", "suppbook", "bookinbook"), "chapter"),
    **dict.fromkeys(("thesis", "phdthesis", "mastersthesis"), "thesis"),
    **dict.fromkeys(("report", "techreport"), "report"),
    **dict.fromkeys(("online", "electronic", "www"), "webpage"),
    "unpublished": "manuscript",
    "patent": "patent",
    "booklet": "pamphlet",
    "manual": "book",
    "dataset": "dataset",
    "software": "software",
}
_DISSERTATION, _MASTERS = "Doctoral dissertation", "Master’s thesis"
_GENRES = {"phdthesis": _DISSERTATION, "mastersthesis": _MASTERS}
_GENRES_OF_BIBLATEX = {
    "phdthesis": _DISSERTATION, "mathesis": _MASTERS, "mastersthesis": _MASTERS,
    "bathesis": "Bachelor’s thesis", "candthesis": "Candidate thesis",
    "techreport": "Technical report", "resreport": "Research report",
}  # fmt: skip
"""What biblatex prints for names of its own in `type`."""
_UNDATED = lazy_re(r"\W*(?:n\.?\s?d|s\.?\s?[ad]|no date|undated)\b", re.IGNORECASE)
_FIELDS = {
    "container-title": ("journaltitle", "journal", "booktitle", "maintitle"),
    "publisher": ("publisher", "school", "institution", "organization"),
    "publisher-place": ("address", "location"),
    "volume": ("volume",),
    "edition": ("edition",),
    "version": ("version",),
    "collection-title": ("series",),
    "ISBN": ("isbn",),
    "genre": ("type",),
}
_PAGES = ("pages", "eid", "articleno")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_LATIN, _FOREIGN = lazy_re("[A-Za-z]"), lazy_re(r"(?![\x00-\x7f])[^\W\d_]")
_FURTHER = {"ISSN": "issn", "event-title": "eventtitle", "note": "note"}
_DATE = lazy_re(
    r"(?P<year>-?\d{4})(?:-(?P<month>0?[1-9]|1[0-2])(?!\d)(?:-(?P<day>\d\d?)(?!\d))?)?"
    r"(?P<range>[^/\s]*/(?=-?\d{4}))?"
)
"""A date, whose month may be one figure, as data formats have it; of a season only the year."""


def entry_to_csl(entry: Entry) -> dict[str, Any]:
    """Return an entry as a JSON object of the CSL schema, with the id "item"."""
    fields, paper = entry.fields, entry.paper
    item: dict[str, Any] = {"id": "item", "type": csl_type(entry)}
    item["title"] = paper.title
    parent_fields = ("booktitle",) if item["type"] == "book" else ()  # to what stands in the book
    for variable, names in _FIELDS.items():
        value = next(
            (fields[name] for name in names if fields.get(name) and name not in parent_fields), ""
        )
        item[variable] = venue_text(value)
    genre = item["genre"] or _GENRES.get(entry.kind, "")
    item["genre"] = _GENRES_OF_BIBLATEX.get(genre, genre)
    if (ordinal := item["edition"].lower()) in _ORDINALS:
        item["edition"] = str(_ORDINALS.index(ordinal) + 1)
    number = decode(fields.get("number") or fields.get("issue") or "")
    item["issue" if item["type"] == "article-journal" else "number"] = number
    item["language"] = _language(fields) or _letters_language(item["container-title"], paper.title)
    pages = next(filter(None, map(fields.get, _PAGES)), "")
    item["page"] = re.sub(r"\s*[-–—]+\s*", "–", decode(pages))
    item["DOI"] = paper.written_doi or paper.doi
    item["URL"] = "" if paper.doi else paper.url
    item["author"] = list(_people(fields.get("author", "")))
    item["editor"] = list(_people(fields.get("editor", "")))
    item["translator"] = list(_people(fields.get("translator", "")))
    when = decode(fields.get("year") or fields.get("date") or "")
    if dates := _dates(fields, paper.year):
        item["issued"] = {"date-parts": dates}
    elif when and not _UNDATED.match(when):
        item["issued"] = {"literal": when}  # "in press"
    if visited := _read(fields.get("urldate", "")):
        item["accessed"] = {"date-parts": visited}
    return {name: value for name, value in item.items() if value}


def csl_details(entry: Entry) -> dict[str, Any]:
    """Return what an entry says as variables of CSL, to be written into another file.

    Beside what is formatted there are those that only few styles print; the id is left out.
    """
    fields, item = entry.fields, entry_to_csl(entry)
    del item["id"]
    item["page"] = item.get("page", "").replace("–", "-")
    item |= {variable: decode(fields.get(name, "")) for variable, name in _FURTHER.items()}
    item["language"] = _language(fields)
    return {name: value for name, value in item.items() if value}


def _language(fields: Mapping[str, str]) -> str:
    return language_code(fields.get("langid") or fields.get("language") or "")


def _letters_language(venue: str, title: str) -> str:
    """Return "und" where letters tell that what an entry stands in is not in English, else "".

    Styles write the words of English names large: *Zeitschrift Für Physik* has none.
    """
    return "und" if _FOREIGN.search(venue) or not _LATIN.search(title) else ""


def csl_type(entry: Entry) -> str:
    """Return the CSL type of an entry, however it is written."""
    if entry.source in ("bibtex", "bibitem", "bbl"):
        return _TYPES.get(entry.kind, "document")
    return str(read_item(entry.record).get("type") or "document")


def _people(names: str) -> Iterator[dict[str, str]]:
    """Yield the names of a field, those of organisations in one piece."""
    yield from map(csl_person, split_names(names))
    if names_more(names):
        yield {"literal": OTHERS}


def _dates(fields: Mapping[str, str], year: int | None) -> list[list[int]]:
    """Return the date of an entry, or where it begins and ends."""
    if dates := _read(fields.get("date", "")):
        return dates
    if year is None:
        return []
    month = fields.get("month", "").strip().lower()
    if month.isdecimal() and len(month) <= 2 and 1 <= int(month) <= 12:
        return [[year, int(month)]]
    return [[year, MONTHS.index(month[:3]) + 1] if month[:3] in MONTHS else [year]]


def _read(date: str) -> list[list[int]]:
    """Return a date in ISO 8601, which counts the year before the first as 0; CSL has -1 there."""
    dates: list[list[int]] = []
    match = _DATE.match(date)
    while match and len(dates) < 2:
        year, *parts = (int(part) for part in match.group("year", "month", "day") if part)
        if not year:  # as programs write a date that they do not know
            break
        dates.append([year if year > 0 else year - 1, *takewhile(bool, parts)])
        match = _DATE.match(date, match.end()) if match["range"] else None
    return dates
