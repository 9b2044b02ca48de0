"""Invisible and control characters in metadata: removed, shown safely, or refused in keys.

Metadata that is copied from page to page brings them along. TeX stops at control characters, and
the others split words, or turn them round, where nothing shows why. In what people are shown they
may also be there on purpose: a terminal obeys some, and others have a text read as what it is not.
"""

from __future__ import annotations

from cite_lsp.lazy_re import lazy_re

_INVISIBLE = lazy_re(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls that are no blanks
    "\xad"  # the hyphen that only a line break shows
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # the direction of writing
    "\u180e\u200b\u2060-\u2065\ufeff"  # blanks without width, byte order marks
    "\ufff0-\ufffb\U000e0000-\U000e007f"  # annotations, tags
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"  # no characters at all
    "]"
    "|(?<![\u0590-\U0010ffff])[\u200c\u200d]"  # joiners, which spell Persian and Indian words
)

_MISLEADING = lazy_re("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Controls but for tab and line feed, and what turns the direction of writing."""
_LINE_BREAKS = lazy_re("[\n\x0b\x0c\r\x85\u2028\u2029]+")
_UNCITABLE = lazy_re("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def without_invisible(text: str) -> str:
    """Return a text without control and invisible characters; blanks and line breaks stay."""
    return text if text.isprintable() else _INVISIBLE.sub("", text)


def printable(text: str) -> str:
    """Return a text of anybody's file as people may be shown it: what misleads is marked.

    Tabs and line feeds stay. It is plain text still, and means nothing else where Markdown is read.
    """
    return _MISLEADING.sub("\N{REPLACEMENT CHARACTER}", text) if _MISLEADING.search(text) else text


def printable_line(text: str) -> str:
    """Return a text as `printable` does, in one line."""
    return printable(_LINE_BREAKS.sub(" ", text))


def is_citable(key: str) -> bool:
    """Whether a key can stand in a citation: it has neither line breaks nor control characters."""
    return _UNCITABLE.search(key) is None


def uncitable_message(key: str, holder: str) -> str:
    """Return what is wrong with the key of what holds it ("item"), where it is not citable."""
    return (
        f'the key "{printable_line(key)}" has a line break or a control character in it, and '
        f"cannot be cited: the {holder} is left out, change it"
    )
