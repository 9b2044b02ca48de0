"""The formats of drafts: which a file has, and how a text of each becomes a manuscript."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path

from cite_lsp.manuscript.draft.document import edit_after
from cite_lsp.manuscript.draft.edited_part import edited_part
from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.draft.read_parts import Edit
from cite_lsp.manuscript.incremental import reread
from cite_lsp.manuscript.layout import Layout
from cite_lsp.manuscript.model import Commands
from cite_lsp.manuscript.placeholders.placeholders import with_placeholders
from cite_lsp.manuscript.text.edited import edited_stretch

_FORMATS = {
    **dict.fromkeys((".tex", ".ltx", ".latex", ".rnw"), "latex"),
    **dict.fromkeys((".md", ".markdown", ".mdown", ".rmd", ".qmd", ".mdx"), "markdown"),
    ".typ": "typst",
    ".org": "org",
}
_NUMBERING = frozenset({"markdown", "typst"})
"""The formats in which a citation and a reference to a figure look alike."""


@lru_cache(4096)
def format_of(path: Path) -> str | None:
    """Return "latex", "markdown", "typst" or "org" by the name of a file, None for no draft."""
    return _FORMATS.get(path.suffix.lower())


def parse(
    text: str,
    format: str,
    commands: Commands | None = None,
    *,
    numbered: bool = True,
    before: Manuscript | None = None,
) -> Manuscript:
    """Parse a draft. Any text gives a manuscript, however broken it is.

    Args:
        text: the text of the buffer.
        format: one of those that `format_of` gives.
        commands: citing commands that other files of the draft define (their `cite_commands`).
        numbered: whether `@fig-one` refers to a figure of Markdown or Typst even where the draft
            has none of that name, as Quarto reads it; else it may cite.
        before: the manuscript of the text before an edit, parsed with the same options, of which
            only what the edit touched is read again.

    Raises:
        KeyError: there is no such format.
    """
    options = {"numbered": numbered} if format in _NUMBERING else {}
    manuscript = _edited(before, text, options) if before and before.format == format else None
    if manuscript is None:
        layout = _scan(format)(text, commands or {}, **options)
        edit = _compared(before, text, layout) if before and before.format == format else None
        manuscript = Manuscript(text, format, layout, scanned=layout, edit=edit)
    manuscript, layout = with_placeholders(manuscript), manuscript.layout
    return manuscript.with_names(layout.names).with_labels(layout.labels, layout.reference_kinds)


def _edited(before: Manuscript, text: str, options: dict[str, bool]) -> Manuscript | None:
    layout_before = before.scanned
    if layout_before is None:
        return None
    if before.format == "latex":
        # Imported where needed: as the scan below.
        from cite_lsp.manuscript.latex.incremental import reread_latex

        reading = reread_latex(before.text, layout_before, text)
    else:
        scan = partial(_scan(before.format), commands=layout_before.cite_commands, **options)
        reading = reread(before.text, layout_before, text, before.format, scan)
    if reading is None:
        return None
    layout = reading.layout
    edit = edit_after(before, layout, reading.stretch, reading.part)
    return Manuscript(text, before.format, layout, scanned=layout, edit=edit)


def _compared(before: Manuscript, text: str, layout: Layout) -> Edit | None:
    """Return what an edit has left as it was; None where all may be different, and of LaTeX."""
    layout_before = before.scanned
    stretch = (
        edited_stretch(before.text, text) if layout_before and before.format != "latex" else None
    )
    if layout_before is None or stretch is None:
        return None
    part = edited_part(before.text, layout_before, text, layout, stretch)
    return edit_after(before, layout, stretch, part) if part else None


def _scan(format: str) -> Callable[..., Layout]:
    # Imported where needed: a session has drafts of one format as a rule.
    match format:
        case "latex":
            from cite_lsp.manuscript.latex.scan import scan_latex as scan
        case "markdown":
            from cite_lsp.manuscript.markdown.scan import scan_markdown as scan
        case "typst":
            from cite_lsp.manuscript.typst.scan import scan_typst as scan
        case "org":
            from cite_lsp.manuscript.org.scan import scan_org as scan
        case _:
            raise KeyError(format)
    return scan
