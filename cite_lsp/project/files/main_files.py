r"""Find the main files of a draft, from one of its files: up along `\input`."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.load.read import Reader
from cite_lsp.manuscript import Manuscript, format_of
from cite_lsp.manuscript.text.comments import matches_in_code
from cite_lsp.project.files.book import Book, book_of
from cite_lsp.project.files.inclusion import DraftFiles, IncludedFiles
from cite_lsp.project.files.inclusion_paths import MARKDOWN
from cite_lsp.project.folders import (
    absolute,
    files_below,
    files_in,
    folders_above,
    folders_reached,
)
from cite_lsp.storage.caches import LastUsed
from cite_lsp.storage.stamps import Stamp, stamp

_MAIN_FILE_CANDIDATES = 200
_CHARACTERS_OF_CANDIDATES = 20_000_000
_MARKDOWN_SUFFIXES = tuple(suffix.lower() for suffix in MARKDOWN)
_INCLUDES = lazy_re(r"\{\{<|\bchild\b|\{include\}|\.include\b|knit_child|^!include", re.MULTILINE)
_LATEX = ".tex"
_OWN_SUFFIX = frozenset((".typ", ".org"))
"""Endings of files that only a file of the same ending includes."""
_PART = lazy_re(r"\\documentclass\s*(?:\[[^\[\]]*\]\s*)?\{(?:standalone|subfiles)\}")
"""A class of files that can be set alone, and that larger drafts include as well."""
_MAIN = lazy_re(r"\\(?:document(?:class|style)\b|begin\s*\{document\})")


_State = Stamp | str
"""The state of a file, to detect changes: its text where it is open in an editor."""


@frozen
class _SearchResult:
    """The main files of a file among `candidates`, and what the files were that were read for them.

    Those of the drafts found are read at each key in any case: of them the hashes of their texts
    are kept, `hashes`, of the others their `states`.
    """

    candidates: list[Path]
    main_files: tuple[Path, ...]
    hashes: Mapping[Path, int]
    states: Mapping[Path, _State]


@frozen
class TracedDraft:
    """A main file, with all files of its draft in reading order, and the book that it begins."""

    root: Path
    files: IncludedFiles
    book: Book | None = None


class MainFiles:
    """Finds the drafts that a file is a part of, again only after a change that may matter."""

    def __init__(self, files: DraftFiles, buffer: Reader | None) -> None:
        """Take what parses files; `buffer` returns the text of one that is open in an editor."""
        self._files = files
        self._buffer = buffer
        self._results: LastUsed[Path, _SearchResult] = LastUsed(None)

    def forget_unless(self, is_in_use: Callable[[Path], bool]) -> None:
        """Drop what is known of the main files of other files."""
        self._results.forget_unless(is_in_use)

    def trace(
        self, path: Path, manuscript: Manuscript, read: Reader, workspace: Path | None
    ) -> Sequence[TracedDraft]:
        """Return the drafts that a file is a part of."""
        named = _declared_root(path, manuscript, read)
        if named is not None:
            return [TracedDraft(named, self._files.follow(named, read, path))]
        if manuscript.format == "markdown":
            return self._trace_markdown(path, read, workspace)
        if not _is_main(manuscript):
            roots = self._main_files_of(path, read, workspace)
            drafts = [TracedDraft(root, self._files.follow(root, read, path)) for root in roots]
            if manuscript.declarations or manuscript.items:  # a draft of its own, unless included
                drafts = [draft for draft in drafts if path in draft.files.places]
            if drafts:
                return drafts
        return [TracedDraft(path, self._files.follow(path, read, path))]

    def _trace_markdown(
        self, path: Path, read: Reader, workspace: Path | None
    ) -> Sequence[TracedDraft]:
        """Return the drafts of the main files that include a Markdown file; of a book the first."""
        drafts: dict[Path, Book | None] = {}
        for root in self._main_files_of(path, read, workspace) or (path,):
            book = None
            if root.suffix.lower() != _LATEX:
                book = book_of(root, folders_reached(root.parent, workspace), read)
            chapters = book.chapters if book is not None else ()
            drafts.setdefault(chapters[0] if chapters else root, book)
        return [
            TracedDraft(root, self._files.follow(root, read, path, book), book)
            for root, book in drafts.items()
        ]

    def _main_files_of(self, path: Path, read: Reader, workspace: Path | None) -> tuple[Path, ...]:
        """Return the main files of a file.

        They are looked for again only when a file that was read for them has changed, on disk or in
        an editor, or another one could include this one.
        """
        candidates = _main_file_candidates(path, workspace)
        result = self._results.get(path)
        if (
            result is None
            or result.candidates != candidates
            or any(hash(read(file)) != before for file, before in result.hashes.items())
            or any(self._state(file) != state for file, state in result.states.items())
        ):
            states: dict[Path, _State] = {}

            def noting(file: Path) -> str | None:
                if file != path:  # what a file says itself does not tell who includes it
                    states[file] = self._state(file)
                return read(file)

            main_files = _find_main_files(path, candidates, self._files, noting, workspace)
            drafts = (self._files.follow(root, read, path).files for root in main_files)
            relevant = {file for draft in drafts for file in draft if file in states}
            hashes = {file: hash(read(file)) for file in relevant}
            states = {file: state for file, state in states.items() if file not in relevant}
            result = self._results.keep(path, _SearchResult(candidates, main_files, hashes, states))
        return result.main_files

    def _state(self, path: Path) -> _State:
        text = self._buffer(path) if self._buffer is not None else None
        return stamp(path) if text is None else text


def _is_main(manuscript: Manuscript) -> bool:
    r"""Say whether a file stands alone: it has a document class or body, or names a bibliography.

    The class may well stand in a file that the main file includes; standalone and subfiles are
    classes of parts. Every Markdown file stands alone.
    """
    if manuscript.format == "latex":
        text = manuscript.text
        return matches_in_code(text, _MAIN) and not matches_in_code(text, _PART)
    return manuscript.format == "markdown" or bool(manuscript.declarations)


def _declared_root(path: Path, manuscript: Manuscript, read: Reader) -> Path | None:
    r"""Return the main file that a magic comment or the subfiles class names, if it exists."""
    declared_name = manuscript.layout.root.strip("\"' ")
    if not declared_name or "\0" in declared_name:
        return None
    for name in (declared_name, declared_name + ".tex"):
        candidate = absolute(path.parent / os.path.expanduser(name))
        if candidate != path and format_of(candidate) and read(candidate) is not None:
            return candidate
    return None


def _main_file_candidates(path: Path, workspace: Path | None) -> list[Path]:
    """Return the files of the project that could include a file, the nearest first.

    Those in the folders beside its own come last: `../shared/methods.tex` may be included there.
    Not so for a note in Markdown, of which there may be thousands in hundreds of folders.
    """
    suffixes: tuple[str, ...] = (_LATEX,)
    if path.suffix.lower() in _OWN_SUFFIX:
        suffixes = (path.suffix.lower(),)
    elif format_of(path) == "markdown":
        suffixes = (*_MARKDOWN_SUFFIXES, _LATEX)
    candidates: list[Path] = []
    for folder in folders_reached(path.parent, workspace):
        left = _MAIN_FILE_CANDIDATES - len(candidates)
        candidates.extend(files_in(folder, *suffixes, most=left + 1) if left > 0 else ())
    if path.suffix.lower() != ".md" and len(candidates) <= _MAIN_FILE_CANDIDATES:
        candidates = list(dict.fromkeys((*candidates, *_beside(path, suffixes, workspace))))
    return [candidate for candidate in candidates if candidate != path][:_MAIN_FILE_CANDIDATES]


def _beside(path: Path, suffixes: Sequence[str], workspace: Path | None) -> Sequence[Path]:
    """Return the files in the folders beside that of a file, where a project is known to reach."""
    around, border = path.parent.parent, folders_above(path.parent, workspace)[-1]
    if not around.is_relative_to(border) or not (workspace or os.path.exists(border / ".git")):
        return ()
    return files_below(around, *suffixes, nested=False)


def _find_main_files(
    path: Path,
    candidates: Iterable[Path],
    files: DraftFiles,
    read: Reader,
    workspace: Path | None,
) -> tuple[Path, ...]:
    """Return the candidates that stand alone and include a file, directly or not.

    A part that can be set alone counts only where there is nothing else. A file that nothing
    includes yet is taken for a part of the drafts in the nearest folder of the workspace that name
    a bibliography, unless there are bibliographies nearer to it; not so in Markdown. A Markdown
    file is included where the file of TeX is that a program makes of it, beside it.
    """
    main_files: list[Path] = []
    standalone_parts: list[Path] = []
    unsure: list[Path] = []
    others: list[Path] = []
    alone = format_of(path) == "markdown"
    typeset_path = path.with_suffix(".tex") if alone else path
    borders = () if alone else folders_above(path.parent, workspace)
    reached = folders_reached(path.parent, workspace)
    left = _CHARACTERS_OF_CANDIDATES
    for candidate in candidates:
        text = read(candidate) if left > 0 else None
        left -= len(text or "")
        suffix = candidate.suffix.lower()
        own_suffix = suffix in _OWN_SUFFIX or suffix in _MARKDOWN_SUFFIXES
        if text is None or not may_be_main(suffix, text):
            continue
        if candidate.parent not in reached and path.parent.name not in text:
            continue  # in a folder beside, and it does not name this one
        reading = files.follow(candidate, read)
        is_part = not own_suffix and matches_in_code(text, _PART)
        is_named = not own_suffix or _names_bibliography(reading)
        if path in reading.files or (typeset_path != candidate and typeset_path in reading.files):
            (standalone_parts if is_part else main_files if is_named else unsure).append(candidate)
        elif not is_part and is_named and candidate.parent in borders:
            others.append(candidate)
    if unsure and not main_files:
        main_files = _outermost(unsure, files, read)
    return tuple(main_files or standalone_parts or _drafts_for_new_part(path, others, files, read))


def may_be_main(suffix: str, text: str) -> bool:
    """Whether a file may be the main one of a draft, by what stands in it."""
    if suffix in _MARKDOWN_SUFFIXES:
        return _INCLUDES.search(text) is not None
    return suffix in _OWN_SUFFIX or matches_in_code(text, _MAIN)


def _outermost(paths: list[Path], files: DraftFiles, read: Reader) -> list[Path]:
    included = [set(files.follow(path, read).files) - {path} for path in paths]
    return [path for path in paths if not any(path in others for others in included)]


def _drafts_for_new_part(
    path: Path, drafts: Iterable[Path], files: DraftFiles, read: Reader
) -> Iterator[Path]:
    """Yield the drafts that will probably include a file, though none of them does yet."""
    for folder, beside in groupby(drafts, key=lambda draft: draft.parent):
        between = [
            parent for parent in path.parents if parent != folder and parent.is_relative_to(folder)
        ]
        if any(files_in(parent, ".bib") for parent in between):
            return
        named = [draft for draft in beside if _names_bibliography(files.follow(draft, read))]
        if named:
            yield from named
            return


def _names_bibliography(reading: IncludedFiles) -> bool:
    return any(manuscript.declarations or manuscript.items for manuscript in reading.files.values())
