"""What `cite-lsp index` is given: files and folders of papers, told apart by what is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from cite_lsp.corpus.papers import read_papers
from cite_lsp.corpus.records import RecordError, open_text
from cite_lsp.library import read_bibliography
from cite_lsp.paper import Paper, normalise_doi, normalise_title

PATTERNS = ("*.bib", "*.jsonl", "*.jsonl.gz", "*.jsonl.zst")
"""Files that are read of a folder; a file that is named is read whatever its name."""

Report = Callable[[str], None]


def find_files(sources: Sequence[Path]) -> list[Path]:
    """Return the files of the sources, folders searched through, each file once.

    Raises:
        RecordError: a source does not exist, or a folder holds nothing to read.
    """
    files: dict[Path, None] = {}
    for source in sources:
        if source.is_dir():
            found = sorted(path for pattern in PATTERNS for path in source.rglob(pattern))
            if not found:
                raise RecordError(f"{source}: holds no papers; expected {', '.join(PATTERNS)}")
            files.update(dict.fromkeys(found))
        elif source.exists():
            files[source] = None
        else:
            raise RecordError(f"{source}: no such file or folder; check the path")
    return list(files)


def read_source(path: Path, report: Report) -> Iterator[Paper]:
    """Yield the papers of one file: a bibliography, or JSON Lines of papers, plain or compressed.

    Raises:
        RecordError: the file cannot be read.
    """
    with open_text(path) as lines:
        start = lines.read(65536).lstrip()
    if start.startswith("{"):
        yield from read_papers(path, report)
        return
    bibliography = read_bibliography(path)
    for problem in bibliography.problems:
        report(f"{problem.path}:{problem.line}: {problem.message}")
    if not bibliography.entries and start:
        report(f"{path}: holds no papers; expected BibTeX or JSON Lines with `id` and `title`")
    for entry in bibliography.entries:
        if entry.paper.title:
            yield entry.paper


def merge_papers(papers: Iterator[Paper]) -> Iterator[Paper]:
    """Yield papers, each once: the same id, DOI, or title and year is the same paper; the first stays."""
    seen: set[object] = set()
    for paper in papers:
        marks: list[object] = [("id", paper.id)]
        if paper.doi:
            marks.append(("doi", normalise_doi(paper.doi)))
        marks.append((normalise_title(paper.title), paper.year))
        if not any(mark in seen for mark in marks):
            yield paper
        seen.update(marks)
