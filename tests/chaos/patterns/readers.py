"""What reads a text: each reads all of it, and whatever is made of it when it is asked for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

import yaml
from lsprotocol.types import MarkupKind

from cite_lsp.corpus.formats.json_lines import RecordError
from cite_lsp.corpus.full_text.printed_markers import (
    around_first_marker,
    printed_markers,
    raised_markers,
)
from cite_lsp.corpus.full_text.printed_references import (
    PrintedReferences,
    join_lines,
    split_references,
)
from cite_lsp.corpus.sources import read_source
from cite_lsp.library import Bibliography, EntryMatcher
from cite_lsp.library.bibtex.relations import aliases, relation_site, relations
from cite_lsp.library.bibtex.values import without_macros
from cite_lsp.library.formats.bbl import typeset_entries
from cite_lsp.library.formats.bibitem import printed_text, read_bibitem
from cite_lsp.library.load.read import parse_as_named
from cite_lsp.library.match.dedupe import SameWork
from cite_lsp.library.match.identifiers import has_number, typed_number
from cite_lsp.library.text.metadata import paper_of
from cite_lsp.library.write.bibtex_style import bibtex_habits
from cite_lsp.library.write.to_csl import entry_to_csl
from cite_lsp.manuscript import Document, context_at, context_of, parse
from cite_lsp.manuscript.draft.sites import site_at
from cite_lsp.manuscript.latex.commands.packages import loaded_files
from cite_lsp.manuscript.lint.exempt import is_exempt
from cite_lsp.manuscript.text.bounded_yaml import compose, values_of
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.workspace import Surroundings
from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.recommend.corpus.known_works import KnownWorks
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.recommend.query.author_year_mentions import author_year_mentions
from cite_lsp.rules.examine import Examination, examine_bibliography, examine_draft
from cite_lsp.rules.lookups import Lookups
from cite_lsp.rules.rule_names import RULES
from cite_lsp.server.render import cards
from cite_lsp.storage.bounded_toml import load_toml

Read = Callable[[str, Path], None]
"""Reads a text; given also a folder that is there to be written to."""

_FEW = 3
"""Places and entries of a text that are asked about one by one."""


def _all(items: Iterable[object]) -> None:
    deque(items, maxlen=0)


def _ends_and_middle(length: int) -> list[int]:
    return sorted({0, length // 2, length})


def draft(suffix: str, format: str, text: str, folder: Path) -> None:
    """Read a draft, its contexts and what is wrong with it."""
    manuscript = parse(text, format)
    document = Document.of(manuscript)
    for offset in _ends_and_middle(len(text)):
        site_at(manuscript, offset)
        context_at(manuscript, offset, document)
        manuscript.sentence_at(offset)
        manuscript.in_code(offset)
        manuscript.row_at(offset)
    for marker in (*manuscript.markers[:_FEW], *manuscript.markers[-_FEW:]):
        context_of(manuscript, marker, document)
    for sentence in (*manuscript.sentences[:_FEW], *manuscript.sentences[-_FEW:]):
        is_exempt(manuscript, sentence)
        manuscript.neighbours(sentence)
        author_year_mentions(sentence.text)
    if format == "latex":
        loaded_files(text, inputs=True)
        typeset_entries(text, folder)
    path = folder / f"paper{suffix}"
    path.write_text(text, encoding="utf-8", errors="replace")
    files = FilesOnDisk()
    read = DraftReader(files.read, workspaces=[folder]).draft(path)
    _all(examine_draft(read, _examination(files)))


def bibliography(name: str, text: str, folder: Path) -> None:
    """Read a bibliography, and what is wrong with it."""
    path = folder / name
    path.write_text(text, encoding="utf-8", errors="replace")
    read = parse_as_named(text, path)
    _read_entries(read)
    for offset in _ends_and_middle(len(text)):
        relation_site(text, offset)
    if path.suffix == ".bib":
        bibtex_habits(text, read.entries)
        files = FilesOnDisk()
        drafts = DraftReader(files.read, workspaces=[folder])
        around = Surroundings(path, (), (folder,), files.read, drafts)
        _all(examine_bibliography(around, _examination(files)))
    path.unlink()


def _read_entries(read: Bibliography) -> None:
    EntryMatcher(read.entries).match("doe 2020")
    SameWork(read.entries)
    number = typed_number("10.1000/1")
    assert number is not None
    for entry in read.entries:
        _all(aliases(entry))
        _all(relations(entry))
        has_number(entry.record, number)
        entry_to_csl(entry)
        cards.card(entry.paper, MarkupKind.Markdown)
        without_macros(entry.raw, 0, entry.macros)


def source(name: str, text: str, folder: Path) -> None:
    """Read a source of `index`."""
    path = folder / name
    path.write_text(text, encoding="utf-8", errors="replace")
    with suppress(RecordError):
        _all(read_source(path, lambda message: None))


def fields(name: str, text: str, folder: Path) -> None:
    """Read the value of a field, as those who ask for the paper do."""
    paper = paper_of({"title": "On tides", "author": "Ada Moon", name: text}, "key")
    cards.card(paper, MarkupKind.Markdown)
    cards.line(paper)
    del folder


def printed_item(text: str, folder: Path) -> None:
    r"""Read a reference as it is printed behind `\bibitem{key}`."""
    raw = f"\\bibitem{{key}} {text}"
    paper_of(read_bibitem(raw), "key")
    printed_text(raw)
    del folder


def printed_pages(text: str, folder: Path) -> None:
    """Read the text of a paper's pages, its references and where it cites them."""
    _, references = split_references(text)
    _, behind = split_references(f"Text.\nReferences\n{text}")
    listed = PrintedReferences(references or behind)
    for start, end in (*printed_markers(text), *raised_markers(text)):
        listed.cited_by(text[start:end])
    around_first_marker(text)
    author_year_mentions(text)
    join_lines(text)
    del folder


def settings_in_toml(text: str, folder: Path) -> None:
    """Read settings in TOML."""
    del folder
    with suppress(ValueError):
        load_toml(text)


def settings_in_yaml(text: str, folder: Path) -> None:
    """Read the settings of a project in YAML."""
    del folder
    with suppress(yaml.YAMLError):
        values_of(compose(text))


def _examination(files: FilesOnDisk) -> Examination:
    lookups = Lookups(
        lines=files.lines,
        is_open=lambda path: False,
        known_works=KnownWorks(Corpora(())),
        paths=WorkspacePaths(),
        naming_settings=lambda path: "",
    )
    return Examination(RULES, lookups)


READERS: dict[str, Read] = {
    "LaTeX": partial(draft, ".tex", "latex"),
    "Markdown": partial(draft, ".md", "markdown"),
    "Typst": partial(draft, ".typ", "typst"),
    "Org": partial(draft, ".org", "org"),
    "BibTeX": partial(bibliography, "refs.bib"),
    "CSL-JSON": partial(bibliography, "refs.json"),
    "YAML": partial(bibliography, "refs.yaml"),
    "RIS": partial(bibliography, "refs.ris"),
    "tagged source": partial(source, "papers.txt"),
    "JSON lines": partial(source, "papers.jsonl"),
    "XML": partial(source, "papers.xml"),
    "author": partial(fields, "author"),
    "title": partial(fields, "title"),
    "url": partial(fields, "url"),
    "printed item": printed_item,
    "printed pages": printed_pages,
    "TOML": settings_in_toml,
    "YAML settings": settings_in_yaml,
}
"""All readers."""
