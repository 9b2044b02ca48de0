"""Values in JSON records of any source, whatever is in their place: texts, lists, years."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

JsonRecord = Mapping[str, Any]


def one_line(value: object) -> str:
    """Return a string on one line, "" of what is none.

    JSON can spell half a character, which no file can hold.
    """
    if not isinstance(value, str):
        return ""
    return " ".join(value.split()).encode("utf-8", "replace").decode()


def as_text(value: object) -> str:
    """Return a string, a number, or the first of a list, on one line."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return one_line(value)


def strings_in(record: JsonRecord, name: str) -> list[str]:
    """Return the texts of a list in a record; what else is in it is passed over."""
    return [text for text in as_list(record.get(name)) if isinstance(text, str) and text.strip()]


def ids_in(record: JsonRecord, name: str) -> list[str]:
    """Return a list of ids as papers have theirs; some are numbers."""
    return [text for value in as_list(record.get(name)) if (text := as_text(value))]


def as_list(value: object) -> list[Any]:
    """Return a list, empty where the value is none."""
    return value if isinstance(value, list) else []


def as_mapping(value: object) -> JsonRecord:
    """Return an object, empty where the value is none."""
    return value if isinstance(value, Mapping) else {}


def as_year(value: object) -> int | None:
    """Return the first year from 1400 to 2099 in a value, None where there is none."""
    match = re.search(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)", str(value or ""))
    return int(match.group()) if match else None
