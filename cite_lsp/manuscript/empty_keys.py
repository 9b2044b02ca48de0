r"""Where a marker still lacks a key: `\cite{}`, `\cite{a,,b}`, `[@a; @]`, `\cite{TODO}`, `[?]`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.latex.arguments import closing_brace
from cite_lsp.manuscript.layout import paragraph_end
from cite_lsp.manuscript.markdown.citations import is_role
from cite_lsp.manuscript.model import PLACEHOLDER, Marker
from cite_lsp.manuscript.placeholders.placeholder_words import is_placeholder_key
from cite_lsp.manuscript.text.comments import LATEX_COMMENT, blanked

_COMMENT_SIGNS = ("%", "<!--", "//", "/*")
"""How a note begins that stands in a comment, which no reader sees."""
_NOTE = lazy_re(r"\{[^{}]*\}")
"""What is said with a key in a role of MyST: `{cite:p}`doe2020{p. 3}``."""
_BARE_SIGN = lazy_re(r"(?<![^\s\[(:;,+-])[@&][?？]*(?![^\s\]);,])")
"""The sign before a key with no key behind it."""


@frozen
class EmptyKey:
    """A range of a marker where a key is missing, or where a word such as TODO replaces it.

    `placeholder` is that word. `alone` says that the marker holds nothing else. `place` is the
    offset at which the key goes, behind its sign where that stands there; None where it takes more.
    """

    start: int
    end: int
    placeholder: str = ""
    alone: bool = False
    place: int | None = None


def is_open(manuscript: Manuscript, marker: Marker) -> bool:
    """Whether nothing closes a marker in its paragraph; what its list holds may be no keys."""
    if marker.closed or manuscript.format != "latex" or not marker.lists:
        return not marker.closed
    opening = marker.lists[-1][0] - 1
    stop = paragraph_end(manuscript.text, opening, len(manuscript.text))
    return closing_brace(manuscript.text, opening, stop - opening) is None


def empty_keys(
    manuscript: Manuscript, marker: Marker, has_key: Callable[[str], bool]
) -> Iterator[EmptyKey]:
    """Yield the places of a marker where a key is missing, in order.

    A note in a comment wants none. `has_key` says whether a bibliography has a key, which then is
    no placeholder.
    """
    text = manuscript.text
    if marker.command == PLACEHOLDER:
        if not text.startswith(_COMMENT_SIGNS, marker.start):
            yield EmptyKey(marker.start, marker.end, alone=True)
        return
    empty = [
        EmptyKey(key.start, key.end, key.text, alone=len(marker.keys) == 1)
        for key in marker.keys
        if is_placeholder_key(key.text) and not has_key(key.text)
    ]
    if not marker.keys and not any(is_computed(text, *place) for place in marker.lists):
        sign = next(_bare_signs(text, marker), None) if not marker.lists else None
        place = sign.place if sign is not None else None
        empty.append(EmptyKey(marker.start, marker.end, alone=True, place=place))
    elif is_role(marker):
        start, end = marker.lists[0][0], marker.lists[-1][1]
        empty += _blank_items(blanked(_NOTE, text[start:end]), ",", start)
    elif marker.lists:
        empty += (key for place in marker.lists for key in _empty_keys_in_list(text, *place))
    else:
        empty += _empty_keys_in_brackets(text, marker)
    yield from sorted(empty, key=lambda key: key.start)


def is_computed(text: str, start: int, end: int) -> bool:
    r"""Whether something other than commas stands in a list of keys: `\cite{\mykey}`."""
    return bool(_uncommented(text, start, end).strip(", \t\r\n"))


def _uncommented(text: str, start: int, end: int) -> str:
    """Return a list of keys with blanks in the place of comments."""
    return blanked(LATEX_COMMENT, text[start:end])


def _empty_keys_in_list(text: str, start: int, end: int) -> Iterator[EmptyKey]:
    r"""Yield the items of a list that are blank, each with the comma before it, or behind it."""
    list_text = _uncommented(text, start, end)
    if not list_text.strip():  # one of several lists: \autocites{a}{}
        yield EmptyKey(start - 1, end + 1)
        return
    yield from _blank_items(list_text, ",", start)


def _empty_keys_in_brackets(text: str, marker: Marker) -> Iterator[EmptyKey]:
    """Yield the signs that no key follows, and what is blank between two semicolons."""
    yield from _bare_signs(text, marker)
    if marker.command == "[@]":  # in Org a semicolon may open and close the list
        yield from _blank_items(text[marker.start + 1 : marker.end - 1], ";", marker.start + 1)


def _bare_signs(text: str, marker: Marker) -> Iterator[EmptyKey]:
    key_starts = {key.start for key in marker.keys}
    for sign in _BARE_SIGN.finditer(text, marker.start, marker.end):
        if sign.end() not in key_starts:
            place = sign.end() if len(sign.group()) == 1 else None
            yield EmptyKey(*sign.span(), place=place)


def _blank_items(list_text: str, separator: str, start: int) -> Iterator[EmptyKey]:
    """Yield the blank ones of several items, each with the separator beside it."""
    position = start
    items = list_text.split(separator)
    for number, item in enumerate(items):
        end = position + len(item)
        if len(items) > 1 and not item.strip():
            before = number > 0
            place = position if "\n" in item else end  # what is blank may be a comment
            yield EmptyKey(position - before, end + (not before), place=place)
        position = end + 1
