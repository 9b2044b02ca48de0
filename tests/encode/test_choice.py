"""Which encoder a corpus gets where none is named: measured, and said."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from cite_lsp.encode import Vectors, choice
from cite_lsp.encode.checkpoints import DEFAULT
from cite_lsp.encode.choice import EncoderChoice, choose_encoder, duration

SAMPLE = [f"text {number}" for number in range(300)]


class Timed:
    """An encoder that takes so many seconds of a clock for a text."""

    def __init__(self, name: str, seconds: float, clock: list[float]) -> None:
        self.name = self.fingerprint = self.checkpoint = name
        self.dimensions = 2
        self._seconds, self._clock = seconds, clock
        self.encoded = 0

    def encode(
        self,
        texts: Sequence[str],
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> Vectors:
        self._clock[0] += self._seconds * len(texts)
        self.encoded += len(texts)
        return np.zeros((len(texts), 2), dtype=np.float32)


@pytest.fixture
def encoders(monkeypatch: pytest.MonkeyPatch) -> dict[str, Timed]:
    clock = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    return {
        DEFAULT: Timed("accurate", 0.01, clock),
        choice.FAST: Timed("fast", 0.0001, clock),
    }


def chosen(encoders: dict[str, Timed], texts: int, *, gpu: bool = False) -> EncoderChoice:
    return choose_encoder(texts, SAMPLE, encoders.__getitem__, gpu=gpu)


def test_few_texts_get_the_accurate_encoder_and_nothing_is_measured(
    encoders: dict[str, Timed],
) -> None:
    choice = chosen(encoders, 2_000)
    assert (choice.encoder.name, choice.rate, choice.seconds) == ("accurate", 0, 0)
    assert encoders[DEFAULT].encoded == 0


def test_texts_that_are_done_within_ten_minutes_get_the_accurate_encoder(
    encoders: dict[str, Timed],
) -> None:
    choice = chosen(encoders, 59_000)
    assert choice.encoder.name == "accurate"
    assert choice.rate == pytest.approx(100, rel=0.01)
    assert choice.seconds == pytest.approx(590, rel=0.01)


def test_more_get_the_fast_one_and_read_why_and_what_the_other_would_cost(
    encoders: dict[str, Timed],
) -> None:
    choice = chosen(encoders, 240_000)
    assert choice.encoder.name == "fast"
    assert choice.rate == pytest.approx(10_000, rel=0.01)
    assert choice.seconds == pytest.approx(24, rel=0.01)
    assert "accurate embeds 100 a second here and would take 40 min" in choice.reason
    assert "--encoder accurate" in choice.reason


def test_on_a_gpu_the_accurate_one_is_taken_whatever_it_takes(encoders: dict[str, Timed]) -> None:
    assert chosen(encoders, 10**9, gpu=True).encoder.name == "accurate"


def test_measuring_a_slow_encoder_ends_after_seconds(encoders: dict[str, Timed]) -> None:
    encoders[DEFAULT]._seconds = 1.0
    assert chosen(encoders, 240_000).encoder.name == "fast"
    assert encoders[DEFAULT].encoded <= 80


@pytest.mark.parametrize(
    ("seconds", "text"), [(12.4, "12 s"), (300, "5 min"), (3 * 3600 + 61, "3 h 01 min")]
)
def test_a_time_is_said_as_people_say_it(seconds: float, text: str) -> None:
    assert duration(seconds) == text
