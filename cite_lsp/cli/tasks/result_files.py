"""Files that an evaluation writes: drawings, and rankings as they come, JSON Lines to be scored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.cli import CommandError

if TYPE_CHECKING:
    from cite_lsp.cli.output import Stages
    from cite_lsp.evaluate.tasks.local import RankedContext


def write_run(path: Path, results: Iterable[RankedContext]) -> Iterator[RankedContext]:
    """Write rankings as they come, and pass them on.

    Raises:
        CommandError: the file cannot be written.
    """
    try:
        with path.open("w", encoding="utf-8") as file:
            for result in results:
                row = {"context_id": result.context_id, "ranking": result.ranking}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                yield result
    except OSError as error:
        raise _unwritable(path, error) from error


def gather(
    ranked: Iterable[RankedContext], run: Path | None, stages: Stages, nothing: str
) -> list[RankedContext]:
    """Return all rankings of a system, written to `run` as they come where that is given.

    Raises:
        CommandError: the file cannot be written; or there are none (the message is `nothing`).
    """
    results = list(write_run(run, ranked) if run else ranked)
    stages.close()
    if not results:
        raise CommandError(nothing)
    return results


def write_figure(path: Path, drawing: str) -> None:
    """Write a drawing.

    Raises:
        CommandError: it cannot be written.
    """
    try:
        path.write_text(drawing, encoding="utf-8")
    except OSError as error:
        raise _unwritable(path, error) from error


def require_writable(*paths: Path | None) -> None:
    """Make sure that files can be written, before hours of work; None is no file.

    Raises:
        CommandError: one cannot.
    """
    for path in paths:
        if path is None or path.is_symlink() or path.is_fifo():  # opening would change what it is
            continue
        there = path.exists()
        try:
            path.open("a").close()
        except OSError as error:
            raise _unwritable(path, error) from error
        if not there:
            path.unlink(missing_ok=True)


def _unwritable(path: Path, error: OSError) -> CommandError:
    """Return the error of a file that cannot be written."""
    reason = error.strerror or error
    return CommandError(f"{path}: cannot be written ({reason}); choose another file")
