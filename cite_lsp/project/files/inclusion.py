r"""Find the files that a draft includes: down along `\input`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from threading import Lock

from attrs import define, evolve, field, frozen

from cite_lsp.library.load.read import Reader
from cite_lsp.manuscript import Commands, Manuscript, Name, format_of, parse
from cite_lsp.project.files.book import Book
from cite_lsp.project.files.inclusion_paths import included_by
from cite_lsp.project.files.packages import Packages
from cite_lsp.project.files_on_disk import unread_reason
from cite_lsp.storage.caches import LastUsed, Turns

_Part = tuple[Path, Path | None]
"""A file, and the main file of the draft that includes it; None where it is read alone."""

_FILES_OF_A_DRAFT = 500
_CHARACTERS_OF_A_DRAFT = 20_000_000
_LONGEST_INPUT = 2_000_000
"""Characters; what is longer is a generated figure, not prose."""
_WALKS = 8

_QUARTO = ".qmd"


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


@define
class _Walk:
    """A walk along the inclusions of a draft, and what decides whether the next one is the same.

    `files` are parsed each by itself, in `reading` with what the draft defines. `texts` are those
    of all paths that were read, None where there is no file. `packages` are those that each file
    loads, if it names any, `commands` the citing commands that it was parsed with.
    """

    book: Book | None
    files: dict[Path, Manuscript] = field(factory=dict)
    characters: int = 0
    defined: Commands = field(factory=dict)
    texts: dict[Path, str | None] = field(factory=dict)
    packages: dict[Path, dict[Path, str]] = field(factory=dict)
    commands: dict[Path, Commands] = field(factory=dict)
    reading: IncludedFiles = field(factory=IncludedFiles)
    definitions: _Definitions | None = None

    def add(self, path: Path, file: Manuscript) -> None:
        """Take a file as the next one of the draft."""
        self.files[path] = file
        self.characters += len(file.text)
        self.defined = {**self.defined, **file.cite_commands}

    @property
    def is_full(self) -> bool:
        """Whether the draft is as long as one may be."""
        return len(self.files) >= _FILES_OF_A_DRAFT or self.characters > _CHARACTERS_OF_A_DRAFT

    @property
    def is_plain(self) -> bool:
        """Whether nothing but its own text decides where a file leads on to."""
        return not self.reading.unread and not any(
            "\\" in inclusion.path for file in self.files.values() for inclusion in file.inputs
        )

    def copied(self) -> _Walk:
        """Return it with files that can be replaced."""
        reading = self.reading
        reading = evolve(reading, files=dict(reading.files), places=dict(reading.places))
        return evolve(self, files=dict(self.files), texts=dict(self.texts), reading=reading)


class DraftFiles:
    """Reads and parses the files of drafts; what has not changed is parsed once. Thread-safe.

    `commands` are citing commands of the settings.
    """

    def __init__(self, commands: Commands | None = None) -> None:
        self._commands = dict(commands or {})
        self._lock = Lock()
        self._turns: Turns[_Part] = Turns()
        self._parsed: dict[_Part, tuple[Commands, Manuscript]] = {}
        self._definitions: LastUsed[Path, _Definitions] = LastUsed(None)
        self._parts: LastUsed[_Part, tuple[Manuscript, _Definitions, Manuscript]] = LastUsed(None)
        self._packages = Packages()
        self._walks: LastUsed[_Part, _Walk] = LastUsed(_WALKS)
        self.characters = 0

    def open(self, path: Path, read: Reader, format: str = "") -> Manuscript | None:
        """Return a file parsed alone, or None; `format` is that of one whose name tells none."""
        format = format or format_of(path) or ""
        text = read(path) if format else None
        if text is None:
            self._drop((path, None))
            return None
        return self._parse((path, None), text, format, {})

    def _open_part(self, path: Path, read: Reader, walk: _Walk) -> Manuscript | None:
        """Return a parsed file as a part of the draft that is being read, or None as `open` does.

        A file whose name does not tell its format has that of the main file.
        """
        main = next(iter(walk.files), path)
        format = format_of(path) or (walk.files[main].format if walk.files else None)
        text = read(path) if format else None
        reading, commands = walk.reading, walk.defined
        if format is None or text is None:
            self._drop((path, main))
            return None
        if format == "latex":
            packages = self._packages.loaded_by(path, text, main.parent, read)
            if self._packages.names(path, text):
                walk.packages[path] = packages
            fresh = {path: packages[path] for path in packages if path not in reading.packages}
            if fresh:
                reading.packages.update(
                    (path, text) for path, text in fresh.items() if format_of(path) is None
                )
                commands = self._packages.commands(fresh, {**self._commands, **commands})
        walk.commands[path] = commands
        return self._parse_part(path, main, text, format, commands)

    def _parse_part(
        self, path: Path, main: Path, text: str, format: str, commands: Commands
    ) -> Manuscript:
        return self._parse((path, main if commands else None), text, format, commands)

    def _parse(self, part: _Part, text: str, format: str, commands: Commands) -> Manuscript:
        # A file is looked at alone, to find its main files, and then as a part of the drafts.
        commands = {**self._commands, **commands}
        manuscript = self._known(part, text, format, commands)
        if manuscript is not None:
            return manuscript
        with self._turns.of(part):
            manuscript = self._known(part, text, format, commands)
            if manuscript is None:
                # Only in Quarto does the name alone tell a reference to a figure from a citation.
                quarto = any(file and file.suffix.lower() == _QUARTO for file in part)
                with self._lock:
                    before, manuscript = self._parsed.get(part, (None, None))
                same = manuscript if before == commands else None
                manuscript = parse(text, format, commands, numbered=quarto, before=same)
                with self._lock:
                    self._remove(part)
                    self._parsed[part] = commands, manuscript
                    self.characters += len(text)
            return manuscript

    def _known(self, part: _Part, text: str, format: str, commands: Commands) -> Manuscript | None:
        """Return a file as it was parsed before, None where it has changed since."""
        with self._lock:
            before, manuscript = self._parsed.get(part, (None, None))
        if (
            manuscript is None
            or manuscript.format != format
            or manuscript.text != text
            or before != commands
        ):
            return None
        return manuscript

    def _drop(self, part: _Part) -> None:
        with self._lock:
            self._remove(part)

    def _remove(self, part: _Part) -> None:
        parsed = self._parsed.pop(part, None)
        if parsed is not None:
            self.characters -= len(parsed[1].text)

    def forget_others(self, paths: Collection[Path]) -> None:
        """Drop all parsed files but these."""
        paths_to_keep = {None, *paths}
        with self._lock:
            for part in [part for part in self._parsed if not paths_to_keep.issuperset(part)]:
                self._remove(part)
        self._definitions.forget_unless(paths_to_keep.__contains__)
        self._parts.forget_unless(paths_to_keep.issuperset)
        self._walks.forget_unless(paths_to_keep.issuperset)
        self._packages.forget_others(paths)

    def follow(
        self, root: Path, read: Reader, behind: Path | None = None, book: Book | None = None
    ) -> IncludedFiles:
        """Return a main file and all that it includes, in reading order (each where first read).

        Names stand relative to the folder of the main file, or of the including one. Missing files
        and cycles are passed over. The other chapters of the `book` come next, and last a new part
        that the draft does not include yet, `behind`.
        """
        before = self._walks.get((root, behind))
        walk = self._walked_again(root, before, read) if before and before.book == book else None
        if walk is None:
            walk = self._with_definitions(root, self._walk(root, read, behind, book))
        if behind is not None and walk.is_plain:
            self._walks.keep((root, behind), walk)
        return walk.reading

    def _walk(self, root: Path, read: Reader, behind: Path | None, book: Book | None) -> _Walk:
        walk = _Walk(book)

        def noting(path: Path) -> str | None:
            text = walk.texts[path] = read(path)
            return text

        first = self._open_part(root, noting, walk)
        if first is None:
            return walk
        walk.add(root, first)
        pending = [(root, included_by(root, root, walk.files))]
        others = [*(book.chapters if book else ()), *([behind] if behind else [])]
        others.reverse()
        while pending:
            including, inclusions = pending[-1]
            inclusion, paths = next(inclusions, (None, ()))
            if inclusion is None:
                pending.pop()
                while others and not pending:
                    path = others.pop()
                    part = None if path in walk.files else self._open_part(path, noting, walk)
                    if part is not None:
                        walk.add(path, part)
                        pending.append((path, included_by(root, path, walk.files)))
            elif walk.is_full:
                most = f"{_FILES_OF_A_DRAFT} files or {_CHARACTERS_OF_A_DRAFT // 1_000_000} MB"
                reason = f"no further file of the draft is read: it has more than {most}"
                walk.reading.unread.append((including, inclusion.start, reason))
                break
            else:
                included = self._include((including, inclusion.start), paths, noting, walk)
                if included is not None:
                    pending.append((included, included_by(root, included, walk.files)))
        return walk

    def _include(
        self, place: tuple[Path, int], paths: Iterable[Path], read: Reader, walk: _Walk
    ) -> Path | None:
        """Take the first file there is of those that an inclusion may mean; return it, or None."""
        for path in paths:
            if path in walk.files:
                return None
            part = self._open_part(path, read, walk)
            if part is not None and len(part.text) <= _LONGEST_INPUT:
                walk.add(path, part)
                walk.reading.places[path] = place
                return path
            if part is None and (reason := unread_reason(path)):
                walk.reading.unread.append((*place, f"{path.name} is not read: {reason}"))
        return None

    def _walked_again(self, root: Path, before: _Walk, read: Reader) -> _Walk | None:
        """Return a walk with the files as they are now, None where it may lead elsewhere now."""
        edited: dict[Path, str] = {}
        for path, text in before.texts.items():
            now = read(path)
            if now is None and (text is not None or unread_reason(path)):
                return None
            if now is not None and now != text:
                edited[path] = now
        if not self._load_alike(root, before, edited, read):
            return None
        if not edited:
            return before
        walk = before.copied()
        for path, text in edited.items():
            file_before = before.files.get(path)
            if file_before is None or len(text) > _LONGEST_INPUT or before.definitions is None:
                return None
            file = self._parse_part(path, root, text, file_before.format, before.commands[path])
            if _leads(file_before) != _leads(file):
                return None
            walk.texts[path], walk.files[path] = text, file
            walk.reading.files[path] = self._as_part((path, root), file, before.definitions)
            starts = zip(file_before.inputs, file.inputs, strict=True)
            new_places = {(path, old.start): (path, new.start) for old, new in starts}
            for included, place in walk.reading.places.items() if new_places else ():
                walk.reading.places[included] = new_places.get(place, place)
            walk.characters += len(text) - len(file_before.text)
        return None if walk.characters > _CHARACTERS_OF_A_DRAFT else walk

    def _load_alike(self, root: Path, before: _Walk, edited: dict[Path, str], read: Reader) -> bool:
        """Whether the files of a walk still load the same packages, and no others name any."""
        for path in edited.keys() & before.files.keys() - before.packages.keys():
            if before.files[path].format == "latex" and self._packages.names(path, edited[path]):
                return False
        texts = {path: before.texts[path] or "" for path in before.packages} | edited
        return all(
            self._packages.loaded_by(path, texts[path], root.parent, read) == packages
            for path, packages in before.packages.items()
        )

    def _with_definitions(self, root: Path, walk: _Walk) -> _Walk:
        """Return a walk with the abbreviations and labels applied that the draft defines anywhere.

        An abbreviation may be explained behind its uses: lists of them often close a draft.
        """
        book = walk.book
        layouts = [file.layout for file in walk.files.values()]
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
        for path, file in walk.files.items():
            walk.reading.files[path] = self._as_part((path, root), file, definitions)
        return evolve(walk, definitions=definitions)

    def _as_part(
        self, part: _Part, manuscript: Manuscript, definitions: _Definitions
    ) -> Manuscript:
        """Return a file with what its draft defines, the same object while nothing changes."""
        before, known_definitions, part_before = self._parts.get(part) or (None, None, None)
        if part_before is not None and before is manuscript and known_definitions is definitions:
            return part_before
        with self._turns.of(part):
            before, known_definitions, part_before = self._parts.get(part) or (None, None, None)
            reading = definitions.applied_to(manuscript)
            if (
                part_before is not None
                and before is manuscript
                and part_before.names == reading.names
                and part_before.markers == reading.markers
                and part_before.markers_outside_prose == reading.markers_outside_prose
            ):
                reading = part_before
            self._parts.keep(part, (manuscript, definitions, reading))
            return reading


def _leads(file: Manuscript) -> tuple[object, ...]:
    """Return what of a file decides where its draft leads on to, and what that defines."""
    layout = file.layout
    inputs = [evolve(inclusion, start=0, end=0) for inclusion in file.inputs]
    defined = (layout.names, layout.labels, layout.reference_kinds, layout.anchors)
    return inputs, file.cite_commands, *defined
