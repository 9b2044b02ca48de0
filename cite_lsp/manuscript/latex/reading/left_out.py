"""What commands of LaTeX say that is no prose: lengths, how cells are set, what is never read."""

from __future__ import annotations

import re

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import skip_brackets, skip_groups
from cite_lsp.manuscript.latex.commands.hiding import STRUCK
from cite_lsp.manuscript.latex.state import Handler, LatexScan
from cite_lsp.manuscript.latex.tables import CELL_COMMANDS
from cite_lsp.manuscript.model import HidingCommand
from cite_lsp.storage.memory import text_cache

_SETTING = "setlength addtolength setcounter addtocounter".split()

_ARGUMENT = lazy_re(r"\s*(?:\{[^{}]*\}|\\[A-Za-z@]+)")
_LONGEST_HIDDEN = 100_000
_R_EXPRESSION = lazy_re(r"\{[^}\n]{0,400}\}")
"""What Sweave and knitr put the value of into a sentence; the first brace ends it."""
_CONDITIONAL = lazy_re(
    r"""\\[\\%]|%[^\n]*|\\(?:
        (?P<opens>if(?!(?:f|undef|def(?!ined)[a-z]*)(?![A-Za-z@]))[A-Za-z@]*)(?![A-Za-z@])(?!\s*\{)
      | (?P<closes>fi|else)(?![A-Za-z@])
      | (?P<ends>endinput)(?![A-Za-z@]))""",
    re.VERBOSE,
)
"""What begins, parts and ends conditionals; those of etoolbox and ifthen have braces instead."""
_UNEQUAL = lazy_re(r"\s*(\d)(?=[\s%\w])(?!\1)")
"""A digit and what is not the same digit, as `\\if` compares them."""
_FALSE_NUMBERS = lazy_re(r"\s*(?:(\d)\s*=\s*(?!\1)\d|0\s*>\s*\d|1\s*<\s*0)(?!\d)")


def _r_expression(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    expression = _R_EXPRESSION.match(scan.text, match.end())
    return scan.omit(match.start(), expression.end()) if expression else match.end()


def _setting(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    argument = _ARGUMENT.match(scan.text, match.end())
    end = argument and skip_groups(scan.text, argument.end(), 1)
    if end:
        scan.omissions.append((match.start(), end))
    return end or match.end()


def _cell_command(scan: LatexScan, match: re.Match[str], name: str) -> int:
    end = skip_groups(scan.text, skip_brackets(scan.text, match.end()), CELL_COMMANDS[name])
    if end is not None:
        scan.omissions.append((match.start(), end))
    return match.end()


def _struck(scan: LatexScan, match: re.Match[str], name: str) -> int:
    r"""Leave struck text out of the prose, and of `\replaced{new}{old}` what stood there before."""
    start = skip_brackets(scan.text, match.end())
    old = skip_groups(scan.text, start, 1) if name == "replaced" else start
    group = None if old is None else scan.group(old, _LONGEST_HIDDEN)
    if old is None or group is None:
        return match.end()
    scan.omissions.append((match.start() if old == start else old, group[1] + 1))
    return match.end()


def chunk(scan: LatexScan, match: re.Match[str]) -> int:
    """Pass over code in R, up to the line that begins with the sign behind it; return its end."""
    closing = scan.find("\n@", match.end())
    if closing is None:
        return match.end()
    line = scan.text.find("\n", closing)
    end = len(scan.text) if line < 0 else line
    return scan.set_apart(match.start(), end)


def _iffalse(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    end = _conditional_end(scan, match.end())
    return match.end() if end is None else scan.omit(match.start(), end)


def _conditional_end(scan: LatexScan, start: int) -> int | None:
    r"""Return the offset behind the `\else` or `\fi` of the conditional that is open at `start`."""
    if scan.find("\\fi", start) is None:
        return None
    depth, first = 0, None
    for match in _CONDITIONAL.finditer(scan.text, start):
        if match["closes"] and (depth == 0 or scan.conditionals_are_open):
            return match.end()
        if match["opens"]:
            depth += 1
        elif match["closes"] == "fi":
            depth, first = depth - 1, first or match.end()
    scan.conditionals_are_open = True
    return first


def _if(scan: LatexScan, match: re.Match[str], name: str) -> int:
    r"""Pass over what is compared and never equal: `\if0 … \fi`, `\ifnum0=1 … \fi`."""
    false = (_UNEQUAL if name == "if" else _FALSE_NUMBERS).match(scan.text, match.end())
    return _iffalse(scan, match, name) if false else match.end()


def _else(scan: LatexScan, match: re.Match[str], name: str) -> int:
    """Pass over what stands behind something that is always true."""
    dead = match.start() in _guarded(scan.text)[1]
    return _iffalse(scan, match, name) if dead else match.end()


def _endinput(scan: LatexScan, match: re.Match[str], _name: str) -> int:
    r"""End the text with the line, but for `\ifdefined\x\endinput\fi`: it may not be defined."""
    if match.start() not in _guarded(scan.text)[0]:
        line = scan.text.find("\n", match.end())
        scan.end = min(scan.end, len(scan.text) if line < 0 else line)
        scan.omissions.append(match.span())
    return match.end()


@text_cache(4)
def _guarded(text: str) -> tuple[set[int], set[int]]:
    r"""Return where each `\endinput` in a conditional stands, and each `\else` of an `\iftrue`."""
    ends: set[int] = set()
    dead_branches: set[int] = set()
    pending: list[tuple[bool, list[int]]] = []
    for match in _CONDITIONAL.finditer(text):
        if match["opens"]:
            pending.append((match["opens"] == "iftrue", []))
        elif pending and match["ends"]:
            pending[-1][1].append(match.start())
        elif pending and match["closes"] == "else" and pending[-1][0]:
            dead_branches.add(match.start())
        elif pending and match["closes"] == "fi":
            ends.update(pending.pop()[1])
    return ends, dead_branches


def hidden(scan: LatexScan, match: re.Match[str], _name: str, command: HidingCommand) -> int:
    """Pass over what a command of the draft's own hides; an unclosed group hides its line."""
    position = skip_brackets(scan.text, match.end())
    for _ in range(command.arguments):
        group = scan.group(position, _LONGEST_HIDDEN)
        if group is None:
            break
        position = group[1] + (scan.text[group[1] : group[1] + 1] == "}")
    return scan.omit(match.start(), position)


HANDLERS: dict[str, Handler] = {
    "Sexpr": _r_expression,
    **dict.fromkeys(_SETTING, _setting),
    **dict.fromkeys(CELL_COMMANDS, _cell_command),
    "iffalse": _iffalse,
    **dict.fromkeys(("if", "ifnum"), _if),
    "else": _else,
    "endinput": _endinput,
    **dict.fromkeys((*STRUCK, "replaced"), _struck),
}
