"""TOML of sane depth: a key of a thousand dots takes the memory of millions."""

from __future__ import annotations

import tomllib
from typing import Any

from cite_lsp.lazy_re import lazy_re

_DEEPEST = 100
_PART = lazy_re(r"[=\[\]{},\n]")


def load_toml(text: str) -> dict[str, Any]:
    """Return what a text in TOML holds.

    Raises:
        ValueError: it is not valid, or nested too deeply.
    """
    if max(part.count(".") for part in _PART.split(text)) > _DEEPEST:
        raise ValueError("it is nested too deeply")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
