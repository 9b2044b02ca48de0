"""Find entries by what a writer types: parts of the key, people, words of the title, the year."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from cite_lsp.library.latex_text import decode
from cite_lsp.library.model import Entry
from cite_lsp.library.values import read_value
from cite_lsp.paper import cjk_share, fold

_WORD = re.compile(r"[^\W_]+")
_FIELD = re.compile(
    r"[\n,{}]\s*+(?:author|editor|title|subtitle|year|date)\s*+=\s*+", re.IGNORECASE
)


class EntryMatcher:
    """Matches typed text against entries; what is searched is built on first use, and kept."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries

    @cached_property
    def _keys(self) -> list[str]:
        return [fold(entry.key) for entry in self._entries]

    @cached_property
    def _words(self) -> list[str]:
        """For each entry its folded words, a blank before each."""
        return [" " + " ".join(_WORD.findall(fold(_searched(entry)))) for entry in self._entries]

    def match(self, typed: str) -> list[int]:
        """Return the rows of the entries that match *all* typed words, in any order.

        Case and accents do not count. A typed word matches the beginning of a word of the key, the
        people, the title or the year; or, less well, any part of the key. Han characters match
        anywhere, as Chinese has no blanks.

        Returns:
            Rows in the order of the entries, those with a word that only the key holds behind the
            others. Every row where nothing is typed.
        """
        rows: Sequence[int] = range(len(self._entries))
        less: set[int] = set()
        for token in fold(typed).split():
            parts = [part if cjk_share(part) else " " + part for part in _WORD.findall(token)]
            well = list(rows) if parts else []
            # The longest part leaves the fewest rows for the others.
            for part in sorted(parts, key=len, reverse=True):
                well = _holding(part, self._words, well)
            by_key = set(_holding(token, self._keys, rows)).difference(well)
            less |= by_key
            rows = sorted(by_key.union(well))
        return sorted(rows, key=less.__contains__)


def _holding(part: str, texts: list[str], rows: Sequence[int]) -> list[int]:
    """Return those of the rows whose text holds a part."""
    if len(rows) == len(texts):
        return [row for row, text in enumerate(texts) if part in text]
    return [row for row in rows if part in texts[row]]


def _searched(entry: Entry) -> str:
    """Return the text of an entry that is searched.

    Reading only the fields in question costs a tenth of parsing the record.
    """
    if entry.kind == "bibitem":
        return f"{entry.key} {entry.fields['title']}"
    raw, found = entry.raw, [entry.key]
    position = entry.key_end - entry.start
    while field := _FIELD.search(raw, position):
        value, position = read_value(raw, field.end(), entry.macros)
        found.append(decode(value))
    return " ".join(found)
