"""The order of the papers that match a typed key: the most likely match first."""

from __future__ import annotations

from collections.abc import Iterable

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.match.match import without_others
from cite_lsp.paper import Paper, in_plain_letters, surname
from cite_lsp.recommend.base.recommendation import Recommendation

_WORD = lazy_re(r"[^\W_]+")


def best_match_first(typed: str, recommendations: Iterable[Recommendation]) -> list[Recommendation]:
    """Sort the paper whose key is typed first, and papers that only a coauthor matches last."""
    return sorted(
        recommendations,
        key=lambda item: (
            item.key != typed,
            not matches_leading_words(typed, item.key, item.paper),
        ),
    )


def matches_leading_words(typed: str, key: str, paper: Paper) -> bool:
    """Whether all typed words begin a word of the key, the first author, the title or the year.

    Coauthors match as well, but are rarely typed. Any letters may stand for a Chinese first author.
    """
    first = surname(paper.authors[0]) if paper.authors else ""
    if has_han(first):
        return True
    words = _WORD.findall(in_plain_letters(f"{key} {first} {paper.title} {paper.year or ''}"))
    parts = _WORD.findall(in_plain_letters(without_others(typed)))
    return all(any(word.startswith(part) for word in words) for part in parts)
