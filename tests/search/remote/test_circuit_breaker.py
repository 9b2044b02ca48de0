"""A breaker opens after failures, lets one attempt through at a time, and closes on success."""

from __future__ import annotations

from cite_lsp.search.remote.circuit_breaker import CircuitBreaker


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def opened(clock: Clock) -> CircuitBreaker:
    breaker = CircuitBreaker(failures=2, first_pause=1, longest_pause=4, clock=clock)
    assert breaker.attempt()
    breaker.failed()
    assert breaker.closed
    breaker.failed()
    return breaker


def test_it_opens_after_failures_in_a_row() -> None:
    breaker = opened(Clock())
    assert not breaker.closed
    assert not breaker.attempt()


def test_an_answer_between_failures_counts_them_anew() -> None:
    breaker = CircuitBreaker(failures=2)
    breaker.failed()
    breaker.succeeded()
    breaker.failed()
    assert breaker.closed


def test_after_a_pause_one_may_try() -> None:
    clock = Clock()
    breaker = opened(clock)
    clock.now = 1.0
    assert breaker.attempt()
    assert not breaker.attempt()
    breaker.succeeded()
    assert breaker.closed
    assert breaker.attempt()


def test_pauses_double_up_to_the_longest() -> None:
    clock = Clock()
    breaker = opened(clock)
    pauses = []
    for _ in range(4):
        begun = clock.now
        while not breaker.attempt():
            clock.now += 0.5
        pauses.append(clock.now - begun)
        breaker.failed()
    assert pauses == [1.0, 2.0, 4.0, 4.0]
