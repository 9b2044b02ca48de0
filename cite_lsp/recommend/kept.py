"""Answers that are kept for a while, by what was asked."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

_ANSWERS_KEPT = 8
T = TypeVar("T")


class Kept(Generic[T]):
    """The last few answers, by what was asked: a key that is typed is asked for letter by letter.

    Thread-safe.
    """

    def __init__(self) -> None:
        self._answers: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def get(self, asked: Hashable) -> T | None:
        """Return an answer, None where it is not kept."""
        with self._lock:
            return self._answers.get(asked)

    def keep(self, asked: Hashable, answer: T) -> None:
        """Keep an answer; the oldest one is forgotten for it."""
        with self._lock:
            self._answers[asked] = answer
            while len(self._answers) > _ANSWERS_KEPT:
                self._answers.popitem(last=False)
