"""The edit of a text, as every part of the program returns it."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen


@frozen(order=True)
class TextEdit:
    """A `text` in the place of what is between two offsets, in code points."""

    start: int
    end: int
    text: str

    @classmethod
    def insertion(cls, offset: int, text: str) -> TextEdit:
        """Return the edit that inserts a text and takes nothing away."""
        return cls(offset, offset, text)

    def applied_to(self, before: str) -> str:
        """Return a text after the edit."""
        return before[: self.start] + self.text + before[self.end :]


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Return a text after edits of it, of which no two touch the same part."""
    parts, done = [], 0
    for edit in sorted(edits):
        parts += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join((*parts, text[done:]))
