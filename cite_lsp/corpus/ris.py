"""Papers from RIS, the tagged format that reference managers and publishers export.

Tags: https://en.wikipedia.org/wiki/RIS_(file_format).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cite_lsp.corpus.records import (
    BROKEN_ARCHIVE,
    BYTES_KEPT,
    BrokenOff,
    EncodingReport,
    Report,
    open_text,
)
from cite_lsp.library.fields import language_code, year_in
from cite_lsp.library.names import split_names
from cite_lsp.paper import Paper, detect_language, normalise_doi

_TAG = re.compile(r"([A-Z][A-Z0-9]) {0,2}-(?: (.*)|\s*)$")
_KINDS = {
    "JOUR": "article-journal", "JFULL": "article-journal", "MGZN": "article-magazine",
    "EJOUR": "article-journal", "CONF": "paper-conference", "CPAPER": "paper-conference",
    "BOOK": "book", "EBOOK": "book", "CHAP": "chapter", "ECHAP": "chapter", "THES": "thesis",
    "RPRT": "report", "DATA": "dataset", "COMP": "software", "PAT": "patent", "ELEC": "webpage",
    "UNPB": "manuscript",
}  # fmt: skip
_TITLES = ("TI", "T1", "CT", "BT")
_VENUES = ("JO", "JF", "JA", "T2", "BT", "C3", "PB")
_SUFFIXED = re.compile(
    r"^(?!.*\sand\s)([^,]+),(?!\s*(?:[JS]r|I{2,3}|IV)\b)([^,]+),\s*([A-Za-z][A-Za-z.]*)$"
)
"""One person as "Last, First, Suffix"; neither names that "and" joins, nor BibTeX's order."""

_Fields = dict[str, list[str]]


def read_ris(path: Path, report: Report) -> Iterator[Paper]:
    """Yield the papers of a file, in order; a record without a title is told to `report`.

    So is the first line that is not UTF-8; what is not is read as Windows-1252. A file whose last
    record is not closed by ER is cut off, unless its writer closes none.
    """
    fields: _Fields = {}
    last, begun, number, records, closed = "", 0, 0, 0, False
    encoding, broken = EncodingReport(path, report), False
    with open_text(path, BYTES_KEPT) as lines:
        while True:
            try:
                line = next(lines, None)
            except BROKEN_ARCHIVE as error:
                where = f"{path}:{number + 1}"
                report(BrokenOff(f"{where}: the archive is broken here ({error}); fetch it again"))
                line, broken = None, True
            number += 1
            line = encoding.read(line, number) if line is not None else None
            tag = _TAG.match(line.rstrip()) if line is not None else None
            if line is None or (tag and tag[1] in ("TY", "ER")):
                if fields:
                    records += 1
                    yield from _paper(path, begun, fields, report)
                if line is None and not broken and fields and (closed or records == 1):
                    where = f"{path}:{begun}"
                    report(BrokenOff(f"{where}: the last record has no end (ER); export it again"))
                fields, begun = {}, number
            if line is None:
                return
            closed |= tag is not None and tag[1] == "ER"
            if tag:
                last = tag[1]
                if last != "ER":
                    fields.setdefault(last, []).append((tag[2] or "").strip())
            elif line.strip() and fields and last:
                fields[last][-1] += f" {line.strip()}"


def _paper(path: Path, line: int, fields: _Fields, report: Report) -> Iterator[Paper]:
    title = _first(fields, _TITLES)
    if not title:
        report(f"{path}:{line}: the record has no title (TI); it is skipped")
        return
    doi = normalise_doi(_first(fields, ("DO",)))
    names = [name for tag in ("AU", "A1") for name in fields.get(tag, ())]
    yield Paper(
        id="entry:" + (_first(fields, ("ID",)) or doi or title),
        title=title,
        abstract=_first(fields, ("AB", "N2")),
        authors=tuple(name for one in names for name in split_names(_suffix_second(one))),
        year=year_in(_first(fields, ("PY", "Y1", "DA"))),
        venue=_first(fields, tuple(tag for tag in _VENUES if fields.get(tag, [""])[0] != title)),
        doi=doi,
        url=_first(fields, ("UR", "L2")),
        language=language_code(_first(fields, ("LA",))) or detect_language(title),
        kind=_KINDS.get(_first(fields, ("TY",)), ""),
    )


def _suffix_second(name: str) -> str:
    """Return the "Last, First, Suffix" of RIS as BibTeX has it, "Last, Suffix, First"."""
    return _SUFFIXED.sub(r"\1, \3,\2", name)


def _first(fields: _Fields, tags: tuple[str, ...]) -> str:
    return next((value for tag in tags for value in fields.get(tag, ()) if value), "")
