r"""Code in a LaTeX draft, which is read as it stands: environments, `\verb`, its short forms."""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import (
    closing_brace,
    opening_brace,
    skip_brackets,
    skip_groups,
)
from cite_lsp.manuscript.latex.commands.verbatim_commands import (
    ENVIRONMENTS,
    INLINE,
    MAKING_SHORT,
    PLAIN,
    SHORT_SIGN,
    TAKING_BACK,
    is_short,
)
from cite_lsp.manuscript.latex.state import Handler, LatexScan
from cite_lsp.manuscript.model import EmbeddedFile, HidingCommand, VerbatimCommand

_OPTIONS_FOLLOW = lazy_re(r"[ \t]*(?=\[)")
_CAPTION = lazy_re(r"(?<![\w/-])(?:caption|title)[ \t]*=\s*")
_BARE_VALUE = lazy_re(r"(?>(?:[^,\]{}\n]++|\{[^{}\n]*\})*)")
_EMBEDDED = lazy_re(r"\s*+(?:\[([^\[\]]*)\])?\s*+\{([^{}\n]*)\}[^\n]*\n?")
_URL = lazy_re(r"\s*+(?:\[[^\[\]\n]*\])?\s*+\{(?>(?:[^{}\n]++|\{[^{}\n]*\})*)\}")
_DELIMITED_URL = lazy_re(r"([|!+=^~@\"])[^\n]*?\1")
_MACRO = lazy_re(r"\s*\\(?:[A-Za-z@]+|.)")
_LONGEST_INLINE = 1000


def is_verbatim(scan: LatexScan, name: str) -> bool:
    """Whether an environment, named without a star, is read as it stands or not at all."""
    begin = f"\\begin{{{name}}}"
    if begin in scan.commands:
        return isinstance(scan.commands[begin], HidingCommand | VerbatimCommand)
    return name in ENVIRONMENTS


def read_environment(scan: LatexScan, start: int, name: str, star: str, after: int) -> int:
    """Pass over an environment of code, whose name ends at `after`, but for its options."""
    closing = f"\\end{{{name}{star}}}"
    end = scan.find(closing, after)
    if end is None:
        return after
    if name == "filecontents":
        _embed(scan, after, end - len(closing))
    command = scan.commands.get(f"\\begin{{{name}}}")
    code = after
    if name not in PLAIN and not isinstance(command, HidingCommand):
        groups = command.before if isinstance(command, VerbatimCommand) else 0
        groups = 1 if name in ("tcblisting", "minted") else groups
        code = min(_options_end(scan.text, after, groups), end - len(closing))
    edges = [start, *_read_captions(scan, after, code), end]
    scan.borders += zip(edges[::2], edges[1::2], strict=True)
    scan.code.append((code, end))
    return end


def _options_end(text: str, start: int, groups: int) -> int:
    """Return the offset behind the options and groups before the code of an environment."""
    for _ in range(groups + 1):
        follow = _OPTIONS_FOLLOW.match(text, start)
        start = skip_brackets(text, follow.end()) if follow else start
        if groups:
            start, groups = skip_groups(text, start, 1) or start, groups - 1
    return start


def _read_captions(scan: LatexScan, start: int, end: int) -> list[int]:
    """Read options as text of the draft; return where each caption in them begins and ends."""
    edges: list[int] = []
    for match in _CAPTION.finditer(scan.text, start, end):
        opening, closing = match.end(), None
        if scan.text.startswith("{", opening):
            closing = closing_brace(scan.text, opening, end - opening)
            opening += closing is not None
        elif value := _BARE_VALUE.match(scan.text, opening, end):
            closing = value.end()
        if closing is not None and (not edges or edges[-1] < opening):
            edges += (opening, min(closing, end))
    if start < end:
        scan.read(start, end)
    return edges


def _embed(scan: LatexScan, start: int, end: int) -> None:
    head = _EMBEDDED.match(scan.text, start, end)
    if head:
        overwrites = re.search(r"overwrite|force", head[1] or "") is not None
        scan.embedded.append(EmbeddedFile(head[2].strip(), head.end(), end, overwrites))


def inline(scan: LatexScan, match: re.Match[str], name: str) -> int:
    """Pass over the code in a line that a command reads, LaTeX's or one of the draft's own."""
    position = skip_brackets(scan.text, match.end())
    command = scan.commands.get(name)
    before = command.before if isinstance(command, VerbatimCommand) else INLINE[name]
    if before:
        position = skip_groups(scan.text, position, before) or position
        position = skip_brackets(scan.text, position) if name == "SaveVerb" else position
    if position >= len(scan.text):
        return position
    delimiter = scan.text[position]
    if delimiter in " \n" or delimiter.isalnum():
        return position
    line = scan.text.find("\n", position)
    line = len(scan.text) if line < 0 else line
    close = scan.text.find("}" if delimiter == "{" else delimiter, position + 1, line)
    if delimiter == "{":
        balanced = closing_brace(scan.text, position, line - position)
        close = close if balanced is None else balanced
    return scan.omit(match.start(), line if close < 0 else close + 1)


def short(scan: LatexScan, match: re.Match[str]) -> int:
    r"""Pass over code between two of the characters that the draft has made short for `\verb`."""
    sign = match.group()
    if sign not in scan.short_verbs:
        return match.end()
    line = scan.text.find("\n", match.end())
    close = scan.text.find(sign, match.end(), len(scan.text) if line < 0 else line)
    return match.end() if close < 0 else scan.omit(match.start(), close + 1)


def _make_short(scan: LatexScan, match: re.Match[str], name: str) -> int:
    behind = SHORT_SIGN.match(scan.text, match.end())
    sign = (behind["braced"] or behind["sign"]) if behind else ""
    if not behind or not is_short(sign):
        return match.end()
    if name in TAKING_BACK:
        scan.short_verbs.discard(sign)
    else:
        scan.short_verbs.add(sign)
    return scan.omit(match.start(), behind.end())


def _url(scan: LatexScan, match: re.Match[str], name: str) -> int:
    argument = _URL.match(scan.text, match.end())
    if not argument and name != "href":
        argument = _DELIMITED_URL.match(scan.text, match.end())
    return scan.omit(match.start(), argument.end()) if argument else match.end()


def _string(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    r"""Pass over the command whose name is printed: `\string\cite`."""
    printed = _MACRO.match(scan.text, match.end())
    return scan.omit(match.start(), printed.end()) if printed else match.end()


def _detokenize(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    opening = opening_brace(scan.text, match.end())
    closing = None if opening is None else scan.closing(opening, _LONGEST_INLINE)
    return match.end() if closing is None else scan.omit(match.start(), closing + 1)


HANDLERS: dict[str, Handler] = {
    **dict.fromkeys(INLINE, inline),
    **dict.fromkeys((*MAKING_SHORT, *TAKING_BACK), _make_short),
    **dict.fromkeys(("url", "path", "nolinkurl", "href"), _url),
    "string": _string,
    "detokenize": _detokenize,
}
