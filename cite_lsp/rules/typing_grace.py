"""A key that is just being typed: until the writer has finished, it is not called unknown.

Nor is a citation called empty into which its key is about to be typed. Editors report edits, not
the cursor, so where the last edit was is taken for where the cursor is, until an edit elsewhere,
a save, or a moment of rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cite_lsp.rules.findings import Finding

REST = 4.0
"""Seconds after the last edit from which on a key counts as finished."""
_RULES = ("empty-citation", "unknown-key")


def without_unfinished(
    findings: Iterable[Finding], path: Path, text: str, edited: int
) -> tuple[Finding, ...]:
    """Return findings without those at a citation that is just being typed.

    `edited` is the offset behind the last edit of the text of a file.
    """
    cursor = _end_of_word(text, edited)
    return tuple(
        finding
        for finding in findings
        if finding.rule not in _RULES
        or finding.path != path
        or not finding.start <= cursor <= finding.end
    )


def _end_of_word(text: str, offset: int) -> int:
    """Return an offset, or that before blanks: those between the words of a title go with them."""
    while offset > 0 and text[offset - 1] in " \t":
        offset -= 1
    return offset
