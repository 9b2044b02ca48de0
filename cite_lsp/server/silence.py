"""Magic comments that silence a rule: `% cite-lsp: off unknown-key`, `<!-- cite-lsp: off -->`.

`off` holds for the whole file, `off-next-line` for the line below; without names of rules, for all.
"""

from __future__ import annotations

import re

from attrs import field, frozen

from cite_lsp.manuscript.lines import LineIndex

_COMMENT = re.compile(
    r"(?:%|<!--|\#|//)+[ \t]*cite-lsp:[ \t]*(off-next-line|off)\b([^\r\n]*?)(?:-->|\r|\n|\Z)"
)
_RULE = re.compile(r"[a-z][a-z-]*")
_ALL = "*"


@frozen
class Silence:
    """The rules that are silenced in a file, and those silenced in single lines (0-based)."""

    everywhere: frozenset[str] = frozenset()
    in_lines: dict[int, frozenset[str]] = field(factory=dict)

    def covers(self, rule: str, line: int) -> bool:
        """Whether a rule is silenced in a line."""
        here = self.everywhere | self.in_lines.get(line, frozenset())
        return rule in here or _ALL in here


def silence_of(lines: LineIndex) -> Silence:
    """Return what the comments of a file silence."""
    text = lines.text
    if "cite-lsp:" not in text:
        return Silence()
    everywhere: set[str] = set()
    in_lines: dict[int, frozenset[str]] = {}
    for comment in _COMMENT.finditer(text):
        rules = frozenset(_RULE.findall(comment[2])) or frozenset({_ALL})
        if comment[1] == "off":
            everywhere |= rules
        else:
            below = lines.line_of(comment.start()) + 1
            in_lines[below] = in_lines.get(below, frozenset()) | rules
    return Silence(frozenset(everywhere), in_lines)


def comment_for(format: str | None, rule: str) -> str:
    """Return the comment that silences a rule in a file of a format; None is a .bib file's."""
    opening, closing = {
        "markdown": ("<!-- ", " -->"),
        "typst": ("// ", ""),
        "org": ("# ", ""),
    }.get(format or "", ("% ", ""))
    return f"{opening}cite-lsp: off {rule}{closing}"
