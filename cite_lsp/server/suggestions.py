"""Did you mean: the keys of a library that are nearest to one that it does not hold."""

from __future__ import annotations

import weakref
from collections.abc import Callable

from cite_lsp.library import Library
from cite_lsp.paper import fold

_NEAR = 70.0
"""Likeness from which on a key may be a misspelling of another, out of 100."""
_OFFERED = 3

_known: weakref.WeakKeyDictionary[Library, dict[str, tuple[str, ...]]] = weakref.WeakKeyDictionary()


def nearest_keys(
    library: Library, key: str, cancelled: Callable[[], bool] = lambda: False
) -> tuple[str, ...]:
    """Return up to three keys of a library that resemble a key, the nearest first."""
    from rapidfuzz import fuzz, process

    if cancelled():
        return ()
    known = _known.setdefault(library, {})
    if key not in known:
        found = process.extract(
            key,
            library.by_key.keys(),
            scorer=fuzz.ratio,
            processor=fold,
            score_cutoff=_NEAR,
            limit=_OFFERED,
        )
        known[key] = tuple(name for name, _, _ in found)
    return known[key]
