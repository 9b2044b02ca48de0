"""What patterns are made of: the pieces that a reader looks out for, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

_WRITTEN = str.maketrans({"␣": " ", "⏎": "\n", "⇥": "\t", "↵": "\r"})


def tokens(written: str) -> tuple[str, ...]:
    """Return the tokens that blanks part, in which ␣ ⏎ ⇥ ↵ stand for blanks of their own."""
    return tuple(token.translate(_WRITTEN) for token in written.split())


EVERYWHERE = tokens(
    r"""
    ⏎ ⏎⏎ ␣ ⇥ \ a␣ a.␣A 1 中 ， 。 { } ( ) [ ] " ' < > , . ; : = - # @ % & $ ~ ^ _ | * / ` ! +
    """
)
"""Pieces that may mean something in any format."""
_JOINED = 8
"""How many signs are joined with one another."""


@frozen
class Pattern:
    """A text made of one piece over and over.

    Attributes:
        reader: The name of what reads it.
        before: What the text begins with.
        piece: What stands there over and over.
    """

    reader: str
    before: str
    piece: str

    def text(self, times: int) -> str:
        """Return the text with the piece so many times."""
        return self.before + self.piece * times

    def __str__(self) -> str:
        begins = f"{self.before!r}, then " if self.before else ""
        return f"{self.reader}: {begins}{self.piece!r} over and over"


@frozen
class Tokens:
    """What patterns for a reader are made of.

    Attributes:
        contexts: What a text may begin with, beside nothing.
        signs: Pieces that are repeated by themselves and in each context, the first also joined.
        pieces: Pieces that are repeated by themselves.
    """

    contexts: tuple[str, ...]
    signs: tuple[str, ...]
    pieces: tuple[str, ...]

    def patterns(self, reader: str) -> Iterator[Pattern]:
        """Yield all patterns, each once."""
        for piece in dict.fromkeys((*self.signs, *self.pieces, *EVERYWHERE)):
            yield Pattern(reader, "", piece)
        for before in self.contexts:
            for sign in self.signs:
                yield Pattern(reader, before, sign)
        for first in self.signs[:_JOINED]:
            for second in self.signs[:_JOINED]:
                if first != second:
                    yield Pattern(reader, "", first + second)
