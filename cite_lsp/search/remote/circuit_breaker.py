"""A circuit breaker: a server that did not answer is left alone, longer after each failure."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock


class CircuitBreaker:
    """Closed while all is well; open after failures in a row, for a time that doubles.

    When that time is over one attempt is let through: success closes it, failure opens it again.
    Thread-safe.
    """

    def __init__(
        self,
        *,
        failures: int = 2,
        first_pause: float = 1.0,
        longest_pause: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take how many failures in a row open it, and the seconds it stays open."""
        self._most, self._first, self._longest = failures, first_pause, longest_pause
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._pause = first_pause
        self._until: float | None = None

    @property
    def closed(self) -> bool:
        """Whether answers can be expected."""
        return self._until is None

    def attempt(self) -> bool:
        """Whether to try now; when open, this grants the one attempt that is due."""
        with self._lock:
            if self._until is None:
                return True
            if self._clock() < self._until:
                return False
            self._until = self._clock() + self._pause  # others wait for how this one ends
            return True

    def succeeded(self) -> None:
        """Take note of an answer."""
        with self._lock:
            self._failures, self._pause, self._until = 0, self._first, None

    def failed(self) -> None:
        """Take note of a failure."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._most:
                self._until = self._clock() + self._pause
                self._pause = min(2 * self._pause, self._longest)
