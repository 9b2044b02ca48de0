"""Drafts on the writer's disk: the opened file, its project, and the library it cites from."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from attrs import evolve, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library import Bibliography, Library, LibraryCache, Problem
from cite_lsp.library.entries import Entry
from cite_lsp.library.formats.zotero_part import WHOLE, ZoteroPart
from cite_lsp.manuscript import (
    CitationSite,
    Context,
    Document,
    Manuscript,
    Marker,
    context_of,
    format_of,
    parse,
)
from cite_lsp.manuscript.edit.insertion import WRONG_COMMAS
from cite_lsp.manuscript.edit.placement import cites_everything, is_outside_notes, lacks_keys
from cite_lsp.manuscript.empty_keys import EmptyKey, empty_keys
from cite_lsp.manuscript.latex.commands.definitions import keys_in_macros
from cite_lsp.manuscript.markdown.chunks import keys_in_code
from cite_lsp.manuscript.model import MarkerKey, Sentence
from cite_lsp.manuscript.placeholders.placeholder_words import is_placeholder_key
from cite_lsp.project.bibliographies.kpathsea import PATIENCE, awaited
from cite_lsp.project.folders import holding
from cite_lsp.project.project import Project, ProjectCache

_WRONG_COMMA = lazy_re(rf"\s*[{''.join(WRONG_COMMAS)}]\s*")

Reader = Callable[[Path], str | None]
"""Returns the text of a file, None where it cannot be read."""


@frozen
class Draft:
    """A draft as it stands now: the opened file, its project, the library it cites from."""

    path: Path
    manuscript: Manuscript
    project: Project
    library: Library

    @property
    def document(self) -> Document:
        """All files of the draft in reading order."""
        return self.project.document

    def opened_at(self, path: Path) -> Draft:
        """Return the same draft with another of its files as the opened one.

        Raises:
            KeyError: that is no file of the draft.
        """
        return evolve(self, path=path, manuscript=dict(self.project.files)[path])

    def takes_over(self, key: str) -> bool:
        """Whether a key is one of an external document, behind the prefix that it has here."""
        return any(
            key.startswith(prefix) and self.library.get(key.removeprefix(prefix)) is not None
            for prefix in self._prefixes
        )

    @cached_property
    def _prefixes(self) -> frozenset[str]:
        """The prefixes that the labels and keys of external documents have here."""
        return frozenset(
            external.prefix
            for _, manuscript in self.project.files
            for external in manuscript.layout.externals
        )

    @property
    def bibliographies(self) -> tuple[Bibliography, ...]:
        """The bibliographies of the library without those that only neighbouring drafts name."""
        others = self._only_in_neighbours
        return tuple(
            bibliography
            for bibliography in self.library.bibliographies
            if bibliography.path not in others
        )

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the files of the project and its bibliographies."""
        others = self._only_in_neighbours
        all_problems = self.project.problems + self.library.problems
        return tuple(
            problem
            for problem in all_problems
            if problem.path not in others and (self.project.folds_case or not problem.of_case)
        )

    def cited_entry(self, key: str) -> Entry | None:
        """Return the entry that a key cites in print: in its very case, but for BibTeX."""
        entry = self.library.exact(key)
        if entry is None and self.project.folds_case:
            folded = self.library.get(key)
            entry = folded if folded is not None and folded.source == "bibtex" else None
        return entry

    def has(self, entry: Entry) -> bool:
        """Whether an entry stands in a file that the draft or a neighbour names, or in these."""
        if entry.source == "zotero":
            return False
        paths = _bibliographies_of((self.project, *self.project.beside))
        # The usual case needs not ask the disk.
        return entry.path in paths or os.path.realpath(entry.path) in map(os.path.realpath, paths)

    @property
    def _only_in_neighbours(self) -> set[Path]:
        """The paths of the bibliographies that only neighbouring drafts name or contain."""
        return _bibliographies_of(self.project.beside) - _bibliographies_of((self.project,))


def _bibliographies_of(projects: Iterable[Project]) -> set[Path]:
    """Return the paths of the bibliographies that projects name or contain."""
    return {
        path
        for project in projects
        for path in (*project.bibliographies, *(inline.path for inline in project.inline))
    }


@frozen
class LibrarySettings:
    """What the settings say of the library of every draft.

    extra: the files that all can cite from, behind those that a draft names. zotero: the part that
    counts of Zotero's database, whoever names that.
    """

    extra: tuple[Path, ...] = ()
    zotero: ZoteroPart = WHOLE


