"""Find entries by what a writer types: parts of the key, people, words of the title, the year.

Or by what they paste: a DOI, an arXiv number. Where all of that finds nothing, by the venue, too.

The words of all entries stand in one sorted list, each with the rows that have it, so that the rows
with a word that starts as typed are one slice. Of a library that changed, only the entries that
changed are looked at anew.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, islice, product
from threading import Lock
from typing import TYPE_CHECKING, Any

from cite_lsp.language import HAN, UNSPACED, has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.entries import Entry, Record, digest_of
from cite_lsp.library.match.entry_words import OF_VENUE, WORD, Script, as_german, matched_text
from cite_lsp.library.match.identifiers import has_number, typed_number
from cite_lsp.library.match.joined_keys import JoinedKeys
from cite_lsp.library.match.pinyin import PinyinReader, readings
from cite_lsp.paper import in_plain_letters
from cite_lsp.storage.npz_cache import (
    drop_arrays,
    has_arrays,
    keep_arrays,
    load_arrays,
    text_array,
    texts_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]

_HAN = f"[{HAN}]"
_ANYWHERE = lazy_re(f"[{UNSPACED}]|[가-힣]{{2}}")
"""Scripts matched inside words: Chinese and Japanese have no blanks, Korean leaves many out."""
_TELLING = lazy_re(rf"[^\W\d_]{{3}}|{_HAN}{{2}}")
"""The least that venues are looked for by: all of them have words with any two letters."""
_KIND = "words-6"
"""The kind of cache file; a new name invalidates all old files."""
_CACHED_FROM = 2000
"""Entries from which on the words are cached on disk."""
_CHANGED_AT_MOST = 2000
"""Changed entries from which on the words are sorted again."""
_PAST_EVERY_CHARACTER = "\U0010ffff"
_RUN = lazy_re(rf"{_HAN}+|\d+|(?:(?!{_HAN})[^\W\d_])+")
_LONGEST_NAME = 4
"""Han characters of a name that may stand before words of a title, with nothing between."""
_ET_AL = lazy_re(r"(?<=\S)\s+et\s+al\b\.?,?", re.IGNORECASE)
_OTHERS_BEGUN = lazy_re(rf"(?<=\S)\s+(?:e|et|et\s+a)$|(?<={_HAN})\s?等人?(?=[\s\d]|$)")
"""The beginning of "et al.", and what Chinese has for it, which may be part of a title as well."""
_PERSON = lazy_re(f"{_HAN}{{2,3}}")
_READINGS_AT_MOST = 16
"""Ways to read a name in Han that are tried where the library may have it in Latin letters."""
_AND = lazy_re(f"(?<={_HAN}{{2}})[和与與及](?={_HAN}{{2}})")
"""The words between two people, 张三和李四; they occur in titles, too."""
_MOST_RUN_TOGETHER = 12
"""Words above which what is typed is a sentence, in which no names are looked for."""


class EntryMatcher:
    """Matches typed text against entries; its index is built on first use.

    Thread-safe: a call during the build waits for it.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        before: EntryMatcher | None = None,
        script: Script = str,
        digest: str = "",
    ) -> None:
        """Take the entries, and the matcher of the library `before` it changed, if there is one.

        Typed and searched texts are compared in one `script`. `digest` is that of the entries,
        where it is known.
        """
        self._entries = entries
        self._digest = digest
        self._script = script
        self._lock = Lock()
        self._built: _Words | None = None
        # A matcher that was never used has no words to pass on; the one before it may have some.
        was_used = before is None or before._built is not None
        self._before: EntryMatcher | None = before if was_used or before is None else before._before

    @staticmethod
    def is_stored(digest: str) -> bool:
        """Whether the words of the entries with a digest are in the cache on disk."""
        return has_arrays(_KIND, digest)

    @cached_property
    def _keys(self) -> JoinedKeys:
        keys = (record.key for record in self._records)
        return JoinedKeys(
            [
                key.casefold() if key.isascii() else in_plain_letters(self._script(key))
                for key in keys
            ]
        )

    @cached_property
    def _records(self) -> list[Record]:
        return [entry.record for entry in self._entries]

    @property
    def _words(self) -> _Words:
        with self._lock:
            if self._built is None:
                before, self._before = self._before, None
                words_before = before._built if before is not None else None
                renewed = (
                    words_before.renewed(self._records, self._script)
                    if words_before is not None
                    else None
                )
                self._built = renewed or _Words.build(self._entries, self._script, self._digest)
            return self._built

    def prepare(self) -> None:
        """Build the index now, instead of at the first match."""
        self._words.prepare()
        self._keys  # noqa: B018

    def match(self, typed: str) -> list[int]:
        """Return the rows of the entries that match *all* typed words, in any order.

        Case and accents do not count, and "ö" is "oe" as well as "o". A typed word matches the
        beginning of a word of the key, the people, the title or the year; or, less well, any part
        of the key. Han characters and kana match anywhere, as they are written without blanks, and
        so do syllables of Hangul; less well, so does pinyin, in full or by initials.
        What matches nothing so may be words without blanks, as in a key: 张三2020, 张三图神经网络.
        "Et al." behind a name matches whatever people there are. A DOI or an arXiv number, by
        itself or in an address, matches the work. Words of the venue match where nothing else does:
        Nature 2019, KDD19.

        Returns:
            Rows in the order of the entries, those that only the key or pinyin finds behind
            the others. Every row where nothing is typed.
        """
        if number := typed_number(typed):
            records = enumerate(self._records)
            numbered = [row for row, record in records if has_number(record, number)]
            rows = set(numbered)
            return [*numbered, *(row for row in self._rows_for_words(typed) if row not in rows)]
        return self._rows_for_words(typed)

    def _rows_for_words(self, typed: str) -> list[int]:
        converted_text = without_others(self._script(typed))
        tokens = in_plain_letters(converted_text).split()
        if not tokens:
            return list(range(len(self._entries)))
        rows = self._matching(tokens, in_plain_letters(as_german(converted_text)).split())
        rows = rows or next(filter(None, map(self._matching, _alternatives(tokens))), [])
        return rows or self._rows_by_venue(tokens)

    def _rows_by_venue(self, tokens: Sequence[str]) -> list[int]:
        """Return the rows that match all tokens, of which at least one names the venue."""
        runs = _letter_runs(tokens)
        if len(runs) > _MOST_RUN_TOGETHER or not any(map(_TELLING.match, runs)):
            return []
        return self._matching(runs, venues=True)

    def _matching(
        self, tokens: Sequence[str], german: Sequence[str] = (), *, venues: bool = False
    ) -> list[int]:
        """Return the rows that match all of some folded words, as `match` does.

        `german` are the same words with "oe" for "ö"; `venues` says whether those of venues count.
        """
        # Imported where needed: a server starts without it.
        import numpy as np

        keep = np.ones(len(self._entries), dtype=bool)
        less = np.zeros(len(self._entries), dtype=bool)
        for token, other in zip(tokens, german or tokens, strict=True):
            well = keep & self._rows_with(token)
            if other != token:
                well |= keep & self._rows_with(other)
            if venues:
                well |= keep & self._words.rows_with_word(token, OF_VENUE)
            rest = keep & ~well
            keep = well
            if rest.any():
                rest &= self._keys.rows_with(token) | self._words.rows_with_pinyin(token)
                less |= rest
                keep = well | rest
            if not keep.any():
                return []
        first = np.flatnonzero(keep & ~less)
        return [*first.tolist(), *np.flatnonzero(keep & less).tolist()]

    def _rows_with(self, token: str) -> Mask:
        """Return which rows have a word for each part of a token; none if it has no parts."""
        import numpy as np

        parts = WORD.findall(token)
        mask = np.full(len(self._entries), bool(parts))
        for part in parts:
            mask &= self._words.rows_with_word(part)
        return mask


