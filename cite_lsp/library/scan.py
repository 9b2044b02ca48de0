"""Find the records of a BibTeX file: one pass, exact positions, and no record harms another.

A record that is not closed ends where a later line opens the next one, as a writer would see it.
Without that rule one missing brace hides everything behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

from cite_lsp.library.model import Bibliography, Entry, Problem
from cite_lsp.library.values import assignments, closing

_RECORD = re.compile(r"@[^\S\n]*+([^\W\d_][\w-]*+)\s*+([{(])")
_KEY = re.compile(r"\s*+([^\s,{}]*+)\s*+")
_KEY_WITH_BLANKS = re.compile(r"[^,={}\r\n]*+(?=,)")
_FIELD = re.compile(r"[^\W\d][\w.:+/-]*+\s*+=")
_FIELDS_AFTER_END = re.compile(r"[\s,}]*+[^\W\d][\w.:+/-]*+\s*+=\s*+[\"{\w]")
_RECORD_WITHOUT_BRACE = re.compile(r"^[^\S\n]*@([^\W\d_][\w-]*+)(?=[^\S\n]|$)", re.MULTILINE)

_COMMENT_REACH = 100_000
"""How far an `@comment{…}` may reach over other records, in characters."""


def parse_bibliography(text: str, path: Path) -> Bibliography:
    """Read the text of a BibTeX file; `path` is only noted down.

    What stands between records is ignored, as are `@comment`, `@preamble` and records behind a `%`.
    A broken record becomes a problem, and an entry as well when its key and fields are legible.
    Of entries with the same key (in any case) the second is reported.
    """
    return _Scan(text, path).run()


class _Scan:
    """The state of one pass over a file: where it is, and what it has found."""

    def __init__(self, text: str, path: Path) -> None:
        self.text = text
        self.path = path
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []
        self.macros: dict[str, str] = {}
        self.shared_macros = MappingProxyType(self.macros)
        self.line_break = "\n" if "\n" in text else "\r"
        self.counted_to = 0
        self.line = 1

    def run(self) -> Bibliography:
        """Go over all records."""
        position = 0
        for mark, limit in self._marks():
            if mark.start() < position or self._commented_out(mark.start(), position):
                continue
            self._between(position, mark.start())
            position = self._record(mark, limit)
        self._between(position, len(self.text))
        self._report_duplicates()
        self.problems.sort(key=lambda problem: problem.line)
        return Bibliography(self.path, tuple(self.entries), tuple(self.problems))

    def _marks(self) -> Iterator[tuple[re.Match[str], int]]:
        """Yield everything that looks like the start of a record, and how far that may reach.

        The reach ends at the next such thing that is first on its line.
        """
        marks = list(_RECORD.finditer(self.text))
        before = [0, *(mark.start() for mark in marks)]
        limits, limit = [], len(self.text)
        for mark, start in zip(reversed(marks), reversed(before[:-1]), strict=True):
            limits.append(limit)
            if not self._line_before(mark.start(), start):
                limit = mark.start()
        return zip(marks, reversed(limits), strict=True)

    def _line_before(self, offset: int, start: int) -> str:
        """Return what stands before `offset` on its line, from `start` on, without blanks."""
        line_start = self.text.rfind(self.line_break, start, offset) + 1
        return self.text[max(line_start, start) : offset].strip()

    def _commented_out(self, offset: int, start: int) -> bool:
        return "%" in self._line_before(offset, start)

    def _line_of(self, offset: int) -> int:
        """Return the 1-based line of an offset; offsets are asked for in rising order."""
        self.line += self.text.count(self.line_break, self.counted_to, offset)
        self.counted_to = max(offset, self.counted_to)
        return self.line

    def _problem(self, line: int, message: str) -> None:
        self.problems.append(Problem(self.path, line, message))

    def _between(self, start: int, end: int) -> None:
        """Look at the text between two records for one that lacks its opening brace."""
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
        after = closing(self.text, mark.end(), limit, opener)
        if kind in ("comment", "preamble"):
            if after < 0:
                reach = min(mark.end() + _COMMENT_REACH, len(self.text))
                after = closing(self.text, mark.end(), reach, opener)
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
        """Note a macro; BibTeX's macro names know no case."""
        found = dict(assignments(self.text[mark.end() : after], 0, self.macros))
        self.macros.update(found)
        closer = "}" if mark.group(2) == "{" else ")"
        if not closed:
            name = next(iter(found), "@string")
            message = f'the macro "{name}" is not closed: add the missing "{closer}"'
            self._problem(self._line_of(mark.start()), message)
        elif not found:
            message = "the @string defines nothing: write it as @string{name = {text}}"
            self._problem(self._line_of(mark.start()), message)

    def _entry(self, mark: re.Match[str], kind: str, after: int, limit: int, closed: bool) -> int:
        """Note an entry, what is wrong with it, or both; return the offset just after it."""
        text, line = self.text, self._line_of(mark.start())
        found = _KEY.match(text, mark.end(), after)
        key, key_start = (found.group(1), found.start(1)) if found else ("", mark.end())
        follows = text[found.end() : found.end() + 1] if found else ""
        whole = closed and found is not None and found.end() >= after - 1
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
            self._problem(line, f'the entry "{key}" is not closed: add the missing "{closer}"')
            if not legible:
                return after
        elif _FIELDS_AFTER_END.match(text, after, limit):
            self._problem(line, f'the entry "{key}" ends before its last field: remove a "}}"')
            after = self._trimmed(after, limit)
        self.entries.append(
            Entry(
                key=key,
                kind=kind,
                path=self.path,
                start=mark.start(),
                end=after,
                key_start=key_start,
                key_end=key_start + len(key),
                line=line,
                raw=text[mark.start() : after],
                macros=self.shared_macros,
            )
        )
        return after

    def _without_comma(self, key: str, key_start: int, line: int, after: int) -> str:
        """Report a key that no comma follows, and return the key: it may hold blanks."""
        with_blanks = _KEY_WITH_BLANKS.match(self.text, key_start, after)
        if with_blanks:
            key = with_blanks.group().rstrip()
            self._problem(line, f'the key "{key}" holds a blank: LaTeX cannot cite it, rename it')
        else:
            self._problem(line, f'no comma after the key "{key}": add ","')
        return key

    def _report_duplicates(self) -> None:
        """Report every entry whose key an earlier one has; BibTeX compares keys without case."""
        first: dict[str, Entry] = {}
        for entry in self.entries:
            earlier = first.setdefault(entry.key.lower(), entry)
            if earlier is not entry:
                message = f'the key "{entry.key}" is taken by line {earlier.line}'
                if earlier.key != entry.key:
                    message += f' (as "{earlier.key}")'
                self._problem(entry.line, message + ": rename or remove one")
