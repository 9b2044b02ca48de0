"""Characters that nobody sees, which metadata brings along when it is copied from page to page.

They are no text: TeX stops at control characters, and the others part words, or turn them round,
where nothing shows why.
"""

from __future__ import annotations

import re

_INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls that are no blanks
    "\xad"  # the hyphen that only a line break shows
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # the direction of writing
    "\u180e\u200b\u2060-\u2065\ufeff"  # blanks without width, byte order marks
    "\ufff0-\ufffb\U000e0000-\U000e007f"  # annotations, tags
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"  # no characters at all
    "]"
    "|(?<![\u0590-\U0010ffff])[\u200c\u200d]"  # joiners, which spell Persian and Indian words
)


def without_invisible(text: str) -> str:
    """Return a text without control and invisible characters; blanks and line breaks stay."""
    return _INVISIBLE.sub("", text) if _INVISIBLE.search(text) else text
