"""Items of Typst's Hayagriva, brought to CSL and back (https://github.com/typst/hayagriva)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cite_lsp.lazy_re import lazy_re

_TYPES = {
    "article": "article-journal", "chapter": "chapter", "anthos": "chapter", "book": "book",
    "anthology": "book", "proceedings": "book", "thesis": "thesis", "report": "report",
    "web": "webpage", "patent": "patent", "manuscript": "manuscript", "repository": "software",
}  # fmt: skip
_COLLECTIONS = ("proceedings", "conference")
_KINDS = {
    "book": "book", "thesis": "thesis", "report": "report", "webpage": "web", "chapter": "chapter",
    "patent": "patent", "software": "repository",
}  # fmt: skip
_PARENTS = {
    "article-journal": "periodical", "paper-conference": "proceedings", "chapter": "book"
}  # fmt: skip
_OF_PERIODICALS = ("volume", "issue")
_BRACES = lazy_re(r"(\$[^$]*\$)|[{}]")
"""What keeps the letters of a text as they are, but for those in formulas."""
_LONG_NUMBER = 10
"""Digits of what is no number of a volume any more."""
_OF_VOLUMES = ("editor", "publisher", "volume", "issue", "edition")


def hayagriva_to_csl(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the CSL item of a Hayagriva entry; fields that it lacks come from its parent."""
    parent = _first(item.get("parent"))
    container = parent if isinstance(parent, Mapping) else {}
    kind = str(item.get("type") or "").lower()
    serial = item.get("serial-number") or container.get("serial-number")
    numbers = (
        {str(name).lower(): value for name, value in serial.items()}
        if isinstance(serial, Mapping)
        else {"doi": serial}
    )
    publisher = _first(item.get("publisher") or container.get("publisher"))
    place = publisher.get("location") if isinstance(publisher, Mapping) else ""
    whole = str(container.get("type") or "").lower()
    csl_fields = {
        "type": "paper-conference" if whole in _COLLECTIONS else _TYPES.get(kind, "document"),
        "title": _formatted(item.get("title")),
        "author": _people(item.get("author")),
        "editor": _people(item.get("editor") or container.get("editor")),
        "issued": {"raw": _value(item.get("date") or container.get("date"))},
        "container-title": _formatted(container.get("title")),
        "publisher": _named(publisher),
        "publisher-place": _value(place) or _value(item.get("location")),
        "volume": _value(item.get("volume") or container.get("volume")),
        "issue": _value(item.get("issue") or container.get("issue")),
        "page": _value(item.get("page-range")),
        "edition": _value(item.get("edition") or container.get("edition")),
        "DOI": _value(item.get("doi") or numbers.get("doi")),
        "ISBN": _value(numbers.get("isbn")),
        "ISSN": _value(numbers.get("issn")),
        "accessed": {"raw": _visited(item.get("url"))},
        "URL": _value(item.get("url")) or _arxiv(numbers.get("arxiv")),
        "abstract": _value(item.get("abstract")),
        "language": _value(item.get("language")),
        "note": _value(item.get("note")),
    }
    return {name: value for name, value in csl_fields.items() if value and value != {"raw": ""}}


def _visited(url: object) -> str:
    return _value(url.get("date")) if isinstance(url, Mapping) else ""


