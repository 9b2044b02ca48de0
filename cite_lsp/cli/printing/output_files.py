"""Files that options name to be written: none that is read, and whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from cite_lsp.cli import CommandError
from cite_lsp.paths import SETTINGS_FILE
from cite_lsp.storage.atomic_write import write_atomically

if TYPE_CHECKING:
    from cite_lsp.project.draft import Draft


def refuse_inputs(output: Path | None, inputs: Iterable[Path]) -> None:
    """Make sure that a file to be written is none of those that are read, by whatever name.

    None is no file, and nothing is lost of a folder or a pipe.

    Raises:
        CommandError: it is one of them.
    """
    if output is None or not output.is_file():
        return
    if any(_is_same_file(output, path) for path in inputs):
        raise CommandError(
            f"{output}: is read by this command, which would overwrite it; name another file"
        )


def files_of(draft: Draft) -> Iterator[Path]:
    """Yield the files that make up what is known of a draft: its own, bibliographies, settings."""
    project = draft.project
    for part in (project, *project.beside):
        yield from (path for path, _ in part.files)
        yield from (*part.bibliographies, *part.packages, *part.chapters)
    yield from (bibliography.path for bibliography in draft.bibliographies)
    yield from (folder / SETTINGS_FILE for folder in draft.path.parents)


def write_output(output: Path, content: str | bytes) -> None:
    """Write a file, behind the links that lead to it, whole or not at all; a pipe is written into.

    Raises:
        CommandError: it cannot be written.
    """
    content = content if isinstance(content, bytes) else content.encode("utf-8")
    real = Path(os.path.realpath(output))
    try:
        if real.exists() and not real.is_file():  # a pipe, say
            real.write_bytes(content)
        else:
            write_atomically(real, content)
    except OSError as error:
        raise unwritable(output, error) from error


def unwritable(path: Path, error: OSError) -> CommandError:
    """Return the error of a file that cannot be written."""
    reason = error.strerror or error
    return CommandError(f"{path}: cannot be written ({reason}); choose another file")


def _is_same_file(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except (OSError, ValueError):  # one is missing, or no file can have its name
        return False
