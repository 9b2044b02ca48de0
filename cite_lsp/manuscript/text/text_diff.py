"""What has changed between two texts, for editors that send all of a text at every letter."""

from __future__ import annotations

from collections.abc import Callable

STEP = 1 << 16


def difference(before: str, after: str) -> tuple[int, int, str]:
    """Return the edit between two texts: offsets in the first, and the new text there."""
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
    return start, length - same, after[start : length_after - same]


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
