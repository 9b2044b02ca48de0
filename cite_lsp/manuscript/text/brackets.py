"""Where the brackets of a text are closed."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cite_lsp.storage.memory import text_cache


@text_cache(4)
def closings(text: str, sign: re.Pattern[str]) -> Mapping[int, int]:
    """Return where each bracket is closed, by where it opens; the length of the text if nowhere.

    `sign` matches the brackets that count, what may hold others (one behind a backslash), and, if
    none is closed behind it, a blank line.
    """
    closed: dict[int, int] = {}
    opened: list[int] = []
    for match in sign.finditer(text):
        token = match.group()
        if token in "([{":
            opened.append(match.start())
        elif token in ")]}" and opened:
            closed[opened.pop()] = match.start()
        elif token.isspace():
            closed.update(dict.fromkeys(opened, len(text)))
            opened.clear()
    return closed | dict.fromkeys(opened, len(text))
