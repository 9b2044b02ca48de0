"""What BibTeX and biber reject in a record whose braces close: both skip what stands behind it.

Each rule here is one that both programs have. What only one of them minds is no fault: a comment
behind `%` (BibTeX) or a key with an apostrophe (biber). An unknown macro, which a word without
braces is to both, costs them that value alone.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple, NoReturn

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.delimiters import DEPTH, balanced, closing

_GAP = r"(?:\s|%[^\n]*+)*+"
_REST = r"[^\s\"#%'(),={}]"
_NAME = rf"(?!\d){_REST}++"
_NUMBER = rf"\d++(?!{_REST})"
_QUOTED = rf'"(?>(?:[^"{{}}]++|\{{{balanced(DEPTH)}\}})*+)"'
_PIECE = rf"(?:\{{{balanced(DEPTH)}\}}|{_QUOTED}|{_NUMBER}|{_NAME})"
_VALUE = rf"{_PIECE}{_GAP}(?:#{_GAP}{_PIECE}{_GAP})*+"
_SOUND = lazy_re(rf"{_GAP}(?:,{_GAP}{_NAME}{_GAP}={_GAP}{_VALUE})*+(?:,{_GAP})?+[)}}]?\Z")
_SOUND_DEFINITIONS = lazy_re(rf"{_GAP}(?:{_NAME}{_GAP}={_GAP}{_VALUE},?+{_GAP})*+[)}}]?\Z")
_GAP_HERE = lazy_re(_GAP)
_NAME_HERE = lazy_re(_NAME)
_BARE_HERE = lazy_re(f"{_REST}++")
_EQUALS_HERE = lazy_re(rf"{_NAME}{_GAP}=")
_WORDS = lazy_re(r"[^\s,{}\"=][^,{}\"=\n]{0,30}+")
_WIDE_COMMA = "，"
_COMMAS = "," + _WIDE_COMMA


class Fault(NamedTuple):
    """What is wrong in a record, with the remedy, and where.

    Where a quote is `unclosed`, the record need not end at its closing brace.
    """

    message: str
    offset: int
    unclosed: bool = False


def faults_in(raw: str, start: int, key: str) -> list[Fault]:
    """Return the faults in the fields of a record, which begin at `start` behind its key.

    Commas are told of up to the first fault of another kind, which is the last.
    """
    reading = _Reading(raw, start, f' of "{key}"')
    if not _SOUND.match(raw, start):
        with suppress(_Stopped):
            reading.record(key)
    return reading.faults


def faults_in_definitions(raw: str, start: int) -> list[Fault]:
    """Return the first fault in an `@string`, from `start` behind its brace on, if any."""
    reading = _Reading(raw, start, " of an @string")
    if not _SOUND_DEFINITIONS.match(raw, start):
        with suppress(_Stopped):
            reading.definitions()
    return reading.faults


class _Stopped(Exception):
    """Both programs skip what follows."""


class _Reading:
    """Reads fields as BibTeX does, up to the first thing that it would not take."""

    def __init__(self, raw: str, start: int, owner: str) -> None:
        self.faults: list[Fault] = []
        self._raw = raw
        self._end = len(raw) - (raw[-1:] in (")", "}"))
        self._at = self._behind = start
        self._owner = owner

    def record(self, key: str) -> None:
        """Read `, name = value` up to the end of the record."""
        name = ""
        self._pass_gap()
        while self._at < self._end:
            field = f'the field "{name}"{self._owner}'
            if self._next() in _COMMAS:
                if name and self._next() == _WIDE_COMMA:
                    message = f'the comma after {field} is full-width: write ","'
                    self.faults.append(Fault(message, self._at))
                self._at += 1
                self._pass_gap()
                if self._at >= self._end:
                    break
            elif not self._names_field():
                return  # behind the key, which is reported by itself
            elif name:
                self.faults.append(Fault(f'no comma after {field}: add ","', self._behind))
            name = self._field("" if name else key)

    def definitions(self) -> None:
        """Read `name = value`, and further ones behind commas."""
        self._pass_gap()
        while self._at < self._end:
            self._field("")
            if self._next() in _COMMAS:
                self._at += 1
                self._pass_gap()

    def _next(self) -> str:
        return self._raw[self._at] if self._at < self._end else "}"

    def _pass_gap(self) -> None:
        gap = _GAP_HERE.match(self._raw, self._at, self._end)
        self._at = gap.end() if gap else self._at

    def _names_field(self) -> bool:
        return _EQUALS_HERE.match(self._raw, self._at, self._end) is not None

    def _fail(self, message: str, offset: int | None = None, *, unclosed: bool = False) -> NoReturn:
        self.faults.append(Fault(message, self._at if offset is None else offset, unclosed))
        raise _Stopped

    def _field(self, key: str) -> str:
        """Read a field and return its name; `key` is that of the record where it follows that."""
        start = self._at
        match = _NAME_HERE.match(self._raw, start, self._end)
        if match is None:
            if self._next() == ",":
                self._fail(f"two commas in a row in a record{self._owner}: remove one")
            self._fail(f"a field{self._owner} has no name: write it as name = {{value}}")
        name = match.group()
        self._at = match.end()
        self._pass_gap()
        if self._next() != "=":
            self._no_equals(name, key, start)
        self._at += 1
        self._pass_gap()
        self._value(name)
        return name

    def _no_equals(self, name: str, key: str, start: int) -> NoReturn:
        next_character = self._next()
        if next_character in '{"':
            self._fail(f'no "=" after the field "{name}"{self._owner}: add "="', start)
        if key and next_character in ",}":
            self._fail(
                f'the key "{key},{name}" holds a comma: write it without, or "=" and a value '
                f'after the field "{name}"',
                start,
            )
        words = _WORDS.match(self._raw, start, self._end)
        text = words.group().strip() if words else name
        self._fail(
            f'"{text}" in a record{self._owner} is no field: write it as name = {{value}}, or '
            "remove it",
            start,
        )

    def _value(self, name: str) -> None:
        field = f'the field "{name}"{self._owner}'
        while True:
            quoted = self._next() == '"'
            bare = self._piece(field)
            self._behind = self._at
            self._pass_gap()
            if self._next() != "#":
                break
            self._at += 1
            self._pass_gap()
        self._behind_value(field, quoted=quoted, bare=bare)

    def _piece(self, field: str) -> bool:
        """Read one operand of a value; return whether it is a word."""
        opener, start = self._next(), self._at
        if opener == "{":
            after = closing(self._raw, start + 1, self._end)
            self._at = after if after > 0 else self._end
            return False
        if opener == '"':
            after = self._end_of_quote(start)
            if after < 0:
                message = f"the quote of {field} is not closed: write its value in {{}}"
                self._fail(message, start, unclosed=True)
            self._at = after
            return False
        match = _BARE_HERE.match(self._raw, start, self._end)
        if match is None:
            missing = opener in ",，}"
            remedy = "write one, or remove the field" if missing else "write it in {}"
            self._fail(f"{field} has no value{'' if missing else ' that can be read'}: {remedy}")
        word = match.group()
        if word[0].isdigit() and not word.isdigit():
            self._fail(f"the value of {field} stands without delimiters: write {{{word}}}", start)
        self._at = match.end()
        return True

    def _end_of_quote(self, start: int) -> int:
        """Return where a quote ends, -1 for nowhere."""
        depth = 0
        for at in range(start + 1, self._end):
            character = self._raw[at]
            depth += (character == "{") - (character == "}")
            if depth < 0:
                return -1
            if character == '"' and depth == 0:
                return at + 1
        return -1

    def _behind_value(self, field: str, *, quoted: bool, bare: bool) -> None:
        """Check what follows a value; whether it is a comma is seen before the next field."""
        next_character = self._next()
        if self._at >= self._end or next_character in _COMMAS or self._names_field():
            return
        if quoted and next_character != "{":
            self._fail(f"{field} holds a quote outside of braces: write its value in {{}}")
        if bare:
            self._fail(f"the value of {field} stands without delimiters: write it in {{}}")
        if next_character in ";.:":
            self._fail(f'"{next_character}" stands for the comma after {field}: write ","')
        if next_character in '{"':
            self._fail(f"{field} has two values: make them one, or join them by #")
        self._fail(
            f"text stands behind the value of {field}: remove it, or write it into the value"
        )
