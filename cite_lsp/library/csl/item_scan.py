"""What the parsers of data formats collect: the entries, the problems and their lines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cite_lsp.library.bibtex.scanner import duplicates
from cite_lsp.library.entries import Bibliography, Entry, Problem, Record, long_values
from cite_lsp.library.text.invisible_characters import is_citable, uncitable_message
from cite_lsp.paper import LONGEST_FIELD


class ItemScan:
    """The items of a file, and what is wrong with them."""

    def __init__(self, text: str, path: Path, holder: str = "item") -> None:
        """Take a file, and what its format calls that which holds a key."""
        self.text = text
        self._holder = holder
        self.path = path
        self.entries: list[Entry] = []
        self._problems: list[Problem] = []
        self._line, self._counted_to = 1, 0

    def bibliography(self) -> Bibliography:
        """Return the bibliography."""
        self.entries.sort(key=lambda entry: entry.start)
        problems = [*self._problems, *duplicates(self.entries, any_case=False)]
        problems.sort(key=lambda problem: problem.line)
        return Bibliography(self.path, tuple(self.entries), tuple(problems))

    def line_of(self, offset: int) -> int:
        """Return the 1-based line of an offset; calls in rising order are the cheapest."""
        if offset < self._counted_to:
            self._line, self._counted_to = 1, 0
        self._line += self.text.count("\n", self._counted_to, offset)
        self._counted_to = offset
        return self._line

    def add(self, record: Record, start: int, values: Mapping[str, object]) -> None:
        """Add an entry at an offset, unless nobody can cite it; `values` are what its item says."""
        if not is_citable(record.key):
            self.problem(start, uncitable_message(record.key, self._holder))
            return
        self.entries.append(Entry(record, start, self.line_of(start)))
        if len(record.raw) > LONGEST_FIELD or len(record.data) > LONGEST_FIELD:
            for message in long_values(record.key, values.items()):
                self.problem(start, message)

    def problem(self, offset: int, message: str) -> None:
        """Add a problem at an offset."""
        self._problems.append(Problem(self.path, self.line_of(offset), message))
