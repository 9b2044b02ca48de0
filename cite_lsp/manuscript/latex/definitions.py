r"""The definitions of commands in a draft, read once for all that look for something in them.

`\newcommand`, `\def` and their like, those of xparse and of xargs; a comment defines nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from cite_lsp.manuscript.latex.arguments import closing_brace

_DEFINITION = re.compile(
    r"""\\[\\%]|%[^\n]*|\\(?:
      (?:(?:(?:re)?newcommandx?|providecommandx?|DeclareRobustCommand|(?:re)?newrobustcmd)\*?
         |(?P<document>(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand)
         |[egx]?def)\s*
        (?:\{\s*\\(?P<braced>[A-Za-z@]+)\s*\}|\\(?P<bare>[A-Za-z@]+))\s*
        (?(document)\{(?P<specification>[^{}\n]*)\}\s*
          |(?:\[\s*(?P<count>\d)\s*\]\s*)?(?P<default>\[[^\[\]\n]*\]\s*)?
           (?P<hashes>(?:\#\d\s*)*)(?:\\(?P<delimiter>[A-Za-z@]+)\s*)?)
        (?=\{)
    )""",
    re.VERBOSE,
)


@frozen
class Definition:
    """A command and where its body opens; `delimiter` is the command that ends its last argument.

    arguments: those in braces. optional: those in brackets, before them.
    """

    name: str
    arguments: int
    optional: int
    delimiter: str
    text: str
    opening: int

    def body(self, longest: int) -> str | None:
        """Return what stands between the braces, None where that is longer or never closed."""
        closing = closing_brace(self.text, self.opening, longest)
        return None if closing is None else self.text[self.opening + 1 : closing]


def own_definitions(text: str) -> Iterator[Definition]:
    """Yield the definitions of a text, in order."""
    for match in _DEFINITION.finditer(text):
        name = match["braced"] or match["bare"]
        if not name:
            continue
        specification = match["specification"] or ""
        optional = bool(match["default"]) + specification.count("o")
        arguments = int(match["count"] or 0) - bool(match["default"])
        arguments += specification.count("m") + (match["hashes"] or "").count("#")
        yield Definition(name, arguments, optional, match["delimiter"] or "", text, match.end())
