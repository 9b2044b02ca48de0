"""The formats of drafts: which a file has, and how a text of each becomes a manuscript."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.layout import Layout
from cite_lsp.manuscript.model import Commands
from cite_lsp.manuscript.placeholders.placeholders import with_placeholders

_FORMATS = {
    **dict.fromkeys((".tex", ".ltx", ".latex", ".rnw"), "latex"),
    **dict.fromkeys((".md", ".markdown", ".mdown", ".rmd", ".qmd", ".mdx"), "markdown"),
    ".typ": "typst",
    ".org": "org",
}


def format_of(path: Path) -> str | None:
    """Return the format of a draft by its file name: None where it is no draft.

    The formats are "latex", "markdown", "typst" and "org".
    """
    return _FORMATS.get(path.suffix.lower())


def parse(text: str, format: str, commands: Commands | None = None) -> Manuscript:
    """Parse a draft. Any text gives a manuscript, however broken it is.

    Args:
        text: the text of the buffer.
        format: one of those that `format_of` gives.
        commands: citing commands that other files of the draft define (their `cite_commands`).

    Raises:
        KeyError: there is no such format.
    """
    manuscript = with_placeholders(Manuscript(text, format, _scan(format)(text, commands or {})))
    layout = manuscript.layout
    return manuscript.with_names(layout.names).with_labels(layout.labels)


@cache
def _scan(format: str) -> Callable[[str, Commands], Layout]:
    # A session has drafts of one format as a rule, and compiling the patterns of each costs time.
    if format not in _FORMATS.values():
        raise KeyError(format)
    module = import_module(f"cite_lsp.manuscript.{format}.scan")
    scan: Callable[[str, Commands], Layout] = getattr(module, f"scan_{format}")
    return scan
