"""The completion lists that were sent last, stored for the resolving of their items."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from cite_lsp.recommend.base.recommendation import CitedFor, Recommendation

_MOST_ANSWERS = 16


class Answers:
    """The last completion lists, numbered, for the resolving of their items. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: dict[int, tuple[tuple[Recommendation, ...], CitedFor]] = {}
        self._count = 0

    def remember(self, recommendations: Sequence[Recommendation], cited_for: CitedFor) -> int:
        """Keep an answer and return its number; the oldest one is forgotten for it.

        `cited_for` is what the papers are to be cited for.
        """
        with self._lock:
            self._count += 1
            self._answers[self._count] = tuple(recommendations), cited_for
            if len(self._answers) > _MOST_ANSWERS:
                del self._answers[next(iter(self._answers))]
            return self._count

    def recall(self, answer: int, rank: int) -> tuple[Recommendation, CitedFor] | None:
        """Return one recommendation of an answer, None when it is no longer stored."""
        recommendations, cited_for = self._answers.get(answer, ((), CitedFor()))
        return (recommendations[rank], cited_for) if 0 <= rank < len(recommendations) else None
