"""What a context asks: the stretches of text that are compared with papers.

Words close to the marker say what is cited, words further away say what the section is about; the
two are kept apart, because a mix that knows both does better than any one window.
"""

from __future__ import annotations

import re

from attrs import frozen

from cite_lsp.manuscript.model import Context
from cite_lsp.manuscript.sentences import MARK, sentence_spans
from cite_lsp.manuscript.words import first_words, last_words
from cite_lsp.paper import Paper
from cite_lsp.search.texts import encoder_text

_LATIN = re.compile(r"[A-Za-z](?:[A-Za-z0-9+'.-]*[A-Za-z0-9+])?")

NEAR_LEFT, NEAR_RIGHT = 18, 10
"""Words left and right of the marker in the near window (a Han character counts as half a word)."""
WIDE = 50
"""Words on either side in the wide window (Tanaka et al.)."""
NAMES = 8
"""Words left of the marker in which a named author stands ("the method of Smith and Lee")."""


@frozen
class Query:
    """The texts of one context.

    `sentence` holds the marker, `near` and `wide` surround it, `topic` is what the section
    and the draft are about, `names` the words right before the marker, `latin` the Latin words of a
    Chinese context (method names and authors, often the only words it shares with its paper).
    """

    sentence: str
    near: str
    wide: str
    topic: str
    names: str
    latin: str


def near_window(left: str, right: str) -> str:
    """Return the words nearest to a marker, the text on both sides joined."""
    return _joined(last_words(left, NEAR_LEFT), first_words(right, NEAR_RIGHT))


def own_sentence(left: str, right: str) -> str:
    """Return the sentence in which a marker stands, without the marker.

    It is cut from the windows, not taken from the draft, so that a context of a full text (which
    has no draft behind it) and one of a draft are read alike.
    """
    left, right = last_words(left, WIDE), first_words(right, WIDE)
    gap = " " if right[:1].isalnum() else ""
    text = f"{left.rstrip()}{MARK}{gap}{right}"
    for start, end in sentence_spans(text):
        if MARK in text[start:end]:
            return _joined(*text[start:end].split(MARK, 1))
    return ""


def read_query(context: Context) -> Query:
    """Cut the windows of a context."""
    near = near_window(context.left, context.right)
    wide = _joined(last_words(context.left, WIDE), first_words(context.right, WIDE))
    latin = ""
    if context.language == "zh":
        latin = " ".join(_LATIN.findall(near))
    return Query(
        sentence=own_sentence(context.left, context.right),
        near=near,
        wide=wide,
        topic=". ".join(part for part in (context.section_title, context.title) if part),
        names=last_words(context.left, NAMES),
        latin=latin,
    )


def whole_paper(context: Context) -> str:
    """Return title and abstract of the citing document, as a paper's are where it is embedded."""
    return encoder_text(Paper("", context.title, context.abstract))


def _joined(left: str, right: str) -> str:
    return f"{left.rstrip()} {right.lstrip()}".strip()
