"""Files that an evaluation writes: rankings as they come, JSON Lines to be scored."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.cli import CommandError, UsageError
from cite_lsp.cli.printing.output_files import refuse_inputs, unwritable

if TYPE_CHECKING:
    from cite_lsp.cli.printing.output import Stages
    from cite_lsp.evaluate.tasks.local import RankedContext

_RESULTS = ("run", "figure")
"""The options that name what is written."""


def gather(
    ranked: Iterable[RankedContext], run: Path | None, stages: Stages, nothing: str
) -> list[RankedContext]:
    """Return all rankings of a system, written to `run` as they come where that is given.

    Raises:
        CommandError: the file cannot be written; or there are none (the message is `nothing`).
    """
    results = []
    try:
        with run.open("w", encoding="utf-8") if run else nullcontext() as file:
            for result in ranked:
                results.append(result)
                if file:
                    row = {"context_id": result.context_id, "ranking": result.ranking}
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
    except OSError as error:
        raise (unwritable(run, error) if run else error) from error
    stages.close()
    if not results:
        raise CommandError(nothing)
    return results


def require_writable(options: argparse.Namespace) -> None:
    """Make sure, before hours of work, that results can be written and cost no other file.

    Raises:
        UsageError: two results go to one file.
        CommandError: one cannot be written, or would overwrite what an option names to be read.
    """
    paths_of = {
        name: values if isinstance(values, list) else [values]
        for name, values in vars(options).items()
    }
    outputs = [path for name in _RESULTS for path in paths_of.get(name, ()) if path is not None]
    inputs = [
        path
        for name in paths_of.keys() - _RESULTS
        for path in paths_of[name]
        if isinstance(path, Path)
    ]
    if len({path.resolve() for path in outputs}) < len(outputs):
        raise UsageError(f"{outputs[0]}: two results would go to this file; name another for one")
    for path in outputs:
        refuse_inputs(path, inputs)
    for path in outputs:
        if path.is_symlink() or path.is_fifo():  # opening would change what it is
            continue
        existed = path.exists()
        try:
            path.open("a").close()
        except OSError as error:
            raise unwritable(path, error) from error
        if not existed:
            path.unlink(missing_ok=True)
