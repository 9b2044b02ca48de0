"""The choice of the encoder that embeds a corpus: the accurate one unless that takes too long.

On a CPU a transformer takes hours for what a table of word vectors does in minutes. So the rate of
both is measured here, on the texts themselves, and what was chosen, and why, is printed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from attrs import evolve, frozen

from cite_lsp.encode.checkpoints import DEFAULT
from cite_lsp.encode.devices import cuda_fault, wanted_device
from cite_lsp.encode.encoder import Encoder

FAST = "static"
"""The encoder of corpora that would keep the accurate one busy for too long."""
FEW = 2_000
"""Texts up to which nothing is measured."""
PATIENCE = 600.0
"""Seconds of embedding that better vectors may take by themselves."""
SAMPLED = 192
"""Texts on which a rate is measured; the first few only warm up."""
_WARM_UP = 16
_AT_ONCE = 64
_GLANCE, _TOO_SHORT = 3.0, 0.5
"""Seconds after which a slow machine has shown its rate, and before which a fast one has not."""

Load = Callable[[str], Encoder]


@frozen
class EncoderChoice:
    """An encoder, why, and what it costs: `texts` to embed, `rate` a second (0: not measured)."""

    encoder: Encoder
    reason: str
    texts: int
    rate: float = 0.0

    @property
    def seconds(self) -> float:
        """How long embedding will take, 0 where that was not measured."""
        return self.texts / self.rate if self.rate else 0.0


def choose_encoder(texts: int, sample: Sequence[str], load: Load, *, gpu: bool) -> EncoderChoice:
    """Choose the encoder for so many texts, a sample of which is given.

    `load` loads an encoder by its name, `gpu`: whether the accurate one runs on a GPU.

    Raises:
        EncoderError: an encoder that ships cannot be loaded.
    """
    accurate = load(DEFAULT)
    if texts <= FEW:
        return EncoderChoice(accurate, "the accurate one; so few papers take almost no time", texts)
    choice = measured(EncoderChoice(accurate, "the accurate one; there is a GPU", texts), sample)
    if gpu:
        return choice
    if choice.seconds <= PATIENCE:
        limit = duration(PATIENCE)
        return evolve(choice, reason=f"the accurate one, as it is done within {limit}")
    fast = load(FAST)
    reason = (
        f"the fast one; {accurate.name} embeds {choice.rate:,.0f} a second here and would take "
        f"{duration(choice.seconds)}. --encoder {accurate.name} does so, now or at any time later, "
        "and the corpus can be searched meanwhile"
    )
    return measured(EncoderChoice(fast, reason, texts), sample)


def has_gpu() -> bool:
    """Return whether encoders with original weights run on a GPU here.

    Raises:
        EncoderError: `CITE_LSP_DEVICE` is none of its values.
    """
    return wanted_device() != "cpu" and not cuda_fault()


def measured(choice: EncoderChoice, sample: Sequence[str]) -> EncoderChoice:
    """Return a choice with the rate at which its encoder embeds the texts of a sample."""
    texts = sample[:SAMPLED]
    if len(texts) <= _WARM_UP:
        return choice
    choice.encoder.encode(texts[:_WARM_UP])
    started, done = time.perf_counter(), 0
    for start in range(_WARM_UP, len(texts), _AT_ONCE):
        part = texts[start : start + _AT_ONCE]
        choice.encoder.encode(part)
        done += len(part)
        if time.perf_counter() - started > _GLANCE:
            break
    if time.perf_counter() - started < _TOO_SHORT:  # all of that was no more than a warm-up
        started, done = time.perf_counter(), 0
        while time.perf_counter() - started < _TOO_SHORT:
            choice.encoder.encode(texts)
            done += len(texts)
    return evolve(choice, rate=done / max(time.perf_counter() - started, 1e-6))


def duration(seconds: float) -> str:
    """Return a time as people say it: "40 s", "25 min", "3 h 20 min"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"
