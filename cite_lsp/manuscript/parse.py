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
_NUMBERING = frozenset({"markdown", "typst"})
"""The formats in which a citation and a reference to a figure look alike."""


def format_of(path: Path) -> str | None:
    """Return the format of a draft by its file name: None where it is no draft.

    The formats are "latex", "markdown", "typst" and "org".
    """
    return _FORMATS.get(path.suffix.lower())


def parse(
    text: str, format: str, commands: Commands | None = None, *, numbered: bool = True
) -> Manuscript:
    """Parse a draft. Any text gives a manuscript, however broken it is.

    Args:
        text: the text of the buffer.
        format: one of those that `format_of` gives.
        commands: citing commands that other files of the draft define (their `cite_commands`).
        numbered: whether `@fig-one` refers to a figure of Markdown or Typst even where the draft
            has none of that name, as Quarto reads it; else it may cite.

    Raises:
        KeyError: there is no such format.
    """
    options = {"numbered": numbered} if format in _NUMBERING else {}
    layout = _scan(format)(text, commands or {}, **options)
    manuscript = with_placeholders(Manuscript(text, format, layout))
    return manuscript.with_names(layout.names).with_labels(layout.labels, layout.reference_kinds)


@cache
def _scan(format: str) -> Callable[..., Layout]:
    # A session has drafts of one format as a rule, and compiling the patterns of each costs time.
    if format not in _FORMATS.values():
        raise KeyError(format)
    module = import_module(f"cite_lsp.manuscript.{format}.scan")
    scan: Callable[..., Layout] = getattr(module, f"scan_{format}")
    return scan
