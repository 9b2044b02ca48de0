"""Citations written out in words, as pasted text has them: "(Doe and Roe, 2020)", "Doe (2020)".

Where the paper that they name is cited, the marker takes their place: behind them it would print
the same names and the same year a second time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.citing_style import Style, style_of, textual_marker
from cite_lsp.manuscript.filling import fill
from cite_lsp.manuscript.model import STAND_IN, Marker, Sentence
from cite_lsp.manuscript.placement import takes

_BLANK = r"(?:\s|~|\\[ ,])"
_ET_AL = (
    rf",?{_BLANK}+(?:\\(?:emph|textit)\{{|[*_])?et\.?{_BLANK}+al\.?(?:\}}|[*_])?"
    rf"|{_BLANK}+(?:u\.{_BLANK}*a\.|и{_BLANK}+др\.|(?:and|und){_BLANK}+(?:others|colleagues|andere))"
    rf"|{_BLANK}*等人?"
)
_JOINT = rf"(?:,?{_BLANK}+(?:and|und|et|y|e|и){_BLANK}+|,?{_BLANK}*(?:\\?&|[,，、和与]){_BLANK}*)"
_PARENTHESES = re.compile(r"[(（]([^()（）]+)[)）]")
_YEAR_CLOSED = re.compile(r"(?:1[89]|20)\d\d[a-z]?\s*[)）;；]")
_SEPARATOR = re.compile(r"\s*[;；]\s*")


def has_words(sentence: str) -> bool:
    """Whether a plain sentence may cite in words: it has a year that ends a parenthesis."""
    return _YEAR_CLOSED.search(sentence) is not None


def instead_of_words(
    manuscript: Manuscript,
    sentence: Sentence,
    key: str,
    people: Sequence[str],
    year: int,
    document: Sequence[Manuscript] = (),
) -> tuple[int, int, str] | None:
    """Return the range of words that cite a paper, and the marker that takes their place.

    `people` are the family names of its authors. Of several citations in one pair of parentheses
    the others stay. "Doe (2020)" gives way only where the draft has a command that prints names;
    it stays where that is unknown, as do words in footnotes of the sentence. None without any.
    """
    style = style_of(document or (manuscript,))
    names = _names(people)
    for start, end, text in (
        *_in_parentheses(manuscript, sentence, names, year, key, style),
        *_in_the_text(manuscript, sentence, names, year, key, style),
    ):
        notes = manuscript.layout.notes
        if any(sentence.start <= note.start <= start < note.end for note in notes):
            continue
        if takes(manuscript, sentence, start, text, [key], end=end):
            return start, end, text
    return None


def _names(people: Sequence[str]) -> str:
    """Return a pattern for the first of some people, alone or with others, by name or not."""
    first, *others = (rf"{_BLANK}+".join(map(re.escape, one.split())) for one in people)
    listed = rf"(?:{_JOINT}(?:{'|'.join(others)}))*" if others else ""
    return rf"(?<!\w){first}{listed}(?:{_ET_AL})?"


def _in_parentheses(
    manuscript: Manuscript, sentence: Sentence, names: str, year: int, key: str, style: Style
) -> Iterator[tuple[int, int, str]]:
    item = re.compile(rf"{names}(?:[,，]?{_BLANK}*){year}[a-z]?", re.IGNORECASE)
    text = manuscript.text
    for found in _PARENTHESES.finditer(text, sentence.start, sentence.end):
        items = _SEPARATOR.split(found[1])
        others = [one for one in items if not item.fullmatch(one.strip())]
        if len(items) - len(others) != 1:
            continue
        start, end, written = fill(
            manuscript, Marker(STAND_IN, (), *found.span()), [key], style.files
        )
        if others:
            if end != found.end():
                continue
            opening, closing = found[0][0], found[0][-1]
            blank = " " if opening == "(" else ""
            written += f"{blank}{opening}{'; '.join(others)}{closing}"
        yield start, end, written


def _in_the_text(
    manuscript: Manuscript, sentence: Sentence, names: str, year: int, key: str, style: Style
) -> Iterator[tuple[int, int, str]]:
    marker = textual_marker(style, key)
    if marker:
        pattern = re.compile(rf"{names}{_BLANK}*[(（]{year}[a-z]?[)）]", re.IGNORECASE)
        for found in pattern.finditer(manuscript.text, sentence.start, sentence.end):
            yield *found.span(), marker
