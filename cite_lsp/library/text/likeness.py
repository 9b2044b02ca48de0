"""How alike two strings are, out of 100: by the letters that they have in common, in order."""

from __future__ import annotations


class Likeness:
    """Compares one string with others."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._places: dict[str, int] = {}
        """Where a letter stands, a bit a place."""
        for place, letter in enumerate(text):
            self._places[letter] = self._places.get(letter, 0) | 1 << place

    def common(self, other: str) -> int:
        """Return the length of the longest common subsequence.

        All rows of the table of dynamic programming are updated at once, a bit each (Hyyrö,
        "Bit-parallel LCS-length computation revisited", 2004): a bit is 0 where the length grows.
        """
        rows = (1 << self._length) - 1
        for letter in other:
            matching = rows & self._places.get(letter, 0)
            rows = (rows + matching) | (rows - matching)
        return self._length - (rows & (1 << self._length) - 1).bit_count()

    def ratio(self, other: str, least: float = 0.0) -> float:
        """Return the share of letters in common; 0 where it is below `least`."""
        letters = self._length + len(other)
        if not letters:
            return 100.0
        if 200 * min(self._length, len(other)) < least * letters:
            return 0.0
        ratio = 200 * self.common(other) / letters
        return ratio if ratio >= least else 0.0


def words_ratio(first: str, second: str) -> float:
    """Return the greatest likeness among two texts and the words that they have in common.

    The order of words does not count, nor how often one occurs. Each text is taken as those in
    common, then its others by the alphabet.
    """
    words, other_words = set(first.split()), set(second.split())
    common = words & other_words
    if not words or not other_words:
        return 0.0
    if common and (words <= other_words or other_words <= words):
        return 100.0
    rest, other_rest = (" ".join(sorted(part - common)) for part in (words, other_words))
    shared = len(" ".join(common))
    gap = 1 if shared else 0
    length, other_length = (shared + gap + len(part) for part in (rest, other_rest))
    alike = shared + gap + Likeness(rest).common(other_rest)
    ratios = [200 * alike / (length + other_length)]
    if shared:
        ratios += [200 * shared / (shared + whole) for whole in (length, other_length)]
    return max(ratios)
