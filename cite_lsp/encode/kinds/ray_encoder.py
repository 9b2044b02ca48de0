"""Encoding on the machines of a Ray cluster, batch by batch.

A batch has a number, its texts travel with it, and its vectors come back to the caller, who
alone writes them down. A worker that dies takes nothing along: its batch is given to another one,
and as only the first answer to a number is taken, none stands twice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode.encoder import Encoder, EncoderError, Vectors, reader_of
from cite_lsp.encode.load import load_encoder
from cite_lsp.installation import how_to_install

_AHEAD = 3
"""Batches on their way for each slot of the cluster: one at work, two that wait for it."""
_SHARD = 256
"""Texts that `encode` sends at a time."""
_RETRIES = 100
"""Deaths of workers that one batch survives; more, and it is the batch that kills them."""
_LOOK_SECONDS = 5.0
_CHINESE = "中文"
"""A text that an encoder may hand to another one."""
_Weights = tuple[str, str, str]
"""Name and checkpoint of an encoder, and whose vector a Chinese text gets ("": its own)."""


class RayEncoder:
    """An encoder on a cluster, with the name and the weights of one on this machine."""

    def __init__(
        self,
        encoder: Encoder,
        *,
        name: str,
        max_tokens: int | None,
        gpus_each: float,
        cpus_each: int,
    ) -> None:
        """Take the encoder of this machine, what the workers load, and what each of them needs."""
        self.name, self.dimensions = encoder.name, encoder.dimensions
        self.fingerprint, self.checkpoint = encoder.fingerprint, encoder.checkpoint
        self.fingerprint_of = reader_of(encoder)
        self._wanted = (name, max_tokens, cpus_each, _weights(encoder))
        self._gpus, self._cpus = gpus_each, cpus_each

    @classmethod
    def connect(
        cls, encoder: Encoder, address: str, *, name: str = "default", max_tokens: int | None = None
    ) -> RayEncoder:
        """Connect to a cluster: "auto" for the one of this machine, or HOST:PORT of its head.

        Where the cluster has GPUs every batch gets one, else a processor.

        Raises:
            EncoderError: Ray is not installed, or no cluster answers.
        """
        join(address)
        # Imported where needed: an extra has it.
        import ray

        gpus = ray.cluster_resources().get("GPU", 0.0)
        return cls(
            encoder, name=name, max_tokens=max_tokens, gpus_each=1.0 if gpus else 0.0, cpus_each=1
        )

    def encode(self, texts: Sequence[str], *, cancelled: Cancel | None = None) -> Vectors:
        """Encode texts, in the order given (see `Encoder`)."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        shards = (texts[start : start + _SHARD] for start in range(0, len(texts), _SHARD))
        for number, part in self.encode_batches(shards):
            stop_if(cancelled)
            vectors[number * _SHARD : number * _SHARD + len(part)] = part
        return vectors

    def encode_batches(self, batches: Iterable[Sequence[str]]) -> Iterator[tuple[int, Vectors]]:
        """Yield the number of each batch, from 0, and its vectors; every batch exactly once.

        Who stops asking leaves at most `_AHEAD` batches a slot to be embedded in vain. They are not
        cancelled: Ray 2.60 ends the whole process, without a word, where the answer of a running
        task comes in after its cancellation.

        Raises:
            EncoderError: a worker has no such encoder, or a batch kills whoever takes it.
        """
        import ray

        task = ray.remote(_encode).options(
            num_cpus=self._cpus,
            num_gpus=self._gpus,
            max_retries=_RETRIES,  # when a worker or its machine dies
            retry_exceptions=False,
        )
        remaining = enumerate(batches)
        under_way: dict[Any, int] = {}
        exhausted = False
        try:
            while True:
                while not exhausted and len(under_way) < self._slots() * _AHEAD:
                    batch = next(remaining, None)
                    if batch is None:
                        exhausted = True
                        break
                    number, texts = batch
                    under_way[task.remote(self._wanted, list(texts))] = number
                if not under_way:
                    return
                done, _ = ray.wait(list(under_way), num_returns=1, timeout=_LOOK_SECONDS)
                for reference in done:
                    vectors = ray.get(reference)
                    yield under_way.pop(reference), vectors
        except (ray.exceptions.RayTaskError, ray.exceptions.RayError) as error:
            raise EncoderError(
                f"the Ray cluster cannot embed ({_reason(error)}); look at it with `ray status`, "
                "and run the command again"
            ) from error

    def _slots(self) -> int:
        """Return how many batches the cluster can work on now; machines come and go."""
        import ray

        resources = ray.cluster_resources()
        by_cpu = resources.get("CPU", 1.0) / self._cpus
        by_gpu = resources.get("GPU", 0.0) / self._gpus if self._gpus else by_cpu
        return max(1, int(min(by_cpu, by_gpu)))


def join(address: str) -> None:
    """Connect this process to a cluster, unless it is.

    Raises:
        EncoderError: Ray is not installed, or no cluster answers.
    """
    try:
        import ray
    except ImportError as error:
        raise EncoderError(f"--ray needs Ray; {how_to_install('cluster')}") from error
    if not ray.is_initialized():
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            reason = str(error).strip().splitlines()[0][:200]
            raise EncoderError(
                f"the Ray cluster {address} does not answer ({reason}); start it with `ray "
                "start --head`, check the address, or set RAY_AUTH_MODE=token if it asks for one"
            ) from error


def _encode(encoder_key: tuple[str, int | None, int, _Weights], texts: list[str]) -> Vectors:
    """Encode a batch on a worker, which loads the encoder once."""
    name, max_tokens, threads, weights = encoder_key
    encoder = _loaded(name, max_tokens, threads)
    if _weights(encoder) != weights:
        raise EncoderError(
            f"encoder {name!r} of a worker has other weights; install the same one everywhere"
        )
    return encoder.encode(texts)


def _weights(encoder: Encoder) -> _Weights:
    reader = reader_of(encoder)(_CHINESE)
    return encoder.name, encoder.checkpoint, "" if reader == encoder.fingerprint else reader


@cache
def _loaded(name: str, max_tokens: int | None, threads: int) -> Encoder:
    return load_encoder(name, threads=threads, max_tokens=max_tokens)


def _reason(error: BaseException) -> str:
    cause = getattr(error, "cause", None) or error
    lines = [line for line in str(cause).strip().splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(cause).__name__
