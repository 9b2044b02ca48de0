"""Names of a paper in prose: its authors ("Vaswani et al."), its method ("BERT"), its title."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cite_lsp.language import HAN, has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.display import shortened
from cite_lsp.library.text.latex_decode import readable
from cite_lsp.library.text.people import family_name
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.han_names import names_of_people

_SHORTEST_NAME = 4
"""Letters of a Latin surname below which it stands for too many people and things by itself."""
_HEAD = lazy_re(r"\s*([^:：]{2,30}?)\s*[:：]\s")
_ACRONYM = lazy_re(r"\(([A-Z][A-Za-z0-9-]*[A-Z][A-Za-z0-9-]*)\)")
_INNER_CAPITAL = lazy_re(r"\w[A-Z]|[A-Z0-9]\w*[A-Z0-9]")
_MOST_HEAD_WORDS = 2
_BEHIND_TITLE = lazy_re(r"(?<!\s)\s*+(?:[（(:：]|——?|\[[A-Z](?:/OL)?\]\s*\Z).*", re.DOTALL)
"""What may follow the title of a book or an article: a subtitle, the edition, `[J]`."""
_NAMED_IN_JAPANESE = lazy_re(rf"(?<![{HAN}々])([{HAN}々]{{1,3}})ら")
"""A family name in Japanese prose: 田中ら."""
_JOINTS = (*(f" {joint} " for joint in "und et y e i a en och og и ve và".split()), "と")
"""What stands between two people in other languages."""
_BEFORE_NOUNS = (
    r"(?<!\w)(?<![Vv][ao]n )(?:[Dd](?:er|ie|as|en|em|es)|[Kk]?[Ee]in(?:e[nmrs]?)?|[Jj]ede[nmrs]?"
    r"|[Ii]m|[Aa]m|[Vv]om|[Zz]u[mr]|[Bb]eim|[Ii]ns)\s+"
)
"""German articles: der Kaiser, im Winter and ein Koch are nobody's names."""
_GERMAN = lazy_re(
    r"\b(?:und|(?<!van )der|die|das|eine?[nmrs]?|zu[mr]|für|über|ihre[nmrs]?)\b", re.IGNORECASE
)
"""Words of titles in which every noun has a capital."""
_YEAR = r"(?:1[89]|20)\d\d"
_BEFORE_YEARS = (
    r"(?:(?:,? (?:and|und|et|y|e|&) |, |[、和与])[A-ZÀ-Þ][\w'’-]*)*"
    r"(?:,? et al\.?| u\. ?a\.| ?等人?)?[,，]? ?[(（]?"
)
"""What may stand between a name and the years of works: coauthors, "et al.", a bracket."""
_YEARS = rf"{_YEAR}[a-z]?(?:(?:[,;，；、]| and| und|和)? ?{_YEAR}[a-z]?)*(?!\w)"
_YEARS_APART = 1
"""Years between a preprint and its publication."""
_QUOTED_TITLE = lazy_re("《([^《》]{6,})》")


def short_name(paper: Paper) -> str:
    """Name a paper as prose does: "Vaswani et al. 2017"; by its title where authors are missing.

    Chinese names are joined as in Chinese: "李明、王芳 2020", "李明等 2021".
    """
    names = [family_name(author) for author in paper.authors[:2]]
    chinese = any(map(has_han, names))
    if not names:
        who = shortened(readable(paper.title), 40)
    elif len(paper.authors) <= 2 and not paper.more_authors:
        who = ("、" if chinese else " and ").join(names)
    else:
        who = f"{names[0]}等" if chinese else f"{names[0]} et al."
    return f"{who} {paper.year}" if paper.year else who


def names_of(paper: Paper, sentence: str = "") -> tuple[str, ...]:
    """Return how a sentence may name a paper, the most telling way first."""
    return titles_of(paper, sentence) + people_of(paper, sentence) + methods_of(paper)


