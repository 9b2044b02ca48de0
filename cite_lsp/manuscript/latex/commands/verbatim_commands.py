r"""The commands and environments whose text is code: those of packages, and a draft's own.

Packages let a draft define more of them (`\lstnewenvironment`, `\newminted`), or a character that
stands for `\verb`: `\MakeShortVerb{\|}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import closing_brace, opening_brace, skip_brackets
from cite_lsp.manuscript.latex.commands.definitions import Definition
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

_OPTIONS = r"(?:\[[^\[\]]*\]\s*+)?"


def _name(group: str) -> str:
    return rf"\{{\s*+(?P<{group}>[^{{}}\\%\s]+)\s*+\}}"


def _sign(group: str) -> str:
    return rf"(?:\{{\s*+\\?(?P<{group}_braced>[^\s\\{{}}])\s*+\}}|\\?(?P<{group}>[^\s\\{{}}\[]))"


_DEFINITION = lazy_re(
    rf"""\\[\\%]|%[^\n]*|\\(?:
        (?:lstnewenvironment|(?:re)?newtcblisting|(?:New|Renew|Provide|Declare)TCBListing)\s*+{_OPTIONS}
            {_name("listing")}
            \s*+(?:\[(?P<count>\d)\]\s*+(?P<optional>\[)?|\{{(?P<specification>(?>(?:[^{{}}\n]++|\{{[^{{}}\n]*\}})*))\}})?
      |(?:Define|Custom|Recustom)VerbatimEnvironment\s*+{_name("verbatim")}
      |(?:Custom|Recustom)VerbatimCommand\s*+\{{?\s*+\\(?P<inline>[A-Za-z@]+)\s*+\}}?\s*+\{{\s*+\\?Verb\s*+\}}
      |newmint(?P<minted>ed|inline)?\s*+(?:\[\s*+(?P<alias>[^\[\]\s]*)\s*+\]\s*+)?{_name("language")}
      |(?:MakeShortVerb|DefineShortVerb|lstMakeShortInline)\*?\s*+{_OPTIONS}{_sign("short")}
      |(?:DeleteShortVerb|UndefineShortVerb|lstDeleteShortInline)\*?\s*+{_sign("long")}
      |let\s*+\\(?P<like>[A-Za-z@]+)\s*+=?\s*+\\(?P<target>verbatim|Verbatim|lstlisting|comment
            |{"|".join(INLINE)})(?![A-Za-z@])
      |(?:(?:re)?newenvironment|(?:New|Renew)Environ)\*?\s*+{_name("environment")}
    )""",
    re.VERBOSE,
)
SHORT_SIGN = lazy_re(rf"\s*+{_OPTIONS}{_sign('sign')}")
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


def verbatim_commands(text: str, definitions: Iterable[Definition]) -> dict[str, Command]:
    """Return the commands, environments and characters that a draft makes ones of code.

    `definitions` are all of the text. A character that is taken back is none in the end: None.
    """
    commands: dict[str, Command] = {}
    for definition in definitions:
        command = _of_definition(definition)
        if command is not None:
            commands[definition.name] = command
    for match in _DEFINITION.finditer(text):
        if match.lastgroup:
            commands.update(_defined(match))
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


def _defined(match: re.Match[str]) -> Iterator[tuple[str, Command]]:
    if match["listing"]:
        count = int(match["count"] or 0) - bool(match["optional"])
        count += _IN_BRACES.sub("", match["specification"] or "").count("m")
        yield _begin(match["listing"]), VerbatimCommand(count)
    elif match["verbatim"]:
        yield _begin(match["verbatim"]), VerbatimCommand()
    elif match["inline"]:
        yield match["inline"], VerbatimCommand()
    elif match["language"]:
        name, kind = match["alias"] or match["language"], match["minted"]
        if kind == "ed":
            yield _begin(match["alias"] or f"{name}code"), VerbatimCommand()
        else:
            yield match["alias"] or (f"{name}inline" if kind else name), VerbatimCommand()
    elif match["like"]:
        if match["target"] in INLINE:
            yield match["like"], VerbatimCommand(INLINE[match["target"]])
        else:
            hidden = match["target"] == "comment"
            yield _begin(match["like"]), HidingCommand() if hidden else VerbatimCommand()
    elif match["environment"]:
        command = _of_body(match)
        if command is not None:
            yield _begin(match["environment"]), command
    else:
        yield from _short(match)


def _short(match: re.Match[str]) -> Iterator[tuple[str, Command]]:
    """Yield the character that is made short for code, or is so no longer."""
    if sign := match["short_braced"] or match["short"]:
        if is_short(sign):
            yield sign, VerbatimCommand()
    elif sign := match["long_braced"] or match["long"]:
        yield sign, None


def _of_body(match: re.Match[str]) -> Command:
    """Return what an environment does by how its definition begins, None if that is not plain."""
    text = match.string
    opening = opening_brace(text, skip_brackets(text, match.end()))
    closing = None if opening is None else closing_brace(text, opening, _LONGEST_BODY)
    if opening is None or closing is None:
        return None
    body = text[opening + 1 : closing]
    if "Environ" in match.group():
        return None if _COLLECTED.search(body) else HidingCommand()
    if _LEAVES_OUT.search(body):
        return HidingCommand()
    return VerbatimCommand() if _BEGINS.search(body) else None


def _begin(name: str) -> str:
    return f"\\begin{{{name.rstrip('*')}}}"
