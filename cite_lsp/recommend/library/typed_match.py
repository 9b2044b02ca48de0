"""The order of the papers that match a typed key: the most likely match first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
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
        """Take the library; a record is written in lower case when it is first searched."""
        self.library = library
        self._keys = [key.casefold() for key in library.by_key]
        self._row_of = dict(zip(library.by_key, range(len(self._keys)), strict=True))
        self._texts: list[str | None] = [None] * len(self._keys)
        self._last: tuple[str, Sequence[int]] = "", range(len(self._keys))

    def match(
        self, typed: str, limit: int, *, cited: Collection[str] = (), without: Collection[str] = ()
    ) -> tuple[Recommendation, ...]:
        """Return up to `limit` entries that have all typed words, in any case, unranked.

        Keys that begin with what is typed come first, then those that the draft has `cited`;
        entries that are alike in this stand in the order of their files. The keys `without` are
        left out. No more entries are looked at than it takes to find these.
        """
        start = typed.casefold()
        words = sorted(start.split(), key=len, reverse=True)
        begun = (row for row, key in enumerate(self._keys) if start and key.startswith(start))
        known = sorted({self._row_of[key] for key in cited if key in self._row_of})
        rows = chain(begun, self._having(words, known), self._rows_with(start, words))
        entries = map(self.library.entries.__getitem__, _without_repeats(rows))
        proposed = islice((entry for entry in entries if entry.key not in without), limit)
        return tuple(Recommendation(entry.paper, 0.0, entry) for entry in proposed)

    def _rows_with(self, typed: str, words: Sequence[str]) -> Iterator[int]:
        """Yield the rows with all words of a text; a longer text is looked for in fewer rows."""
        last, rows = self._last
        if not typed.startswith(last):
            rows = range(len(self._keys))
        having = []
        for row in self._having(words, rows):
            having.append(row)
            yield row
        self._last = typed, having

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


def _without_repeats(rows: Iterable[int]) -> Iterator[int]:
    seen = set()
    for row in rows:
        if row not in seen:
            seen.add(row)
            yield row
