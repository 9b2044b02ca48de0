"""The completion lists that were sent last, stored for the resolving of their items."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from cite_lsp.recommend.base.recommendation import CitedFor, Recommendation

_MOST = 16


class SentLists:
    """The last completion lists, numbered, for the resolving of their items. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lists: dict[int, tuple[tuple[Recommendation, ...], CitedFor]] = {}
        self._count = 0

    def remember(self, recommendations: Sequence[Recommendation], cited_for: CitedFor) -> int:
        """Keep a list and return its number; the oldest one is forgotten for it.

        `cited_for` is what the papers are to be cited for.
        """
        with self._lock:
            self._count += 1
            self._lists[self._count] = tuple(recommendations), cited_for
            if len(self._lists) > _MOST:
                del self._lists[next(iter(self._lists))]
            return self._count

    def recall(self, number: int, rank: int) -> tuple[Recommendation, CitedFor] | None:
        """Return one recommendation of a list, None when that is no longer stored."""
        recommendations, cited_for = self._lists.get(number, ((), CitedFor()))
        return (recommendations[rank], cited_for) if 0 <= rank < len(recommendations) else None
