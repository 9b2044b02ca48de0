"""Field values as BibTeX writes them: `{…}`, `"…"` and macros, with `#` between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.delimiters import DEPTH, Delimiters, balanced

MONTHS = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
"""The macros that every bibliography style defines."""

LONGEST_MACRO = 2_000
"""Characters of a macro from which on it is not resolved, nor any behind as much in one value: a
few lines of macros made of macros would fill the memory."""

_PLAIN = lazy_re(r"\{(" + balanced(DEPTH) + r")\}(?=\s*+,)")
"""The common case of a value: closed, and with nothing joined to it by `#`."""
_NAME = lazy_re(r"[\s,，;.{}()]*+([^\W\d][\w.:+/-]*+)\s*+=\s*+")
_NEXT_FIELD = lazy_re(r"(?:\n[^\S\n]*|,\s*)([^\W\d][\w.:+/-]*)\s*=\s*(?=[{\"\w])")
_QUOTED = lazy_re(r'"((?>(?:[^"{}\\]++|\\.|\{' + balanced(DEPTH) + r'\})*))"', re.DOTALL)
_BARE = lazy_re(r"[^\s,#{}()\"=]++")
_CONCATENATION = lazy_re(r"\s*#\s*")
_REST_IS_BLANK = lazy_re(r"\s*+\Z")
_AFTER_VALUE = lazy_re(r"\s*+(?:[,，#})]|$|[^\W\d][\w.:+/-]*+\s*+=)")


class Field(NamedTuple):
    """A field: its lower-case name, its value as `assignments` has it, and where it stands.

    It goes from `start` to `end`; what is written of its value begins at `value_at`.
    """

    name: str
    value: str
    start: int
    value_at: int
    end: int


def assignments(text: str, start: int, macros: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Read `name = value` pairs from `start` on, whatever stands between them.

    Missing commas, stray braces and values that are not closed cost no other field.

    Yields:
        The lower-case name and the value: enclosing removed, macros and concatenations resolved.
    """
    for name, value, _ in _fields(text, start, macros):
        yield name.group(1).lower(), value


def fields_of(text: str, start: int, macros: Mapping[str, str]) -> Iterator[Field]:
    """Read `name = value` pairs as `assignments` does, each with where it stands."""
    for name, value, end in _fields(text, start, macros):
        yield Field(name.group(1).lower(), value, name.start(1), name.end(), end)


def without_macros(text: str, start: int, macros: Mapping[str, str]) -> str:
    """Return a record with the macros in its values, from `start` on, written out.

    Everything else stays as it is written, the name of a month in `month` too: every style defines
    those itself.
    """
    parts, done = [], 0
    delimiters = Delimiters(text)
    for name, _, _ in _fields(text, start, {}):
        in_month = name.group(1).lower() == "month"
        for word in _bare_operands(text, name.end(), delimiters):
            macro = word.group().lower()
            short = len(macros.get(macro, "")) <= LONGEST_MACRO
            if macro in macros and short and not (in_month and macro in MONTHS):
                parts += [text[done : word.start()], f"{{{macros[macro]}}}"]
                done = word.end()
    return "".join((*parts, text[done:]))


def _fields(
    text: str, start: int, macros: Mapping[str, str]
) -> Iterator[tuple[re.Match[str], str, int]]:
    """Yield each field: the match of its name, the value, the offset after the value."""
    delimiters, position = Delimiters(text), start
    while name := _NAME.match(text, position) or _NEXT_FIELD.search(text, position):
        value, position = read_value(text, name.end(), macros, delimiters)
        yield name, value, position


def read_value(
    text: str, position: int, macros: Mapping[str, str], delimiters: Delimiters | None = None
) -> tuple[str, int]:
    """Return the value that starts at `position` and the offset just after it.

    Whoever reads several values of a text gives its delimiters.
    """
    if plain := _PLAIN.match(text, position):
        return plain.group(1), plain.end()
    pieces, resolved = [], 0
    for piece, at, after in _operands(text, position, macros, delimiters or Delimiters(text)):
        if text[at : at + 1] not in ("{", '"'):
            if max(resolved, len(piece)) > LONGEST_MACRO:
                piece = text[at:after]
            resolved += len(piece)
        pieces.append(piece)
        position = after
    return "".join(pieces), position


def _bare_operands(text: str, start: int, delimiters: Delimiters) -> Iterator[re.Match[str]]:
    """Yield the operands without braces or quotes in a value: macros and numbers."""
    for _, at, _ in _operands(text, start, {}, delimiters):
        if word := _BARE.match(text, at):
            yield word


def _operands(
    text: str, position: int, macros: Mapping[str, str], delimiters: Delimiters
) -> Iterator[tuple[str, int, int]]:
    """Yield the operands that `#` joins in a value, each with its start and end offset."""
    while True:
        piece, after = _piece(text, position, macros, delimiters)
        yield piece, position, after
        joint = _CONCATENATION.match(text, after)
        if joint is None:
            return
        position = joint.end()


def _piece(
    text: str, position: int, macros: Mapping[str, str], delimiters: Delimiters
) -> tuple[str, int]:
    """Return an operand of a concatenation and the offset just after it."""
    opener = text[position : position + 1]
    if opener == "{":
        after = delimiters.closing(position + 1, len(text))
        if after > 0 and not _swallows_fields(text, position, after):
            return text[position + 1 : after - 1], after
    elif opener == '"':
        quoted = _QUOTED.match(text, position)
        if quoted and _AFTER_VALUE.match(text, quoted.end()):
            return quoted.group(1), quoted.end()
    else:
        bare = _BARE.match(text, position)
        if bare is None:
            return "", position
        word = bare.group()
        return macros.get(word.lower(), word), bare.end()
    next_field = _NEXT_FIELD.search(text, position + 1)
    after = next_field.start() if next_field else len(text)
    return text[position + 1 : after].rstrip(' \t\r\n,{}"'), after


def _swallows_fields(text: str, start: int, after: int) -> bool:
    """Say whether a braced value that is not closed has run to the end of the record.

    That needs both: nothing is left to close the record, and lines inside look like fields.
    """
    return bool(_REST_IS_BLANK.match(text, after)) and bool(_NEXT_FIELD.search(text, start, after))
