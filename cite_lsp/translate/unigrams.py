"""A unigram model of Chinese: words, how often each occurs, and a run of characters cut into them.

It lies in a folder: `words.zst` has the words, a line each, then an empty line, then a count a
line. `cite_lsp.train.lexicon.zh_words` makes one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from math import inf, log
from pathlib import Path

from cite_lsp.paths import shipped_model
from cite_lsp.storage import compressed_files

_LOG = logging.getLogger(__name__)

MODEL, FILE = "zh-words", "words.zst"
_TERM_COUNT = 2000
"""How often a term is taken to occur in the 60 million words of the model: enough to stay whole."""


class UnigramsError(Exception):
    """The words cannot be used; the message says which, why and what to do, in one line."""


class Unigrams:
    """Words by how often they occur, and terms to be kept whole. Safe to share between threads."""

    def __init__(self, counts: Mapping[str, int], terms: Iterable[str] = ()) -> None:
        new_terms = (term for term in terms if not counts.get(term))
        self.counts = {**counts, **dict.fromkeys(new_terms, _TERM_COUNT)}
        self._log_total = log(sum(self.counts.values()) or 1)
        self._longest: dict[str, int] = {}
        """How long the words are that begin with a character, at most."""
        for word in self.counts:
            if len(word) > self._longest.get(word[0], 0):
                self._longest[word[0]] = len(word)

    @classmethod
    def open(cls, folder: Path, terms: Iterable[str] = ()) -> Unigrams:
        """Open a folder.

        Raises:
            UnigramsError: it is missing or damaged.
        """
        try:
            text = compressed_files.content(folder / FILE).decode("utf-8")
            words, counts = (part.split("\n") for part in text.split("\n\n"))
            return cls(dict(zip(words, map(int, counts), strict=True)), terms)
        except (OSError, ValueError) as error:
            raise UnigramsError(
                f"{folder}: the Chinese words cannot be read ({error}); reinstall cite-lsp"
            ) from error

    def cut(self, run: str) -> list[str]:
        """Return the words that a run of characters is made of: those likeliest together.

        Of all ways to cut it, that one has the greatest product of the words' shares of all words.
        It is found from the end to the beginning: `best` has the logarithm for what follows an
        offset, `ends` where the first word there ends. A character that begins no word is one
        itself.
        """
        size = len(run)
        best, ends = [0.0] * (size + 1), [0] * size
        for start in range(size - 1, -1, -1):
            most, best_end = -inf, 0
            for end in range(start + 1, min(start + self._longest.get(run[start], 1), size) + 1):
                count = self.counts.get(run[start:end])
                if not count:
                    continue
                likelihood = log(count) - self._log_total + best[end]
                if likelihood >= most:  # of equals the longest
                    most, best_end = likelihood, end
            if not best_end:
                most, best_end = best[start + 1] - self._log_total, start + 1
            best[start], ends[start] = most, best_end
        words = []
        start = 0
        while start < size:
            words.append(run[start : ends[start]])
            start = ends[start]
        return words


def shipped_unigrams(terms: Iterable[str] = ()) -> Unigrams:
    """Return the words that ship, and terms; none, logged, where the file is damaged.

    Chinese text is then read character by character.
    """
    try:
        return Unigrams.open(shipped_model(MODEL), terms)
    except UnigramsError as error:
        _LOG.error("%s; Chinese is not cut into words", error)
        return Unigrams({}, terms)


def write_unigrams(folder: Path, counts: Mapping[str, int]) -> None:
    """Write words into a folder.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(counts) + "\n\n" + "\n".join(map(str, counts.values()))
    compressed_files.write(folder / FILE, text.encode())