class DraftReader:
    """Reads drafts and their libraries, and renews only what has changed. Thread-safe."""

    def __init__(
        self,
        read: Reader,
        buffer: Reader | None = None,
        *,
        library: LibrarySettings | None = None,
        workspaces: Sequence[Path] = (),
        cite_commands: Sequence[str] = (),
        patience: float = PATIENCE,
    ) -> None:
        """Take what returns the text of a file, and of an open buffer alone.

        `patience` is how many seconds a bibliography may take that TeX itself is asked for.
        """
        self._read = read
        settings = library or LibrarySettings()
        self._extra = settings.extra
        self._workspaces = tuple(workspaces)
        self._libraries = LibraryCache(buffer, settings.zotero)
        self._projects = ProjectCache(cite_commands, buffer, self._libraries.lingers, patience)

    def draft(self, path: Path) -> Draft:
        """Read a draft and its library as they stand now."""
        # The outermost one: the main file of a chapter may well stand above the chapter's folder.
        border = next(reversed(holding(path, self._workspaces)), None)
        project = self._projects.open(path, self._read, border, self._workspaces)
        manuscript = project.manuscript(path) or parse("", format_of(path) or "markdown")
        drafts = (project, *project.beside)
        named = dict.fromkeys(path for draft in drafts for path in draft.bibliographies)
        inline: dict[Path, Bibliography] = {}
        for bibliography in (bibliography for draft in drafts for bibliography in draft.inline):
            inline.setdefault(bibliography.path, bibliography)
        in_pandoc = manuscript.format == "markdown"
        paths = _last_first(named, drafts) if in_pandoc else tuple(named)
        library = self._libraries.load(
            (*paths, *self._extra),
            tuple(inline.values()),
            inline_first=in_pandoc,
            by_doi=project.in_myst,
        )
        return Draft(path, manuscript, project, library)

    def forget_others(self, paths: Collection[Path]) -> None:
        """Forget the drafts that were read at other files than these; they can be read again."""
        self._projects.forget_others(paths)

    def library(self, paths: Sequence[Path]) -> Library:
        """Return the library of some bibliography files, whoever uses them."""
        return self._libraries.load(paths)

    def unsettled(self, library: Library) -> float | None:
        """Return in how many seconds a library may change though no file does.

        It may where a file seems half written, or where TeX may find one.
        """
        missing = (
            bibliography.path for bibliography in library.bibliographies if not bibliography.entries
        )
        waits = [awaited(path.name, path.parent) for path in missing if not os.path.isfile(path)]
        waits.append(self._libraries.unsettled(library))
        return min((wait for wait in waits if wait is not None), default=None)


def _last_first(paths: Iterable[Path], drafts: Sequence[Project]) -> tuple[Path, ...]:
    """Return the bibliographies in the order in which pandoc prefers them: the last one first.

    What a project names for all of its drafts comes behind what a draft names.
    """
    declared = {path for draft in drafts for _, _, path in draft.declared}
    return tuple(sorted(reversed(tuple(paths)), key=lambda path: path not in declared))


def context_without_keys(draft: Draft, manuscript: Manuscript, marker: Marker) -> Context:
    """Return the context of a marker without any of its keys."""
    return evolve(context_of(manuscript, marker, draft.document), marker_cited=())


def known_keys(draft: Draft, marker: Marker) -> tuple[str, ...]:
    """Return the keys of a marker that the draft's library has, as the library writes them."""
    entries = (draft.library.get(key.text) for key in marker.keys)
    return tuple(dict.fromkeys(entry.key for entry in entries if entry is not None))


Citation = tuple[str, str]
"""What identifies a citation wherever it moves: its key, and the plain text of its sentence."""


@frozen
class SingleCitation:
    """A marker that cites one entry of the library, and the sentence that it stands in."""

    marker: Marker
    sentence: Sentence

    @property
    def key(self) -> MarkerKey:
        """The key."""
        return self.marker.keys[0]

    @property
    def identity(self) -> Citation:
        """What identifies it wherever it moves."""
        return self.key.text, self.sentence.text


def single_citations(draft: Draft) -> Iterator[SingleCitation]:
    """Yield the markers of the opened file that cite one entry of the library, in a sentence."""
    for marker in draft.manuscript.cited:
        if not marker.closed or len(marker.keys) != 1:
            continue
        (key,) = marker.keys
        sentence = draft.manuscript.sentence_at(max(marker.start - 1, 0))
        if sentence is not None and draft.library.get(key.text) is not None:
            yield SingleCitation(marker, sentence)


def on_known_key(site: CitationSite, library: Library, *, ahead: bool = True) -> CitationSite:
    r"""Return a site whose end is that of the key under the cursor, where the library has that.

    What is typed right before a key that the library has is another one, `ahead` of it, and ends
    at the cursor; unless that key itself is asked about. Where a sign parts it from a key of the
    library that parts no keys, `\cite{a;b`, it is a key of its own all the same.
    """
    under = next((key for key in site.marker.keys if key.start == site.start), None)
    if under is None:
        return site
    # A label of Typst holds one key.
    listed = any(start <= site.start <= end for start, end in site.marker.lists)
    several = listed and not site.marker.command.startswith("#")
    if several and library.get(under.text) is None:
        site, under = _parted(site, under, library)
    behind = under.text[site.cursor - site.start :].strip()
    if (
        ahead
        and several
        and library.get(behind) is not None
        and not (site.typed and library.get(under.text) is not None)
    ):
        others = (*site.other_keys, behind)
        return evolve(site, end=site.cursor, other_keys=others, ahead=True)
    if under.end > site.end and library.get(under.text) is not None:
        return evolve(site, end=under.end)
    return site


