r"""The commands and environments whose text is code: those of packages, and a draft's own.

Packages let a draft define more of them (`\lstnewenvironment`, `\newminted`), or a character that
stands for `\verb`: `\MakeShortVerb{\|}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import closing_brace, opening_brace, skip_brackets
from cite_lsp.manuscript.latex.commands.definitions import (
    Alias,
    Declarations,
    Definition,
    PackageDeclaration,
)
from cite_lsp.manuscript.model import Command, HidingCommand, VerbatimCommand

ENVIRONMENTS = frozenset(
    """verbatim Verbatim BVerbatim LVerbatim SaveVerbatim VerbatimOut VerbatimWrite verbatimwrite
    boxedverbatim spverbatim xverbatim verbatimtab verbatimcmd lstlisting minted comment
    filecontents tcblisting tcboutputlisting tcbwritetemp tcbverbatimwrite LTXexample dispListing
    luacode pycode pyblock pyverbatim pyconsole pyconcode pylabcode pylabblock sympycode sympyblock
    sagesilent sageblock sageverbatim asy asydef macrocode Piton Sinput Soutput Scode CCSXML
    dispExample""".split()
)
PLAIN = frozenset("verbatim comment filecontents spverbatim boxedverbatim CCSXML macrocode".split())
"""Those whose code begins right behind their name, even with a bracket."""
INLINE = {
    **dict.fromkeys("verb Verb spverb lstinline piton EscVerb".split(), 0),
    **dict.fromkeys("mintinline mint SaveVerb".split(), 1),
}
"""The commands of code in a line, and how many groups stand before it."""

MAKING_SHORT = ("MakeShortVerb", "DefineShortVerb", "lstMakeShortInline")
TAKING_BACK = ("DeleteShortVerb", "UndefineShortVerb", "lstDeleteShortInline")
"""The commands that make a character short for code, and that take it back."""
_ALIASED_ENVIRONMENTS = ("verbatim", "Verbatim", "lstlisting")
_DEFINING_ENVIRONMENTS = """newenvironment renewenvironment NewEnviron RenewEnviron
    DefineVerbatimEnvironment CustomVerbatimEnvironment RecustomVerbatimEnvironment""".split()
_OPTIONS = r"(?:\[[^\[\]]*\]\s*+)?"


_NAME = r"\s*+\{\s*+(?P<name>[^{}\\%\s]+)\s*+\}"
_LISTING = lazy_re(
    rf"""\s*+{_OPTIONS}{_NAME}\s*+
    (?:\[(?P<count>\d)\]\s*+(?P<optional>\[)?|\{{(?P<specification>(?>(?:[^{{}}\n]++|\{{[^{{}}\n]*\}})*))\}})?""",
    re.VERBOSE,
)
_ENVIRONMENT = lazy_re(_NAME)
_VERB = lazy_re(r"\s*+\{?\s*+\\(?P<name>[A-Za-z@]+)\s*+\}?\s*+\{\s*+\\?Verb\s*+\}")
_MINTED = lazy_re(rf"\s*+(?:\[\s*+(?P<alias>[^\[\]\s]*)\s*+\]\s*+)?{_NAME}")
SHORT_SIGN = lazy_re(
    rf"\s*+{_OPTIONS}(?:\{{\s*+\\?(?P<braced>[^\s\\{{}}])\s*+\}}|\\?(?P<sign>[^\s\\{{}}\[]))"
)
"""The character behind a command that makes it short for code, or takes that back."""
_IN_BRACES = lazy_re(r"\{[^{}]*\}")
_BEGINS = lazy_re(
    r"\\(?:(?:[BL]?V|v|spv|boxedv)erbatim|VerbatimEnvironment|lstlisting|minted|tcblisting"
    r"|lst@BeginWriteFile)(?![A-Za-z@])"
)
"""How the body of an environment of code begins."""
_RENAMED = lazy_re(rf"\s*\\({'|'.join(INLINE)})\s*(?:\[[^\[\]]*\]\s*)?")
_HANDED_ON = lazy_re(
    rf"\\(?:detokenize|lstinline|mintinline\s*\{{\w+\}})\s*{_OPTIONS}\{{\s*#1\s*\}}"
)
_LEAVES_OUT = lazy_re(r"\\comment(?![A-Za-z@])")
_COLLECTED = lazy_re(r"\\BODY(?![A-Za-z@])")
_LONGEST_BODY = 1000


def verbatim_commands(declared: Declarations) -> dict[str, Command]:
    """Return the commands, environments and characters that a draft makes ones of code.

    A character that is taken back is none in the end: None.
    """
    commands: dict[str, Command] = {}
    for definition in declared.definitions:
        if command := _of_definition(definition):
            commands[definition.name] = command
    for alias in declared.aliases:
        commands.update(_of_alias(alias))
    for declaration in declared.of_packages:
        commands.update(_of_package(declaration))
    return commands


def _of_definition(definition: Definition) -> VerbatimCommand | None:
    """Return what a command does that is another name of one of code, or hands code on to it."""
    kinds = [parameter.kind for parameter in definition.parameters]
    if "verbatim" in kinds:
        return VerbatimCommand(kinds[: kinds.index("verbatim")].count("group"))
    body = definition.body(_LONGEST_BODY) if len(kinds) < 2 else None
    named = _RENAMED.fullmatch(body) if body and not kinds else None
    if named:
        return VerbatimCommand(INLINE[named[1]])
    return VerbatimCommand() if body and kinds == ["group"] and _HANDED_ON.search(body) else None


def is_short(sign: str) -> bool:
    """Whether a character can stand for code; a letter or a sign of TeX's own cannot."""
    return not sign.isalnum() and sign not in "%$&#"


_Defined = Iterator[tuple[str, Command]]


def _of_alias(alias: Alias) -> _Defined:
    if alias.target in INLINE:
        yield alias.name, VerbatimCommand(INLINE[alias.target])
    elif alias.target == "comment":
        yield _begin(alias.name), HidingCommand()
    elif alias.target in _ALIASED_ENVIRONMENTS:
        yield _begin(alias.name), VerbatimCommand()


def _of_package(declaration: PackageDeclaration) -> _Defined:
    command, read = declaration.command, declaration.arguments
    if command.lower().endswith(("lstnewenvironment", "tcblisting")):
        if listing := read(_LISTING):
            yield _begin(listing["name"]), VerbatimCommand(_groups_before(listing))
    elif command.endswith("VerbatimCommand"):
        if inline := read(_VERB):
            yield inline["name"], VerbatimCommand()
    elif command in ("newmint", "newminted", "newmintinline"):
        if minted := read(_MINTED):
            yield _minted(command, minted["name"], minted["alias"]), VerbatimCommand()
    elif command in (*MAKING_SHORT, *TAKING_BACK):
        if short := read(SHORT_SIGN):
            yield from _of_sign(command, short["braced"] or short["sign"])
    elif command in _DEFINING_ENVIRONMENTS:
        if (environment := read(_ENVIRONMENT)) and (does := _of_body(command, environment)):
            yield _begin(environment["name"]), does


def _groups_before(listing: re.Match[str]) -> int:
    """Return how many groups stand before the code of an environment."""
    count = int(listing["count"] or 0) - bool(listing["optional"])
    return count + _IN_BRACES.sub("", listing["specification"] or "").count("m")


def _minted(command: str, language: str, alias: str | None) -> str:
    """Return the name of what a command of minted defines for a language."""
    if command == "newminted":
        return _begin(alias or f"{language}code")
    return alias or (f"{language}inline" if command == "newmintinline" else language)


def _of_sign(command: str, sign: str) -> _Defined:
    """Yield the character that is made short for code, or is so no longer."""
    if command in TAKING_BACK:
        yield sign, None
    elif is_short(sign):
        yield sign, VerbatimCommand()


def _of_body(command: str, match: re.Match[str]) -> Command:
    """Return what an environment does by how its definition begins, None if that is not plain."""
    if command.endswith("VerbatimEnvironment"):
        return VerbatimCommand()
    text = match.string
    opening = opening_brace(text, skip_brackets(text, match.end()))
    closing = None if opening is None else closing_brace(text, opening, _LONGEST_BODY)
    if opening is None or closing is None:
        return None
    body = text[opening + 1 : closing]
    if command.endswith("Environ"):
        return None if _COLLECTED.search(body) else HidingCommand()
    if _LEAVES_OUT.search(body):
        return HidingCommand()
    return VerbatimCommand() if _BEGINS.search(body) else None


def _begin(name: str) -> str:
    return f"\\begin{{{name.rstrip('*')}}}"
