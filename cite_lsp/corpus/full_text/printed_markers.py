"""Citations as full texts print them, "(Brants, 2000)", "Collins (1999)", "[3]", and without them.

A draft has a marker where these stand. What was written around one is compared with drafts, so
the names and years of all have to go: else papers match by names and not by topic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import takewhile

from cite_lsp.language import UNSPACED
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import fold

Span = tuple[int, int]

_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_NAME = r"\b[^\W\d_a-z][\w'’.-]{0,40}"
_WORDS_BEFORE = (
    r"(?:see|also|and|or|cf\.|e\.g\.|i\.e\.|for|example|instance|an?|recent|reviews?|overview|details"
    r"|in|as|by|refs?\.|references?|especially|notably)"
)
_NUMBERS = (
    rf"\[(?:{_WORDS_BEFORE},?\s*){{0,5}}\d[\d,;\s–-]{{0,40}}"
    r"(?:(?:pp?|ch|chap|sec|fig|thm|Chapter|Section|Theorem)\b\.?[^\[\]]{1,20}"
    r"|(?:and|for|among|as|in)\s[^\[\]\d]{1,60})?\]"
)
_IN_BRACKETS = (
    rf"\([^()]{{0,120}}\b{_YEAR}\b[^()]{{0,80}}\)|\[[^\[\]]{{0,120}}\b{_YEAR}\b[^\[\]]{{0,80}}\]"
)
LETTERED = r"[^\W\d_](?:[^\W\d_]{1,7}(?:\s?\+\s?)?|\s?\+\s?)\d\d(?:[a-z]\b)?"
"""A label of names and a year: "[FHL+07]"."""
_LETTERED = rf"\[(?:[^\[\]\d]{{1,30}}\s)?{LETTERED}(?:[,;]\s?{LETTERED})*(?:,\s[^\[\]]{{1,30}})?\]"
_ET_AL = r",?\s+et\.?\s+al\b\.?(?:['’]s)?,?"
_PEOPLE = rf"{_NAME}(?:,?\s+{_NAME}){{0,3}}?(?:{_ET_AL}|,?\s+(?:and|&(?:amp;)?)\s+{_NAME})"
_IN_TEXT = (
    rf"\b{_PEOPLE},?\s*(?:[(\[]\s*{_YEAR}[^()\[\]]{{0,40}}[)\]]|{_YEAR}\b)"
    rf"|\b{_NAME}(?:['’]s)?\s+[(\[]\s*{_YEAR}(?:\s*[,;]\s*{_YEAR})*\s*[)\]]"
)
_PRINTED = lazy_re(rf"{_IN_TEXT}|{_NUMBERS}|{_LETTERED}|{_IN_BRACKETS}")
_UNSPACED = f"[{UNSPACED}]"
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
"""The digits as which raised ones are written."""
RAISED_DIGIT = f"[{RAISED}]"
_RAISED = lazy_re(
    rf"{RAISED_DIGIT}{{1,3}}(?:\s?[,;–-]\s?{RAISED_DIGIT}{{1,3}})*"
    rf"(?!(?!{_UNSPACED})[⁺⁻\w(*]|\s?[=<>≤≥±×·≈∼~+/^−])"
)
_AFTER_SIGN = lazy_re(r"(?:[.,;:!?\]”\"’'»%]|\([^()]*[^\W\d_]{3}[^()]*\))$")
_AFTER_WORD = lazy_re(rf"(?:(\d)[ ]?)?((?:(?!{_UNSPACED})[^\W\d_]){{3,}}|{_UNSPACED}+)$")
_OVER = r"(?:(?<!and)/(?!or\b)|÷|\bdivided by\b)"
_SQUARED = lazy_re(
    r"(?<![^\W\d_])[^\W\d_]['’′″]+$"
    r"|\b([^\W\d_]{3,})(?:,? (?:and|or|plus) |[,;] ?| ?\+ ?)\1$"
    rf"|{_OVER} ?(?:(?:the )?[^\W\d_]+ ){{0,2}}\([^()]*\)$|\([^()]*{_OVER}[^()]*\)$",
    re.IGNORECASE,
)
"""What is before a power: "x'", "age and age", "weight / (height in metres)"."""
_AFTER_YEAR = lazy_re(r"\b(?:1[89]|20)\d\d$")
_CAPITAL = rf"(?!{_UNSPACED})[^\W\d_a-z]"
_GIVEN = rf"{_CAPITAL}[\w.’'-]*"
_INITIALS = rf"{_CAPITAL}\.(?:[ -]?{_CAPITAL}\.)*"
_OF_NAMES = (
    r"(?:v[ao]n|zu[mr]?|de[rnlims]?|d[aiou]|d[ao]s|l[aeo]s?|te[nr]?|a[fv]|al|el|bin|ibn|y|e)"
)
_DEGREE = r",? ?(?:[A-Z][a-z]{0,4}\.? ?-?[A-Z][A-Za-z.]{0,6}|[JS]r\.?)"
_NOTED = r"(?: ?[*†‡§¶#∗])*,?"
_AFTER_PERSON = lazy_re(
    rf"{_GIVEN}(?: (?:{_OF_NAMES} ){{0,3}}{_CAPITAL}[\w’'-]*|,? {_INITIALS})"
    rf"(?:{_DEGREE}){{0,3}}{_NOTED} ?$"
)
_AFTER_PLACE = lazy_re(rf"\b(?:the|of|in|from|at|near|across) {_GIVEN} {_GIVEN},?$")
_HAN_NAME = rf"{_UNSPACED}(?:[ ·]?{_UNSPACED}){{1,3}}"
_HAN_PERSON = lazy_re(rf"(?:^|[\s,，]){_HAN_NAME}[,*]*$")
_AND_HAN_PERSON = lazy_re(rf"[\s,，*]*{_HAN_NAME}[,*]*{RAISED_DIGIT}")
_AND_PERSON = lazy_re(
    rf"[ ,;*†‡§¶#∗]*(?:(?:and|&|{_OF_NAMES}|{_GIVEN})[ ,;*†‡§¶#∗]+)*{_GIVEN}[ ,;*†‡§¶#∗]*"
)
"""What stands between the numbers of two authors."""
_POWERS = frozenset(
    "sin cos tan sinh cosh tanh log exp max min det var mol deg rad bar sec arcsec arcmin mpc kpc"
    " kev mev gev tev khz mhz ghz kpa mpa gpa".split()
)
"""Units and functions of three letters or more; what is raised behind them is their power."""
_HAN_UNIT = 2
"""Characters of a unit behind a number, "3千米²", at most."""
_ADDRESS = lazy_re(
    r"\s?(?:Dep(?:art|t)|D[ée]partement|Institut|Universi|School|Facult|Laborat|Cent(?:er|re)|College"
    r"|Division|National|Present address)"
)
_HEAD = 3_000
"""Characters in which the authors of a text and their addresses stand."""
_BEFORE = 120
"""Characters before a raised number that show what it is."""
_LEFT_OVER = lazy_re(
    r"(?<!\s)\s*+[(\[](?:\s|[.,;:&]|\b(?:and|see|also|cf|e\.g|i\.e|for example)\b)*[)\]]",
    re.IGNORECASE,
)
_TWICE = lazy_re(r"([,;])(?:\s*[,;])+")
_BLANK_BEFORE = lazy_re(r"(?<!\s)\s++(?=[.,;:)\]])")


def printed_markers(text: str) -> list[Span]:
    """Return where the markers of a text stand, (start, end), in order."""
    return [match.span() for match in _PRINTED.finditer(text)]


def raised_markers(text: str) -> list[Span]:
    """Return where raised numbers stand that can cite, "so³" or "so.¹⁻³", (start, end), in order.

    Powers ("10³", "5 km²", "x²") cannot, nor what is raised before letters ("¹⁴C"), nor the
    numbers of addresses behind the names of authors and before the addresses.
    """
    numbers = list(_RAISED.finditer(text))
    authors = _authors(text, numbers)
    return [
        number.span()
        for number in numbers
        if number.end() not in authors and _can_cite(text, number)
    ]


def _authors(text: str, numbers: Iterable[re.Match[str]]) -> set[int]:
    """Return where the numbers end that stand behind the names of authors."""
    ends: set[int] = set()
    last = -_BEFORE
    for number in takewhile(lambda number: number.start() < _HEAD, numbers):
        before = text[max(0, number.start() - _BEFORE) : number.start()]
        goes_on = last in ends and (
            _AND_PERSON.fullmatch(text[last : number.start()])
            or _AND_HAN_PERSON.match(text[last : number.end()])
        )
        begins = _AFTER_PERSON.search(before) and not _AFTER_PLACE.search(before)
        if goes_on or begins or _is_han_author(text, number, before):
            ends.add(number.end())
        last = number.end()
    return ends


def _is_han_author(text: str, raised: re.Match[str], before: str) -> bool:
    """Whether the first of several names stands before a number, and no sentence before it."""
    return (
        _HAN_PERSON.search(before) is not None
        and _AND_HAN_PERSON.match(text, raised.end()) is not None
        and "。" not in text[: raised.start()]
    )


def _can_cite(text: str, raised: re.Match[str]) -> bool:
    before = text[max(0, raised.start() - _BEFORE) : raised.start()]
    if raised.start() < _HEAD and _ADDRESS.match(text, raised.end()):
        return False
    if raised[0] in ("²", "³") and _SQUARED.search(before):
        return False
    if _AFTER_SIGN.search(before) or _AFTER_YEAR.search(before):
        return True
    word = _AFTER_WORD.search(before)
    if word is None or word[2].lower() in _POWERS:
        return False
    is_unit = word[1] and (len(word[2]) <= _HAN_UNIT or not re.match(_UNSPACED, word[2]))
    return not (is_unit and len(raised[0]) == 1)


def around_marker(text: str, family_name: str, year: int | None) -> tuple[str, str] | None:
    """Return what stands on either side of the marker of a paper, all markers taken out.

    It is known by the family name of the first author (the last word of "van Deemter"); of several
    markers with that one, by the year of the paper. None where no marker names the author.
    """
    family_name = family_name.rpartition(" ")[2]
    name = re.compile(rf"\b{re.escape(fold(family_name))}\b")
    spans = printed_markers(text)
    for bare in re.finditer(rf"\b{re.escape(family_name)},?\s+{_YEAR}\b", text):
        if not any(start <= bare.start() < end for start, end in spans):
            spans.append(bare.span())
    naming = [span for span in sorted(spans) if name.search(fold(text[slice(*span)]))]
    if not family_name or not naming:
        return None
    marker = next((span for span in naming if str(year) in text[slice(*span)]), naming[0])
    return around(marker, spans, text)


def around_first_marker(text: str) -> tuple[str, str] | None:
    """Return what stands on either side of the first marker, all markers taken out; None without.

    For a passage of which is known that it cites a paper, and nothing of the paper.
    """
    spans = printed_markers(text)
    return around(spans[0], spans, text) if spans else None


def around(marker: Span, spans: Sequence[Span], text: str) -> tuple[str, str]:
    """Return what stands on either side of one of `spans`, which do not overlap, without them."""
    start, end = marker
    return _without_spans(spans, text, 0, start), _without_spans(spans, text, end, len(text))


def _without_spans(spans: Sequence[Span], text: str, start: int, end: int) -> str:
    """Return `text[start:end]` without what stands at `spans`, which do not overlap."""
    pieces, place = [], start
    for first, last in sorted(spans):
        if start <= first and last <= end:
            pieces.append(text[place:first])
            place = last
    pieces.append(text[place:end])
    rest = _LEFT_OVER.sub("", " ".join(pieces))
    rest = _TWICE.sub(r"\1", _BLANK_BEFORE.sub("", " ".join(rest.split())))
    return rest
