r"""The definitions of commands in a draft, read once for all that look for something in them.

`\newcommand`, `\def` and their like, those of xparse and of xargs; a comment defines nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import closing_brace
from cite_lsp.manuscript.model import Parameter

_DEFINITION = lazy_re(
    r"""\\[\\%]|%[^\n]*|\\(?:
      (?:(?:(?:re)?newcommandx?|providecommandx?|DeclareRobustCommand|(?:re)?newrobustcmd)\*?
         |(?P<document>(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand)
         |[egx]?def)\s*
        (?:\{\s*\\(?P<braced>[A-Za-z@]+)\s*\}|\\(?P<bare>[A-Za-z@]+))\s*
        (?(document)\{(?P<specification>(?>(?:[^{}\n]|\{[^{}\n]*\})*))\}\s*
          |(?:\[\s*(?P<count>\d)\s*\]\s*)?(?P<default>\[[^\[\]\n]*\]\s*)?
           (?P<hashes>(?:\#\d\s*)*)(?:\\(?P<delimiter>[A-Za-z@]+)\s*)?)
        (?=\{)
    )""",
    re.VERBOSE,
)
_SPECIFIED = lazy_re(
    r""">\s*\{(?>(?:[^{}]|\{[^{}]*\})*)\}|[eE]\{[^{}]*\}|(?P<kind>[mr])|(?P<verbatim>v)
    |(?P<star>s|t.)|(?P<bracket>o|d..|O\{(?P<default>[^{}]*)\}|D..\{[^{}]*\})
    |[^A-Za-z]|.""",
    re.VERBOSE,
)
"""An argument in the specification of a command of xparse."""


_LONGEST_BODY = 1000
_OF_XARGS = lazy_re(r"\s*\d\s*=")


@frozen
class Definition:
    """A command and where its body opens; `delimiter` is the command that ends its last argument.

    `parameters` are its arguments in order.
    """

    name: str
    parameters: tuple[Parameter, ...]
    delimiter: str
    text: str
    opening: int

    @property
    def arguments(self) -> int:
        """How many arguments are in braces."""
        return sum(parameter.kind == "group" for parameter in self.parameters)

    @property
    def optional(self) -> int:
        """How many arguments are in brackets."""
        return sum(parameter.kind == "bracket" for parameter in self.parameters)

    def body(self, longest: int) -> str | None:
        """Return what stands between the braces, None where that is longer or never closed.

        None is read that is longer than 1000 characters.
        """
        closing = self._closing
        if closing is None or closing - self.opening >= longest:
            return None
        return self.text[self.opening + 1 : closing]

    @cached_property
    def _closing(self) -> int | None:
        return closing_brace(self.text, self.opening, _LONGEST_BODY)


def own_definitions(text: str) -> Iterator[Definition]:
    """Yield the definitions of a text, in order."""
    for match in _DEFINITION.finditer(text):
        name = match["braced"] or match["bare"]
        if name:
            yield Definition(
                name, tuple(_parameters(match)), match["delimiter"] or "", text, match.end()
            )


def optional_arguments(defaults: str) -> list[str]:
    """Return what the optional arguments are by default, from the brackets of a definition.

    There is one, but for xargs: `[1=a, 2=b]`.
    """
    written = defaults.strip()
    if not written:
        return []
    items = written[1:-1].split(",")
    if all(_OF_XARGS.match(item) for item in items):
        return [item.partition("=")[2].strip() for item in items]
    return [written[1:-1]]


def _parameters(match: re.Match[str]) -> Iterator[Parameter]:
    for specified in _SPECIFIED.finditer(match["specification"] or ""):
        if specified["bracket"]:
            yield Parameter("bracket", specified["default"] or "")
        elif specified["verbatim"]:
            yield Parameter("verbatim")
        elif specified["star"]:
            yield Parameter("star")
        elif specified["kind"]:
            yield Parameter()
    defaults = optional_arguments(match["default"] or "")
    yield from (Parameter("bracket", default) for default in defaults)
    count = int(match["count"] or 0) - len(defaults)
    for _ in range(count + (match["hashes"] or "").count("#")):
        yield Parameter()
