"""A ranked library as a list of distinct works, without the draft itself.

Writers collect a work twice, under two keys, and keep an entry of their own paper for the next one.
In a list the first takes two places, and the second, whose title is the nearest to every sentence
of the draft, always stands first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from cite_lsp.library.match.dedupe import is_same_work
from cite_lsp.manuscript.model import Context
from cite_lsp.paper import joined_title
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.pool import Pool

_TITLE_WORDS, _TITLE_LETTERS = 4, 10
"""The least length of a title that tells a draft from others: in words, or in Han characters."""


@frozen
class Work:
    """A work of a pool: its title, the row that stands for it, all of its rows, and its score.

    The title is reduced as `joined_title` does, the rows are in the order of the ranking.
    """

    title: str
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
    by_title: dict[str, list[list[int]]] = {}
    works: list[tuple[str, list[int]]] = []
    for place, row in enumerate(rows):
        title = joined_title(pool.papers[row].title)
        of_title = by_title.setdefault(title, [])
        same = next((places for places in of_title if _are_one(pool, rows[places[0]], row)), None)
        if same is None:
            of_title.append(same := [])
            works.append((title, same))
        same.append(place)
    for title, places in works:
        mine = tuple(rows[place] for place in places)
        best = mine[0] if len(mine) == 1 else _representative(pool, mine, times)
        values = [scores[place] for place in places]
        yield Work(title, best, mine, sum(values) if add else values[0])


def _are_one(pool: Pool, row: int, other: int) -> bool:
    """Whether the entries at two rows are one work."""
    first, second = pool.entries[row], pool.entries[other]
    return first is not None and second is not None and is_same_work(first, second)


def _representative(pool: Pool, rows: Sequence[int], times: Column) -> int:
    def weight(row: int) -> tuple[float, int]:
        entry = pool.entries[row]
        return float(times[row]), len(entry.fields) if entry is not None else 0

    return max(rows, key=weight)


def title_of_draft(context: Context) -> str:
    """Return the title of the draft that a context is from, as `Work` has it.

    It is "" where it is too short to tell the draft from other works.
    """
    title = joined_title(context.title)
    long_enough = len(title.split()) >= _TITLE_WORDS or (
        not title.isascii() and len(title) >= _TITLE_LETTERS
    )
    return title if long_enough else ""
