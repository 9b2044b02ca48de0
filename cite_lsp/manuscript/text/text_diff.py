"""What has changed between two texts, for editors that send all of a text at every letter."""

from __future__ import annotations

from collections.abc import Callable

from cite_lsp.manuscript.text.text_edit import TextEdit

STEP = 1 << 16


def difference(before: str, after: str) -> TextEdit:
    """Return the edit that makes the second text of the first."""
    length, length_after = len(before), len(after)
    shorter = min(length, length_after)
    start = _common(shorter, lambda first, last: before[first:last] == after[first:last])
    same = _common(
        shorter - start,
        lambda first, last: (
            before[length - last : length - first]
            == after[length_after - last : length_after - first]
        ),
    )
    return TextEdit(start, length - same, after[start : length_after - same])


def _common(most: int, equal: Callable[[int, int], bool]) -> int:
    """Return how many characters from the edge on are equal, `most` at most."""
    length, step = 0, STEP
    while step:
        end = min(length + step, most)
        if length < end and equal(length, end):
            length = end
        else:
            step //= 2
    return length