def titles_of(paper: Paper, sentence: str) -> tuple[str, ...]:
    """Return a Chinese title as prose has it, 《机器学习》, also without subtitle or edition.

    A long part of it may be what the sentence has: 第47次《中国互联网络发展状况统计报告》.
    """
    title = readable(paper.title)
    if not has_han(title):
        return ()
    quoted = (title_part for title_part in _QUOTED_TITLE.findall(sentence) if title_part in title)
    titles = (title, _BEHIND_TITLE.sub("", title), *quoted)
    return tuple(dict.fromkeys(f"《{title_part}》" for title_part in titles if title_part))


def coauthors_of(paper: Paper, sentence: str) -> tuple[str, ...]:
    """Return how a sentence may name those who are listed behind the first author."""
    others = paper.authors[1:]
    return tuple(dict.fromkeys((*map(family_name, others), *names_of_people(others, sentence))))


def people_of(paper: Paper, sentence: str = "") -> tuple[str, ...]:
    """Return how a sentence may name the people behind a paper, the most telling way first.

    One whose name the library has in Latin letters may be named in Han characters there. Who is
    named with the year of another work is not named for this one.
    """
    people = [family_name(author) for author in paper.authors]
    names = []
    if len(people) == 2:
        names += [f"{people[0]} and {people[1]}", f"{people[0]} & {people[1]}"]
        names += [f"{people[0]}和{people[1]}", f"{people[0]}与{people[1]}"]
        names += [pair for joint in _JOINTS if (pair := joint.join(people)) in sentence]
    if people and (len(people[0]) >= _SHORTEST_NAME or not people[0].isascii()):
        names += [] if _is_noun(people[0], sentence) else people[:1]
    if people and has_han(people[0]):
        names += [
            name for name in _NAMED_IN_JAPANESE.findall(sentence) if people[0].startswith(name)
        ]
    names += names_of_people(paper.authors[:1], sentence)
    return tuple(name for name in names if not _is_of_other_works(name, paper.year, sentence))


def _is_noun(name: str, sentence: str) -> bool:
    """Whether a name stands in a German sentence as an ordinary word, and nowhere else in it."""
    if name not in sentence:
        return False
    return name not in re.sub(rf"{_BEFORE_NOUNS}{re.escape(name)}(?!\w)", "", sentence)


def _is_of_other_works(name: str, year: int | None, sentence: str) -> bool:
    """Whether a sentence has a name with the years of other works only: Doe et al. (2018)."""
    if year is None or name not in sentence:
        return False
    dated = re.compile(rf"{re.escape(name)}{_BEFORE_YEARS}{_YEARS}")
    years = [
        int(stated) for match in dated.findall(sentence) for stated in re.findall(_YEAR, match)
    ]
    if not years or any(abs(stated - year) <= _YEARS_APART for stated in years):
        return False
    return name not in dated.sub("", sentence)


def methods_of(paper: Paper) -> tuple[str, ...]:
    """Return what a title calls its method: "BERT: Pre-training of …", "… Memory (LSTM)".

    The first word of a German one, "Sprache: Eine Einführung", is a noun.
    """
    names = []
    heading = _HEAD.match(paper.title)
    if heading and len(heading[1].split()) <= _MOST_HEAD_WORDS:
        is_single_word = " " not in heading[1] and heading[1][0].isupper()
        is_single_word = is_single_word and not _GERMAN.search(paper.title, heading.end())
        if is_single_word or _INNER_CAPITAL.search(heading[1]):
            names.append(heading[1])
    names += _ACRONYM.findall(paper.title)
    return tuple(dict.fromkeys(names))


def names_in_text(text: str, names: Sequence[str]) -> list[str]:
    """Return the names that stand in a plain text as written, not as part of a word."""
    return [name for name in names if _has_name(text, name)]


def _has_name(text: str, name: str) -> bool:
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if not (
            _same_word(text[start - 1 : start], name[:1])
            or _same_word(name[-1:], text[end : end + 1])
        ):
            return True
        start = text.find(name, start + 1)
    return False


def _same_word(left: str, right: str) -> bool:
    """Whether two neighbouring letters belong to the same word; Han characters never do."""
    return all(letter.isalnum() and letter.isascii() for letter in (left, right))
