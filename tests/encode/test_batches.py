"""Batches are encoded one ahead of what is made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event

import numpy as np
import pytest

from cite_lsp.cancelling import Cancelled, stop_if
from cite_lsp.encode.batches import ahead, encode_batches, encode_in_parts
from cite_lsp.encode.encoder import Vectors

_SECONDS = 10
"""Far more than any of this takes."""


def test_the_next_is_made_while_one_is_used() -> None:
    made = {number: Event() for number in range(3)}

    def work(number: int) -> int:
        made[number].set()
        return number * number

    for number, result in enumerate(ahead(range(3), work)):
        assert result == number * number
        if number < 2:
            assert made[number + 1].wait(_SECONDS)


def test_no_more_than_one_is_made_ahead() -> None:
    drawn: list[int] = []

    def items() -> Iterator[int]:
        for number in range(9):
            drawn.append(number)
            yield number

    results = ahead(items(), str)
    assert next(results) == "0" and drawn == [0, 1]
    results.close()


def test_what_goes_wrong_is_raised_in_its_turn() -> None:
    def work(number: int) -> float:
        return 1 / number

    results = ahead([1, 0], work)
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)


class SlowEncoder:
    """Gives zeros for its first batch, and works on its second until it is cancelled."""

    name, dimensions, fingerprint, checkpoint = "slow", 2, "slow", "slow"

    def __init__(self) -> None:
        self.begun, self.cancelled = Event(), Event()

    def encode(
        self,
        texts: Sequence[str],
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> Vectors:
        while texts == ["second"]:
            self.begun.set()
            try:
                stop_if(cancelled)
            except Cancelled:
                self.cancelled.set()
                raise
        return np.zeros((len(texts), 2), dtype=np.float32)


def test_who_stops_asking_stops_the_encoder() -> None:
    encoder = SlowEncoder()
    batches = encode_batches(encoder, [["first"], ["second"], ["third"]])
    number, vectors = next(batches)
    assert number == 0 and vectors.shape == (1, 2)
    assert encoder.begun.wait(_SECONDS)
    batches.close()  # type: ignore[attr-defined]
    assert encoder.cancelled.is_set()


def test_an_interruption_stops_the_encoder_too() -> None:
    encoder = SlowEncoder()

    def interrupted() -> Iterator[Sequence[str]]:
        yield ["first"]
        yield ["second"]
        assert encoder.begun.wait(_SECONDS)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(encode_batches(encoder, interrupted()))
    assert encoder.cancelled.is_set()


class WordLengths:
    name, dimensions, fingerprint, checkpoint = "lengths", 1, "lengths", "lengths"

    def encode(
        self, texts: Sequence[str], *, cancelled: Callable[[], bool] | None = None
    ) -> Vectors:
        return np.array([[len(text)] for text in texts], dtype=np.float32)


def test_progress_adds_up_to_the_number_of_texts() -> None:
    done: list[int] = []
    texts = ["a" * (number % 7) for number in range(600)]
    vectors = encode_in_parts(WordLengths(), texts, done.append)
    assert vectors[:, 0].tolist() == [len(text) for text in texts]
    assert sum(done) == len(texts) and len(done) > 1
