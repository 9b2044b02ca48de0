"""What makes a training resumable: a folder of checkpoints that knows whose they are.

A run writes down what makes it what it is. The same run finds its last whole checkpoint there;
another one is refused, because going on from a stranger's weights would be a wrong result.
"""

from __future__ import annotations

import argparse
import json
import logging
import shutil
from pathlib import Path
from typing import Any

from cite_lsp.encode.checkpoints import DEFAULT, checksum_of
from cite_lsp.paths import shipped_model
from cite_lsp.train.run.report import TrainingError

CHECKPOINTS = "checkpoints"
_IDLE = frozenset(("out", "sources"))
"""Options that change nothing of what is learned."""
_RUN, _STATE = "run.json", "trainer_state.json"


def claim(options: argparse.Namespace) -> None:
    """Make the checkpoints in the folder of a run its own, or find that they are.

    A run that left none has no claim. What makes a run what it is: its options, what is in the
    files and the folders of models that these name, and the models that ship.

    Raises:
        TrainingError: they are another run's.
        OSError: a file cannot be read, or the folder not be written.
    """
    folder = options.out / CHECKPOINTS
    folder.mkdir(parents=True, exist_ok=True)
    path, text = folder / _RUN, json.dumps(_identity(options), indent=1, sort_keys=True)
    same = path.is_file() and path.read_text(encoding="utf-8") == text
    if not same and any(file != path for file in folder.iterdir()):
        raise TrainingError(
            f"{folder}: holds checkpoints of a training with other data or settings; name another"
            " --out, or remove the folder to begin anew"
        )
    scratch = path.with_suffix(".part")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(path)


def _identity(options: argparse.Namespace) -> dict[str, Any]:
    given = {name: value for name, value in vars(options).items() if name not in _IDLE}
    values = [
        value for own in given.values() for value in (own if isinstance(own, list) else [own])
    ]
    paths = sorted({path for value in values if value and (path := Path(str(value))).exists()})
    shipped = shipped_model(DEFAULT).parent.glob("*/config.json")
    return {
        "options": {name: str(value) for name, value in given.items()},
        "files": {str(file): checksum_of(file) for path in paths for file in _read_of(path)},
        "models": {file.parent.name: checksum_of(file) for file in shipped},
    }


def _read_of(path: Path) -> list[Path]:
    """Return a file, or what tells a model or drafts in a folder from others."""
    if path.is_file():
        return [path]
    return sorted(file for kind in ("*.json", "*.safetensors") for file in path.glob(kind))


def last_checkpoint(folder: Path) -> tuple[int, Path] | None:
    """Return step and folder of the last whole checkpoint; the trainer writes its state last.

    What a kill has left half written is removed, or the trainer would count it among those to keep.
    """
    whole: list[tuple[int, Path]] = []
    for checkpoint in folder.glob("checkpoint-*"):
        try:
            state = json.loads((checkpoint / _STATE).read_text(encoding="utf-8"))
            whole.append((int(state["global_step"]), checkpoint))
        except (OSError, ValueError, KeyError):
            logging.getLogger(__name__).warning("%s: not whole, removed", checkpoint)
            shutil.rmtree(checkpoint, ignore_errors=True)
    return max(whole, default=None)


def finish(out: Path) -> None:
    """Remove the checkpoints of a run whose result has been written."""
    shutil.rmtree(out / CHECKPOINTS, ignore_errors=True)
