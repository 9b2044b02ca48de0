"""The order of the papers that match a typed key: the most likely match first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from threading import Lock

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library import Library
from cite_lsp.library.match.match import without_others
from cite_lsp.paper import Paper, in_plain_letters, surname
from cite_lsp.recommend.base.recommendation import Recommendation

_WORD = lazy_re(r"[^\W_]+")
_BEFORE_KEY = "\0"
_SEARCHED_AT_ONCE = 1000
"""Records, which are searched in a few milliseconds."""


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
        """Take the library; a record is written in lower case when it is first searched."""
        self.library = library
        size = len(library.by_key)
        self._keys = _joined(map(str.casefold, library.by_key), size)
        self._row_of = dict(zip(library.by_key, range(size), strict=True))
        self._texts: list[str | None] = [None] * size
        self._last: tuple[Sequence[str], Sequence[int]] = (), range(size)
        self._searching = Lock()

    def match(
        self,
        typed: str,
        limit: int,
        cited: Collection[str] = (),
        without: Collection[str] = (),
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` entries that have all typed words, in any case, unranked.

        Keys that begin with what is typed come first, then those that the draft has `cited`;
        entries that are alike in this stand in the order of their files. The keys `without` are
        left out. No more entries are looked at than it takes to find these, and one search waits
        for another: where more is typed, it goes on from what that found.

        Raises:
            Cancelled: `cancelled` returned true.
        """
        start = typed.casefold()
        words = sorted(without_others(start).split(), key=len, reverse=True)
        cited_rows = sorted({self._row_of[key] for key in cited if key in self._row_of})
        found = self._rows_with(words, cancelled)
        rows = chain(self._begun(start), self._having(words, cited_rows), found)
        entries = map(self.library.entries.__getitem__, _without_repeats(rows))
        with self._searching:
            proposed = list(islice((each for each in entries if each.key not in without), limit))
        return tuple(Recommendation(entry.paper, 0.0, entry) for entry in proposed)

    def _begun(self, start: str) -> Iterator[int]:
        """Yield the rows whose key begins with a text, none where that is empty."""
        row = counted_to = 0
        place = self._keys.find(_BEFORE_KEY + start) if start else -1
        while place >= 0:
            row += self._keys.count(_BEFORE_KEY, counted_to, place)
            counted_to = place
            yield row
            place = self._keys.find(_BEFORE_KEY + start, place + 1)

    def _rows_with(self, words: Sequence[str], cancelled: Cancel | None) -> Iterator[int]:
        """Yield the rows with all words; where these only go on, in what was found last."""
        last, rows = self._last
        if not all(any(before in word for word in words) for before in last):
            rows = range(len(self._texts))
        having = []
        for row in self._having(words, _in_parts(rows, cancelled)):
            having.append(row)
            yield row
        self._last = words, having

    def _having(self, words: Sequence[str], rows: Iterable[int]) -> Iterator[int]:
        """Yield those of some rows that have all words."""
        for word in words:
            rows = self._having_word(word, rows)
        return iter(rows)

    def _having_word(self, word: str, rows: Iterable[int]) -> Iterator[int]:
        texts, entries = self._texts, self.library.entries
        for row in rows:
            text = texts[row]
            if text is None:
                record = entries[row].record
                text = texts[row] = f"{record.key} {record.data or record.raw}".casefold()
            if word in text:
                yield row


def _joined(keys: Iterable[str], size: int) -> str:
    """Return so many keys one after the other, each behind the sign that none of them holds."""
    parts = list(keys)
    joined = _BEFORE_KEY.join(("", *parts))
    if joined.count(_BEFORE_KEY) == size:
        return joined
    return _BEFORE_KEY.join(("", *(key.replace(_BEFORE_KEY, " ") for key in parts)))


def _in_parts(rows: Sequence[int], cancelled: Cancel | None) -> Iterator[int]:
    """Yield rows, and look between parts of them whether they are still wanted.

    Raises:
        Cancelled: `cancelled` returned true.
    """
    for start in range(0, len(rows), _SEARCHED_AT_ONCE):
        stop_if(cancelled)
        yield from rows[start : start + _SEARCHED_AT_ONCE]


def _without_repeats(rows: Iterable[int]) -> Iterator[int]:
    seen = set()
    for row in rows:
        if row not in seen:
            seen.add(row)
            yield row
