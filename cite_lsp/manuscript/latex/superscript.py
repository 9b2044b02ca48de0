r"""What raises a marker, where its command does not: `$^{\cite{a}}$`."""

from __future__ import annotations

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Span
from cite_lsp.manuscript.model import Marker

_OPENING = lazy_re(r"(?:\\textsuperscript\{|\$(?:\{\})?\^\{)\Z")
_LONGEST_OPENING = 20
_LONGEST_FORMULA = 400
_FORMULA = lazy_re(
    rf"\$\s*(?:\{{\s*\}}\s*)?\^\s*\{{(?:[^$\n]|\n(?![ \t\r]*\n)){{1,{_LONGEST_FORMULA}}}?\}}\s*\$"
)
r"""A formula that only raises what is in it: `$^{\cite{a}}$`."""


def raised_by(text: str, marker: Marker) -> tuple[str, str]:
    """Return what stands right before and behind a marker to raise it, ("", "") without."""
    match = _OPENING.search(text, max(marker.start - _LONGEST_OPENING, 0), marker.start)
    closing = "}$" if match and match.group().startswith("$") else "}"
    if match is None or not text.startswith(closing, marker.end):
        return "", ""
    return match.group(), closing


def raised_span(text: str, marker: Marker) -> Span:
    """Return the range of a marker with what raises it."""
    opening, closing = raised_by(text, marker)
    return marker.start - len(opening), marker.end + len(closing)


def raising_formula(text: str, marker: Marker) -> Span | None:
    """Return the range of the formula that a marker stands in, if that only raises it."""
    opening = text.rfind("$", max(marker.start - _LONGEST_FORMULA, 0), marker.start)
    match = _FORMULA.match(text, opening) if opening >= 0 else None
    return match.span() if match and marker.end < match.end() else None
