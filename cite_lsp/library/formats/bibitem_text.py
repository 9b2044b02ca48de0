r"""What a `\bibitem` says of its people, its year and its title, which BibTeX has only printed.

The styles that come with it, natbib's and REVTeX's begin with the people, "C. L. Kane and E. J.
Mele" or "Kane, C. L."; those before a `\newblock` may have full names. The title ends where a
`\newblock` or a quotation does, or where the Chinese standard GB/T 7714 says what it is the title
of: "张三, 李四. 基于深度学习的方法[J]. 计算机学报, 2019". Elsewhere nobody can tell it from the
journal, and it is all that follows the people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import frozen

from cite_lsp.language import HAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.latex_decode import decode

_CAPITAL = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪİĶŁĻĽŃŅŇŌŐŘŚŞŠŢŤŪŮŰŹŻŽΑ-ΩА-Я"
_INITIALS = rf"(?:[{_CAPITAL}][a-z]?\.[- ]?)+"
_PARTICLES = (
    r"(?:(?:v[ao]n|de[rnl]?|della?|d[aiou]s?|l[ae]|te[rn]|z[ua]|af|al|el|bin|ibn|d['’])[ -]?)*"
)
_FAMILY = rf"{_PARTICLES}[{_CAPITAL}][\w'’]*\w(?:[- ][{_CAPITAL}][\w'’]*\w)*(?:,? [JS]r\.)?"
_BETWEEN = r"(?:,? ?(?:and|&) |[,;] )"
_OTHERS = lazy_re(r",?(?: and)? (?:et al\.?|others)")
_GIVEN_FIRST = rf"{_INITIALS} ?{_FAMILY}"
_FAMILY_FIRST = rf"{_FAMILY}, ?{_INITIALS}"
_WITHOUT_STOPS = rf"{_FAMILY} [{_CAPITAL}]{{1,3}}(?![\w’'-])"
_IN_FULL = rf"[{_CAPITAL}][\w'’.-]*(?: (?:{_PARTICLES}[{_CAPITAL}][\w'’-]*\.?)){{1,4}}"
_PEOPLE = tuple(
    lazy_re(rf"{name}(?:{_BETWEEN}{name})*(?P<others>{_OTHERS.pattern})?(?!\w)")
    for name in (_FAMILY_FIRST, _GIVEN_FIRST)
)
_PEOPLE_WITHOUT_STOPS = lazy_re(
    rf"(?:{_WITHOUT_STOPS}(?:,? and |, ))*{_WITHOUT_STOPS}(?P<others>{_OTHERS.pattern})?"
    r"(?=,? ?\((?:1[4-9]|20)\d\d[a-z]?\))"
)
"""As Springer has them before the year: "Kipf TN, Welling M (2017)"."""
_PEOPLE_IN_FULL = lazy_re(rf"{_IN_FULL}(?:{_BETWEEN}{_IN_FULL})*(?P<others>{_OTHERS.pattern})?\.?")
_A_YEAR = r"(?<![\d–:/.-])(?P<year>(?:1[4-9]|20)\d\d)[a-z]?(?!(?!年)[\w–/-])"
_YEAR = lazy_re(_A_YEAR)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_BEHIND_PEOPLE = lazy_re(rf"[,.]? ?\(?(?:{_MONTH} )?{_A_YEAR}\)?[.,:]? ?")
_IN_PARENTHESES = lazy_re(rf"\((?:[^()]{{1,20}} )?{_A_YEAR}\)")
_NO_YEAR = lazy_re(
    r"https?://\S+|arxiv:\s*\S+|(?<!\d)10\.\d{4,9}/\S+"
    r"|(?:accessed|retrieved|visited|abgerufen)\b[^.;)\]]*|\bpp?\. ?\d+",
    re.IGNORECASE,
)
"""Numbers that are no years: of addresses and preprints, of pages, of the day of a visit."""
_BLANK_INSIDE = lazy_re(r"(?<=[(\[]) ")
_QUOTED = lazy_re(r"[“\"]\s?(?P<title>.{4,}?)[,.]?[”\"]")
_NO_TITLE = lazy_re(r"(?:In:? |URL|https?:|Available|Accessed)")
"""The beginning of a block that follows a title: the block before it is then no list of people."""
_VENUE = lazy_re(
    r"(?:In:? )?(?!https?:)(?P<venue>[^,(:]*?[^\W\d][^,(:]*?)\.?(?: arXiv)?"
    r"(?=[,(:]| \d+(?:[,(:.]|$)|\.?$)"
)


_STANDARD = lazy_re(
    r"(?P<people>[^.．。\[\]［］]{1,400})[.．。]\s*(?P<title>[^\s,，][^\[\]［］]{0,400}?)\s?"
    r"[\[［](?:[JMCDRSPNZGA]|DB|CP|EB)(?:/[A-Z]{2})?[\]］](?:\s?//|[.．。])?\s*"
    r"(?:第?\d{1,2}版[.．。,，]\s*)?(?:\((?P<dated>(?:19|20)\d\d)-\d\d-\d\d\))?"
    r"(?:[^\W\d_]{1,20}[:：]\s?)?(?P<venue>[^,，.．。:：(（\[\]\d]*)"
)
"""A reference as GB/T 7714 has it: the type of the work stands in brackets behind its title."""
_LISTED = lazy_re(r"\s*[,，、;；]\s*")
_OTHERS_LISTED = lazy_re(rf"(?:[,，、;；]\s*|\s)(?:et al|等)\s*\Z|(?<=[{HAN}])等\s*\Z")
_WITH_INITIALS = lazy_re(r"\A(\S.*?) ([A-Z]{1,3}|[A-Z](?:[ -][A-Z]){1,2})\Z")


@frozen
class PrintedParts:
    """The parts of a printed reference; what it does not say is empty."""

    people: tuple[str, ...]
    more_people: bool
    year: str
    title: str
    venue: str


def read_printed(raw: str, *, named: bool = False) -> PrintedParts:
    r"""Return the parts of a reference as a style of BibTeX prints it.

    `raw` is the LaTeX of it, without its `\bibitem`. With `named` its people are known, so that it
    begins with them whatever they look like.
    """
    blocks = [text for part in re.split(r"\\newblock\b", raw) if (text := plain(part))]
    whole = " ".join(blocks)
    if standard := _STANDARD.match(whole):
        return _printed_in_gbt7714(whole, standard)
    people, more, end = _people(whole)
    behind = _BEHIND_PEOPLE.match(whole, end) if end else None
    parted, first = len(blocks) > 1, 0
    if parted and not people:
        if _NO_TITLE.match(blocks[1]):
            first = -1
        elif full := _PEOPLE_IN_FULL.fullmatch(_BEHIND_PEOPLE.split(blocks[0])[0].strip(". ")):
            people, more = _split(full)
        parted = bool(people) or named or first < 0
    if parted and len(blocks[0]) + 1 >= (behind.end() if behind else end):
        title, venue = blocks[first + 1], _venue(blocks[first + 2 : first + 3])
    else:
        title, venue = whole[behind.end() if behind else end :].lstrip(",.:; "), ""
    if quoted := _QUOTED.match(title):
        title = quoted["title"]
    elif parted:
        title = title.rstrip(".")
    return PrintedParts(people, more, _year(whole, behind), title or whole, venue)


def _printed_in_gbt7714(whole: str, match: re.Match[str]) -> PrintedParts:
    listed = _OTHERS_LISTED.sub("", match["people"])
    names = (_WITH_INITIALS.sub(r"\1, \2", name) for name in _LISTED.split(listed.strip()))
    more, venue = listed != match["people"], match["venue"].strip()
    year = match["dated"] or _year(whole, None)
    return PrintedParts(tuple(filter(None, names)), more, year, match["title"], venue)


def plain(raw: str) -> str:
    """Return LaTeX as it is printed, in one line."""
    text = " ".join(decode(raw).replace("``", "“").replace("''", "”").split())
    return _BLANK_INSIDE.sub("", text)


def _people(text: str) -> tuple[tuple[str, ...], bool, int]:
    """Return the people that a text begins with, whether there are more, and where they end."""
    people = max(
        (match for pattern in (*_PEOPLE, _PEOPLE_WITHOUT_STOPS) if (match := pattern.match(text))),
        key=lambda match: match.end(),
        default=None,
    )
    return (*_split(people), people.end()) if people else ((), False, 0)


def _split(people: re.Match[str]) -> tuple[tuple[str, ...], bool]:
    listed = people.group().removesuffix(people["others"] or "")
    family_first = re.match(_FAMILY_FIRST, listed) is not None
    names = re.findall(_FAMILY_FIRST, listed) if family_first else re.split(_BETWEEN, listed)
    if people.re.pattern == _PEOPLE_WITHOUT_STOPS.pattern:
        names = [_WITH_INITIALS.sub(r"\1, \2", name) for name in names]
    return tuple(name.strip() for name in names), people["others"] is not None


def _year(text: str, behind_people: re.Match[str] | None) -> str:
    """Return the year: behind the people, else in parentheses, else the last that may be one."""
    if behind_people:
        return behind_people["year"]
    if in_parentheses := _IN_PARENTHESES.search(text):
        return in_parentheses["year"]
    years: Sequence[str] = _YEAR.findall(_NO_YEAR.sub(" ", text))
    return years[-1] if years else ""


def _venue(blocks: Sequence[str]) -> str:
    match = _VENUE.match(blocks[0]) if blocks else None
    return match["venue"].strip() if match else ""
