"""Papers from JSON Lines: one object a line with `id` and `title`, the rest as far as it is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cite_lsp.corpus.records import RecordError, read_records
from cite_lsp.paper import Paper, normalise_doi

_YEAR = re.compile(r"\d{4}")


def paper_from_record(record: dict[str, Any]) -> Paper | None:
    """Read one object; None when it has no id or no title.

    Authors may be a list of names, a list of objects with `name`, or one string joined by " and ".
    """
    identifier, title = record.get("id"), _text(record.get("title"))
    if identifier in (None, "") or not title:
        return None
    return Paper(
        id=str(identifier),
        title=title,
        abstract=_text(record.get("abstract")),
        authors=_authors(record.get("authors")),
        year=_year(record.get("year")),
        venue=_text(record.get("venue")),
        doi=normalise_doi(_text(record.get("doi"))),
        url=_text(record.get("url")),
        language=_text(record.get("language")),
    )


def read_papers(path: Path, report: Callable[[str], None] | None = None) -> Iterator[Paper]:
    """Yield the papers of a JSON Lines file (plain, .gz or .zst), in file order.

    A record without id or title is told to `report` and skipped.

    Raises:
        RecordError: the file cannot be read; without `report`, also the first bad record.
    """
    for number, record in read_records(path, report):
        paper = paper_from_record(record)
        if paper is not None:
            yield paper
            continue
        message = f"{path}:{number}: a paper needs `id` and `title`; the record is skipped"
        if report is None:
            raise RecordError(message)
        report(message)


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _authors(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = value.split(" and ")
    if not isinstance(value, list):
        return ()
    names = (item.get("name") if isinstance(item, dict) else item for item in value)
    return tuple(name.strip() for name in names if isinstance(name, str) and name.strip())


def _year(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value or None
    if isinstance(value, float):
        return int(value) if value == value and value else None
    if isinstance(value, str) and (found := _YEAR.match(value)):
        return int(found.group())
    return None
