"""Magic comments that suppress a rule: `% cite-lsp: off unknown-key`, `<!-- cite-lsp: off -->`.

`off` holds from its line to the next `on`, and for the whole file where no `on` follows;
`off-next-line` holds for the line below. Without names of rules they are for all.
"""

from __future__ import annotations

import re

from attrs import field, frozen

from cite_lsp.manuscript.lines import LineIndex

_COMMENT = re.compile(
    r"(?:%|<!--|\#|//)+[ \t]*cite-lsp:[ \t]*(off-next-line|off|on)\b([^\r\n]*?)(?:-->|\r|\n|\Z)"
)
_RULE = re.compile(r"[a-z][a-z-]*")
_ALL = "*"


@frozen
class Suppressions:
    """The rules that are suppressed: in the whole file, in single lines, in ranges of lines.

    Lines count from 0; a range holds its first line and not its last.
    """

    everywhere: frozenset[str] = frozenset()
    in_lines: dict[int, frozenset[str]] = field(factory=dict)
    in_ranges: tuple[tuple[int, int, frozenset[str]], ...] = ()

    def covers(self, rule: str, line: int) -> bool:
        """Whether a rule is suppressed in a line."""
        here = self.everywhere | self.in_lines.get(line, frozenset())
        for first, last, rules in self.in_ranges:
            if first <= line < last:
                here |= rules
        return rule in here or _ALL in here


def suppressions_of(lines: LineIndex) -> Suppressions:
    """Return the rules that the comments of a file suppress."""
    text = lines.text
    if "cite-lsp:" not in text:
        return Suppressions()
    in_lines: dict[int, frozenset[str]] = {}
    ranges: list[tuple[int, int, frozenset[str]]] = []
    begun: list[tuple[int, frozenset[str]]] = []
    for comment in _COMMENT.finditer(text):
        named = frozenset(_RULE.findall(comment[2]))
        rules, line = named or frozenset({_ALL}), lines.line_of(comment.start())
        if comment[1] == "off":
            begun.append((line, rules))
        elif comment[1] == "on":
            ranges += [(first, line, off & named if named else off) for first, off in begun]
            begun = [(first, off - named) for first, off in begun] if named else []
        else:
            in_lines[line + 1] = in_lines.get(line + 1, frozenset()) | rules
    everywhere = frozenset(rule for _, rules in begun for rule in rules)
    return Suppressions(everywhere, in_lines, tuple(ranges))


def comment_for(format: str | None, rule: str) -> str:
    """Return the comment that silences a rule in a file of a format; None is a .bib file's."""
    opening, closing = {
        "markdown": ("<!-- ", " -->"),
        "typst": ("// ", ""),
        "org": ("# ", ""),
    }.get(format or "", ("% ", ""))
    return f"{opening}cite-lsp: off {rule}{closing}"
