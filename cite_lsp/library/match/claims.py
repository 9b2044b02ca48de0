"""What an entry claims of a work, compared with what is known of the work of its number.

Spellings, initials, cut lists of authors, subtitles that are left out and years that are one apart
contradict nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from attrs import frozen

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.entries import Entry
from cite_lsp.library.match.dedupe import own_arxiv, same_first_author
from cite_lsp.library.text.html_markup import without_markup
from cite_lsp.library.text.likeness import Likeness, words_ratio
from cite_lsp.paper import (
    Paper,
    fold,
    in_plain_letters,
    joined_title,
    normalise_doi,
    without_retraction,
)

Claim = Literal["title", "authors", "year"]

_ALIKE, _PERHAPS_ALIKE = 80.0, 60.0
"""Likeness, out of 100, from which on two titles may be of one work: by itself, or if the shorter
has half of its words in common with the other."""
_NAME_ALIKE = 75.0
_YEARS_APART = 1
_CORPORATE = lazy_re(
    r"\b(?:collaboration|consortium|team|group|committee|commission|society|association|institute"
    r"|university|project|organi[sz]ation|foundation|agency|ministry|department|network|council"
    r"|company|corporation|inc|ltd|gmbh|contributors|developers|authors)\b"
)
_LATIN = lazy_re(r"[a-z]")
_TOKEN = lazy_re(r"[^\W\d_]{2,}")
_ARXIV_DATE = lazy_re(r"(\d\d)(\d\d)\.\d|[a-z-]+(?:\.[a-z]{2})?/(\d\d)\d{5}")


@frozen
class Difference:
    """What an entry claims and what is known instead, as people read it."""

    claim: Claim
    claimed: str
    paper_value: str


def differences(entry: Entry, paper: Paper) -> tuple[Difference, ...]:
    """Return what an entry claims that a paper of the same number contradicts."""
    return tuple(_differences(entry, paper))


def _differences(entry: Entry, paper: Paper) -> Iterator[Difference]:
    entry_paper = entry.paper
    if _is_part_of_other(entry_paper, paper):
        return
    if not _same_title(entry_paper.title, paper.title):
        yield Difference("title", _quoted(entry_paper), _quoted(paper))
    if not _share_first_authors(entry_paper, paper):
        yield Difference("authors", _named(entry_paper), _named(paper))
    if entry_paper.year is not None and not _may_be_of(entry_paper.year, entry, paper):
        yield Difference("year", str(entry_paper.year), str(paper.year))


def _is_part_of_other(entry_paper: Paper, paper: Paper) -> bool:
    """Whether one of two papers is the book or journal that the other one appeared in."""
    pairs = ((entry_paper.title, paper.venue), (paper.title, entry_paper.venue))
    return any(title and joined_title(title) == joined_title(venue) for title, venue in pairs)


def _same_title(title: str, other: str) -> bool:
    """Whether two titles may be of one work; one in another script may be a translation."""
    first, second = (
        joined_title(without_retraction(without_markup(text))) for text in (title, other)
    )
    if not first or not second or has_han(first) != has_han(second):
        return True
    if bool(_LATIN.search(first)) != bool(_LATIN.search(second)):
        return True
    alike = words_ratio(first, second)
    words, other_words = set(first.split()), set(second.split())
    common, fewer = len(words & other_words), min(len(words), len(other_words))
    return alike >= _ALIKE or (alike >= _PERHAPS_ALIKE and 2 * common >= fewer)


def _share_first_authors(entry_paper: Paper, paper: Paper) -> bool:
    """Whether the first author of one of two papers may be an author of the other."""
    if not entry_paper.authors or not paper.authors or same_first_author(entry_paper, paper):
        return True
    if any(map(_is_corporate, (*entry_paper.authors, *paper.authors))):
        return True
    if has_han(entry_paper.authors[0]) != has_han(paper.authors[0]):
        return True
    return _is_among(entry_paper.authors[0], paper.authors) or _is_among(
        paper.authors[0], entry_paper.authors
    )


def _is_corporate(author: str) -> bool:
    return _CORPORATE.search(fold(author)) is not None


def _is_among(author: str, authors: Sequence[str]) -> bool:
    """Whether an author may be one of some, by any part of the name that is no initial."""
    tokens = [Likeness(token) for token in _tokens(author)]
    return any(
        token.ratio(other) >= _NAME_ALIKE
        for name in authors
        for other in _tokens(name)
        for token in tokens
    )


def _tokens(author: str) -> list[str]:
    return _TOKEN.findall(in_plain_letters(author))


def _may_be_of(year: int, entry: Entry, paper: Paper) -> bool:
    """Whether a work may be of a year.

    What has one DOI is of one year. A preprint may have been published, and cited, in any year
    from its own on.
    """
    doi = normalise_doi(entry.paper.doi)
    if doi and doi == normalise_doi(paper.doi):
        return paper.year is None or abs(year - paper.year) <= _YEARS_APART
    submitted = _year_of_arxiv(own_arxiv(entry))
    return submitted is None or year >= submitted - _YEARS_APART


def _year_of_arxiv(number: str) -> int | None:
    """Return the year in an arXiv number, which began in 1991."""
    match = _ARXIV_DATE.match(number)
    if match is None:
        return None
    digits = int(match[1] or match[3])
    return 1900 + digits if digits > 90 else 2000 + digits


def _quoted(paper: Paper) -> str:
    return f"“{without_markup(paper.title)}”"


def _named(paper: Paper) -> str:
    """Return the first authors of a paper in a few words."""
    first = ", ".join(paper.authors[:2])
    return f"{first} et al." if len(paper.authors) > 2 or paper.more_authors else first
