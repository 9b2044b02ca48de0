"""The order of the papers that match a typed key: the most likely match first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.entries import Entry
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


def unranked(
    typed: str, entries: Sequence[Entry], cited: Collection[str], limit: int
) -> tuple[Recommendation, ...]:
    """Return up to `limit` entries whose records have all typed words, in any case, unranked.

    They are for a large library that is not indexed yet, which takes ten times as long as reading
    it for the first time.

    Keys that begin with what is typed come first, then those that the draft has `cited`; entries
    that are alike in this stand in the order of their files.
    """
    words, start = typed.casefold().split(), typed.casefold()
    found = (entry for entry in entries if all(word in _written(entry) for word in words))
    order = sorted(
        found,
        key=lambda entry: (not entry.key.casefold().startswith(start), entry.key not in cited),
    )
    return tuple(Recommendation(entry.paper, 0.0, entry) for entry in order[:limit])


def _written(entry: Entry) -> str:
    record = entry.record
    return f"{record.key} {record.data or record.raw}".casefold()
