r"""The commands and environments of a draft's own whose text is none of the draft.

Writers put aside what they have cut by a command that does nothing with its argument:
`\newcommand{\eat}[1]{}`, `\long\def\eat#1{}`, `\let\eat\@gobble`; or that strikes it out:
`\newcommand{\del}[1]{\sout{#1}}`; or in an environment of package comment: `\excludecomment{eat}`.
And they talk to each other in remarks, which are printed in colour and with a name:
`\newcommand{\ada}[1]{\textcolor{red}{[Ada: #1]}}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cite_lsp.manuscript.arguments import closing_brace
from cite_lsp.manuscript.model import Command, Commands, LeftOut

_DEFINITION = re.compile(
    r"""\\(?:
      (?:(?:(?:re)?newcommandx?|providecommandx?|DeclareRobustCommand|(?:re)?newrobustcmd)\*?
         |(?P<document>(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand)
         |[egx]?def)\s*
        (?:\{\s*\\(?P<braced>[A-Za-z@]+)\s*\}|\\(?P<bare>[A-Za-z@]+))\s*
        (?(document)\{(?P<specification>[^{}\n]*)\}\s*
          |(?:\[\s*(?P<count>\d)\s*\]\s*)?(?P<optional>\[[^\[\]\n]*\]\s*)?(?P<hashes>(?:\#\d\s*)*))
        (?=\{)
     |let\s*\\(?P<gobbling>[A-Za-z@]+)\s*=?\s*\\@gobble(?P<two>two)?(?![A-Za-z@])
     |(?P<what>ex|in)cludecomment\s*\{(?P<environment>[A-Za-z@]+)\}
    )""",
    re.VERBOSE,
)
_NOTHING = re.compile(
    r"\{(?>(?:\s+|%[^\n]*\n|\\(?:relax|ignorespaces|unskip|@[be]sphack)(?![A-Za-z@]))*)\}"
)
_REMARK = re.compile(
    r"\\(todo|fixme|fx(?:note|warning|error|fatal)|pdf(?:margin)?comment)(?![A-Za-z@])"
)
_CALLED = re.compile(r"\\([A-Za-z@]+)")
_COLOUR = re.compile(r"\\(?:text)?color(?![A-Za-z@])|\\hl(?![A-Za-z@])")
_MARKUP = re.compile(
    r"%[^\n]*\n?|\\(?:text)?color\s*(?:\[[^\[\]]*\]\s*)?\{[^{}]*\}|\\langle|\\[A-Za-z@]+\*?|[{}$~\s]"
)
"""What of a body is not printed."""
_SIGNED = re.compile(r"[\[<⟨«].*|.*\w.*[:：]|.*\b(?:TODO|FIXME|XXX|NOTE)\b.*")
"""What is printed before a remark in colour: a bracket, who makes it, or what is to be done."""
_SIGNED_PLAINLY = re.compile(r"[\[<⟨«].*\w.*[:：]|.*\b(?:TODO|FIXME|XXX)\b.*")
"""The same of one that has no colour."""
_STRUCK = re.compile(r"\\(?:sout|xout|st|deleted)\s*(?:\[[^\[\]]*\]\s*)?\{\s*#1\s*\}")
_CITING = re.compile(r"\\[A-Za-z@]*(?i:cite)[A-Za-z@]*\*?\s*(?:\[[^\[\]]*\]\s*)*\{[^{}\\]*\Z")
"""What a body has before an argument that holds keys."""
_COMMENTED = re.compile(r"(?<!\\)%")
_LONGEST_BODY = 1000
_LONGEST_LINE = 400

_Defined = Callable[[str], Command]
"""Says what a command does that was defined before."""


def hiding(text: str, known: Commands, *, package: bool = False) -> dict[str, Command]:
    """Return the commands that hide text as this one defines them, over those `known` before.

    What it defines to print as well, if only for another version of the draft, hides nothing. Of a
    `package` only plain definitions tell anything: it may give a command back after use.
    """
    hides: dict[str, LeftOut] = {}
    prints: set[str] = set()
    for found in _DEFINITION.finditer(text):
        near = max(found.start() - _LONGEST_LINE, 0)
        begun = text.rfind("\n", near, found.start()) + 1 or near
        if _COMMENTED.search(text, begun, found.start()):
            continue
        if package and found["gobbling"]:
            continue
        name = found["braced"] or found["bare"] or found["gobbling"]
        if found["what"]:
            name = f"\\begin{{{found['environment']}}}"
        command = _left_out(text, found, lambda called: hides.get(called) or known.get(called))
        if command is None:
            prints.add(name)
        elif name not in hides or command.remark:
            hides[name] = command
    commands = dict(known)
    for name in prints:
        if isinstance(commands.get(name), LeftOut):
            commands[name] = None
    commands.update((name, command) for name, command in hides.items() if name not in prints)
    return commands


def _left_out(text: str, found: re.Match[str], defined: _Defined) -> LeftOut | None:
    """Return what a definition leaves out, None where its arguments are text of the draft."""
    if found["what"]:
        return LeftOut() if found["what"] == "ex" else None
    if found["gobbling"]:
        return LeftOut(2 if found["two"] else 1)
    optional = bool(found["optional"])
    arguments = int(found["count"] or 0) - optional
    arguments += (found["specification"] or "").count("m")
    arguments += (found["hashes"] or "").count("#")
    if arguments < 1:
        return None
    if _NOTHING.match(text, found.end()):
        return LeftOut(arguments)
    closing = closing_brace(text, found.end(), _LONGEST_BODY)
    if closing is None:
        return None
    body = text[found.end() : closing]
    if not optional and body.count("#1") == 1 and _STRUCK.search(body):
        return LeftOut(1)
    last = f"#{arguments + optional + (found['specification'] or '').count('o')}"
    before, said, _ = body.partition(last)
    return LeftOut(arguments, remark=True) if said and _is_remark(before, defined) else None


def _is_remark(before: str, defined: _Defined) -> bool:
    """Whether what a body prints before its argument says that it is a remark."""
    if _CITING.search(before):
        return False
    if _REMARK.search(before):
        return True
    called = map(defined, _CALLED.findall(before))
    if any(isinstance(command, LeftOut) and command.remark for command in called):
        return True
    label = _MARKUP.sub(lambda markup: "<" if markup.group() == "\\langle" else " ", before)
    label = " ".join(label.split())
    signed = _SIGNED if _COLOUR.search(before) else _SIGNED_PLAINLY
    return signed.fullmatch(label) is not None
