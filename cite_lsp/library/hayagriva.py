"""Items of Typst's Hayagriva, brought to CSL (https://github.com/typst/hayagriva)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TYPES = {
    "article": "article-journal", "chapter": "chapter", "anthos": "chapter", "book": "book",
    "anthology": "book", "proceedings": "book", "thesis": "thesis", "report": "report",
    "web": "webpage", "patent": "patent", "manuscript": "manuscript", "repository": "software",
}  # fmt: skip
_COLLECTIONS = ("proceedings", "conference")


def csl_item(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the CSL item of a Hayagriva entry; what it lacks, its parent lends."""
    parent = _first(item.get("parent"))
    lender = parent if isinstance(parent, Mapping) else {}
    kind = str(item.get("type") or "").lower()
    serial = item.get("serial-number") or lender.get("serial-number")
    numbers = (
        {str(name).lower(): value for name, value in serial.items()}
        if isinstance(serial, Mapping)
        else {"doi": serial}
    )
    whole = str(lender.get("type") or "").lower()
    found = {
        "type": "paper-conference" if whole in _COLLECTIONS else _TYPES.get(kind, "document"),
        "title": _value(item.get("title")),
        "author": _people(item.get("author")),
        "editor": _people(item.get("editor") or lender.get("editor")),
        "issued": {"raw": _value(item.get("date") or lender.get("date"))},
        "container-title": _value(lender.get("title")),
        "publisher": _named(item.get("publisher") or lender.get("publisher")),
        "volume": _value(item.get("volume") or lender.get("volume")),
        "issue": _value(item.get("issue") or lender.get("issue")),
        "page": _value(item.get("page-range")),
        "DOI": _value(item.get("doi") or numbers.get("doi")),
        "URL": _value(item.get("url")) or _arxiv(numbers.get("arxiv")),
        "abstract": _value(item.get("abstract")),
        "language": _value(item.get("language")),
        "note": _value(item.get("note")),
    }
    return {name: value for name, value in found.items() if value and value != {"raw": ""}}


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


def _named(value: object) -> str:
    value = _first(value)
    return _value(value.get("name")) if isinstance(value, Mapping) else _value(value)


def _arxiv(number: object) -> str:
    return (
        f"https://arxiv.org/abs/{number.removeprefix('arXiv:')}" if isinstance(number, str) else ""
    )


def _people(value: object) -> list[dict[str, str] | str]:
    return [_person(one) for one in (value if isinstance(value, list) else [value]) if one]


def _person(value: object) -> dict[str, str] | str:
    """Read a name: a mapping, or "Family, Given", "Family, Suffix, Given", or a whole name."""
    if isinstance(value, Mapping):
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
    found = {"family": family, "given": rest[-1]}
    return found | ({"suffix": rest[0]} if len(rest) > 1 else {})
