"""Pandoc's citations in a range of Markdown: their keys, and those of what the scan passes over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import evolve

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.layout import Span
from cite_lsp.manuscript.markdown.patterns import CITATION, CROSS_REFERENCE
from cite_lsp.manuscript.model import Marker, MarkerKey

_EVERYTHING = lazy_re(r"(?<![\w@])@(?P<all>\*)")
"""What stands in `nocite` for all entries."""


def marker_keys(citations: Iterable[re.Match[str]]) -> tuple[MarkerKey, ...]:
    """Return the keys of citations, Quarto's cross-references (`@fig-one`) among them."""
    parts = (("odd" if citation["odd"] else "key", citation) for citation in citations)
    return tuple(MarkerKey(citation[part], *citation.span(part)) for part, citation in parts)


def citing(markers: Iterable[Marker]) -> tuple[Marker, ...]:
    """Return the markers without Quarto's cross-references, and without those that only refer."""
    return tuple(filter(None, map(_citing, markers)))


def _citing(marker: Marker) -> Marker | None:
    if marker.command not in ("@", "[@]", "[[@]]", "nocite"):
        return marker
    keys = tuple(key for key in marker.keys if not CROSS_REFERENCE.match(key.text))
    if len(keys) == len(marker.keys):
        return marker
    return evolve(marker, keys=keys) if keys else None


def nocite(text: str, places: Iterable[Span]) -> Iterator[Marker]:
    """Yield the silent markers that ranges of the metadata are: of keys, or of everything."""
    for place in places:
        if keys := marker_keys(CITATION.finditer(text, *place)):
            yield Marker("nocite", keys, *place)
        if every := _EVERYTHING.search(text, *place):
            yield Marker("nocite", (), *every.span(), True, (every.span("all"),))


def separate_markers(text: str, places: Iterable[Span]) -> Iterator[Marker]:
    """Yield the citations in ranges that the scan passes over, each as a marker of its own."""
    for place in places:
        if text.find("@", *place) < 0:
            continue
        for citation in CITATION.finditer(text, *place):
            if keys := marker_keys([citation]):
                yield Marker("@", keys, *citation.span())


def is_role(marker: Marker) -> bool:
    """Whether a marker is a role, whose keys commas or semicolons part."""
    return marker.command.startswith((":", "{cite", "{footcite"))
