r"""The commands and environments by which a draft hides what it does not print: `\eat{…}`.

Writers put aside what they have cut, and notes to each other, by a command that does nothing with
its argument: `\newcommand{\eat}[1]{}`, `\long\def\eat#1{}`, `\let\eat\@gobble`; or in an
environment of package comment: `\excludecomment{eat}`.
"""

from __future__ import annotations

import re

from cite_lsp.manuscript.model import CiteCommand, Commands, LeftOut

_DEFINITION = re.compile(
    r"""\\(?:
      (?:(?:(?:re)?newcommand|providecommand|DeclareRobustCommand|(?:re)?newrobustcmd)\*?
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
_COMMENTED = re.compile(r"(?<!\\)%")


def hiding(
    text: str, known: Commands, *, package: bool = False
) -> dict[str, CiteCommand | LeftOut | None]:
    """Return the commands that hide text as this one defines them, over those `known` before.

    What it defines to print as well, if only for another version of the draft, hides nothing. Of a
    `package` only plain definitions tell anything: it may give a command back after use.
    """
    hides: dict[str, LeftOut] = {}
    prints: set[str] = set()
    for found in _DEFINITION.finditer(text):
        if _COMMENTED.search(text, text.rfind("\n", 0, found.start()) + 1, found.start()):
            continue
        if package and found["gobbling"]:
            continue
        name = found["braced"] or found["bare"] or found["gobbling"]
        if found["what"]:
            name = f"\\begin{{{found['environment']}}}"
        arguments = _hidden(text, found)
        if arguments is None:
            prints.add(name)
        else:
            hides[name] = LeftOut(arguments)
    commands = dict(known)
    for name in prints:
        if isinstance(commands.get(name), LeftOut):
            commands[name] = None
    commands.update((name, command) for name, command in hides.items() if name not in prints)
    return commands


def _hidden(text: str, found: re.Match[str]) -> int | None:
    """Return how many groups behind a command are hidden, None where they are not."""
    if found["what"]:
        return 0 if found["what"] == "ex" else None
    if found["gobbling"]:
        return 2 if found["two"] else 1
    arguments = int(found["count"] or 0) - bool(found["optional"])
    arguments += (found["specification"] or "").count("m")
    arguments += (found["hashes"] or "").count("#")
    return arguments if arguments > 0 and _NOTHING.match(text, found.end()) else None
