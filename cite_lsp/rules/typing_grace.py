"""A key that is just being typed: as long as the writer is at it, nobody calls it unknown.

Nor is a citation called empty into which its key is about to be typed. The protocol tells of edits,
not of the cursor, so what the last edit touched is taken for what is under the cursor, until an
edit elsewhere, a save, or a moment of rest.
"""

from __future__ import annotations

import time

from lsprotocol import types

from cite_lsp.rules.examine import Found, diagnose
from cite_lsp.server.session.documents import Document, position_of
from cite_lsp.server.session.request import Request

REST = 4.0
"""Seconds after the last edit from which on a key counts as finished."""
_RULES = ("empty-citation", "unknown-key")


def diagnose_finished(request: Request) -> tuple[Found, float | None]:
    """Return what is to be said now, and in how many seconds the rest: None if that is all."""
    found, document = diagnose(request), request.document
    here = found.get(document.uri, [])
    left = _seconds_left(document)
    if left <= 0 or not any(diagnostic.code in _RULES for diagnostic in here):
        return found, None
    at = position_of(document.lines, _behind_word(document), request.client.encoding)
    said = [one for one in here if one.code not in _RULES or not _holds(one.range, at)]
    if len(said) == len(here):
        return found, None
    shown = {**found, document.uri: said}
    return {uri: diagnostics for uri, diagnostics in shown.items() if diagnostics}, left


def _seconds_left(document: Document) -> float:
    return document.touched_at + REST - time.monotonic()


def _behind_word(document: Document) -> int:
    """Return where the last edit was; the blanks between the words of a title go with the word."""
    text, offset = document.text, document.touched
    while offset > 0 and text[offset - 1] in " \t":
        offset -= 1
    return offset


def _holds(place: types.Range, position: types.Position) -> bool:
    """Whether a position is in a range or at one of its ends."""
    start, end = place.start, place.end
    return (
        (start.line, start.character)
        <= (position.line, position.character)
        <= (end.line, end.character)
    )
