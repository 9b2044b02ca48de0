"""Checkpoints of BLSRec: a run that was interrupted continues after its last whole epoch."""

from __future__ import annotations

import json
import logging
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cite_lsp.train.published.blsrec_examples import Maps
from cite_lsp.train.run.errors import TrainingError
from cite_lsp.train.run.progress import Steps
from cite_lsp.train.run.training_checkpoints import last_checkpoint

_STATE, _WEIGHTS, _BEST = "trainer_state.json", "weights.safetensors", "best.safetensors"


class Trainer(Protocol):
    """Either algorithm."""

    maps: Maps

    def epoch(self, number: int, progress: Steps | None = None) -> None:
        """Visit every pair once."""

    def state(self) -> Mapping[str, NDArray[np.float32]]:
        """Return what a run that goes on needs beside the maps."""

    def restore(self, state: Mapping[str, NDArray[np.float32]]) -> None:
        """Take what `state` returned."""


def resume(folder: Path, trainer: Trainer) -> list[float]:
    """Put the trainer where its last checkpoint was; returns the history up to there, or []."""
    last = last_checkpoint(folder)
    if last is None:
        return []
    _, checkpoint = last
    weights = _read(checkpoint / _WEIGHTS)
    for name, (context, paper) in trainer.maps.items():
        context[:], paper[:] = weights[f"{name} context"], weights[f"{name} paper"]
    trainer.restore(
        {
            name.removeprefix("state "): array
            for name, array in weights.items()
            if name.startswith("state ")
        }
    )
    state = json.loads((checkpoint / _STATE).read_text(encoding="utf-8"))
    logging.getLogger(__name__).info("going on after epoch %d", state["global_step"])
    return [float(value) for value in state["history"]]


def write_checkpoint(folder: Path, trainer: Trainer, history: Sequence[float]) -> None:
    """Write where the run is, the state last: without it a checkpoint is not whole."""
    checkpoint = folder / f"checkpoint-{len(history) - 1}"
    checkpoint.mkdir(exist_ok=True)
    state = {f"state {name}": array for name, array in trainer.state().items()}
    _write(checkpoint / _WEIGHTS, _flat(trainer.maps) | state)
    text = json.dumps({"global_step": len(history) - 1, "history": list(history)})
    (checkpoint / _STATE).write_text(text, encoding="utf-8")
    for older in folder.glob("checkpoint-*"):
        if older != checkpoint:
            shutil.rmtree(older, ignore_errors=True)


def write_best(folder: Path, trainer: Trainer) -> None:
    """Write the weights as the best so far."""
    _write(folder / _BEST, _flat(trainer.maps))


def read_best(folder: Path) -> dict[str, NDArray[np.float32]]:
    """Return the weights that `write_best` has written, by term and side.

    Raises:
        TrainingError: they cannot be read.
    """
    return _read(folder / _BEST)


def _flat(maps: Maps) -> dict[str, NDArray[np.float32]]:
    return {
        f"{name} {side}": table
        for name, tables in maps.items()
        for side, table in zip(("context", "paper"), tables, strict=True)
    }


def _write(path: Path, arrays: Mapping[str, NDArray[np.float32]]) -> None:
    # Imported where needed: an evaluation without this system runs without it.
    from safetensors.numpy import save_file

    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, path)


def _read(path: Path) -> dict[str, NDArray[np.float32]]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        arrays: dict[str, NDArray[np.float32]] = load_file(path)
        return arrays
    except (OSError, SafetensorError) as error:
        raise TrainingError(
            f"{path}: cannot be read ({error}); remove its folder to begin anew"
        ) from error
