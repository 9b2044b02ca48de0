"""Rankings that an evaluation writes as it goes: JSON Lines for programs that score them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.cli import CommandError

if TYPE_CHECKING:
    from cite_lsp.evaluate.local import RankedContext


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
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> CommandError:
    """Return what to say of a file that cannot be written."""
    reason = error.strerror or error
    return CommandError(f"{path}: cannot be written ({reason}); choose another file")
