"""Papers of files that are read as a whole: bibliographies, and documents of JSON.

One that ends in the middle of a record is cut off: a message to `report` is that it cannot be read
on, for what else there was is not known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from cite_lsp.corpus.citations import PaperCitations
from cite_lsp.corpus.formats.compressed import BROKEN_ARCHIVE
from cite_lsp.corpus.formats.json_citations import citations_of_record
from cite_lsp.corpus.formats.json_documents import LISTS, JsonDocument, NoRecordError, documents_in
from cite_lsp.corpus.formats.json_lines import (
    BYTES_AS_SURROGATES,
    BrokenOff,
    EncodingReport,
    ReadAnyway,
    Report,
    broken_archive,
    decoded,
    open_text,
)
from cite_lsp.corpus.formats.json_schemas import is_of_dump, paper_of_record
from cite_lsp.corpus.formats.unreadable import unreadable_reason
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library import Bibliography
from cite_lsp.library.bibtex.scanner import unclosed_record
from cite_lsp.library.entries import Entry
from cite_lsp.paper import Paper
from cite_lsp.storage.regular_files import LARGEST_TEXT

_ANSWER = lazy_re(
    r'\{\s*"(?:meta|total|offset|token|next|data|results|status|messages?|collection|version)"\s*:'
)
"""How documents begin that hold records of a dump, and no items of CSL."""
_PACKED = (".gz", ".zst")


def read_json_document(path: Path, report: Report) -> Iterator[Paper | PaperCitations]:
    """Yield the papers of one JSON document, of a large one in parts.

    That is a list of items (of CSL, Zotero, Crossref, our own), an object that holds one, as the
    interfaces of OpenAlex, Crossref, Semantic Scholar, Europe PMC and bioRxiv answer, or a record
    by itself.

    Raises:
        RecordError: the file cannot be opened.
    """
    encoding = EncodingReport(path, report)
    with open_text(path, BYTES_AS_SURROGATES) as file:
        try:
            for part in documents_in(file, lambda text: encoding.read(text, 1)):
                yield from _of_document(part, path, report)
        except BROKEN_ARCHIVE as error:
            report(broken_archive(f"{path}:1", error))
        except NoRecordError as error:
            report(BrokenOff(f"{path}:{error.line}: {error}; what follows is left out"))


def _of_document(
    part: JsonDocument, path: Path, report: Report
) -> Iterator[Paper | PaperCitations]:
    text = part.text
    records: list[Mapping[str, Any]] = []
    try:
        records = _records_of(json.loads(text))
        if not records:
            report(f"{path}:1: a document that holds no papers")
            return
    except (ValueError, RecursionError) as error:  # items of CSL are read one by one, see below
        line = text.count("\n", 0, getattr(error, "pos", 0)) + part.line
        if _is_truncated(text, error):
            report(
                BrokenOff(f"{path}:{line}: the list ends in the middle; fetch or export it again")
            )
        elif _ANSWER.match(text):
            # Imported where needed: most sources are in none of these formats.
            from cite_lsp.library.csl.json import fault

            report(BrokenOff(f"{path}:{line}: not valid JSON ({fault(error)}); fetch it again"))
    if is_of_dump(records):
        yield from _of_records(records, path, report, part.items_before)
    elif records or not _ANSWER.match(text):
        from cite_lsp.library.csl.json import parse_csl_json

        read = parse_csl_json(text, path)
        yield from _of_bibliography(read, text, report, lines_before=part.line - 1)


def read_bibliography_text(path: Path, report: Report) -> Iterator[Paper]:
    """Yield the papers of a bibliography in BibTeX, CSL-YAML or Hayagriva, plain or compressed.

    Raises:
        RecordError: the file cannot be opened.
    """
    text, fault = _read(path, report)
    if text is None:
        return
    if plain_suffix(path) in (".yaml", ".yml"):
        from cite_lsp.library.csl.yaml import parse_yaml

        yield from _of_bibliography(parse_yaml(text, path), text, report, fault)
        return
    from cite_lsp.library.bibtex.incremental import read_text

    read = read_text(text, path)
    if read.macros and not read.bibliography.entries:
        return  # abbreviations for other files
    yield from _of_bibliography(read.bibliography, text, report, fault, _unclosed_line(text))


def plain_suffix(path: Path) -> str:
    """Return what the name of a file ends in, in lower case, that of its compression left out."""
    plain = path.with_suffix("") if path.suffix.lower() in _PACKED else path
    return plain.suffix.lower()


def read_database(path: Path, report: Report) -> Iterator[Paper]:
    """Yield the papers of Zotero's database."""
    from cite_lsp.library.formats.zotero import read_zotero

    yield from _of_bibliography(read_zotero(path), "", report)


