"""The sources of `cite-lsp index`: files and folders of papers, recognised by their content."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import groupby, islice
from pathlib import Path

from attrs import evolve

from cite_lsp.corpus.citations import PaperCitations, SourceItem
from cite_lsp.corpus.edges import read_edges
from cite_lsp.corpus.formats.compressed import BROKEN_ARCHIVE
from cite_lsp.corpus.formats.json_citations import citations_of_record, is_link
from cite_lsp.corpus.formats.json_lines import (
    BrokenOff,
    BrokenOffError,
    ReadAnyway,
    RecordError,
    Report,
    open_text,
    read_records,
)
from cite_lsp.corpus.formats.json_schemas import paper_of_record
from cite_lsp.corpus.formats.tagged import read_tagged
from cite_lsp.corpus.formats.tagged_formats import format_of
from cite_lsp.corpus.formats.unreadable import has_titles, refusal
from cite_lsp.corpus.formats.whole_files import (
    plain_suffix,
    read_bibliography_text,
    read_database,
    read_json_document,
)
from cite_lsp.corpus.full_text.pdf_papers import SIGNATURE, read_pdf
from cite_lsp.corpus.xml_papers import read_xml
from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.parse import format_of as draft_format
from cite_lsp.paper import (
    LONGEST_FIELD,
    Paper,
    within_limits,
    without_label,
    without_retraction,
)

PATTERNS = (
    "*.bib", "*.pdf", "*.jsonl", "*.jsonl.gz", "*.jsonl.zst", "*.ris", "*.nbib", "*.enw", "*.ciw"
)  # fmt: skip
"""Files that are read of a folder; a file that is named is read whatever its name."""
_PERHAPS = ("*.tsv", "*.txt", "*.xml", "*.xml.gz", "*.nxml", "*.json", "*.json.gz", "*.gz", "*.zst")
"""Files that are read of a folder if they begin as one of the formats does."""
_SNIFFED = 65536
_HEADER = 1024
"""Characters in which a PDF identifies itself (ISO 32000-1, annex H.3.4.1)."""
_LOOKED_AT = 20
_NO_TITLE = lazy_re(r"\[not available\]\.?", re.IGNORECASE)
_SQLITE = b"SQLite format 3\0"
_XML = lazy_re(
    r"<(?:(?:collection|dblp|dblpperson|PubmedArticleSet|Pubmed(?:Book)?Article)\b|xml>\s*<records>"
    r"|feed\b(?=[\s\S]{0,2000}arxiv\.org/)|pmc-articleset\b|article\b[^>]*\b(?:article-type|dtd-version)="
    r"|TEI\b|teiCorpus\b)|<!DOCTYPE article PUBLIC"
)
_EDGES = lazy_re(r"[^\s{}<>@%]+\t[^\s{}<>]+(?:\t\S*)?\r?\n")
_DOCUMENT = lazy_re(
    r'\s*(?:\[\s*(?:[{\]]|\Z)|\{\s*[\r\n]|\{\s*"(?:items|references|entries|messages?|config|meta|results|data'
    r'|total|offset|token|collection|resultList)"\s*:|\{\s*"status"\s*:\s*"ok"\s*,'
    r'|\{\s*"version"\s*:\s*"[\d.]+"\s*,\s*"hitCount")'
)
"""How JSON begins that is one document, not a record a line."""
_RECORD = lazy_re(r"\s*\{")
"""How JSON Lines begin."""
_OF_PAPERS = lazy_re(r'"title"\s*:|"Better ?BibTeX')
"""What a document of JSON has in its beginning that is of papers, unlike others in a folder."""


def find_files(sources: Sequence[Path]) -> list[Path]:
    """Return the files of the sources, folders searched through, each file once.

    Raises:
        RecordError: a source does not exist or is a pipe, or a folder holds nothing to read.
    """
    files: dict[Path, None] = {}
    for source in sources:
        if source.is_dir():
            files_in_folder = [path for path in files_below(source) if _is_read(path)]
            if not files_in_folder:
                expected = ", ".join((*PATTERNS, *_PERHAPS))
                raise RecordError(f"{source}: holds no papers; expected {expected}")
            files.update(dict.fromkeys(sorted(files_in_folder)))
        elif source.is_file():
            files[source] = None
        elif source.exists():
            problem = "a pipe or a device, of which nothing is left for a second reading"
            raise RecordError(f"{source}: {problem}; save it to a file and name that")
        else:
            raise RecordError(f"{source}: no such file or folder; check the path")
    return list(files)


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, without what is hidden.

    That is the workings of other programs: old versions in `.git`, what macOS puts beside a file.
    """
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(place, name)
            if not name.startswith(".") and path.is_file():
                yield path


def _is_read(path: Path) -> bool:
    """Whether a file of a folder is read: by its name in any case, of some also by its content."""
    name = path.name.lower()
    if any(fnmatchcase(name, pattern) for pattern in PATTERNS):
        return True
    return any(fnmatchcase(name, pattern) for pattern in _PERHAPS) and _has_known_format(path)


