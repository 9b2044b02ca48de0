"""Pandoc's citations in a range of Markdown: their keys, and those of what the scan passes over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cite_lsp.manuscript.layout import Span
from cite_lsp.manuscript.markdown.patterns import CITATION, CROSS_REFERENCE
from cite_lsp.manuscript.model import Marker, MarkerKey


def keys_of(citations: Iterable[re.Match[str]]) -> tuple[MarkerKey, ...]:
    """Return the keys of citations, Quarto's cross-references (`@fig-one`) left out."""
    keys = []
    for citation in citations:
        part = "odd" if citation["odd"] else "key"
        if not CROSS_REFERENCE.match(citation[part]):
            keys.append(MarkerKey(citation[part], *citation.span(part)))
    return tuple(keys)


def nocite(text: str, place: Span | None) -> tuple[Marker, ...]:
    """Return the silent marker that a range of the front matter is, if it holds keys."""
    keys = keys_of(CITATION.finditer(text, *place)) if place else ()
    return (Marker("nocite", keys, *place),) if place and keys else ()


def separate_markers(text: str, place: Span | None) -> Iterator[Marker]:
    """Yield the citations in a range that the scan passes over, each as a marker of its own."""
    if place and text.find("@", *place) >= 0:
        for citation in CITATION.finditer(text, *place):
            if keys := keys_of([citation]):
                yield Marker("@", keys, *citation.span())
