r"""Find the files that a draft includes: down along `\input`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path
from threading import Lock

from attrs import field, frozen

from cite_lsp.library.load.read import Reader, unread_reason
from cite_lsp.manuscript import Commands, Inclusion, Manuscript, Name, format_of, parse
from cite_lsp.project.files.book import Book
from cite_lsp.project.files.packages import Packages
from cite_lsp.project.files.path_macros import expand, macros_of
from cite_lsp.project.folders import joined
from cite_lsp.storage.caches import Memory, Turns

_Part = tuple[Path, Path | None]
"""A file, and the main file of the draft that includes it; None where it is read alone."""

_FILES_OF_A_DRAFT = 500
_CHARACTERS_OF_A_DRAFT = 20_000_000
_LONGEST_INPUT = 2_000_000
"""Characters; what is longer is a generated figure, not prose."""

_QUARTO = ".qmd"
MARKDOWN = (".md", ".Rmd", ".qmd", ".markdown")


@frozen
class IncludedFiles:
    r"""The files of a draft as inclusions lead to them, and where each one is included.

    `files` are in reading order, each where first read. `places` gives for an included file the
    including one and the offset of the inclusion there. `packages` are those of the draft's own.
    `unread` are inclusions of what is there and not read: the including file, the offset, why.
    """

    files: dict[Path, Manuscript] = field(factory=dict)
    packages: dict[Path, str] = field(factory=dict)
    places: dict[Path, tuple[Path, int]] = field(factory=dict)
    unread: list[tuple[Path, int, str]] = field(factory=list)


@frozen
class _Definitions:
    """What the files of a draft define for each other: abbreviations, labels, kinds of references.

    With `any_target` a link to a DOI cites.
    """

    names: Mapping[str, Name]
    labels: frozenset[str]
    kinds: frozenset[str]
    any_target: bool

    def applied_to(self, manuscript: Manuscript) -> Manuscript:
        """Return a file as it is read with them; itself if it uses none."""
        part = manuscript.with_names(self.names).with_labels(self.labels, self.kinds)
        return part.with_doi_links() if self.any_target else part


class DraftFiles:
    """Reads and parses the files of drafts; what has not changed is parsed once. Thread-safe.

    Who needs a file while it is parsed waits, who needs another one does not.
    `commands` are citing commands that no file of the draft defines: those of the settings.
    """

    def __init__(self, commands: Commands | None = None) -> None:
        self._commands = dict(commands or {})
        self._lock = Lock()
        self._turns: Turns[_Part] = Turns()
        self._parsed: dict[_Part, tuple[Commands, Manuscript]] = {}
        self._definitions: Memory[Path, _Definitions] = Memory()
        self._parts: Memory[_Part, tuple[Manuscript, _Definitions, Manuscript]] = Memory()
        self._packages = Packages()
        self.characters = 0
        """The length of all texts that are kept parsed."""

    def open(self, path: Path, read: Reader, format: str = "") -> Manuscript | None:
        """Return a parsed file alone, or None where it does not exist or is in no known format.

        `format` is that of a file whose name does not tell it.
        """
        format = format or format_of(path) or ""
        text = read(path) if format else None
        if text is None:
            self._drop((path, None))
            return None
        return self._parse((path, None), text, format, {})

    def _open_part(
        self,
        path: Path,
        read: Reader,
        reading: IncludedFiles,
        commands: Commands,
        fallback: str | None = None,
    ) -> Manuscript | None:
        """Return a parsed file as a part of the draft that is being read, or None as `open` does.

        `commands` are the citing commands that the files before it define, `fallback` is the format
        of a file whose name does not tell it.
        """
        format = format_of(path) or fallback
        text = read(path) if format else None
        main = next(iter(reading.files), path)
        if format is None or text is None:
            self._drop((path, main))
            return None
        if format == "latex":
            packages = self._packages.loaded_by(path, text, main.parent, read)
            fresh = {path: packages[path] for path in packages if path not in reading.packages}
            if fresh:
                reading.packages.update(
                    (path, text) for path, text in fresh.items() if format_of(path) is None
                )
                commands = self._packages.commands(fresh, {**self._commands, **commands})
        return self._parse((path, main if commands else None), text, format, commands)

    def _parse(self, part: _Part, text: str, format: str, commands: Commands) -> Manuscript:
        # A file is looked at alone, to find its main files, and then as a part of the drafts.
        commands = {**self._commands, **commands}
        known = self._known(part, text, format, commands)
        if known is not None:
            return known
        with self._turns.of(part):
            known = self._known(part, text, format, commands)
            if known is None:
                # Only in Quarto does the name alone tell a reference to a figure from a citation.
                quarto = any(file and file.suffix.lower() == _QUARTO for file in part)
                with self._lock:
                    before, known = self._parsed.get(part, (None, None))
                same = known if before == commands else None
                known = parse(text, format, commands, numbered=quarto, before=same)
                with self._lock:
                    self._remove(part)
                    self._parsed[part] = commands, known
                    self.characters += len(text)
            return known

    def _known(self, part: _Part, text: str, format: str, commands: Commands) -> Manuscript | None:
        """Return a file as it was parsed before, None where it has changed since."""
        with self._lock:
            before, known = self._parsed.get(part, (None, None))
        if known is None or known.format != format or known.text != text or before != commands:
            return None
        return known

    def _drop(self, part: _Part) -> None:
        with self._lock:
            self._remove(part)

    def _remove(self, part: _Part) -> None:
        known = self._parsed.pop(part, None)
        if known is not None:
            self.characters -= len(known[1].text)

    def forget_others(self, paths: Collection[Path]) -> None:
        """Drop all parsed files but these."""
        known = {None, *paths}
        with self._lock:
            for part in [part for part in self._parsed if not known.issuperset(part)]:
                self._remove(part)
        self._definitions.forget_unless(known.__contains__)
        self._parts.forget_unless(known.issuperset)
        self._packages.forget_others(paths)

    def follow(
        self, root: Path, read: Reader, behind: Path | None = None, book: Book | None = None
    ) -> IncludedFiles:
        r"""Return a main file and all that it includes, in reading order (each where first read).

        Included names stand relative to the folder of the main file, or of the file that includes
        them, with or without extension. Missing files and cycles are passed over. The other
        chapters of the `book` come next. A new part that the draft does not include yet is read
        last, as `behind`.
        """
        reading = IncludedFiles()
        files = reading.files
        first = self._open_part(root, read, reading, {})
        if first is None:
            return reading
        files[root] = first
        commands = dict(first.cite_commands)
        pending = [(root, included_by(root, root, files))]
        characters = len(first.text)
        others = [*(book.chapters if book else ()), *([behind] if behind else [])]
        others.reverse()
        while pending:
            including, inclusions = pending[-1]
            inclusion = next(inclusions, None)
            if inclusion is None:
                pending.pop()
                while others and not pending:
                    path = others.pop()
                    part = self._open_other(path, read, reading, commands, first.format)
                    if part is not None:
                        files[path] = part
                        characters += len(part.text)
                        commands.update(part.cite_commands)
                        pending.append((path, included_by(root, path, files)))
                continue
            place, paths = inclusion
            if len(files) >= _FILES_OF_A_DRAFT or characters > _CHARACTERS_OF_A_DRAFT:
                most = f"{_FILES_OF_A_DRAFT} files or {_CHARACTERS_OF_A_DRAFT // 1_000_000} MB"
                reason = f"no further file of the draft is read: it has more than {most}"
                reading.unread.append((including, place.start, reason))
                break
            for path in paths:
                if path in files:
                    break
                manuscript = self._open_part(path, read, reading, commands, first.format)
                if manuscript is not None and len(manuscript.text) <= _LONGEST_INPUT:
                    files[path] = manuscript
                    reading.places[path] = including, place.start
                    commands.update(manuscript.cite_commands)
                    if manuscript.inputs:
                        pending.append((path, included_by(root, path, files)))
                    characters += len(manuscript.text)
                    break
                if manuscript is None and (reason := unread_reason(path)):
                    reason = f"{path.name} is not read: {reason}"
                    reading.unread.append((including, place.start, reason))
        return self._with_definitions(root, reading, book)

    def _open_other(
        self,
        path: Path,
        read: Reader,
        reading: IncludedFiles,
        commands: Commands,
        fallback: str,
    ) -> Manuscript | None:
        """Return a file that no other includes as a part of the draft, unless it is one already."""
        if path in reading.files:
            return None
        return self._open_part(path, read, reading, commands, fallback)

    def _with_definitions(
        self, root: Path, reading: IncludedFiles, book: Book | None
    ) -> IncludedFiles:
        """Return the files of a draft with the abbreviations and labels that it defines anywhere.

        An abbreviation may be explained behind its uses: lists of them often close a draft.
        """
        files = reading.files
        layouts = [manuscript.layout for manuscript in files.values()]
        explained: dict[str, Name] = {}
        for layout in layouts:
            for name, explanation in layout.names.items():
                explained.setdefault(name, explanation)
        labels = frozenset[str]().union(*(layout.labels for layout in layouts))
        kinds = frozenset[str]().union(*(layout.reference_kinds for layout in layouts))
        any_target = book is not None and book.any_target
        if book is not None:
            kinds |= book.reference_kinds
        if any_target:
            labels = labels.union(*(layout.anchors for layout in layouts))
        definitions = _Definitions(explained, labels, kinds, any_target)
        if (before := self._definitions.get(root)) == definitions:
            definitions = before  # which parts are compared with by identity
        self._definitions.keep(root, definitions)
        for path, manuscript in files.items():
            files[path] = self._as_part((path, root), manuscript, definitions)
        return reading

    def _as_part(
        self, part: _Part, manuscript: Manuscript, definitions: _Definitions
    ) -> Manuscript:
        """Return a file with what its draft defines, the same object while nothing changes."""
        before, known_definitions, known = self._parts.get(part) or (None, None, None)
        if known is not None and before is manuscript and known_definitions is definitions:
            return known
        with self._turns.of(part):
            before, known_definitions, known = self._parts.get(part) or (None, None, None)
            reading = definitions.applied_to(manuscript)
            if (
                known is not None
                and before is manuscript
                and known.names == reading.names
                and known.markers == reading.markers
                and known.markers_outside_prose == reading.markers_outside_prose
            ):
                reading = known
            self._parts.keep(part, (manuscript, definitions, reading))
            return reading


def included_by(
    root: Path, path: Path, files: Mapping[Path, Manuscript]
) -> Iterator[tuple[Inclusion, Iterator[Path]]]:
    """Yield each inclusion of a file, and the paths it may mean, best first.

    `files` are the files of the draft that have been read so far. What TeX is to read and a
    program makes of a Markdown file that stands beside it may mean that one.
    """
    manuscript = files[path]
    for inclusion in manuscript.inputs:
        written = inclusion.path.strip("\"' ")
        if "\\" in written and manuscript.format == "latex":
            written = expand(written, macros_of(tuple(files.values()), root.stem))
        if not written or re.search(r"[\\#\0]", written):
            continue
        meant = _meant(written, manuscript.format, root, path)
        yield inclusion, (joined(folder, name) for folder, name in meant)


@lru_cache(4096)
def _meant(written: str, format: str, root: Path, path: Path) -> tuple[tuple[Path, str], ...]:
    """Return the folders and names that a file of a draft may mean by a path, best first."""
    names: tuple[str, ...] = (written,)
    folders: tuple[Path, ...] = (path.parent,)
    if format == "latex":
        names = (written, written + ".tex") if Path(written).suffix else (written + ".tex",)
        names += tuple(written.removesuffix(".tex") + suffix for suffix in MARKDOWN)
        folders = tuple(dict.fromkeys((root.parent, path.parent)))
    elif written.startswith("/") and format != "org":
        # The root of the project is meant, the folder of the main file as a rule.
        names, folders = (written.lstrip("/"),), (root.parent, *root.parent.parents[:2])
    elif format == "markdown":  # knitr starts from the main file
        folders = tuple(dict.fromkeys((path.parent, root.parent)))
    return tuple(product(folders, names))