def read_source(path: Path, report: Report) -> Iterator[SourceItem]:
    """Yield the papers of one file, and whom they cite where it says so.

    Its content shows the format, plain or compressed. What is wrong with a record, or with the
    whole content, is passed to `report`.

    Raises:
        RecordError: the file cannot be opened.
    """
    reader, _ = _reader(path)
    for item in reader(path, report):
        yield _as_stored(item, path, report) if isinstance(item, Paper) else item


def read_whole_source(path: Path, report: Report) -> Iterator[SourceItem]:
    """Yield what `read_source` does, and fail at the end if that is not all the file holds.

    Raises:
        RecordError: the file cannot be opened.
        BrokenOffError: it could not be read to its end.
    """
    broken: list[str] = []

    def note_and_report(message: str) -> None:
        if isinstance(message, BrokenOff):
            broken.append(message)
        report(message)

    yield from read_source(path, note_and_report)
    if broken:
        raise BrokenOffError(broken[0])


def _as_stored(paper: Paper, path: Path, report: Report) -> Paper:
    """Return what a corpus has of a paper; where a field is too long, that is reported."""
    limited = within_limits(paper)
    if limited is not paper:
        problem = f"{paper.id[:100]}: a field has more than {LONGEST_FIELD:,} characters"
        report(ReadAnyway(f"{path}: {problem}; no more of it is kept"))
    return _without_marks(limited)


def _without_marks(paper: Paper) -> Paper:
    """Return a paper with its title freed from the word that says it was retracted.

    Its abstract is freed from the label before it. A title that PubMed has not is none, whoever
    passes it on.
    """
    title, abstract = without_retraction(paper.title), without_label(paper.abstract)
    if _NO_TITLE.fullmatch(title):
        return evolve(paper, title="", abstract=abstract)
    if (title, abstract) == (paper.title, paper.abstract):
        return paper
    retracted = paper.retracted or title != paper.title
    return evolve(paper, title=title, abstract=abstract, retracted=retracted)


def read_graph(path: Path, report: Report) -> Iterator[SourceItem]:
    """Yield the citations of a file of `citing<TAB>cited` lines.

    Raises:
        RecordError: the file cannot be opened.
    """
    edges = read_edges(path, report)
    for citing, together in groupby(edges, key=lambda edge: edge.citing):
        yield PaperCitations(f"id {citing}", tuple(f"id {edge.cited}" for edge in together))


def read_json_lines(path: Path, report: Report) -> Iterator[SourceItem]:
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


def _refuse_file(path: Path, report: Report) -> Iterator[SourceItem]:
    """Yield nothing: say why a file is not read."""
    with open_text(path) as text:
        fault = refusal(path, text.read(_SNIFFED))
    report(BrokenOff(f"{path}:1: {fault}"))
    yield from ()


def _refuse_draft(path: Path, report: Report) -> Iterator[SourceItem]:
    """Yield nothing: a draft cites papers, and has no records of them."""
    report(f"{path}: is a draft, not a source; give its bibliography, or a file of papers")
    yield from ()


def _has_known_format(path: Path) -> bool:
    """Whether a file begins as one of the formats does that a folder may hold among others."""
    reader, start = _reader(path)
    if format_of(start) is not None:
        return True
    if plain_suffix(path) == ".txt":
        return False  # of these most are notes and lists of words
    if reader is read_json_lines:
        first = islice(read_records(path, lambda message: None), _LOOKED_AT)
        return any(
            citations_of_record(record) if is_link(record) else paper_of_record(record)
            for _, record in first
        )
    if reader is read_json_document:
        return _OF_PAPERS.search(start) is not None
    if reader is read_bibliography_text:
        return plain_suffix(path) == ".bib"
    return reader in (read_xml, read_graph)


def _reader(path: Path) -> tuple[Callable[[Path, Report], Iterator[SourceItem]], str]:
    """Return what reads a file, by how it begins, JSON Lines by their name too; and that beginning.

    Raises:
        RecordError: the file cannot be opened.
    """
    with open_text(path) as lines:
        try:
            start = lines.read(_SNIFFED)
        except BROKEN_ARCHIVE:
            return read_json_lines, ""  # it reports where the file breaks
    return _reader_of(path, start), start


def _reader_of(path: Path, start: str) -> Callable[[Path, Report], Iterator[SourceItem]]:
    if refusal(path, start):
        return _refuse_file
    if ".jsonl" in path.suffixes:
        return read_json_lines
    if SIGNATURE in start[:_HEADER]:
        return read_pdf
    if _EDGES.match(start) and not has_titles(start):
        return read_graph
    if start.startswith(_SQLITE.decode()):
        return read_database
    if start.lstrip().startswith("<") and _XML.search(start):
        return read_xml
    if (form := format_of(start)) is not None:
        return partial(read_tagged, form=form)
    if plain_suffix(path) in (".bib", ".yaml", ".yml"):
        return read_bibliography_text
    if _DOCUMENT.match(start):
        return read_json_document
    if _RECORD.match(start):
        return read_json_lines
    is_draft = draft_format(path) is not None and not start.lstrip().startswith("@")
    return _refuse_draft if is_draft else read_bibliography_text
