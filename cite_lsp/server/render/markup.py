"""Text for people in Markdown: what is no markup is taken literally."""

from __future__ import annotations

import re
from urllib.parse import quote

from cite_lsp.lazy_re import lazy_re

_WEB_ADDRESS = lazy_re(
    r"(?:https?|ftp)://[^\s<>\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+", re.IGNORECASE
)
_SIGNS = lazy_re(r"([\\`*_{}\[\]<>#|~$]|&(?=[#\w]))")
_NOT_IN_ANGLES = lazy_re(r"[<>\\\[\]]")


def escaped(text: str) -> str:
    """Return a text as Markdown that shows it as it is: no link, picture, HTML or entity."""
    return _SIGNS.sub(r"\\\1", text)


def link(address: str, text: str = "") -> str:
    """Return a link to a page on the web, by its address where there is no text.

    Another address, such as `command:`, which runs something in an editor, is no link.
    """
    target = _NOT_IN_ANGLES.sub(lambda sign: quote(sign[0]), address)
    if not is_web_address(target):
        return escaped(address)
    return f"[{escaped(text)}](<{target}>)" if text else f"<{target}>"


def is_web_address(address: str) -> bool:
    """Whether an address may become a link: it leads to the web, and runs nothing."""
    return _WEB_ADDRESS.fullmatch(address) is not None
