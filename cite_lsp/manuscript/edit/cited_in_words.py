"""Citations written out in words, as pasted text has them: "(Doe and Roe, 2020)", "Doe (2020)".

Where the paper that they name is cited, the marker takes their place: behind them it would print
the same names and the same year a second time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript
from cite_lsp.manuscript.edit.fill import replacement
from cite_lsp.manuscript.edit.placement import adds_only_citations
from cite_lsp.manuscript.edit.style import Style, noted_marker, style_of, textual_marker
from cite_lsp.manuscript.model import PLACEHOLDER, Marker, Sentence

_BLANK = r"(?:\s|~|\\[ ,])"
_ET_AL = (
    rf",?{_BLANK}+(?:\\(?:emph|textit)\{{|[*_])?et\.?{_BLANK}+al\.?(?:\}}|[*_])?"
    rf"|{_BLANK}+(?:u\.{_BLANK}*a\.|и{_BLANK}+др\.|(?:and|und){_BLANK}+(?:others|colleagues|andere))"
    rf"|{_BLANK}*等人?"
)
_JOINT = rf"(?:,?{_BLANK}+(?:and|und|et|y|e|и){_BLANK}+|,?{_BLANK}*(?:\\?&|[,，、和与]){_BLANK}*)"
_SEE = (
    rf"(?:(?:but|and){_BLANK}+)?(?:see(?:{_BLANK}+also)?|cf\.?|e\.{_BLANK}?g\.|compare|following"
    rf"|for{_BLANK}+(?:example|instance)|adapted{_BLANK}+from|reviewed{_BLANK}+(?:in|by)|as{_BLANK}+in"
    rf"|siehe(?:{_BLANK}+auch)?|vgl\.|z\.{_BLANK}?B\.|voir(?:{_BLANK}+aussi)?)"
)
_WHAT = rf"for(?:{_BLANK}+[a-z]+){{1,5}},?{_BLANK}+"
_IN_CHINESE = "(?:(?:参[见閱阅看考照]|參[見閱看考照]|[详詳另]?[见見]|例如|比如|如)[:：]?)"
_BEFORE = rf"(?:(?:{_WHAT})?{_SEE}(?:,?{_BLANK}+{_SEE})*[,:]?(?={_BLANK})|{_IN_CHINESE})"
"""What is said before a citation: "see", "for a review, see, e.g.,", "参见"."""
_LABEL = (
    r"(?:pp?\.|pages?|S\.|Seiten?|ch(?:ap)?s?\.|chapters?|Kap(?:itel|\.)|sec(?:t|s)?\.|sections?"
    r"|Abschnitt|Abschn\.|\\S|§§?|fig(?:s?\.|ures?)|Abb(?:ildung|\.)|tables?|tab\.|Tabelle|eqs?\."
    r"|equations?|theorem|thm\.|lemma|def(?:inition|\.)|alg(?:orithm|\.)|app(?:endix|\.)|part"
    r"|vol(?:ume|\.)|no\.|n\.|note|para\.|¶)"
)
_NUMBER = r"(?:\d+[\w.]*|[ivxlc]+\b|[A-Z]\b(?:\.\d+)*)"
_NUMBERS = (
    rf"{_NUMBER}(?:{_BLANK}*(?:-+|[–—,&]|and|und|to|bis){_BLANK}*{_NUMBER})*(?:{_BLANK}*ff?\b\.?)?"
)
_LOCATOR = (
    rf"(?:{_LABEL}{_BLANK}*{_NUMBERS}"
    rf"|第{_BLANK}*{_NUMBERS}{_BLANK}*[页頁章节節卷条條]|[图圖表]{_BLANK}*{_NUMBERS})"
)
_AFTER = (
    rf"(?:[,，]{_BLANK}*(?P<place>{_LOCATOR}(?:[,，]{_BLANK}*{_LOCATOR})*)"
    rf"|[:：]{_BLANK}*(?P<page>{_NUMBERS})"
    rf"|,?{_BLANK}+(?P<more>and{_BLANK}+(?:the{_BLANK}+)?references{_BLANK}+therein"
    rf"|among{_BLANK}+(?:many{_BLANK}+)?others))"
)
"""What is said behind a citation: ", p. 3", ": 15–17", "and references therein"."""
_PARENTHESES = lazy_re(r"[(（]([^()（）]+)[)）]")
_YEAR_CLOSED = lazy_re(r"(?:1[89]|20)\d\d[a-z]?\s*(?:[,，:：\s][^()（）;；]{1,80})?[)）;；]")
_SEPARATOR = lazy_re(r"\s*[;；]\s*")
_OPEN = lazy_re(r"[(（][^()（）]*\Z")


def may_cite_in_words(sentence: str) -> bool:
    """Whether a plain sentence may cite in words: a year, or a note on it, ends a parenthesis."""
    return _YEAR_CLOSED.search(sentence) is not None


def replacement_of_words(
    manuscript: Manuscript,
    sentence: Sentence,
    key: str,
    people: Sequence[str],
    year: int,
    document: Sequence[Manuscript] = (),
) -> tuple[int, int, str] | None:
    """Return the range of words that cite a paper, and the marker that takes their place.

    `people` are the family names of its authors. What is said with it, "see" or a page, goes into
    the marker, or the words stay where none can hold it. Of several citations in one pair of
    parentheses the others stay. "Doe (2020)" gives way only where the draft has a command that
    prints names; it stays where that is unknown, as do words in footnotes of the sentence. None
    without any.
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
        if adds_only_citations(manuscript, sentence, start, text, [key], end=end):
            return start, end, text
    return None


