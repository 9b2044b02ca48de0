"""Find the records of a BibTeX file: one pass, exact positions, and no record harms another.

A record that is not closed ends where a later line opens the next one, as a writer would see it.
Without that rule one missing brace hides everything behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from attrs import evolve

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.crossref import LINKS, links_of
from cite_lsp.library.bibtex.delimiters import Delimiters, closing
from cite_lsp.library.bibtex.reader import BIBTEX
from cite_lsp.library.bibtex.syntax import Fault, faults_in, faults_in_definitions
from cite_lsp.library.bibtex.values import LONGEST_MACRO, assignments
from cite_lsp.library.entries import Entry, Problem, Record, long_values
from cite_lsp.paper import LONGEST_FIELD

_RECORD = lazy_re(r"@[^\S\n]*+([^\W\d_][\w-]*+)\s*+([{(])")
_BEGUN = lazy_re(r"@[^\S\n]*+[\w-]*+\s*+\Z")
_KEY = lazy_re(r"\s*+([^\s,{}]*+)\s*+")
_KEY_WITH_BLANKS = lazy_re(r"[^,={}\r\n]*+(?=,)")
_FIELD = lazy_re(r"(?<![\w.:+/-])[^\W\d][\w.:+/-]*+\s*+=")
_FIELDS_AFTER_END = lazy_re(r"[\s,}]*+[^\W\d][\w.:+/-]*+\s*+=\s*+[\"{\w]")
_RECORD_WITHOUT_BRACE = lazy_re(
    r"^[^\S\n]*@([^\W\d_][\w-]*+)(?=[^\S\n]|$|[^\w\s@(){}][^@]*=)", re.MULTILINE
)
_IDS = lazy_re(r"ids\s*+=")
_CONFLICT = lazy_re(r"^<{7}(?=[^\S\n])", re.MULTILINE)
_IN_CONFLICT = lazy_re(r"^(?:<{7}[^\S\n]|={7}[^\S\n]*$|>{7}[^\S\n])", re.MULTILINE)
"""The lines that git and its like leave around the sides of a merge conflict."""
_COMMENT_REACH = 100_000
"""How far an `@comment{…}` may reach over other records, in characters."""


class OtherRecord(NamedTuple):
    """A record that is no entry: `@string`, `@preamble`, `@comment`, or one that cannot be read.

    Its kind is in lower case; it stands from offset `start` to `end`.
    """

    kind: str
    start: int
    end: int


class BibtexScan:
    """One pass over a part of a BibTeX file: the entries and the problems in it.

    `entries`, `others` and `problems` are in order of position, `others` are the records that are
    no entries, `position` is where the last record ended,
    `line` is the line of the furthest place looked at, `endless` says whether an `@comment` was
    never closed (how that is read depends on what follows far behind it), `aliased` whether an
    entry may have further keys.
    """

    def __init__(
        self,
        text: str,
        path: Path,
        start: int = 0,
        end: int | None = None,
        line: int = 1,
        macros: Mapping[str, str] | None = None,
    ) -> None:
        """Take a part that starts outside of all records, its first line, and the macros so far."""
        self.text = text
        self.path = path
        self.start = self.position = start
        self.end = len(text) if end is None else end
        self.entries: list[Entry] = []
        self.others: list[OtherRecord] = []
        self.problems: list[Problem] = []
        self.macros: dict[str, str] = dict(macros or {})
        self.shared_macros: Mapping[str, str] = (
            MappingProxyType(self.macros) if macros is None else macros
        )
        self.line_break = "\n" if "\n" in text else "\r"
        self.counted_to = start
        self.line = line
        self.endless = False
        self._delimiters = Delimiters(text)
        self._comment_end = start
        stretch = text[start : self.end].lower()
        self.linked = any(name in stretch for name in LINKS)
        self.aliased = _IDS.search(stretch) is not None

    def run(self) -> BibtexScan:
        """Go over all records."""
        for mark, limit in self._marks():
            if mark.start() < max(self.position, self._comment_end):
                continue
            if "%" in self._line_before(mark.start(), self.position):  # commented out
                line_end = self.text.find(self.line_break, mark.start(), self.end)
                self._comment_end = line_end if line_end >= 0 else self.end
                continue
            self._report_missing_brace(self.position, mark.start())
            count = len(self.entries)
            self.position = self._record(mark, limit)
            if len(self.entries) == count:
                kind = mark.group(1).lower()
                self.others.append(OtherRecord(kind, mark.start(), self.position))
        self._report_missing_brace(self.position, self.end)
        self._line_of(self.end)
        self._link()
        self._report_conflicts()
        self.problems.sort(key=lambda problem: problem.line)
        return self

    def _marks(self) -> Iterator[tuple[re.Match[str], int]]:
        """Yield everything that looks like the start of a record, and how far that may reach.

        The reach ends at the next such thing that is first on its line.
        """
        marks = list(_RECORD.finditer(self.text, self.start, self.end))
        before = [self.start, *(mark.start() for mark in marks)]
        limits, limit = [], self.end
        for mark, start in zip(reversed(marks), reversed(before[:-1]), strict=True):
            limits.append(limit)
            if not self._line_before(mark.start(), start):
                limit = mark.start()
        return zip(marks, reversed(limits), strict=True)

    def _line_before(self, offset: int, start: int) -> str:
        """Return what stands before `offset` on its line, from `start` on, without blanks."""
        line_start = self.text.rfind(self.line_break, start, offset) + 1
        return self.text[max(line_start, start) : offset].strip()

    def _line_of(self, offset: int) -> int:
        """Return the 1-based line of an offset; offsets are asked for in rising order."""
        self.line += self.text.count(self.line_break, self.counted_to, offset)
        self.counted_to = max(offset, self.counted_to)
        return self.line

    def _problem(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.path, line, message))

    def _report_missing_brace(self, start: int, end: int) -> None:
        """Report records without an opening brace in the text between two records."""
        if self.text.find("@", start, end) < 0:
            return
        for mark in _RECORD_WITHOUT_BRACE.finditer(self.text, start, end):
            kind = mark.group(1)
            if kind.lower() != "comment":
                line = self._line_of(mark.start(1))
                self._problem(line, f'the record "@{kind}" has no "{{": add it before the key')

    def _record(self, mark: re.Match[str], limit: int) -> int:
        """Read one record and return the offset just after it."""
        kind, opener = mark.group(1).lower(), mark.group(2)
        after = self._delimiters.closing(mark.end(), limit, opener)
        if kind in ("comment", "preamble"):
            if after < 0:
                reach = min(mark.end() + _COMMENT_REACH, len(self.text))
                after = self._delimiters.closing(mark.end(), reach, opener)
                self.endless |= after < 0
            return after if after > 0 else mark.end()
        closed = after > 0
        if not closed:
            after = self._trimmed(mark.end(), limit)
        if kind == "string":
            self._string(mark, after, closed)
            return after
        return self._entry(mark, kind, after, limit, closed)

    def _trimmed(self, start: int, end: int) -> int:
        """Return `end` moved back over blanks, not beyond `start`."""
        return start + len(self.text[start:end].rstrip())

    def _string(self, mark: re.Match[str], after: int, closed: bool) -> None:
        """Store the macros of an `@string`; their names are case-insensitive in BibTeX."""
        definitions = dict(assignments(self.text[mark.end() : after], 0, self.macros))
        self.macros.update(definitions)
        for name, value in definitions.items():
            if len(value) > LONGEST_MACRO:
                message = f'the macro "{name}" has {len(value):,} characters, and is not resolved'
                self._problem(self._line_of(mark.start()), message + ": write a shorter one")
        closer = "}" if mark.group(2) == "{" else ")"
        if not closed:
            name = next(iter(definitions), "@string")
            message = f'the macro "{name}" is not closed: add the missing "{closer}"'
            self._problem(self._line_of(mark.start()), message)
        elif not definitions:
            message = "the @string defines nothing: write it as @string{name = {text}}"
            self._problem(self._line_of(mark.start()), message)
        else:
            start = mark.start()
            self._report(faults_in_definitions(self.text[start:after], mark.end() - start), start)

    def _entry(self, mark: re.Match[str], kind: str, after: int, limit: int, closed: bool) -> int:
        """Add an entry, a problem, or both; return the offset just after the record."""
        text, start = self.text, mark.start()
        line = self._line_of(start)
        match = _KEY.match(text, mark.end(), after)
        key, key_start = (match.group(1), match.start(1)) if match else ("", mark.end())
        follows = text[match.end() : match.end() + 1] if match else ""
        whole = closed and match is not None and match.end() >= after - 1
        if whole and mark.group(2) == "(":
            key = key.removesuffix(")")
        if not key or (follows != "," and (follows == "=" or key.endswith("="))):
            message = f'the entry "@{mark.group(1)}" has no key: write one after "{mark.group(2)}"'
            self._problem(line, message + ', followed by ","')
            return after
        if follows != "," and not whole:
            key = self._without_comma(key, key_start, line, after)
        legible = whole or _FIELD.search(text, key_start + len(key), after) is not None
        if not closed:
            closer = "}" if mark.group(2) == "{" else ")"
            message = f'the entry "{key}" is not closed: add the missing "{closer}"'
            if _IN_CONFLICT.search(text[start:after]):
                message = f'the entry "{key}" is cut off by a merge conflict: keep one side of it'
            self._problem(line, message)
            if not legible:
                return after
        elif _FIELDS_AFTER_END.match(text, after, limit):
            self._problem(line, f'the entry "{key}" ends before its last field: remove a "}}"')
            after = self._trimmed(after, limit)
        elif not (whole or _IN_CONFLICT.search(text, start, after)):
            faults = faults_in(text[start:after], key_start - start + len(key), key)
            self._report(faults, start)
            if any(fault.unclosed for fault in faults) and _FIELD.search(text, after, limit):
                after = self._trimmed(after, limit)
        if after - start > LONGEST_FIELD:
            fields = assignments(text[start:after], key_start - start + len(key), {})
            for message in long_values(key, fields):
                self._problem(line, message)
        raw, macros = text[start:after], self.shared_macros
        record = Record(key, kind, self.path, raw, key_start - start, macros=macros, reader=BIBTEX)
        self.entries.append(Entry(record, start, line))
        return after

    def _report(self, faults: Iterable[Fault], start: int) -> None:
        """Report what is wrong within a record that begins at `start`."""
        for fault in faults:
            self._problem(self._line_of(start + fault.offset), fault.message)

    def _without_comma(self, key: str, key_start: int, line: int, after: int) -> str:
        """Report a key that no comma follows, and return the key: it may hold blanks."""
        with_blanks = _KEY_WITH_BLANKS.match(self.text, key_start, after)
        if key.endswith("，"):
            key = key.rstrip("，")
            self._problem(line, f'the comma after the key "{key}" is full-width: write ","')
        elif key.endswith(";"):
            key = key.rstrip(";")
            self._problem(line, f'";" stands for the comma after the key "{key}": write ","')
        elif with_blanks:
            key = with_blanks.group().rstrip()
            self._problem(line, f'the key "{key}" holds a blank: LaTeX cannot cite it, rename it')
        else:
            self._problem(line, f'no comma after the key "{key}": add ","')
        return key

    def _link(self) -> None:
        """Set the links of each record to others, now that all macros are known."""
        for position, entry in enumerate(self.entries if self.linked else ()):
            if links := links_of(entry.record):
                record = evolve(entry.record, links=links)
                self.entries[position] = Entry(record, entry.start, entry.line)

    def _report_conflicts(self) -> None:
        """Report each merge conflict that is not resolved, once, where it begins."""
        if self.text.find("<<<<<<<", self.start, self.end) < 0:
            return
        counted_to, line = self.counted_to, self.line
        for conflict in reversed(list(_CONFLICT.finditer(self.text, self.start, self.end))):
            line -= self.text.count(self.line_break, conflict.start(), counted_to)
            counted_to = conflict.start()
            message = "a merge conflict is left here: keep one side of it"
            self._problem(line, message + ', and remove its lines of "<", "=" and ">"')


def unclosed_record(text: str) -> int:
    """Return where the last record that opens a line begins if nothing closes it, else -1.

    As a rule such a file is cut off, or still being written.
    """
    start = text.rfind("@")
    while start >= 0:
        line = text.rfind("\n", 0, start) + 1
        if not text[line:start].strip():
            opened = _RECORD.match(text, start)
            if opened is None:
                return start if _BEGUN.match(text, start) else -1
            return start if closing(text, opened.end(), len(text), opened[2]) < 0 else -1
        start = text.rfind("@", 0, line)
    return -1


def duplicates(entries: Iterable[Entry], *, any_case: bool = True) -> Iterator[Problem]:
    """Report every entry whose key an earlier one has, in `any_case` as BibTeX compares keys."""
    exact: dict[str, Entry] = {}
    first: dict[str, Entry] = {}
    for entry in entries:
        folded = entry.key.lower() if any_case else entry.key
        earlier = exact.get(entry.key) or first.get(folded)
        exact.setdefault(entry.key, entry)
        first.setdefault(folded, entry)
        if earlier is not None:
            message = f'the key "{entry.key}" is already used in line {earlier.line}'
            of_case = earlier.key != entry.key
            if of_case:
                message += f' (as "{earlier.key}")'
            yield Problem(entry.path, entry.line, message + ": rename or remove one", of_case)
