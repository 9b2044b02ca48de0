"""A ranked library as a list of distinct works, without the draft itself.

Writers collect a work twice, under two keys, and keep an entry of their own paper for the next one.
In a list the first takes two places, and the second, whose title is the nearest to every sentence
of the draft, always stands first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from cite_lsp.library.match.dedupe import is_same_work
from cite_lsp.library.model import Entry
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import Paper, joined_title
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.pool import Pool

_TITLE_WORDS, _TITLE_LETTERS = 4, 10
"""The least length of a title that tells a draft from others: in words, or in Han characters."""


@frozen
class Work:
    """A work of a pool: the row that stands for it, all of its rows as ranked, and its score."""

    row: int
    rows: tuple[int, ...]
    score: float


def distinct_works(
    pool: Pool, rows: Sequence[int], scores: Sequence[float], times: Column, *, add: bool
) -> Iterator[Work]:
    """Yield the works of ranked papers, best first, each where its first paper stands.

    The key that the draft cites most stands for a work, else that of the entry that says most.

    Args:
        pool: The papers.
        rows: Their rows, best first, shape (r,).
        scores: Their scores, shape (r,).
        times: How often the draft cites each paper of the pool, shape (n,).
        add: Whether scores are probabilities, which add up; else a work has its best.
    """
    same: dict[int, list[int]] = {}
    by_title: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        entry, title = pool.entries[row], joined_title(pool.papers[row].title)
        first = _earlier(pool, entry, by_title.get(title, ())) if entry and title else None
        if first is None:
            by_title.setdefault(title, []).append(row)
            same[row] = [place]
        else:
            same[first].append(place)
    for places in same.values():
        mine = tuple(int(rows[place]) for place in places)
        values = [float(scores[place]) for place in places]
        best = max(mine, key=lambda row: (times[row], _fields(pool.entries[row])))
        yield Work(best, mine, sum(values) if add else values[0])


def _earlier(pool: Pool, entry: Entry, rows: Sequence[int]) -> int | None:
    for row in rows:
        other = pool.entries[row]
        if other is not None and is_same_work(entry, other):
            return row
    return None


def _fields(entry: Entry | None) -> int:
    return len(entry.fields) if entry is not None else 0


def is_draft_itself(context: Context, paper: Paper) -> bool:
    """Whether a paper is the draft that a context is from, by its title."""
    title = joined_title(context.title)
    long_enough = len(title.split()) >= _TITLE_WORDS or (
        not title.isascii() and len(title) >= _TITLE_LETTERS
    )
    return long_enough and title == joined_title(paper.title)
