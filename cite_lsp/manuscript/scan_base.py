"""What the scans of all formats share: what they collect, and what they leave out."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.commands.citation_commands import cite_command, read_marker
from cite_lsp.manuscript.layout import (
    BLANK_LINE,
    Layout,
    Note,
    Span,
    Table,
    group_level_of,
    sections_of,
)
from cite_lsp.manuscript.model import BibliographyDeclaration, Commands, Inclusion, Marker, Name
from cite_lsp.manuscript.text.brackets import closings
from cite_lsp.manuscript.text.paragraphs import plain_text
from cite_lsp.manuscript.text.pipe_tables import pipes_in
from cite_lsp.manuscript.text.plain import Markup

ABSTRACT_HEADINGS = frozenset(
    """abstract summary kurzfassung résumé resumen resumo riassunto streszczenie abstrakt özet
    аннотация 摘要 概要 要旨 초록""".split()
)
PATIENCE = 20
"""How many unclosed groups are looked for in full: junk must not cost the square of its length."""
LONGEST_COMMAND = 10_000
"""How far behind its name a command can look for its arguments."""
_BRACKET = lazy_re(rf"\\.|[\[\]]|{BLANK_LINE.pattern}")


class BaseScan:
    """The state of a scan; each handler takes a match and returns where to go on."""

    def __init__(self, text: str, commands: Commands) -> None:
        self.text = text
        self.commands = commands
        self.markers: list[Marker] = []
        self.markers_outside_prose: list[Marker] = []
        self.headings: list[tuple[int, int, int, str]] = []
        self.declarations: list[BibliographyDeclaration] = []
        self.inputs: list[Inclusion] = []
        self.references: list[Span] = []
        self.omissions: list[Span] = []
        self.borders: list[Span] = []
        self.notes: list[Note] = []
        self.code: list[Span] = []
        self.names: dict[str, Name] = {}
        self.searched: list[Span] = []
        self.unclosed = 0
        self._absent: set[str] = set()
        self._end_by_closing: dict[str, tuple[int, int]] = {}

    def layout(self, markup: Markup) -> Layout:
        """Return what was collected; what a format finds in its own way it puts in by `evolve`."""
        length = len(self.text)
        return Layout(
            markup=markup,
            prose=(0, length),
            group_level=group_level_of(self.headings),
            sections=sections_of(self.headings, length),
            markers=tuple(self.markers),
            markers_outside_prose=tuple(self.markers_outside_prose),
            declarations=tuple(self.declarations),
            inputs=tuple(self.inputs),
            cite_commands=self.commands,
            references=tuple(self.references),
            omissions=tuple(self.omissions),
            borders=tuple(self.borders),
            notes=tuple(self.notes),
            code=tuple(self.code),
            names=self.names,
            searched=tuple(self.searched),
            unclosed=self.unclosed,
        )

    def headed_abstract(self, markup: Markup) -> str:
        """Return in plain text what stands below a heading that says it is the abstract, or "".

        A summary is one among the first three headings, below title and authors; further down it
        ends a chapter.
        """
        sections = sections_of(self.headings, len(self.text))
        for number, section in enumerate(section for section in sections if section.level):
            title = section.title.casefold()
            if title in ABSTRACT_HEADINGS and (title != "summary" or number < 3):
                return plain_text(self.text[section.body : section.end], markup)
        return ""

    def add_tables(self, tables: Iterable[Table]) -> tuple[Table, ...]:
        """Part tables from the prose around them, and omit the pipes between their cells."""
        taken = tuple(tables)
        for table in taken:
            self.borders.append((table.start, table.end))
            self.omissions += pipes_in(self.text, table)
        self.borders.sort()
        self.omissions.sort()
        return taken

    def search_through(self, start: int, end: int) -> None:
        """Note a range in which an edit may change how the text around it reads."""
        self.searched.append((start, min(end, len(self.text))))

    def omit(self, start: int, end: int) -> int:
        """Omit a range that is neither prose nor cites anything."""
        self.omissions.append((start, end))
        self.code.append((start, end))
        return end

    def set_apart(self, start: int, end: int) -> int:
        """Part the prose around a range that is none and cites nothing; return its end."""
        self.borders.append((start, end))
        self.code.append((start, end))
        return end

    def part_item(self, match: re.Match[str]) -> None:
        """Part the item of a list that a match begins from what stands before it and below it.

        In Org and Typst a line ends it that is indented no deeper, and in no bracket.
        """
        self.borders.append(match.span())
        indent = len(match.group()) - len(match.group().lstrip())
        ending = rf"(?P<below>\n)(?=[ \t]{{0,{indent}}}\S)|\n(?=[ \t\r]*(?:\n|\Z))"
        end = re.compile(ending).search(self.text, match.end())
        if end and end["below"]:
            opened, closed = (self.text.count(sign, match.end(), end.start()) for sign in "[]")
            if opened <= closed:
                self.borders.append(end.span())

    def cite(self, match: re.Match[str], name: str) -> Marker | None:
        """Add and return the marker that a LaTeX command is, if it cites."""
        command = cite_command(name.rstrip("*"), self.commands)
        marker = command and read_marker(self.text, match.start(), name, match.end(), command)
        if command and not (marker and marker.closed):
            self.search_through(match.start(), match.end() + LONGEST_COMMAND)
        if not marker:
            return None
        self.markers.append(marker)
        return marker

    def read_command(self, match: re.Match[str], name: str) -> int:
        """Read a LaTeX command for a marker, if it cites; return where to go on."""
        marker = self.cite(match, name)
        return marker.end if marker else match.end()

    def _add_code(self, match: re.Match[str]) -> int:
        self.code.append(match.span())
        return match.end()

    def declare(self, start: int, end: int) -> None:
        """Take the words in a range, if there are any, for the name of a bibliography."""
        argument = self.text[start:end]
        if path := argument.strip():
            start += len(argument) - len(argument.lstrip())
            self.declarations.append(BibliographyDeclaration(path, start, start + len(path)))

    @property
    def has_missed(self) -> bool:
        """Whether something was looked for up to the end of the text, and not found."""
        return any(end > len(self.text) for _, end in self._end_by_closing.values())

    def closing_bracket(self, opening: int) -> int | None:
        """Return where the square bracket at an offset is closed, None if not in its paragraph."""
        closing = closings(self.text, _BRACKET).get(opening, len(self.text))
        return closing if closing < len(self.text) else None

    def ending(self, pattern: str, start: int) -> re.Match[str] | None:
        """Return the next line of a kind; what is absent is not looked for twice."""
        if pattern in self._absent:
            return None
        match = re.compile(pattern, re.IGNORECASE | re.MULTILINE).search(self.text, start)
        if match is None:
            self._absent.add(pattern)
        self.search_through(start, match.end() if match else len(self.text))
        return match

    def find(self, closing: str, start: int) -> int | None:
        """Return the offset behind the next `closing`, of which each is looked for once."""
        looked_from, end = self._end_by_closing.get(closing, (-1, -1))
        if not looked_from <= start <= end:
            end = self.text.find(closing, start)
            self._end_by_closing[closing] = start, end if end >= 0 else len(self.text) + 1
            if end < 0:
                self.search_through(start, len(self.text))
        return end + len(closing) if 0 <= end <= len(self.text) else None
