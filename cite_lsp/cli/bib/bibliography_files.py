"""Bibliographies as `bib` reads and writes them: to the byte."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from cite_lsp.cli import CommandError
from cite_lsp.cli.printing.output_files import write_output
from cite_lsp.library.text.invisible_characters import printable
from cite_lsp.storage.encodings import ExactText, decode_exactly
from cite_lsp.storage.regular_files import UnsuitableFileError, read_regular


def read_exactly(path: Path) -> ExactText:
    """Read a text.

    Raises:
        CommandError: it cannot be read.
    """
    try:
        return decode_exactly(read_regular(path))
    except UnsuitableFileError as error:
        raise CommandError(f"{path}: is not read: {error.strerror}") from error
    except ValueError as error:
        raise CommandError(f"{path}: no file can have this name") from error


def joined(parts: Iterable[tuple[ExactText, str]]) -> bytes:
    """Return parts of several texts as the bytes of one, the second from a line of its own.

    Raises:
        CommandError: their encodings cannot stand in one file.
    """
    content, encodings = b"", set()
    for text, part in parts:
        if not part:
            continue
        if content:
            content += b"" if content.endswith(b"\n") else b"\n"
        else:
            content = text.mark
        content += text.encoded(part)
        encodings.add(text.encoding)
    if len(encodings) > 1:
        names = " and ".join(sorted(encodings))
        raise CommandError(f"the bibliographies are in {names}; save all of them as UTF-8")
    return content


def write_result(content: bytes, output: Path | None) -> None:
    """Write the result to a file, behind the links that lead to it, or to standard output.

    A terminal is shown nothing that it would obey.

    Raises:
        CommandError: the file cannot be written.
    """
    if output is None and sys.stdout.isatty():
        print(printable(content.decode("utf-8", "replace")), end="")
        return
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return
    write_output(output, content)
