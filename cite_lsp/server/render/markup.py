"""Text for people in Markdown: what is no markup is taken literally."""

from __future__ import annotations

import re

_WEB_ADDRESS = re.compile(r"(?:https?|ftp)://[^\s<>\x00-\x1f]+", re.IGNORECASE)
_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~$])")


def escaped(text: str) -> str:
    """Return a text as Markdown that shows it as it is."""
    return _SIGNS.sub(r"\\\1", text)


def is_web_address(address: str) -> bool:
    """Whether an address may become a link: it leads to the web, and runs nothing."""
    return _WEB_ADDRESS.fullmatch(address) is not None
