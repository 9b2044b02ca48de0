"""What `cite-lsp index` is given: files and folders of papers, told apart by what is in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path

from attrs import evolve

from cite_lsp.corpus.citations import Cites
from cite_lsp.corpus.edges import read_edges
from cite_lsp.corpus.json_schemas import citations_of_record, is_link, paper_of_record
from cite_lsp.corpus.pdf_papers import SIGNATURE, read_pdf
from cite_lsp.corpus.records import (
    BROKEN_ARCHIVE,
    BYTES_KEPT,
    BrokenOff,
    BrokenOffError,
    RecordError,
    Report,
    decoded,
    open_text,
    read_records,
)
from cite_lsp.corpus.ris import read_ris
from cite_lsp.corpus.xml_papers import read_xml
from cite_lsp.library import Bibliography, read_bibliography
from cite_lsp.paper import Paper, without_retraction

Work = Paper | Cites
"""What a source holds: papers, and who cites whom."""
PATTERNS = ("*.bib", "*.pdf", "*.jsonl", "*.jsonl.gz", "*.jsonl.zst", "*.ris")
"""Files that are read of a folder; a file that is named is read whatever its name."""
_PERHAPS = ("*.tsv", "*.xml", "*.xml.gz", "*.json", "*.json.gz", "*.gz", "*.zst")
"""Files that are read of a folder if they begin as one of the formats does."""
_SNIFFED = 65536
_HEADER = 1024
"""Characters in which a PDF says that it is one (ISO 32000-1, annex H.3.4.1)."""
_LOOKED_AT = 20
_SQLITE = b"SQLite format 3\0"
_XML = re.compile(r"<(?:collection|dblp|PubmedArticleSet|PubmedArticle)\b")
_RIS = re.compile(r"TY {0,2}- ", re.MULTILINE)
_EDGES = re.compile(r"[^\s{}<>@%]+\t[^\s{}<>]+(?:\t\S*)?\r?\n")
_ITEMS = re.compile(
    r'\s*(?:\[|\{\s*"(?:items|references|entries|message)"\s*:|\{\s*"status"\s*:\s*"ok"\s*,)'
)


def find_files(sources: Sequence[Path]) -> list[Path]:
    """Return the files of the sources, folders searched through, each file once.

    Raises:
        RecordError: a source does not exist, or a folder holds nothing to read.
    """
    files: dict[Path, None] = {}
    for source in sources:
        if source.is_dir():
            found = {path for pattern in PATTERNS for path in source.rglob(pattern)}
            for path in (path for pattern in _PERHAPS for path in source.rglob(pattern)):
                if path not in found and path.is_file() and _known(path):
                    found.add(path)
            if not any(path.is_file() for path in found):
                expected = ", ".join((*PATTERNS, *_PERHAPS))
                raise RecordError(f"{source}: holds no papers; expected {expected}")
            files.update(dict.fromkeys(sorted(path for path in found if path.is_file())))
        elif source.exists():
            files[source] = None
        else:
            raise RecordError(f"{source}: no such file or folder; check the path")
    return list(files)


def read_source(path: Path, report: Report) -> Iterator[Paper]:
    """Yield the papers of one file, as `read_works` does, and nothing of whom they cite."""
    return (one for one in read_works(path, report) if isinstance(one, Paper))


def read_works(path: Path, report: Report) -> Iterator[Work]:
    """Yield the papers of one file, and whom they cite where it says so.

    Its content tells the format, plain or compressed. What is wrong with a record, or with the
    whole content, is told to `report`.

    Raises:
        RecordError: the file cannot be opened.
    """
    for one in _reader(path)(path, report):
        yield _marked(one) if isinstance(one, Paper) else one


def read_whole_works(path: Path, report: Report) -> Iterator[Work]:
    """Yield what `read_works` does, and say at the end if that is not all the file holds.

    Raises:
        RecordError: the file cannot be opened.
        BrokenOffError: it could not be read to its end.
    """
    broken: list[str] = []

    def told(message: str) -> None:
        if isinstance(message, BrokenOff):
            broken.append(message)
        report(message)

    yield from read_works(path, told)
    if broken:
        raise BrokenOffError(broken[0])


def _marked(paper: Paper) -> Paper:
    """Return a paper with its title freed from the word that says it was retracted."""
    title = without_retraction(paper.title)
    return paper if title == paper.title else evolve(paper, title=title, retracted=True)


def read_graph(path: Path, report: Report) -> Iterator[Work]:
    """Yield the citations of a file of `citing<TAB>cited` lines.

    Raises:
        RecordError: the file cannot be opened.
    """
    edges = read_edges(path, report)
    for citing, together in groupby(edges, key=lambda edge: edge.citing):
        yield Cites(f"id {citing}", tuple(f"id {edge.cited}" for edge in together))


def read_json_lines(path: Path, report: Report) -> Iterator[Work]:
    """Yield the papers of a file of JSON Lines, whatever schema each record has, and its links.

    Raises:
        RecordError: the file cannot be opened.
    """
    for number, record in read_records(path, report):
        paper = None if is_link(record) else paper_of_record(record)
        if paper is not None:
            yield paper
        if (cites := citations_of_record(record, paper)) is not None:
            yield cites
        elif paper is None and not is_link(record):
            report(f"{path}:{number}: a paper needs `id` and `title`; the record is skipped")


def read_items(path: Path, report: Report) -> Iterator[Work]:
    """Yield the papers of one JSON document: a list of items, CSL or of Crossref, or of records.

    Raises:
        RecordError: the file cannot be opened.
    """
    with open_text(path, BYTES_KEPT) as text:
        try:
            whole, fault = decoded(text.read(), 1)
        except BROKEN_ARCHIVE as error:
            report(BrokenOff(f"{path}:1: the archive is broken here ({error}); fetch it again"))
            return
    if fault:
        report(f"{path}:1: {fault}")
    try:
        document = json.loads(whole)
    except (ValueError, RecursionError):
        document = None  # read item by item, a broken one costs no other
    if isinstance(document, dict):
        document = document.get("message", document)
    if isinstance(document, dict) and "DOI" in document:
        document = [document]
    if isinstance(document, dict):
        document = document.get("items", document.get("references", document.get("entries")))
    records = [one for one in document or () if isinstance(one, dict)]
    if not any("DOI" in one and isinstance(one.get("title"), list) for one in records) and not all(
        {"id", "authors"} <= one.keys() for one in records
    ):
        records = []
    for number, record in enumerate(records, 1):
        paper = paper_of_record(record)
        if paper is not None:
            yield paper
            if (cites := citations_of_record(record, paper)) is not None:
                yield cites
        else:
            report(f"{path}: item {number} has no id or no title; it is skipped")
    if not records:
        yield from _entries(path, whole, report)


def _entries(path: Path, text: str, report: Report) -> Iterator[Paper]:
    from cite_lsp.library.csl_json import parse_csl_json

    yield from _papers(parse_csl_json(text, path), path, report)


def read_entries(path: Path, report: Report) -> Iterator[Paper]:
    """Yield the papers of a bibliography: BibTeX, CSL, Hayagriva, Zotero's database."""
    yield from _papers(read_bibliography(path), path, report)


