"""Papers by the beginnings of words, as a writer types them: of the title, the authors, the year.

All words stand in sorted order with the rows that have them, so the rows of a beginning are one
slice. Four arrays, memory-mapped when opened.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.language import BEHIND_UNSPACED, HAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.match.pinyin import PinyinReader
from cite_lsp.paper import Paper, fold, in_plain_letters
from cite_lsp.storage.array_folder import StoredArrays, list_starts

Mask = NDArray[np.bool_]
"""Which rows are selected, shape (n,)."""

_WORD = lazy_re(r"[^\W_]+")
_HAN = lazy_re(f"[{HAN}]+")
_HAN_FROM_TO = HAN[0], chr(ord(HAN[-1]) + 1)
"""Between which the words lie that begin with Han."""
_SHORT = 2
_LONGEST_RUN = 8
"""Han characters of a run that are compared: Chinese has no blanks, any of them may begin."""


@frozen(eq=False)
class _Chinese:
    """The words in Han, a line each: the number of the first, where each line starts, a reader."""

    first: int
    text: str
    starts: NDArray[np.int64]
    reader: PinyinReader


class TypedWords(StoredArrays):
    """Finds papers by beginnings of words. Make one with `build` or `open`. Safe to share."""

    kinds = {
        "letters": np.dtype(np.uint8),  # the words end to end, in UTF-8, ascending
        "words": np.dtype(np.int64),  # where each word starts, and the end of the last
        "starts": np.dtype(np.int64),  # where the rows of each word start, and the end of the last
        "rows": np.dtype(np.int32),
        "count": np.dtype(np.int64),  # how many papers there are
    }
    lists = {"words": "letters", "starts": "rows"}

    def __init__(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Take the arrays, from `build` or from a folder."""
        super().__init__(arrays)
        self._letters, self._rows = arrays["letters"], arrays["rows"]
        self._words, self._starts = arrays["words"], arrays["starts"]
        if len(self._words) != len(self._starts):
            raise ValueError("typed words and the rows that have them do not match")
        self._count = int(arrays["count"][0])

    def __len__(self) -> int:
        return self._count

    @classmethod
    def build(cls, papers: Iterable[Paper]) -> TypedWords:
        """Index the words of papers, in their order."""
        numbers: dict[str, int] = {}
        words, rows, count = array("i"), array("i"), 0
        for row, paper in enumerate(papers):
            count += 1
            for word in _words_of(paper):
                words.append(numbers.setdefault(word, len(numbers)))
                rows.append(row)
        encoded = sorted(
            (word.encode("utf-8", "replace"), number) for word, number in numbers.items()
        )
        place = np.zeros(len(encoded), dtype=np.int32)
        place[[number for _, number in encoded]] = np.arange(len(encoded), dtype=np.int32)
        word_of = place[np.frombuffer(words, dtype=np.int32)] if words else place[:0]
        order = np.argsort(word_of, kind="stable")
        all_rows = np.frombuffer(rows, dtype=np.int32) if rows else np.zeros(0, np.int32)
        return cls(
            {
                "letters": np.frombuffer(b"".join(word for word, _ in encoded), dtype=np.uint8),
                "words": list_starts([len(word) for word, _ in encoded]),
                "starts": list_starts(np.bincount(word_of, minlength=len(encoded)).tolist()),
                "rows": all_rows[order],
                "count": np.array([count], dtype=np.int64),
            }
        )

    def matching(self, typed: str) -> Mask | None:
        """Return which papers have, for every typed word, a word that starts so; any order.

        Case and accents do not count; Chinese is found by its pinyin too, in full or by initials.
        None where nothing is typed.
        """
        parts = [
            part
            for word in _WORD.findall(fold(typed))
            for part in (_HAN.findall(word) if _HAN.fullmatch(word) else [word])
        ]
        if not parts:
            return None
        mask = np.ones(self._count, dtype=bool)
        for part in parts:
            if _HAN.fullmatch(part):
                mask &= self._beginning(part[:_LONGEST_RUN])
            else:
                rows = self._beginning(part) | self._spelled(part)
                plain = in_plain_letters(part)
                mask &= rows if plain == part else rows | self._beginning(plain)
        return mask

    def _beginning(self, part: str) -> Mask:
        sought = part.encode("utf-8", "replace")
        first = self._bisect(sought)
        last = self._bisect(sought + b"\xff")
        mask = np.zeros(self._count, dtype=bool)
        mask[self._rows[int(self._starts[first]) : int(self._starts[last])]] = True
        return mask

    def _spelled(self, typed: str) -> Mask:
        """Return which papers have Chinese of which the letters are the pinyin."""
        mask = np.zeros(self._count, dtype=bool)
        chinese = self._chinese
        pattern = chinese.reader.pattern(typed) if chinese.text else None
        if pattern is None:
            return mask
        # Two letters fit anywhere in a title; they are taken for the initials of a name.
        end = rf"[{HAN}]?$" if len(typed) <= _SHORT else ""
        starts = re.compile(f"^(?:{pattern.pattern}){end}", re.MULTILINE)
        places = [match.start() for match in starts.finditer(chinese.text)]
        for number in chinese.first + np.searchsorted(chinese.starts, places):
            mask[self._rows[int(self._starts[number]) : int(self._starts[number + 1])]] = True
        return mask

    @cached_property
    def _chinese(self) -> _Chinese:
        """The words that begin with Han; of a corpus without any nothing is read."""
        first, last = (self._bisect(letter.encode()) for letter in _HAN_FROM_TO)
        words = [
            self._letters[int(self._words[number]) : int(self._words[number + 1])]
            .tobytes()
            .decode("utf-8", "replace")
            for number in range(first, last)
        ]
        starts = list_starts([len(word) + 1 for word in words])[:-1]
        return _Chinese(first, "\n".join(words), starts, PinyinReader(words))

    def _bisect(self, sought: bytes) -> int:
        """Return the number of words that stand before `sought`."""
        low, high = 0, len(self._words) - 1
        while low < high:
            middle = (low + high) // 2
            word = self._letters[int(self._words[middle]) : int(self._words[middle + 1])].tobytes()
            if word < sought:
                low = middle + 1
            else:
                high = middle
        return low


def _words_of(paper: Paper) -> set[str]:
    text = fold(f"{paper.title} {' '.join(paper.authors)} {paper.year or ''}")
    words = set(_WORD.findall(text))
    if text.isascii():
        return words
    words.update(_WORD.findall(in_plain_letters(text)))
    words.update(BEHIND_UNSPACED.findall(text))
    for run in _HAN.findall(text):
        words.update(run[start : start + _LONGEST_RUN] for start in range(len(run)))
    return words
