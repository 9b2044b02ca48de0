"""The completion lists that were sent last, stored for the resolving of their items."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from cite_lsp.recommend.base.recommendation import CitedFor, Recommendation
from cite_lsp.storage.caches import LastUsed

_MOST = 16


class CompletionLists:
    """The last completion lists, numbered, for the resolving of their items. Thread-safe."""

    def __init__(self) -> None:
        self._lists: LastUsed[int, tuple[tuple[Recommendation, ...], CitedFor]] = LastUsed(_MOST)
        self._numbers = count(1)

    def remember(self, recommendations: Sequence[Recommendation], cited_for: CitedFor) -> int:
        """Keep a list and return its number; the one that was used longest ago goes for it.

        `cited_for` is what the papers are to be cited for.
        """
        number = next(self._numbers)
        self._lists.keep(number, (tuple(recommendations), cited_for))
        return number

    def recall(self, number: int, rank: int) -> tuple[Recommendation, CitedFor] | None:
        """Return one recommendation of a list, None when that is no longer stored."""
        recommendations, cited_for = self._lists.get(number) or ((), CitedFor())
        return (recommendations[rank], cited_for) if 0 <= rank < len(recommendations) else None
