r"""LaTeX that a draft in another format hands on as it is: what it cites, dead text left out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.commands.citation_commands import (
    NAMES_WITHOUT_CITE,
    cite_command,
    read_marker,
)
from cite_lsp.manuscript.model import Commands, Marker

_DEAD = r"comment|verbatim\*?|Verbatim|lstlisting|minted|filecontents\*?"
_STOP = lazy_re(
    rf"""(?<!\\)(?P<comment>%)[^\n]*|\\iffalse(?![A-Za-z@])|\\begin\{{(?P<dead>{_DEAD})\}}
      |\\(?P<macro>(?:[A-Za-z@]*(?i:cite)[A-Za-z@]*|{NAMES_WITHOUT_CITE})(?![A-Za-z@])\*?)""",
    re.VERBOSE,
)


def raw_markers(text: str, start: int, end: int, commands: Commands) -> Iterator[Marker]:
    """Yield the markers in a range of a text that is LaTeX."""
    position = start
    absent: set[str] = set()
    while stop := _STOP.search(text, position, end):
        position = stop.end()
        if stop["macro"]:
            command = cite_command(stop["macro"].rstrip("*"), commands)
            marker = command and read_marker(text, stop.start(), stop["macro"], position, command)
            if marker and marker.end <= end:
                if not any("#" in key.text for key in marker.keys):  # of a definition
                    yield marker
                position = max(marker.end, position)
        elif not stop["comment"]:
            closing = f"\\end{{{stop['dead']}}}" if stop["dead"] else "\\fi"
            close = text.find(closing, position, end) if closing not in absent else -1
            if close < 0:
                absent.add(closing)
            else:
                position = close + len(closing)
