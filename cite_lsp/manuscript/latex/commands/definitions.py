r"""What a draft says of its own commands, read once for all that look for something in it.

Definitions by `\newcommand`, `\def` and their like, those of xparse and of xargs; aliases by `\let`
and its like; what packages have to declare commands. A comment says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import takewhile

from attrs import frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import closing_brace
from cite_lsp.manuscript.model import Parameter
from cite_lsp.storage.memory import text_cache

ALIASING = "let LetLtxMacro NewCommandCopy RenewCommandCopy DeclareCommandCopy".split()
_DECLARES = lazy_re(
    rf"""\\[\\%]|%[^\n]*|\\(?:
        (?P<latex>(?:re)?newcommandx?|providecommandx?|DeclareRobustCommand|(?:re)?newrobustcmd
          |[egx]?def)
      | (?P<xparse>(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand)
      | (?P<alias>{"|".join(ALIASING)})
      | (?P<package>(?:(?:re)?new|(?:ex|in)clude(?=comment|version)|lst|special|New|Renew|Provide
          |Declare|(?:Und|D)efine|(?:Rec|C)ustom|Make|Delete)[A-Za-z]+)
    )(?![A-Za-z@])\*?""",
    re.VERBOSE,
)
"""What declares commands, of a package whatever is called as such commands are."""
_NAME = r"\s*(?:\{\s*\\(?P<braced>[A-Za-z@]+)\s*\}|\\(?P<bare>[A-Za-z@]+))\s*"
_BODY_FOLLOWS = r"(?:%[^\n]*\n\s*)*(?=\{)"
_ARGUMENTS = {
    "latex": lazy_re(
        rf"""{_NAME}(?:\[\s*(?P<count>\d)\s*\]\s*)?(?P<default>\[(?!\#)[^\[\]\n]*\]\s*)?
        (?P<hashes>(?:[\[<(]?\#\d[\])>]?\s*)*)(?:\\(?P<delimiter>[A-Za-z@]+)\s*)?{_BODY_FOLLOWS}""",
        re.VERBOSE,
    ),
    "xparse": lazy_re(
        rf"{_NAME}\{{(?P<specification>(?>(?:[^{{}}\n]|\{{[^{{}}\n]*\}})*))\}}\s*{_BODY_FOLLOWS}"
    ),
}
ALIASED = lazy_re(
    r"""\s*+\{?\s*+\\(?P<name>[A-Za-z@]+)\s*+\}?\s*+=?\s*+(?P<brace>\{)?\s*+
    (?:\\(?P<target>[A-Za-z@]+)|[A-Za-z@]+)(?(brace)\s*+\})""",
    re.VERBOSE,
)
"""The arguments of what makes an alias; a character may be the `target` as well, as a letter."""
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
class Alias:
    r"""Another `name` of a command: `\let\name\target`."""

    name: str
    target: str


@frozen
class PackageDeclaration:
    """A `command` that a package has for declaring others, and where its name ends in a text."""

    command: str
    text: str
    end: int

    def arguments(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the arguments, which are as a pattern has them, or else None."""
        return pattern.match(self.text, self.end)


@frozen
class Definition:
    """A command, what defines it (`newcommand`), and where its body opens.

    `parameters` are its arguments in order, `delimiter` is the command that ends the last one.
    """

    name: str
    command: str
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


Declaration = Definition | Alias | PackageDeclaration


@frozen
class Declarations:
    """What a text says of commands, in order, and the same by its kind."""

    in_order: tuple[Declaration, ...]
    definitions: tuple[Definition, ...]
    aliases: tuple[Alias, ...]
    of_packages: tuple[PackageDeclaration, ...]


@text_cache(16)
def declarations(text: str) -> Declarations:
    """Return what a text says of commands, cached."""
    found = tuple(_declarations(text))
    return Declarations(
        found,
        tuple(declared for declared in found if isinstance(declared, Definition)),
        tuple(declared for declared in found if isinstance(declared, Alias)),
        tuple(declared for declared in found if isinstance(declared, PackageDeclaration)),
    )


def _declarations(text: str) -> Iterator[Declaration]:
    position = 0
    while match := _DECLARES.search(text, position):
        kind, position = match.lastgroup, match.end()
        if kind == "package":
            yield PackageDeclaration(match[kind], text, position)
        elif kind == "alias":
            aliased = ALIASED.match(text, position)
            if aliased and aliased["target"]:
                yield Alias(aliased["name"], aliased["target"])
                position = aliased.end()
        elif kind and (head := _ARGUMENTS[kind].match(text, position)):
            position = head.end()
            yield _definition(match[kind], head)


def _definition(command: str, head: re.Match[str]) -> Definition:
    parts = head.groupdict("")
    name = parts["braced"] or parts["bare"]
    delimiter = parts.get("delimiter", "")
    return Definition(name, command, tuple(_parameters(parts)), delimiter, head.string, head.end())


def keys_in_macros(text: str) -> Iterator[str]:
    r"""Yield what may be keys in macros, as in `\newcommand{\mine}{doe2020,roe2019}`."""
    for definition in declarations(text).definitions:
        body = None if definition.parameters else definition.body(_LONGEST_BODY)
        if body is not None and _KEYS.fullmatch(body):
            yield from (key.strip() for key in body.split(","))


def _parameters(parts: Mapping[str, str]) -> Iterator[Parameter]:
    for specified in _SPECIFIED.finditer(parts.get("specification", "")):
        if specified["bracket"]:
            yield Parameter("bracket", specified["default"] or "")
        elif specified["verbatim"]:
            yield Parameter("verbatim")
        elif specified["star"]:
            yield Parameter("star")
        elif specified["kind"]:
            yield Parameter()
    defaults = _defaults(parts.get("default", ""))
    yield from (Parameter("bracket", default) for default in defaults)
    for _ in range(int(parts.get("count") or 0) - len(defaults)):
        yield Parameter()
    for argument in _HASH.finditer(parts.get("hashes", "")):
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
