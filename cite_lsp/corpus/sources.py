"""What `cite-lsp index` is given: files and folders of papers, told apart by what is in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from cite_lsp.corpus.papers import read_papers
from cite_lsp.corpus.records import BROKEN_ARCHIVE, RecordError, Report, open_text
from cite_lsp.library import read_bibliography
from cite_lsp.paper import Paper

PATTERNS = ("*.bib", "*.jsonl", "*.jsonl.gz", "*.jsonl.zst")
"""Files that are read of a folder; a file that is named is read whatever its name."""
_SNIFFED = 65536


def find_files(sources: Sequence[Path]) -> list[Path]:
    """Return the files of the sources, folders searched through, each file once.

    Raises:
        RecordError: a source does not exist, or a folder holds nothing to read.
    """
    files: dict[Path, None] = {}
    for source in sources:
        if source.is_dir():
            matches = (path for pattern in PATTERNS for path in source.rglob(pattern))
            found = sorted(path for path in matches if path.is_file())
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

    What is wrong with a record, or with the whole content, is told to `report`.

    Raises:
        RecordError: the file cannot be opened.
    """
    if _holds_records(path):
        yield from read_papers(path, report)
        return
    bibliography = read_bibliography(path)
    for problem in bibliography.problems:
        report(f"{problem.path}:{problem.line}: {problem.message}")
    if not bibliography.entries and not bibliography.problems:
        report(f"{path}:1: holds no papers; expected BibTeX or JSON Lines with `id` and `title`")
    for entry in bibliography.entries:
        if entry.paper.title:
            yield entry.paper
        else:
            report(f"{path}:{entry.line}: entry {entry.key!r} has no title; the entry is skipped")


def _holds_records(path: Path) -> bool:
    """Whether a file holds JSON Lines: by its name, or else by how it begins."""
    if ".jsonl" in path.suffixes:
        return True
    with open_text(path) as lines:
        try:
            return lines.read(_SNIFFED).lstrip().startswith("{")
        except BROKEN_ARCHIVE:
            return True  # only records come in archives; the reader says where it breaks
