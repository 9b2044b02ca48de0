"""Read CSL items, to which every data format (JSON, YAML, Zotero) is converted.

An item is a mapping as in CSL-JSON (https://github.com/citation-style-language/schema). Values are
taken as they come: numbers for texts, texts for dates, one thing where a list belongs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from cite_lsp.language import HAN, detect_language
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.entries import Record, RecordReader
from cite_lsp.library.text.html_markup import without_markup
from cite_lsp.library.text.invisible_characters import without_invisible
from cite_lsp.library.text.metadata import is_retracted, language_code, year_in
from cite_lsp.library.text.paper_fields import bibtex_name
from cite_lsp.library.text.people import OTHERS, named, names_of
from cite_lsp.paper import LONGEST_FIELD, Paper, bare_doi, doi_fields, normalise_doi, without_label

Item = Mapping[str, Any]

_MOST_NAMES = 20_000
"""Names that are read; the largest collaborations have a quarter of that."""
_HAN_NAME = lazy_re(f"[{HAN}]+")
_IN_COLLECTIONS = frozenset("chapter paper-conference entry-dictionary entry-encyclopedia".split())
_FIELDS = {
    "publisher": "publisher", "publisher-place": "location", "volume": "volume",
    "issue": "number", "page": "pages", "edition": "edition", "collection-title": "series",
    "URL": "url", "ISBN": "isbn", "ISSN": "issn", "language": "language", "abstract": "abstract",
    "event-title": "eventtitle", "genre": "type", "note": "note", "version": "version",
}  # fmt: skip


CSL = RecordReader(
    fields=lambda record: MappingProxyType(item_fields(read_item(record))),
    paper=lambda record: item_paper(read_item(record), record.key),
)
"""Reads records whose `data`, or else `raw`, is a CSL item as a JSON object."""


def read_item(record: Record) -> Item:
    """Return the CSL item of a record that is not BibTeX; an empty one where it cannot be read."""
    try:
        item = json.loads(record.data or record.raw)
    except (ValueError, RecursionError):
        return {}
    return item if isinstance(item, dict) else {}


def item_fields(item: Item) -> dict[str, str]:
    """Return an item under BibTeX's names, plain text; people are joined as BibTeX does it."""
    fields = {"title": csl_text(item.get("title"))}
    for role in ("author", "editor", "translator"):
        names, more = csl_people(item.get(role))
        name_list = [bibtex_name(name, given_first=True) for name in names]
        fields[role] = " and ".join([*name_list, OTHERS] if more else name_list)
    container = "booktitle" if csl_text(item.get("type")) in _IN_COLLECTIONS else "journaltitle"
    fields[container] = csl_text(item.get("container-title"))
    fields["date"] = csl_date(item.get("issued"))
    fields["year"] = str(year_in(fields["date"]) or "")
    fields["urldate"] = csl_date(item.get("accessed"))
    fields["doi"] = normalise_doi(csl_text(item.get("DOI")))
    fields |= {name: csl_text(item.get(csl_name)) for csl_name, name in _FIELDS.items()}
    fields["number"] = fields["number"] or csl_text(item.get("number"))
    return {name: value for name, value in fields.items() if value}


def item_paper(item: Item, key: str) -> Paper:
    """Return the paper that an item describes."""
    title = csl_text(item.get("title"))
    url = csl_text(item.get("URL"))
    venue = (csl_text(item.get(name)) for name in ("container-title", "event-title", "publisher"))
    authors, editors = csl_people(item.get("author")), csl_people(item.get("editor"))
    names, more = authors if authors[0] else editors
    return Paper(
        id="entry:" + key,
        title=title,
        abstract=without_label(csl_text(item.get("abstract"))),
        authors=names,
        year=year_in(csl_date(item.get("issued"))),
        venue=next(filter(None, venue), ""),
        **doi_fields(bare_doi(csl_text(item.get("DOI"))) or (url if "doi.org" in url else "")),
        url=url,
        language=language_code(csl_text(item.get("language"))) or detect_language(title),
        kind="" if item.get("type") == "document" else csl_text(item.get("type")),
        retracted=is_retracted(title, csl_text(item.get("status"))),
        keywords=csl_text(item.get("keyword")),
        more_authors=more,
    )


def csl_text(value: object) -> str:
    """Return a value as plain text on one line, the markup of rich titles left out."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if value is None or isinstance(value, dict | bool):
        return ""
    return " ".join(without_invisible(without_markup(str(value)[:LONGEST_FIELD])).split())


def csl_people(value: object) -> tuple[tuple[str, ...], bool]:
    """Return the names of people in order, as one reads them, and whether there are more."""
    names = value[:_MOST_NAMES] if isinstance(value, list) else [value]
    return names_of([name for name in map(_name, names) if name])


def _name(value: object) -> str:
    if not isinstance(value, Mapping):
        return csl_text(value)
    if value.get("literal"):
        return named("", csl_text(value["literal"]))
    order = ("given", "dropping-particle", "non-dropping-particle", "family", "suffix")
    parts = [csl_text(value.get(part)) for part in order]
    # Chinese names are written without a blank, the family name first.
    if parts[0] and parts[3] and _HAN_NAME.fullmatch("".join(parts)):
        return parts[3] + parts[0]
    given, family = (" ".join(filter(None, pair)) for pair in (parts[:2], parts[2:4]))
    return named(given, family, parts[4])


def csl_date(value: object) -> str:
    """Return a CSL date as text, year first: "2020-5-17" where it has parts, "1990/1992"."""
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, Mapping):
        return csl_text(value)
    parts = value.get("date-parts")
    first = parts[0] if isinstance(parts, list) and parts else parts
    if isinstance(first, list) and isinstance(parts, list):
        ends = (_joined_date(end) for end in parts[:2] if isinstance(end, list))
        return "/".join(filter(None, ends))
    if first is None and value.get("year"):
        return _joined_date([value.get(part) for part in ("year", "month", "day")])
    return csl_text(first) or csl_text(value.get("raw")) or csl_text(value.get("literal"))


def _joined_date(parts: Iterable[object]) -> str:
    """Return the parts of a date up to the first that is not known: empty, or zero."""
    return "-".join(takewhile(lambda part: part.strip("0"), map(csl_text, parts)))
