"""The files that a name with wildcards stands for, found without reading the whole disk."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fnmatch import translate
from pathlib import Path

from cite_lsp.lazy_re import lazy_re

_WILDCARD = lazy_re(r"[*?\[]")
_MOST_LOOKED_AT = 20_000
"""Names in folders that are compared with a pattern; no folder of bibliographies has as many."""


class TooManyNamesError(Exception):
    """A pattern leads to more names than are looked at."""


def has_wildcards(name: str) -> bool:
    """Whether a name is a pattern, as `glob` has them."""
    return _WILDCARD.search(name) is not None


def files_matching(folder: Path, pattern: str) -> list[Path]:
    """Return the files that a pattern stands for, seen from a folder, by name.

    Raises:
        TooManyNamesError: more names would have to be looked at than are sensible.
    """
    matches = _below(folder, Path(pattern).parts, [_MOST_LOOKED_AT])
    return sorted(path for path in matches if path.is_file())


def _below(folder: Path, parts: tuple[str, ...], left: list[int]) -> Iterator[Path]:
    if not parts:
        yield folder
        return
    if not has_wildcards(parts[0]):
        if os.path.exists(path := folder / parts[0]):
            yield from _below(path, parts[1:], left)
        return
    matches = re.compile(translate(parts[0])).match
    names: list[str] = []
    try:
        with os.scandir(folder) as listing:
            for item in listing:
                left[0] -= 1
                if left[0] < 0:
                    raise TooManyNamesError
                hidden = item.name.startswith(".") and not parts[0].startswith(".")
                if not hidden and matches(item.name) and (len(parts) == 1 or item.is_dir()):
                    names.append(item.name)
    except OSError:
        return
    for name in names:
        yield from _below(folder / name, parts[1:], left)
