"""What a text of any format cites, as tests compare it."""

from __future__ import annotations

from cite_lsp.manuscript import Marker, parse


def markers(text: str, format: str) -> list[Marker]:
    """Return the markers of a text; each of their keys stands where it is said to stand."""
    markers_in_order = list(parse(text, format).markers)
    for marker in markers_in_order:
        for key in marker.keys:
            assert text[key.start : key.end] == key.text
    return markers_in_order


def cited(text: str, format: str) -> list[tuple[str, list[str]]]:
    """Return the command of each marker and its keys."""
    return [(marker.command, [key.text for key in marker.keys]) for marker in markers(text, format)]
