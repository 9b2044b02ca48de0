"""Papers from JSON Lines: one object a line with `id` and `title`, the rest if it is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cite_lsp.corpus.formats.json_lines import Report, read_rows
from cite_lsp.corpus.formats.json_values import as_text, one_line
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.metadata import language_code
from cite_lsp.library.text.people import names_of
from cite_lsp.paper import Paper, doi_fields

_YEAR = lazy_re(r"\d{4}")
_LAST_YEAR = 9999
_BETWEEN_NAMES = lazy_re(r" and |;")
_BEFORE_NUMBER = lazy_re(r"\A(?:\S*arxiv\.org/(?:abs|pdf)/|arxiv:\s*)", re.IGNORECASE)


def paper_from_record(record: dict[str, Any]) -> Paper | None:
    """Read one object; None when it has no id or no title.

    Authors may be a list of names, a list of objects with `name`, or one string joined by " and "
    or semicolons. A language may be a name, an arXiv number stand behind "arXiv:".
    """
    number, title = record.get("id"), one_line(record.get("title"))
    identifier = "" if isinstance(number, list) else as_text(number)
    if not identifier or not title:
        return None
    authors, more = names_of(_authors(record.get("authors")))
    language = one_line(record.get("language"))
    return Paper(
        id=identifier,
        title=title,
        abstract=one_line(record.get("abstract")),
        authors=authors,
        year=year_of(record.get("year")),
        venue=one_line(record.get("venue")),
        **doi_fields(one_line(record.get("doi") or record.get("DOI"))),
        url=one_line(record.get("url")),
        language=language_code(language) or language,
        kind=one_line(record.get("kind")),
        arxiv=_BEFORE_NUMBER.sub("", one_line(record.get("arxiv"))),
        retracted=record.get("retracted") is True,
        more_authors=more,
    )


def read_papers(path: Path, report: Report | None = None) -> Iterator[Paper]:
    """Yield the papers of a JSON Lines file (plain, .gz or .zst), in file order.

    A record without id or title is passed to `report` and skipped.

    Raises:
        RecordError: the file cannot be read; without `report`, also the first bad record.
    """
    needed = "a paper needs `id` and `title`; the record is skipped"
    return read_rows(path, report, paper_from_record, needed)


def _authors(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = _BETWEEN_NAMES.split(value)
    if not isinstance(value, list):
        return ()
    names = (one_line(item.get("name") if isinstance(item, dict) else item) for item in value)
    return tuple(name for name in names if name)


def year_of(value: object) -> int | None:
    """Return the year that a field of a record gives, as a number or as a text that begins so."""
    year: object = value
    if isinstance(value, float) and value.is_integer():
        year = int(value)
    elif isinstance(value, str) and (match := _YEAR.match(value.strip())):
        year = int(match.group())
    if isinstance(year, int) and not isinstance(year, bool) and 0 < year <= _LAST_YEAR:
        return year
    return None
