"""Which markers refer to a label of the draft, and so cite nothing."""

from __future__ import annotations

from collections.abc import Set

from attrs import evolve

from cite_lsp.manuscript.layout import Layout, Span
from cite_lsp.manuscript.model import Marker, MarkerKey

_REFERRING = frozenset({"@", "[@]", "#ref"})
"""Commands that refer to labels and cite keys alike."""


def without_references(layout: Layout, labels: Set[str], kinds: Set[str]) -> Layout:
    """Return the layout of a file where `@label` and `@kind-name` cite nothing."""
    markers, references = _citing(layout.markers, labels, kinds)
    outside, _ = _citing(layout.markers_outside_prose, labels, kinds)
    if markers == layout.markers and outside == layout.markers_outside_prose:
        return layout
    return evolve(
        layout,
        markers=markers,
        markers_outside_prose=outside,
        references=(*layout.references, *references),
    )


def _citing(
    markers: tuple[Marker, ...], labels: Set[str], kinds: Set[str]
) -> tuple[tuple[Marker, ...], list[Span]]:
    """Return the markers that cite something, with those keys, and the ranges of the others."""
    citing: list[Marker] = []
    references: list[Span] = []
    for marker in markers:
        keys = _cited(marker, labels, kinds)
        if keys == marker.keys:
            citing.append(marker)
        elif keys:
            citing.append(evolve(marker, keys=keys))
        else:
            references.append((marker.start, marker.end))
    return tuple(citing), references


def _cited(marker: Marker, labels: Set[str], kinds: Set[str]) -> tuple[MarkerKey, ...]:
    if marker.command not in _REFERRING:
        return marker.keys
    return tuple(key for key in marker.keys if not _refers(key.text, labels, kinds))


def _refers(key: str, labels: Set[str], kinds: Set[str]) -> bool:
    """Whether a key is a label, or a term of a glossary with a form behind its colon."""
    if key in labels or f"{key.partition(':')[0]}:" in labels:
        return True
    kind, dash, _ = key.partition("-")
    return bool(dash) and not {kind, kind[:1].lower() + kind[1:]}.isdisjoint(kinds)