def behind_known_keys(site: CitationSite, library: Library) -> CitationSite | None:
    r"""Return the site of the last word typed where all words before it are keys of the library.

    Only a comma lacks: `\cite{doe2020 roe`. None where other words stand there, or no list of keys.
    """
    *before, typed = site.typed.split(" ")
    earlier_keys = [key for key in before if key]
    listed = any(start <= site.start <= end for start, end in site.marker.lists)
    if not (earlier_keys and typed and listed) or any(
        library.get(key) is None for key in earlier_keys
    ):
        return None
    others = (*site.other_keys, *earlier_keys)
    return evolve(site, start=site.cursor - len(typed), typed=typed, other_keys=others)


def _parted(
    site: CitationSite, under: MarkerKey, library: Library
) -> tuple[CitationSite, MarkerKey]:
    """Return the site, and the key there, of one of several keys that only wrong commas part."""
    if all(library.get(key) is None for key in _WRONG_COMMA.split(under.text)):
        return site, under
    *before, typed = _WRONG_COMMA.split(site.typed)
    rest, *after = _WRONG_COMMA.split(under.text[len(site.typed) :])
    start, end = site.cursor - len(typed), min(site.cursor + len(rest), site.end)
    others = (*site.other_keys, *before, *after)
    parted = evolve(site, start=start, typed=typed, end=end, other_keys=others)
    return parted, MarkerKey(typed + rest, start, site.cursor + len(rest))


def stand_in_of(draft: Draft, marker: Marker) -> MarkerKey | None:
    r"""Return the key of a marker that stands in for one to be found: `TODO` in `\cite{TODO}`."""
    keys = (key for key in marker.keys if is_placeholder_key(key.text))
    return next((key for key in keys if draft.library.get(key.text) is None), None)


def empty_keys_of(draft: Draft, marker: Marker) -> Iterator[EmptyKey]:
    """Yield the places of a marker of the opened file that want a key which the library has."""
    return empty_keys(draft.manuscript, marker, lambda key: draft.library.get(key) is not None)


def waiting_in(draft: Draft, sentence: Sentence) -> tuple[Marker, ...]:
    r"""Return the markers that wait for a key in a sentence of the opened file: `\cite{}`.

    One in a footnote waits in the sentence of the note, and in none around it.
    """
    return tuple(
        marker
        for marker in sentence.markers
        if _lacks_keys(draft, marker) and is_outside_notes(draft.manuscript, sentence, marker)
    )


def cites(draft: Draft, sentence: Sentence) -> bool:
    """Whether a sentence of the opened file has a marker that does not wait for a key."""
    return not all(_lacks_keys(draft, marker) for marker in sentence.citing)


def open_to_citation(draft: Draft, sentence: Sentence) -> bool:
    """Whether a sentence of the opened file cites nothing, or a marker of it waits for a key."""
    return not cites(draft, sentence) or bool(waiting_in(draft, sentence))


def _lacks_keys(draft: Draft, marker: Marker) -> bool:
    return lacks_keys(draft.manuscript, marker) or stand_in_of(draft, marker) is not None


def cited_keys(draft: Draft) -> list[str]:
    """Return the keys of all markers of a draft as they are written, in the order of the text."""
    return [
        key.text
        for manuscript in draft.document.files
        for marker in manuscript.markers
        for key in marker.keys
    ]


def keys_in(manuscript: Manuscript) -> Iterator[MarkerKey]:
    """Yield the keys in a file of a draft, those in definitions and notes of others last."""
    for marker in (*manuscript.markers, *manuscript.markers_outside_prose):
        yield from marker.keys


def keys_named_in(manuscript: Manuscript) -> Iterator[str]:
    """Yield the keys in a file as they are written, and what may be one in code and in macros.

    Code may print a table that cites, a macro stand for keys. What is there need have no entry.
    """
    yield from (key.text for key in keys_in(manuscript))
    if manuscript.format == "markdown":
        yield from keys_in_code(manuscript.text)
    if manuscript.format == "latex":
        yield from keys_in_macros(manuscript.text)


def cites_all(manuscript: Manuscript) -> bool:
    r"""Whether a file of a draft holds `\nocite{*}`, or what other formats have for it."""
    return any(
        marker.silent and cites_everything(manuscript, marker) for marker in manuscript.markers
    )