def _papers(bibliography: Bibliography, path: Path, report: Report) -> Iterator[Paper]:
    nothing = not bibliography.entries and path.stat().st_size > 0
    for problem in bibliography.problems:
        message = f"{problem.path}:{problem.line}: {problem.message}"
        report(BrokenOff(message) if nothing else message)
    if not bibliography.entries and not bibliography.problems:
        report(f"{path}:1: holds no papers; expected BibTeX or JSON Lines with `id` and `title`")
    for entry in bibliography.entries:
        if entry.paper.title:
            yield entry.paper
        else:
            report(f"{path}:{entry.line}: entry {entry.key!r} has no title; the entry is skipped")


def _known(path: Path) -> bool:
    """Whether a file begins as one of the formats does that a folder may hold among others."""
    reader = _reader(path)
    if reader is read_json_lines:
        first = islice(read_records(path, lambda message: None), _LOOKED_AT)
        return any(
            citations_of_record(record) if is_link(record) else paper_of_record(record)
            for _, record in first
        )
    return reader in (read_xml, read_ris, read_items, read_graph)


def _reader(path: Path) -> Callable[[Path, Report], Iterator[Work]]:
    """Return what reads a file: by how it begins, JSON Lines by their name too.

    Raises:
        RecordError: the file cannot be opened.
    """
    if ".jsonl" in path.suffixes:
        return read_json_lines
    with open_text(path) as lines:
        try:
            start = lines.read(_SNIFFED)
        except BROKEN_ARCHIVE:
            return read_json_lines  # only records come in archives; it says where the file breaks
    if SIGNATURE in start[:_HEADER]:
        return read_pdf
    if _EDGES.match(start):
        return read_graph
    if start.startswith(_SQLITE.decode()):
        return read_entries
    if start.lstrip().startswith("<") and _XML.search(start):
        return read_xml
    if _RIS.match(start.lstrip()):
        return read_ris
    if path.suffix.lower() in (".bib", ".yaml", ".yml"):
        return read_entries
    if _ITEMS.match(start):
        return read_items
    return read_json_lines if start.lstrip().startswith("{") else read_entries
