"""Magic comments that suppress a rule: `% cite-lsp: off unknown-key`, `<!-- cite-lsp: off -->`.

`off` holds from its line to the next `on`, and for the whole file where no `on` follows;
`off-next-line` holds for the line below. Without names of rules they are for all.
"""

from __future__ import annotations

from bisect import bisect_right

from attrs import field, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.lines import LineIndex

_COMMENT = lazy_re(
    r"(?:%|<!--|\#|//)[ \t]*cite-lsp:[ \t]*(off-next-line|off|on)\b([^\r\n]*?)(?:-->|\r|\n|\Z)"
)
_RULE = lazy_re(r"[a-z][a-z-]*")
_ALL = "*"


@frozen
class Suppressions:
    """The rules that are suppressed: in the whole file, in single lines, in ranges of lines.

    Lines count from 0. Of a rule the first line of a range stands in `in_ranges`, then the one
    behind its last line, then the first line of the next range.
    """

    everywhere: frozenset[str] = frozenset()
    in_lines: dict[int, set[str]] = field(factory=dict)
    in_ranges: dict[str, list[int]] = field(factory=dict)

    def covers(self, rule: str, line: int) -> bool:
        """Whether a rule is suppressed in a line."""
        return any(
            name in self.everywhere
            or name in self.in_lines.get(line, ())
            or bisect_right(self.in_ranges.get(name, ()), line) % 2 == 1
            for name in (rule, _ALL)
        )


def suppressions_of(lines: LineIndex) -> Suppressions:
    """Return the rules that the comments of a file suppress."""
    text = lines.text
    if "cite-lsp:" not in text:
        return Suppressions()
    in_lines: dict[int, set[str]] = {}
    ranges: dict[str, list[int]] = {}
    begun: dict[str, int] = {}
    for comment in _COMMENT.finditer(text):
        named, line = _RULE.findall(comment[2]), lines.line_of(comment.start())
        if comment[1] == "off":
            for rule in named or [_ALL]:
                begun.setdefault(rule, line)
        elif comment[1] == "on":
            for rule in named or list(begun):
                if (first := begun.pop(rule, None)) is not None:
                    ranges.setdefault(rule, []).extend((first, line))
        else:
            in_lines.setdefault(line + 1, set()).update(named or [_ALL])
    return Suppressions(frozenset(begun), in_lines, ranges)


def comment_for(format: str | None, rule: str) -> str:
    """Return the comment that silences a rule in a file of a format; None is a .bib file's."""
    opening, closing = {
        "markdown": ("<!-- ", " -->"),
        "typst": ("// ", ""),
        "org": ("# ", ""),
    }.get(format or "", ("% ", ""))
    return f"{opening}cite-lsp: off {rule}{closing}"
