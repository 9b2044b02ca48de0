"""`bib --format`: a .bib file with its fields aligned and in order."""

from __future__ import annotations

from pathlib import Path

from cite_lsp.cli import CommandError
from cite_lsp.cli.bib.files import joined, read_exactly
from cite_lsp.library.write.bibtex_layout import in_order_of_keys, laid_out
from cite_lsp.project.workspace import is_bibliography


def formatted(path: Path, *, sort: bool = False) -> bytes:
    """Return a .bib file laid out, and with `sort` in the order of its keys.

    Raises:
        CommandError: it is none, or cannot be read.
    """
    if path.is_file() and not is_bibliography(path):
        raise CommandError(f"{path}: is no .bib file; only such a file is formatted")
    text = read_exactly(path)
    exact = in_order_of_keys(text.exact, path) if sort else text.exact
    return joined([(text, laid_out(exact, path))])
