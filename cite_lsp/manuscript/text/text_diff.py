"""What has changed between two texts, for editors that send all of a text with every letter typed.

Taken as the few characters that differ, such an edit is as cheap as any other, and tells where the
writer is at work.
"""

from __future__ import annotations

from bisect import bisect_left

STEP = 1 << 16
"""Characters of two texts that are compared at a time."""


def difference(before: str, after: str) -> tuple[int, int, str]:
    """Return the edit between two texts: offsets in the first, and the new text there."""
    start = _same_start(before, after)
    most = min(len(before), len(after)) - start
    same = _same_end(before, after, most)
    return start, len(before) - same, after[start : len(after) - same]


def _same_start(before: str, after: str) -> int:
    """Return how many characters two texts begin with alike."""
    most, start = min(len(before), len(after)), 0
    while start < most and before[start : start + STEP] == after[start : start + STEP]:
        start += STEP
    width = min(most - start, STEP)
    if width <= 0:
        return most
    old, new = before[start : start + width], after[start : start + width]
    return start + bisect_left(range(width), True, key=lambda at: old[: at + 1] != new[: at + 1])


def _same_end(before: str, after: str, most: int) -> int:
    """Return how many characters two texts end with alike, up to `most`."""
    end = 0
    while end + STEP <= most and _last(before, end, STEP) == _last(after, end, STEP):
        end += STEP
    width = min(most - end, STEP)
    old, new = _last(before, end, width), _last(after, end, width)
    return end + bisect_left(
        range(width), True, key=lambda size: old[-size - 1 :] != new[-size - 1 :]
    )


def _last(text: str, end: int, width: int) -> str:
    """Return the `width` characters before the last `end`."""
    return text[len(text) - end - width : len(text) - end]
