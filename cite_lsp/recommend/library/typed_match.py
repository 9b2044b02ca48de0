"""The order of the papers that match a typed key: the most likely match first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, islice

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library import Library
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


class UnindexedEntries:
    """The entries of a library that is not indexed yet, searched in the text of their records.

    Indexing them may take ten times as long as reading them.
    """

    def __init__(self, library: Library) -> None:
        """Take the library, the records of which are written in lower case once."""
        self.library = library
        self._keys = [entry.key.casefold() for entry in library.entries]
        records = (entry.record for entry in library.entries)
        self._texts = [f"{item.key} {item.data or item.raw}".casefold() for item in records]
        self._row_of = {entry.key: row for row, entry in enumerate(library.entries)}
        self._last: tuple[str, Sequence[int]] = "", range(len(self._keys))

    def match(
        self, typed: str, limit: int, *, cited: Collection[str] = (), without: Collection[str] = ()
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` entries that have all typed words, in any case, unranked.

        Keys that begin with what is typed come first, then those that the draft has `cited`;
        entries that are alike in this stand in the order of their files. The keys `without` are
        left out.
        """
        entries, start = self.library.entries, typed.casefold()
        rows = self._rows_with(start)
        begun = (row for row in rows if self._keys[row].startswith(start)) if start else ()
        matching = set(rows)
        known = sorted(matching.intersection(map(self._row_of.get, cited)))
        order = (entries[row] for row in dict.fromkeys(chain(begun, known, rows)))
        proposed = islice((entry for entry in order if entry.key not in without), limit)
        return tuple(Recommendation(entry.paper, 0.0, entry) for entry in proposed)

    def _rows_with(self, typed: str) -> Sequence[int]:
        """Return the rows with all words of a text; a longer text is looked for in fewer rows."""
        last, rows = self._last
        if not typed.startswith(last):
            rows = range(len(self._keys))
        for word in sorted(typed.split(), key=len, reverse=True):
            rows = [row for row in rows if word in self._texts[row]]
        self._last = typed, rows
        return rows
