"""Did you mean: the keys of a library that are nearest to one that it does not hold."""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable

from attrs import field, frozen

from cite_lsp.language import EAST_ASIAN
from cite_lsp.library import Library
from cite_lsp.paper import fold

_NEAR = 70.0
"""Likeness from which on a key may be a misspelling of another, out of 100."""
_OFFERED = 3
_WRONG_COMMA = re.compile(r"\s*[，、；;]\s*")
_ATTACHED = re.compile(f"[{EAST_ASIAN}]")


@frozen
class _Known:
    """The keys of a library, each with its folded form, and what was found for unknown ones."""

    folded: dict[str, str]
    near: dict[str, tuple[str, ...]] = field(factory=dict)


_known: weakref.WeakKeyDictionary[Library, _Known] = weakref.WeakKeyDictionary()


def nearest_keys(
    library: Library, key: str, cancelled: Callable[[], bool] = lambda: False
) -> tuple[str, ...]:
    """Return up to three keys of a library that resemble a key, the nearest first."""
    from rapidfuzz import fuzz, process

    if cancelled():
        return ()
    known = _known.get(library)
    if known is None:
        known = _known[library] = _Known({name: fold(name) for name in library.by_key})
    if key not in known.near:
        found = process.extract(
            fold(key), known.folded, scorer=fuzz.ratio, score_cutoff=_NEAR, limit=_OFFERED
        )
        known.near[key] = tuple(name for _, _, name in found)
    return known.near[key]


def put_apart(library: Library, written: str, *, words: bool) -> str:
    """Return what reads as one unknown key as the known ones in it, or "".

    Those that full-width commas part, as `a，b`, are parted by a comma. Where `words` may follow a
    key, a blank parts it from one of Chinese, Japanese or Korean, as in `@li2020提出`; none may in
    braces.
    """
    keys = _WRONG_COMMA.split(written)
    if len(keys) > 1 and all(library.get(key) is not None for key in keys):
        return ",".join(keys)
    for word in reversed(list(_ATTACHED.finditer(written, 1)) if words else []):
        if library.get(written[: word.start()]) is not None:
            return f"{written[: word.start()]} {written[word.start() :]}"
    return ""
