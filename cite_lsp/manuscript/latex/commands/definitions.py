r"""The definitions of commands in a draft, read once for all that look for something in them.

`\newcommand`, `\def` and their like, those of xparse and of xargs; a comment defines nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import closing_brace
from cite_lsp.manuscript.model import Parameter

_DEFINITION = lazy_re(
    r"""\\[\\%]|%[^\n]*|\\(?:
      (?P<command>(?:re)?newcommandx?|providecommandx?|DeclareRobustCommand|(?:re)?newrobustcmd
         |(?P<document>(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand)
         |[egx]?def)\*?\s*
        (?:\{\s*\\(?P<braced>[A-Za-z@]+)\s*\}|\\(?P<bare>[A-Za-z@]+))\s*
        (?(document)\{(?P<specification>(?>(?:[^{}\n]|\{[^{}\n]*\})*))\}\s*
          |(?:\[\s*(?P<count>\d)\s*\]\s*)?(?P<default>\[(?!\#)[^\[\]\n]*\]\s*)?
           (?P<hashes>(?:[\[<(]?\#\d[\])>]?\s*)*)(?:\\(?P<delimiter>[A-Za-z@]+)\s*)?)
        (?:%[^\n]*\n\s*)*(?=\{)
    )""",
    re.VERBOSE,
)
_HASH = lazy_re(r"(?P<optional>[\[<(])?#")
"""An argument as `\\def` has it: `\\def\\cite[#1]#2{…}`."""
_SPECIFIED = lazy_re(
    r""">\s*\{(?>(?:[^{}]|\{[^{}]*\})*)\}|[eE]\{[^{}]*\}|(?P<kind>[mr])|(?P<verbatim>v)
    |(?P<star>s|t.)|(?P<bracket>o|d..|O\{(?P<default>[^{}]*)\}|D..\{[^{}]*\})
    |[^A-Za-z]|.""",
    re.VERBOSE,
)
"""An argument in the specification of a command of xparse."""
_KEYS = lazy_re(r"\s*[^\s,{}\\#%]+\s*(?:,\s*[^\s,{}\\#%]+\s*)*")
_LONGEST_BODY = 4000
_OF_XARGS = lazy_re(r"\s*\d\s*=")


@frozen
class Definition:
    """A command, what defines it (`newcommand`) and where, and where its body opens.

    `parameters` are its arguments in order, `delimiter` is the command that ends the last one.
    """

    name: str
    command: str
    parameters: tuple[Parameter, ...]
    delimiter: str
    text: str
    start: int
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
        """Return what stands between the braces, None where that is longer or never closed."""
        closing = self._closing
        if closing is None or closing - self.opening >= longest:
            return None
        return self.text[self.opening + 1 : closing]

    @property
    def leading(self) -> int:
        """How many arguments that need not be given stand before the first in braces."""
        kinds = (parameter.kind for parameter in self.parameters)
        return len(list(takewhile(lambda kind: kind in ("bracket", "star"), kinds)))

    @cached_property
    def _closing(self) -> int | None:
        return closing_brace(self.text, self.opening, _LONGEST_BODY)


def own_definitions(text: str) -> Iterator[Definition]:
    """Yield the definitions of a text, in order."""
    for match in _DEFINITION.finditer(text):
        name = match["braced"] or match["bare"]
        if name:
            parameters, delimiter = tuple(_parameters(match)), match["delimiter"] or ""
            yield Definition(
                name, match["command"], parameters, delimiter, text, match.start(), match.end()
            )


def keys_in_macros(text: str) -> Iterator[str]:
    r"""Yield what may be keys in macros, as in `\newcommand{\mine}{doe2020,roe2019}`."""
    for definition in own_definitions(text):
        body = None if definition.parameters else definition.body(_LONGEST_BODY)
        if body is not None and _KEYS.fullmatch(body):
            yield from (key.strip() for key in body.split(","))


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
    defaults = _defaults(match["default"] or "")
    yield from (Parameter("bracket", default) for default in defaults)
    for _ in range(int(match["count"] or 0) - len(defaults)):
        yield Parameter()
    for argument in _HASH.finditer(match["hashes"] or ""):
        yield Parameter("bracket" if argument["optional"] else "group")


def _defaults(defaults: str) -> list[str]:
    """Return the defaults in the brackets of a definition: one, but for xargs, `[1=a, 2=b]`."""
    brackets = defaults.strip()
    if not brackets:
        return []
    items = brackets[1:-1].split(",")
    if all(_OF_XARGS.match(item) for item in items):
        return [item.partition("=")[2].strip() for item in items]
    return [brackets[1:-1]]
