"""Which of the papers that match what is typed is meant by it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cite_lsp.language import has_han
from cite_lsp.library.match.match import without_others
from cite_lsp.paper import Paper, in_plain_letters, surname
from cite_lsp.recommend.base.model import Recommendation

_WORD = re.compile(r"[^\W_]+")


def meant_first(typed: str, found: Iterable[Recommendation]) -> list[Recommendation]:
    """Put the paper whose key is typed first, and those that only a coauthor matches last."""
    return sorted(found, key=lambda one: (one.key != typed, not leads(typed, one.key, one.paper)))


def leads(typed: str, key: str, paper: Paper) -> bool:
    """Whether all typed words begin what a paper goes by: key, first author, title, year.

    Its other people match as well, but are seldom meant. A Chinese name may be meant by any
    letters.
    """
    first = surname(paper.authors[0]) if paper.authors else ""
    if has_han(first):
        return True
    words = _WORD.findall(in_plain_letters(f"{key} {first} {paper.title} {paper.year or ''}"))
    parts = _WORD.findall(in_plain_letters(without_others(typed)))
    return all(any(word.startswith(part) for word in words) for part in parts)
