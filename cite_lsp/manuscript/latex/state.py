"""What a scan of LaTeX has collected so far, and the groups of braces as its handlers read them."""

from __future__ import annotations

import re
from collections.abc import Callable

from cite_lsp.manuscript.latex.arguments import closing_brace, opening_brace
from cite_lsp.manuscript.latex.tables import TableScan
from cite_lsp.manuscript.layout import Span
from cite_lsp.manuscript.model import (
    Commands,
    EmbeddedFile,
    EntrySet,
    ExternalDocument,
    MarkerKey,
)
from cite_lsp.manuscript.scan_base import PATIENCE, BaseScan

RUN_IN = 6
"""The level from which a heading stands in the text, and may well do so in the cell of a table."""
LONGEST_UNCLOSED = 400


class LatexScan(BaseScan):
    """The state of a scan of LaTeX."""

    def __init__(self, text: str, commands: Commands, reader: Reader) -> None:
        """Take a text, what commands do, and the function that reads a range of a scan's text."""
        super().__init__(text, commands)
        self._reader = reader
        self.top = self
        """The scan that this one is within, itself where it is within none."""
        self.depth = 0
        self.expansions = 0
        self.items: list[tuple[int, MarkerKey, int, int | None]] = []
        """Where each entry begins, its key, where its text begins and, if known, ends."""
        self.embedded: list[EmbeddedFile] = []
        self.externals: list[ExternalDocument] = []
        self.entry_sets: list[EntrySet] = []
        self.prose_start = 0
        self.end = len(text)
        self.title: Span | None = None
        self.abstracts: dict[str, Span] = {}
        self.root = ""
        self.year: int | None = None
        self.conditionals_are_open = False
        """Whether conditionals are begun that nothing ends: they are not counted then."""
        self.short_verbs: set[str] = set()
        r"""The characters that stand for `\verb` where the scan is."""
        self.inline_list_end = 0
        """Where the last list ends that is set as words of a sentence."""
        self.tables = TableScan(text)
        self.handled: set[str] = set()
        """The names of the commands that a handler has read, citing ones left out."""

    def read(self, start: int, stop: int) -> int:
        """Read a range as text of the draft; return where to go on, behind it at times."""
        return self._reader(self, start, stop)

    def is_as_begun(self, stop: int) -> bool:
        """Whether what was read up to an offset decides on nothing that is read behind it.

        Nor has it said anything of the draft as a whole, or read what stands in other files.
        """
        return not (
            self.prose_start
            or self.end != len(self.text)
            or self.title
            or self.abstracts
            or self.root
            or self.year is not None
            or self.unclosed
            or self.expansions
            or self.conditionals_are_open
            or self.short_verbs
            or self.inline_list_end > stop
            or self.tables.are_open
            or self.has_missed
            or self.names
            or self.items
            or self.embedded
            or self.externals
            or self.entry_sets
            or self.inputs
            or self.declarations
        )

    def within(self, text: str) -> LatexScan:
        """Return a scan of what a command of this text stands for."""
        inner = LatexScan(text, self.commands, self._reader)
        inner.top, inner.depth = self.top, self.depth + 1
        inner.short_verbs = set(self.short_verbs)
        return inner

    def closing(self, opening: int, limit: int, *, comments: bool = False) -> int | None:
        """Return where a long group closes; after many that do not, look less far."""
        if self.unclosed > PATIENCE:
            limit = min(limit, LONGEST_UNCLOSED)
        closing = closing_brace(self.text, opening, limit, comments=comments)
        self.unclosed += closing is None
        return closing

    def group(self, start: int, limit: int = 1500, *, comments: bool = False) -> Span | None:
        """Return the range inside the group at `start`; an unclosed group ends with its line.

        Braces in `comments` are passed over on demand, as `closing_brace` does.
        """
        opening = opening_brace(self.text, start)
        if opening is None:
            return None
        closing = self.closing(opening, limit, comments=comments)
        if closing is None:
            stop = min(opening + LONGEST_UNCLOSED, len(self.text))
            end = self.text.find("\n", opening, stop)
            closing = stop if end < 0 else end
        return opening + 1, closing

    def omit_until(self, match: re.Match[str], closing: str) -> int:
        """Omit all up to the next `closing`; return where to go on."""
        end = self.find(closing, match.end())
        if end is not None:
            self.omissions.append((match.start(), end))
        return match.end()


Reader = Callable[[LatexScan, int, int], int]
Handler = Callable[[LatexScan, re.Match[str], str], int]
"""Reads a command: takes the scan, the match and the name; returns the offset to go on from."""
