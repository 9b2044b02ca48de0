r"""The commands and environments of a draft's own whose text is none of the draft.

They do nothing with their argument (`\newcommand{\eat}[1]{}`, `\let\eat\@gobble`), strike it out
(`\newcommand{\del}[1]{\sout{#1}}`), are excluded (`\excludecomment{eat}`), or hold remarks, printed
in colour or with a name: `\newcommand{\ada}[1]{\textcolor{red}{[Ada: #1]}}`.
"""

from __future__ import annotations

from collections.abc import Callable

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.commands.definitions import Declarations, Definition
from cite_lsp.manuscript.model import Command, Commands, HidingCommand

_GOBBLING = {"@gobble": 1, "@gobbletwo": 2}
_ENVIRONMENT = lazy_re(r"\s*\{(?P<name>[^{}\\\s]+)\}")
_EXCLUDES = {
    **dict.fromkeys(("excludecomment", "excludeversion"), True),
    **dict.fromkeys(("includecomment", "includeversion", "specialcomment"), False),
}
"""What leaves an environment out, and what prints one."""
REMARKS = frozenset(
    """todo fixme fxnote fxwarning fxerror fxfatal pdfcomment pdfmargincomment
    missingfigure""".split()
)
"""The commands by which authors talk to each other, but where a draft defines them for itself."""
STRUCK = ("deleted", "sout", "xout", "st")
"""The commands of packages changes, ulem and soul that strike their argument out."""
_NOTHING = lazy_re(
    r"\{(?>(?:\s+|%[^\n]*\n|\\(?:relax|ignorespaces|unskip|@[be]sphack)(?![A-Za-z@]))*)\}"
)
_CALLED = lazy_re(r"\\([A-Za-z@]+)")
_COLOUR = lazy_re(r"\\(?:text)?color(?![A-Za-z@])|\\hl(?![A-Za-z@])")
_MARKUP = lazy_re(
    r"%[^\n]*\n?|\\(?:text)?color\s*(?:\[[^\[\]]*\]\s*)?\{[^{}]*\}|\\langle|\\[A-Za-z@]+\*?|[{}$~\s]"
)
"""What of a body is not printed."""
_LABEL_IN_COLOUR = lazy_re(r"[\[<⟨«].*|.*\w.*[:：]|.*\b(?:TODO|FIXME|XXX|NOTE)\b.*")
"""What is printed before a remark in colour: a bracket, who makes it, or what is to be done."""
_LABEL_WITHOUT_COLOUR = lazy_re(r"[\[<⟨«].*\w.*[:：]|.*\b(?:TODO|FIXME|XXX)\b.*")
_STRIKING = lazy_re(rf"\\(?:{'|'.join(STRUCK)})\s*(?:\[[^\[\]]*\]\s*)?\{{\s*#1\s*\}}")
_CITING = lazy_re(r"\\[A-Za-z@]*(?i:cite)[A-Za-z@]*\*?\s*(?:\[[^\[\]]*\]\s*)*\{[^{}\\]*\Z")
"""What a body has before an argument that holds keys."""
_LONGEST_BODY = 1000

_Lookup = Callable[[str], Command]


def hiding_commands(
    declared: Declarations, earlier_commands: Commands, *, package: bool
) -> dict[str, Command]:
    """Return the commands that hide text that a draft declares, added to the `earlier_commands`.

    What the text defines to print as well, if only for another version of the draft, hides nothing.
    A `package` may give a command back after use: only its plain definitions count.
    """
    hides: dict[str, HidingCommand] = {}
    prints: set[str] = set()

    def take(name: str, command: HidingCommand | None) -> None:
        if command is None:
            prints.add(name)
        elif name not in hides or command.remark:
            hides[name] = command

    for definition in declared.definitions:
        if not definition.delimiter:
            take(
                definition.name,
                _hiding_command(
                    definition, lambda called: hides.get(called) or earlier_commands.get(called)
                ),
            )
    for alias in declared.aliases:
        if alias.target in _GOBBLING and not package:
            take(alias.name, HidingCommand(_GOBBLING[alias.target]))
    for declaration in declared.of_packages:
        if declaration.command in _EXCLUDES and (named := declaration.arguments(_ENVIRONMENT)):
            hidden = HidingCommand() if _EXCLUDES[declaration.command] else None
            take(f"\\begin{{{named['name']}}}", hidden)
    commands = dict(earlier_commands)
    for name in prints:
        if isinstance(commands.get(name), HidingCommand) or name.startswith("\\"):
            commands[name] = None
    commands.update((name, command) for name, command in hides.items() if name not in prints)
    return commands


def _hiding_command(definition: Definition, defined: _Lookup) -> HidingCommand | None:
    """Return what a definition leaves out, None where its arguments are text of the draft."""
    arguments = definition.arguments
    if arguments < 1:
        return None
    if _NOTHING.match(definition.text, definition.opening):
        return HidingCommand(arguments)
    body = definition.body(_LONGEST_BODY)
    if body is None:
        return None
    if not definition.optional and body.count("#1") == 1 and _STRIKING.search(body):
        return HidingCommand(1)
    before, parameter, _ = body.partition(f"#{arguments + definition.optional}")
    return (
        HidingCommand(arguments, remark=True) if parameter and _is_remark(before, defined) else None
    )


def _is_remark(before: str, defined: _Lookup) -> bool:
    """Whether what a body prints before its argument says that it is a remark."""
    if _CITING.search(before):
        return False
    for called in _CALLED.findall(before):
        command = defined(called)
        if called in REMARKS or (isinstance(command, HidingCommand) and command.remark):
            return True
    label = _MARKUP.sub(lambda markup: "<" if markup.group() == "\\langle" else " ", before)
    label = " ".join(label.split())
    pattern = _LABEL_IN_COLOUR if _COLOUR.search(before) else _LABEL_WITHOUT_COLOUR
    return pattern.fullmatch(label) is not None
