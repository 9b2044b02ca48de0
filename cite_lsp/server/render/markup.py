"""Text for people in Markdown: what is no markup is taken literally."""

from __future__ import annotations

import re

_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~$])")


def escaped(text: str) -> str:
    """Return a text as Markdown that shows it as it is."""
    return _SIGNS.sub(r"\\\1", text)
