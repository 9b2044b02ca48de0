"""What makes a training resumable: a folder of checkpoints that knows whose they are.

A run writes down what makes it what it is. The same run finds its last whole checkpoint there;
another one is refused, because going on from a stranger's weights would be a wrong result.
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.train.run.errors import TrainingError

CHECKPOINTS = "checkpoints"
_RUN, _BEFORE, _STATE = "run.json", "before.json", "trainer_state.json"


def claim(folder: Path, identity: Mapping[str, Any]) -> None:
    """Make a folder of checkpoints this run's own, or find that it is.

    Raises:
        TrainingError: it is another run's.
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path, text = folder / _RUN, json.dumps(identity, indent=1, sort_keys=True)
    if not path.is_file():
        scratch = path.with_suffix(".part")
        scratch.write_text(text, encoding="utf-8")
        scratch.replace(path)
    elif path.read_text(encoding="utf-8") != text:
        raise TrainingError(
            f"{folder}: holds checkpoints of a training with other data or settings; name another"
            " --out, or remove the folder to begin anew"
        )


def claimed(folder: Path) -> dict[str, Any]:
    """Return what makes the run what it is whose checkpoints a folder holds; {} without one."""
    try:
        identity: dict[str, Any] = json.loads((folder / _RUN).read_text(encoding="utf-8"))
        return identity
    except (OSError, ValueError):
        return {}


def measured_before(folder: Path, measure: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Return the figures of the base; a run that goes on finds them where its first start did."""
    path = folder / _BEFORE
    try:
        figures: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        figures = measure()
        path.write_text(json.dumps(figures), encoding="utf-8")
    return figures


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


def columns_of_contexts(rows: Iterable[LabelledContext]) -> dict[str, list[str]]:
    """Return all that contexts say as columns, for `digest_of`."""
    columns: dict[str, list[str]] = {}
    for row in rows:
        context = row.context
        fields = {
            "context": row.context_id,
            "document": row.citing_id,
            "left": context.left,
            "right": context.right,
            "title": context.title,
            "section": context.section_title,
            "cited": " ".join(row.cited),
            "with abstract": " ".join(row.cited_abs),
            "cited in the section": " ".join(context.section_cited),
            "cited before": " ".join(context.section_cited_before),
            "year": str(row.year),
        }
        for name, text in fields.items():
            columns.setdefault(name, []).append(text)
    return columns


def digest_of(data: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    """Return a checksum of columns of texts, by data set."""
    digest = hashlib.blake2b(digest_size=12)
    for name, columns in data.items():
        for column, texts in columns.items():
            digest.update(f"{name} {column} {len(texts)}\n".encode())
            for text in texts:
                digest.update(text.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()