def _names(people: Sequence[str]) -> str:
    """Return a pattern for the first of some people, alone or with others, by name or not."""
    first, *others = (rf"{_BLANK}+".join(map(re.escape, person.split())) for person in people)
    listed = rf"(?:{_JOINT}(?:{'|'.join(others)}))*" if others else ""
    return rf"{first}{listed}(?:{_ET_AL})?"


def _in_parentheses(
    manuscript: Manuscript, sentence: Sentence, names: str, year: int, key: str, style: Style
) -> Iterator[tuple[int, int, str]]:
    item_pattern = re.compile(
        rf"(?:(?P<before>{_BEFORE}){_BLANK}*)?{names}(?:[,，]?{_BLANK}*){year}[a-z]?{_AFTER}?",
        re.IGNORECASE,
    )
    text = manuscript.text
    for match in _PARENTHESES.finditer(text, sentence.start, sentence.end):
        items = _SEPARATOR.split(match[1])
        matches = [item_pattern.fullmatch(item.strip()) for item in items]
        citing = [item_match for item_match in matches if item_match]
        if len(citing) != 1:
            continue
        others = [item for item, cites in zip(items, matches, strict=True) if not cites]
        before, after = _in_one_line(citing[0]["before"]), _note_behind(citing[0])
        new = noted_marker(style, key, before, after)
        if not new:
            continue
        placeholder = Marker(PLACEHOLDER, (), *match.span())
        start, end, written = replacement(manuscript, placeholder, new, style)
        if others:
            if end != match.end():
                continue
            opening, closing = match[0][0], match[0][-1]
            blank = " " if opening == "(" else ""
            written += f"{blank}{opening}{'; '.join(others)}{closing}"
        yield start, end, written


def _in_the_text(
    manuscript: Manuscript, sentence: Sentence, names: str, year: int, key: str, style: Style
) -> Iterator[tuple[int, int, str]]:
    text = manuscript.text
    pattern = re.compile(
        rf"(?<!\w){names}(?:{_BLANK}*[(（]{year}[a-z]?{_AFTER}?[)）]"
        rf"|{_BLANK}+(?P<bare>{year})[a-z]?(?![\w(（–-]))",
        re.IGNORECASE,
    )
    for match in pattern.finditer(text, sentence.start, sentence.end):
        if match["bare"] and _OPEN.search(text, sentence.start, match.start()):
            continue  # in parentheses that say more
        marker = textual_marker(style, key, _note_behind(match))
        if marker:
            yield *match.span(), marker


def _note_behind(match: re.Match[str]) -> str:
    """Return what is said behind the year of a citation in words."""
    return _in_one_line(match["place"] or match["page"] or match["more"])


def _in_one_line(note: str | None) -> str:
    return " ".join((note or "").split())
