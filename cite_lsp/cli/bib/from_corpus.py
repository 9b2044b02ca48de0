"""`bib --from`: the entry of a work that a corpus has, as a bibliography would write it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import evolve

from cite_lsp.cli import CommandError
from cite_lsp.cli.arguments.corpus_names import whole_corpora
from cite_lsp.cli.arguments.project_settings import require_entries
from cite_lsp.library import Bibliography, read_bibliography
from cite_lsp.library.match.dedupe import SameWork
from cite_lsp.library.write.bibtex_style import BibtexHabits, bibtex_habits, bibtex_record
from cite_lsp.library.write.key_style import new_key
from cite_lsp.paper import Paper
from cite_lsp.project.workspace import is_bibliography
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.work_rows import row_with_title
from cite_lsp.storage.encodings import decode_exactly
from cite_lsp.storage.regular_files import read_regular


def entry_from_corpus(work: str, path: Path | None) -> str:
    """Return the BibTeX record of a work, in the style of a .bib file if one is given.

    Args:
        work: Its DOI, arXiv number or title.
        path: The file that the entry is for.

    Raises:
        CommandError: no corpus has the work, or the file has it already, or is no .bib file.
    """
    bibliography, habits = _style_of(path) if path is not None else (None, BibtexHabits())
    paper = fullest_paper(work)
    entries = bibliography.entries if bibliography is not None else ()
    same_work = SameWork(entries).find(paper)
    if same_work is not None:
        raise CommandError(
            f'{path}: has the work already, as "{same_work.key}" in line {same_work.line}'
        )
    return bibtex_record(paper, new_key(paper, entries), habits) + "\n"


def _style_of(path: Path) -> tuple[Bibliography, BibtexHabits]:
    if path.is_file() and not is_bibliography(path):
        raise CommandError(f"{path}: is no .bib file; name the one that the entry is for")
    bibliography = read_bibliography(path)
    if not path.is_file() or path.stat().st_size:  # an empty file waits for its first entry
        require_entries(path, bibliography)
    text = decode_exactly(read_regular(path))
    habits = bibtex_habits(text.text, bibliography.entries)
    return bibliography, evolve(habits, ascii_only=habits.ascii_only or text.encoding != "utf-8")


def fullest_paper(work: str) -> Paper:
    """Return the paper that corpora have under a number or a title; of several the fullest.

    Raises:
        CommandError: none has it.
    """
    papers = [paper for corpus in whole_corpora() for paper in _papers(corpus, work)]
    if not papers:
        raise CommandError(
            f"no corpus has a work “{work}”; `cite-lsp search` finds works by words of the title"
        )
    return max(papers, key=lambda paper: bool(paper.doi) + bool(paper.venue) + bool(paper.year))


def _papers(corpus: CorpusIndex, work: str) -> Iterator[Paper]:
    rows = corpus.numbered(work).tolist()
    if not rows and (row := row_with_title(corpus, work)) >= 0:
        rows = [row]
    yield from map(corpus.paper, rows)
