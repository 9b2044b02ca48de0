"""The part of a CSL, Hayagriva or RIS file that holds the items of some keys."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from pathlib import Path

from cite_lsp.library.load.read import parse_as_named


def item_excerpt(text: str, path: Path, keys: Collection[str]) -> list[tuple[int, int]]:
    """Return the ranges of a file that hold the items of some keys, in order.

    What stands before the first item and behind the last stays, and what parts two items.

    Raises:
        ValueError: the items do not stand one behind the other, so that taking some apart would
            not give a file of this format.
    """
    entries = parse_as_named(text, path).entries
    wanted = [entry for entry in entries if entry.key in keys]
    if not wanted:
        return []
    ranges = [(0, entries[0].start)]
    previous_end = {entry.start: before.end for before, entry in pairwise(entries)}
    for number, entry in enumerate(wanted):
        start = previous_end[entry.start] if number else entry.start
        ranges.append((start, entry.end))
    ranges.append((entries[-1].end, len(text)))
    apart = all(first.end <= second.start for first, second in pairwise(entries))
    part = "".join(text[start:end] for start, end in ranges)
    again = parse_as_named(part, path)
    if not apart or [(entry.key, entry.fields) for entry in again.entries] != [
        (entry.key, entry.fields) for entry in wanted
    ]:
        raise ValueError("its items do not stand one behind the other")
    return ranges