def _read(path: Path, report: Report) -> tuple[str | None, str]:
    """Return a text and what is wrong with its encoding; None where it cannot be read.

    That is told: the archive is broken, or holds too much.

    Raises:
        RecordError: the file cannot be opened.
    """
    with open_text(path, BYTES_AS_SURROGATES) as file:
        try:
            text = file.read(LARGEST_TEXT + 1)
        except BROKEN_ARCHIVE as error:
            report(broken_archive(f"{path}:1", error))
            return None, ""
    if len(text) > LARGEST_TEXT:
        problem = f"more than {LARGEST_TEXT // 1_000_000} MB, which is not read as a whole"
        report(BrokenOff(f"{path}:1: {problem}; split it, or export it as RIS"))
        return None, ""
    return decoded(text, 1)


def _records_of(document: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list, of one with a list in it, or one that is a record itself."""
    if isinstance(document, Mapping):
        document = document.get("message") or document.get("resultList") or document
    if isinstance(document, Mapping):
        alone = "title" in document or "DOI" in document
        lists = (nested for name in LISTS if isinstance(nested := document.get(name), list))
        document = [document] if alone else next(lists, [])
    records = document if isinstance(document, list) else []
    return [_linked_paper(record) for record in records if isinstance(record, Mapping)]


def _linked_paper(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the paper in a record of whom a paper cites, or who cites it, of Semantic Scholar.

    The answer does not name whose references these are.
    """
    paper = record.get("citedPaper") or record.get("citingPaper")
    return paper if isinstance(paper, Mapping) else record


def _of_records(
    records: list[Mapping[str, Any]], path: Path, report: Report, before: int
) -> Iterator[Paper | PaperCitations]:
    """Yield the papers of records, `before` which others stand in the document."""
    for number, record in enumerate(records, before + 1):
        paper = paper_of_record(record)
        if paper is None:
            report(f"{path}: item {number} has no id or no title; it is skipped")
            continue
        yield paper
        if (cites := citations_of_record(record, paper)) is not None:
            yield cites


def _of_bibliography(
    bibliography: Bibliography,
    text: str,
    report: Report,
    fault: str = "",
    unclosed: int = 0,
    lines_before: int = 0,
) -> Iterator[Paper]:
    """Yield the papers of a bibliography, and report what is wrong with it.

    `fault` is what is wrong with its encoding, `unclosed` the line of the record that it ends in
    the middle of, 0 where there is none; `lines_before` are those of the file before this text.
    """
    path = bibliography.path
    if not bibliography.entries and not bibliography.problems:
        report(BrokenOff(f"{path}:1: {unreadable_reason(text)}"))
        return
    if fault:
        report(ReadAnyway(f"{path}:1: {fault}"))
    for problem in bibliography.problems:
        message = f"{path}:{problem.line + lines_before}: {problem.message}"
        broken = not bibliography.entries or problem.line == unclosed
        report(BrokenOff(message) if broken else message)
    if unclosed and all(problem.line != unclosed for problem in bibliography.problems):
        report(BrokenOff(f"{path}:{unclosed}: the last record is not closed; export it again"))
    for entry in bibliography.entries:
        if entry.paper.title:
            yield _with_own_doi(entry)
        else:
            line = entry.line + lines_before
            report(f"{path}:{line}: entry {entry.key!r} has no title; the entry is skipped")


def _with_own_doi(entry: Entry) -> Paper:
    """Return the paper of an entry without the DOI that it has from the book around it."""
    paper, record = entry.paper, entry.record
    if not (paper.doi and record.parents):
        return paper
    entry_fields = {field.name for field in record.located}
    whole = [record.parents[key] for kind, key in record.links
             if kind == "crossref" and key in record.parents]  # fmt: skip
    inherited = entry_fields.isdisjoint(("doi", "url")) and any(
        item.paper.doi == paper.doi for item in whole
    )
    return evolve(paper, doi="", written_doi="") if inherited else paper


def _unclosed_line(text: str) -> int:
    """Return the line of the last record of a BibTeX file if nothing closes it, else 0."""
    return text.count("\n", 0, start) + 1 if (start := unclosed_record(text)) >= 0 else 0


def _is_truncated(text: str, error: Exception) -> bool:
    """Whether a JSON document, in which an error was found, ends before it is closed."""
    text = text.rstrip()
    closer = {"[": "]", "{": "}"}.get(text.lstrip()[:1])
    if closer is None or not isinstance(error, json.JSONDecodeError):
        return False
    in_string = error.msg.startswith("Unterminated string")
    return not text.endswith(closer) or in_string or error.pos >= len(text)
