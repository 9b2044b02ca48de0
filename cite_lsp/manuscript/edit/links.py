"""Links whose words stand in brackets, which those of a marker among them would end."""

from __future__ import annotations

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript import Manuscript

_OPENED = {
    "markdown": lazy_re(r"\[[^\[\]]*\Z"),
    "org": lazy_re(r"\]\[[^\[\]]*\Z"),
}
_CLOSED = {
    "markdown": lazy_re(r"[^\[\]]*\](?:\((?:[^()\n]|\([^()\n]*\))*\)|\[[^\[\]\n]*\]|\{[^{}\n]*\})"),
    "org": lazy_re(r"[^\[\]]*\]\]"),
}
"""What a link has before and behind a place in its words."""
_LONGEST = 1000


def link_end(manuscript: Manuscript, start: int, end: int) -> int | None:
    """Return the offset behind the link that a range of the text is in the words of, or None."""
    opened, closed = _OPENED.get(manuscript.format), _CLOSED.get(manuscript.format)
    if opened is None or closed is None:
        return None
    text = manuscript.text
    if opened.search(text, max(start - _LONGEST, 0), start) is None:
        return None
    link = closed.match(text, end, end + _LONGEST)
    return link.end() if link else None