def hayagriva_entry(item: Mapping[str, Any], arxiv: str) -> dict[str, Any]:
    """Return the Hayagriva entry of a CSL item and its number on arXiv, empty fields left out.

    What belongs to a journal or to the volume that holds a paper is said of its parent.
    """
    kind = str(item.get("type"))
    publisher, place = item.get("publisher", ""), item.get("publisher-place")
    entry: dict[str, Any] = {
        "type": _KINDS.get(kind, "article"),
        "title": item.get("title"),
        "author": _written_people(item.get("author")),
        "date": _date(item.get("issued")),
        "editor": _written_people(item.get("editor")),
        "publisher": {"name": publisher, "location": place} if publisher and place else publisher,
        "volume": _number(item.get("volume")),
        "issue": _number(item.get("issue")),
        "edition": _number(item.get("edition")),
        "page-range": item.get("page"),
        "genre": item.get("genre"),
        "language": item.get("language"),
        "note": item.get("note"),
    }
    if kind in _PARENTS and (title := item.get("container-title")):
        parent_fields = _OF_PERIODICALS if kind == "article-journal" else _OF_VOLUMES
        parent = {name: entry.pop(name) for name in parent_fields}
        entry["parent"] = _without_empty({"type": _PARENTS[kind], "title": title, **parent})
    numbers = {"doi": item.get("DOI"), "isbn": item.get("ISBN"), "issn": item.get("ISSN")}
    entry["serial-number"] = _without_empty({**numbers, "arxiv": arxiv})
    entry["url"] = item.get("URL")
    entry["abstract"] = item.get("abstract")
    return _without_empty(entry)


def _without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


_Name = str | dict[str, str]


def _written_people(value: object) -> _Name | list[_Name]:
    """Return names as "Family, Given, Suffix"; a single name without a list.

    A whole name that holds a comma becomes a mapping, or it would be split at the comma.
    """
    names: list[_Name] = []
    for name in value if isinstance(value, list) else ():
        whole = name.get("literal", "")
        parts = ", ".join(filter(None, map(name.get, ("family", "given", "suffix"))))
        names.append(parts or ({"name": whole} if "," in whole else whole))
    return names[0] if len(names) == 1 else names


def _date(issued: object) -> int | str:
    """Return a date of CSL as a year, or in ISO 8601 where more is known."""
    parts = issued.get("date-parts", [[]])[0] if isinstance(issued, Mapping) else []
    if len(parts) == 1:
        return int(parts[0])
    return "-".join(str(part).zfill(2) for part in parts)


def _number(value: object) -> object:
    if isinstance(value, str) and len(value) < _LONG_NUMBER and value.isdecimal():
        return int(value)
    return value


def _first(value: object) -> object:
    if isinstance(value, list):
        return value[0] if value else None
    return value


def _value(value: object) -> str:
    """Return a text, or the `value` of one that is written as a mapping."""
    value = _first(value)
    if isinstance(value, Mapping):
        value = value.get("value")
    return value if isinstance(value, str) else ""


def _formatted(value: object) -> str:
    """Return a text as it is printed; in one that is `verbatim` braces are braces."""
    value = _first(value)
    if isinstance(value, Mapping) and str(value.get("verbatim")).lower() == "true":
        return _value(value)
    return _BRACES.sub(r"\1", _value(value))


def _named(value: object) -> str:
    value = _first(value)
    return _formatted(value.get("name") if isinstance(value, Mapping) else value)


def _arxiv(number: object) -> str:
    return (
        f"https://arxiv.org/abs/{number.removeprefix('arXiv:')}" if isinstance(number, str) else ""
    )


def _people(value: object) -> list[dict[str, str] | str]:
    return [_person(person) for person in (value if isinstance(value, list) else [value]) if person]


def _person(value: object) -> dict[str, str] | str:
    """Read a name: a mapping, or "Family, Given", "Family, Given, Suffix", or a whole name."""
    if isinstance(value, Mapping):
        if isinstance(value.get("name"), str) and len(value) == 1:
            return {"literal": value["name"]}
        parts = {
            "family": value.get("name"),
            "given": value.get("given-name"),
            "non-dropping-particle": value.get("prefix"),
            "suffix": value.get("suffix"),
        }
        return {name: part for name, part in parts.items() if isinstance(part, str) and part}
    family, *rest = [part.strip() for part in str(value).split(",")]
    if not rest:
        return family
    name_parts = {"family": family, "given": rest[0]}
    return name_parts | ({"suffix": rest[1]} if len(rest) > 1 else {})
