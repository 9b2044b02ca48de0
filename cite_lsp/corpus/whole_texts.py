"""Papers of files that are read as a whole: bibliographies, and documents of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cite_lsp.corpus.citations import Cites
from cite_lsp.corpus.json_schemas import citations_of_record, is_of_dump, paper_of_record
from cite_lsp.corpus.records import (
    BROKEN_ARCHIVE,
    BYTES_KEPT,
    BrokenOff,
    Report,
    decoded,
    open_text,
)
from cite_lsp.corpus.unreadable import nothing_found
from cite_lsp.library import Bibliography
from cite_lsp.paper import Paper

_LISTS = ("items", "references", "entries", "results", "data")
"""Names that a list of records has in the object around it."""
_ANSWER = re.compile(r'\{\s*"(?:meta|total|offset|token|next|data|results|status|message)"\s*:')
"""How documents begin that hold records of a dump, and no items of CSL."""
_PACKED = (".gz", ".zst")


def read_json_document(path: Path, report: Report) -> Iterator[Paper | Cites]:
    """Yield the papers of one JSON document.

    That is a list of items (of CSL, Zotero, Crossref, our own), an object that holds one, as the
    interfaces of OpenAlex, Crossref and Semantic Scholar answer, or a record by itself.

    Raises:
        RecordError: the file cannot be opened.
    """
    text, fault = _read(path, report)
    if text is None:
        return
    if fault:
        report(f"{path}:1: {fault}")
    records: list[Mapping[str, Any]] = []
    try:
        records = _records_of(json.loads(text))
    except (ValueError, RecursionError) as error:  # items of CSL are read one by one, see below
        at = getattr(error, "pos", 0)
        line = text.count("\n", 0, at) + 1
        if _ends_open(text, at):
            report(
                BrokenOff(f"{path}:{line}: the list ends in the middle; fetch or export it again")
            )
        elif _ANSWER.match(text):
            reason = getattr(error, "msg", "nested too deeply")
            report(BrokenOff(f"{path}:{line}: not valid JSON ({reason}); fetch it again"))
    if is_of_dump(records):
        yield from _of_records(records, path, report)
    elif records or not _ANSWER.match(text):
        from cite_lsp.library.csl_json import parse_csl_json

        yield from _of_bibliography(parse_csl_json(text, path), text, report)


def read_bibliography_text(path: Path, report: Report) -> Iterator[Paper]:
    """Yield the papers of a bibliography in BibTeX, CSL-YAML or Hayagriva, plain or compressed.

    Raises:
        RecordError: the file cannot be opened.
    """
    text, fault = _read(path, report)
    if text is None:
        return
    if plain_suffix(path) in (".yaml", ".yml"):
        from cite_lsp.library.yaml_text import parse_yaml

        yield from _of_bibliography(parse_yaml(text, path), text, report, fault)
        return
    from cite_lsp.library.bibtex import read_text

    read = read_text(text, path)
    if read.macros and not read.bibliography.entries:
        return  # abbreviations for other files
    yield from _of_bibliography(read.bibliography, text, report, fault)


def plain_suffix(path: Path) -> str:
    """Return what the name of a file ends in, in lower case, that of its compression left out."""
    plain = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    return plain.suffix.lower()


def read_database(path: Path, report: Report) -> Iterator[Paper]:
    """Yield the papers of Zotero's database."""
    from cite_lsp.library.zotero import read_zotero

    yield from _of_bibliography(read_zotero(path), "", report)


def _read(path: Path, report: Report) -> tuple[str | None, str]:
    """Return a text and what is wrong with its encoding; None of a broken archive, which is told.

    Raises:
        RecordError: the file cannot be opened.
    """
    with open_text(path, BYTES_KEPT) as file:
        try:
            return decoded(file.read(), 1)
        except BROKEN_ARCHIVE as error:
            report(BrokenOff(f"{path}:1: the archive is broken here ({error}); fetch it again"))
            return None, ""


def _records_of(document: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list, of one with a list in it, or one that is a record itself."""
    if isinstance(document, Mapping):
        document = document.get("message", document)
    if isinstance(document, Mapping):
        alone = "title" in document or "DOI" in document
        lists = (one for name in _LISTS if isinstance(one := document.get(name), list))
        document = [document] if alone else next(lists, [])
    records = document if isinstance(document, list) else []
    return [one for one in records if isinstance(one, Mapping)]


def _of_records(
    records: list[Mapping[str, Any]], path: Path, report: Report
) -> Iterator[Paper | Cites]:
    for number, record in enumerate(records, 1):
        paper = paper_of_record(record)
        if paper is None:
            report(f"{path}: item {number} has no id or no title; it is skipped")
            continue
        yield paper
        if (cites := citations_of_record(record, paper)) is not None:
            yield cites


def _of_bibliography(
    bibliography: Bibliography, text: str, report: Report, fault: str = ""
) -> Iterator[Paper]:
    """Yield the papers of a bibliography, and tell what is wrong with it.

    `fault` is what is wrong with its encoding.
    """
    path = bibliography.path
    if not bibliography.entries and not bibliography.problems:
        message = f"{path}:1: {nothing_found(text)}"
        report(BrokenOff(message) if text.strip() else message)
        return
    if fault:
        report(f"{path}:1: {fault}")
    for problem in bibliography.problems:
        message = f"{problem.path}:{problem.line}: {problem.message}"
        report(message if bibliography.entries else BrokenOff(message))
    for entry in bibliography.entries:
        if entry.paper.title:
            yield entry.paper
        else:
            report(f"{path}:{entry.line}: entry {entry.key!r} has no title; the entry is skipped")


def _ends_open(text: str, fault: int) -> bool:
    """Whether a JSON document, in which a fault was found at a place, ends before it is closed."""
    text = text.strip()
    closer = {"[": "]", "{": "}"}.get(text[:1], "")
    return bool(closer) and (not text.endswith(closer) or fault >= len(text))