def without_others(typed: str) -> str:
    """Return what is typed without an "et al.", which stands for people and is no word of them."""
    return _ET_AL.sub(" ", typed)


def _alternatives(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield what tokens that match nothing may mean: people and others, words without blanks."""
    named = _OTHERS_BEGUN.sub(" ", " ".join(tokens)).split()
    if named != tokens:
        yield named
    several = _AND.sub(" ", " ".join(named)).split()
    if len(several) > len(named):
        yield several
    yield from _split_tokens(named)
    yield from _with_names_romanised(_letter_runs(named))


def _with_names_romanised(runs: Sequence[str]) -> Iterator[list[str]]:
    """Yield words with the first name in Han written in letters: 何恺明 as he, kaiming."""
    place = next((place for place, run in enumerate(runs) if _PERSON.fullmatch(run)), None)
    if place is None or len(runs) > _MOST_RUN_TOGETHER:
        return
    ways = islice(product(*map(sorted, map(readings, runs[place]))), _READINGS_AT_MOST)
    for family, *given in ways:
        yield [*runs[:place], family, "".join(given), *runs[place + 1 :]]


def _split_tokens(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield words that tokens may be made of: cut where letters meet others, then behind a name."""
    runs = _letter_runs(tokens)
    if not runs or len(runs) > _MOST_RUN_TOGETHER:
        return
    if runs != tokens:
        yield runs
    for place, run in enumerate(runs):
        if has_han(run):
            for length in range(2, min(_LONGEST_NAME + 1, len(run))):
                yield [*runs[:place], run[:length], run[length:], *runs[place + 1 :]]


def _letter_runs(tokens: Sequence[str]) -> list[str]:
    """Cut tokens where letters meet others."""
    return [run for token in tokens for run in _RUN.findall(token)]


class _Words:
    """The words of entries in sorted order, and the rows that have each.

    Those of venues have a sign before them and stand together.

    Word w stands in the rows `rows[starts[w]:starts[w + 1]]` of the entries that were sorted. Row r
    of the entries as they are now is row `source[r]` of those, or -1 if it is new: then `fresh`
    has its text.
    """

    def __init__(
        self,
        words: list[str],
        starts: NDArray[np.int64],
        rows: NDArray[np.int32],
        records: list[Record],
        source: NDArray[np.int64] | None = None,
        fresh: dict[int, str] | None = None,
    ) -> None:
        self._words = words
        self._starts = starts
        self._rows = rows
        self._sorted = records
        self._source = source
        self._fresh = fresh or {}
        self._size = len(records) if source is None else len(source)

    @classmethod
    def build(cls, entries: Sequence[Entry], script: Script = str, digest: str = "") -> _Words:
        """Sort the words of entries, or load them from the cache."""
        records = [entry.record for entry in entries]
        large = len(entries) >= _CACHED_FROM
        digest = digest or (digest_of(entries) if large else "")
        stored = load_arrays(_KIND, digest) if large else None
        if stored is not None:
            try:
                return cls._from_arrays(stored, records)
            except (ValueError, KeyError):
                drop_arrays(_KIND, digest)
        words, starts, rows = _sorted_words(records, script)
        if large:
            arrays = {"words": text_array(words), "starts": starts, "rows": rows}
            keep_arrays(_KIND, digest, arrays)
        return cls(words, starts, rows, records)

    @classmethod
    def _from_arrays(cls, arrays: dict[str, Any], records: list[Record]) -> _Words:
        words = texts_of(arrays["words"])
        starts, rows = arrays["starts"], arrays["rows"]
        if len(starts) != len(words) + 1 or int(starts[-1]) != len(rows):
            raise ValueError("words and rows do not match")
        if len(rows) and int(rows.max()) >= len(records):
            raise ValueError("more rows than entries")
        return cls(words, starts, rows, records)

    def renewed(self, records: list[Record], script: Script = str) -> _Words | None:
        """Return the words of these records, most of which are known; None if too few are."""
        import numpy as np

        row_of = {id(record): row for row, record in enumerate(self._sorted)}
        source = [row_of.get(id(record), -1) for record in records]
        new = [row for row, place in enumerate(source) if place < 0]
        if len(new) > _CHANGED_AT_MOST:
            return None
        fresh = {row: matched_text(records[row], script) for row in new}
        array = np.array(source, dtype=np.int64)
        return _Words(self._words, self._starts, self._rows, self._sorted, array, fresh)

    def rows_with_word(self, part: str, sign: str = "") -> Mask:
        """Return which rows have a word that starts with `part`; Han may stand anywhere in it.

        With the `sign` of venues it is one of theirs.
        """
        import numpy as np

        mask_of_sorted = np.zeros(len(self._sorted) + 1, dtype=bool)  # the last is that of row -1
        if _ANYWHERE.search(part):
            words = self._venues if sign else self._others
            for word in (place for place in words if part in self._words[place]):
                mask_of_sorted[self._rows[self._starts[word] : self._starts[word + 1]]] = True
            sought = re.compile(rf" {sign or f'(?!{OF_VENUE})'}\S*?{re.escape(part)}")
        else:
            first = bisect_left(self._words, sign + part)
            last = bisect_left(self._words, sign + part + _PAST_EVERY_CHARACTER)
            mask_of_sorted[self._rows[self._starts[first] : self._starts[last]]] = True
            sought = re.compile(f" {sign}{re.escape(part)}")
        mask = self._for_current_rows(mask_of_sorted)
        for row, text in self._fresh.items():
            mask[row] = sought.search(text) is not None
        return mask

    @cached_property
    def _venues(self) -> range:
        """The places of the words of venues."""
        first = bisect_left(self._words, OF_VENUE)
        return range(first, bisect_left(self._words, OF_VENUE + _PAST_EVERY_CHARACTER))

    @property
    def _others(self) -> Iterator[int]:
        return chain(range(self._venues.start), range(self._venues.stop, len(self._words)))

    def prepare(self) -> None:
        """Look up the pinyin of the Chinese words now, instead of at the first match."""
        self._pinyin  # noqa: B018 - reading it builds it

    def rows_with_pinyin(self, token: str) -> Mask:
        """Return which rows have Chinese of which the token is the pinyin."""
        import numpy as np

        mask_of_sorted = np.zeros(len(self._sorted) + 1, dtype=bool)
        pattern = self._pinyin.pattern(token)
        if pattern is None:
            return self._for_current_rows(mask_of_sorted)
        for word in self._chinese:
            if pattern.search(self._words[word]):
                mask_of_sorted[self._rows[self._starts[word] : self._starts[word + 1]]] = True
        mask = self._for_current_rows(mask_of_sorted)
        for row, text in self._fresh.items():
            mask[row] = pattern.search(text.partition(" " + OF_VENUE)[0]) is not None
        return mask

    @cached_property
    def _chinese(self) -> list[int]:
        words = self._words  # most of which are quickly told to have no Han at all
        return [
            place for place in self._others if not words[place].isascii() and has_han(words[place])
        ]

    @cached_property
    def _pinyin(self) -> PinyinReader:
        words = (self._words[word] for word in self._chinese)
        return PinyinReader((*words, *self._fresh.values()))

    def _for_current_rows(self, mask: Mask) -> Mask:
        """Return a mask of the sorted rows (and one of row -1) as a mask of the current rows."""
        return mask[:-1] if self._source is None else mask[self._source]


def _sorted_words(
    records: list[Record], script: Script
) -> tuple[list[str], NDArray[np.int64], NDArray[np.int32]]:
    """Return the distinct words in order, where the rows of each start, and the rows."""
    import numpy as np

    rows_of: dict[str, list[int]] = {}
    for row, record in enumerate(records):
        for word in set(matched_text(record, script).split()):
            rows_of.setdefault(word, []).append(row)
    words = sorted(rows_of)
    starts = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum([len(rows_of[word]) for word in words], out=starts[1:])
    rows = np.fromiter(
        (row for word in words for row in rows_of[word]), dtype=np.int32, count=int(starts[-1])
    )
    return words, starts, rows
