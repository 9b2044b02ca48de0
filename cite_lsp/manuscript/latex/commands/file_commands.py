r"""The commands that name other files, and a draft's own: `\newcommand{\part}[1]{\input{p/#1}}`."""

from __future__ import annotations

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.latex.arguments import closing_brace, opening_brace
from cite_lsp.manuscript.latex.commands.definitions import Declarations
from cite_lsp.manuscript.model import Command, Commands, FileCommand
from cite_lsp.manuscript.text.comments import uncommented

INPUTS = """input include subfile subfileinclude includestandalone loadglsentries
    InputIfFileExists @input @@input markdownInput""".split()
IMPORTS = "import subimport includefrom inputfrom subinputfrom subincludefrom".split()
BIBLIOGRAPHIES = """addbibresource addglobalbib addsectionbib bibliography nobibliography
    defaultbibliography putbib""".split()
EXTERNAL = "externaldocument externalcitedocument".split()
"""The commands of xr and xcite: what another document labels and cites can be used."""

_NAMES = frozenset((*INPUTS, *IMPORTS, *BIBLIOGRAPHIES, *EXTERNAL))
_CALLED = lazy_re(r"\\([A-Za-z@]+)")
_PARAMETER = lazy_re(r"#(\d)")
_BLANKS = lazy_re(r"\s*")
_LONGEST_BODY = 1000
_LONGEST_EXPANSION = 4000


def file_commands(declared: Declarations, earlier_commands: Commands) -> dict[str, Command]:
    """Return the commands that read in files or name bibliographies that a draft declares."""
    commands: dict[str, Command] = {}
    for alias in declared.aliases:
        if alias.target in _NAMES:
            commands[alias.name] = FileCommand(f"\\{alias.target}")
    for definition in declared.definitions:
        body = None if definition.delimiter else definition.body(_LONGEST_BODY)
        called = _CALLED.findall(body) if body else ()
        if body and any(
            name in _NAMES
            or isinstance(commands.get(name) or earlier_commands.get(name), FileCommand)
            for name in called
        ):
            commands[definition.name] = FileCommand(uncommented(body), definition.parameters)
    return {name: command for name, command in commands.items() if name not in _NAMES}


def expansion(
    text: str, start: int, command: FileCommand
) -> tuple[str, tuple[tuple[str, int, int], ...], int] | None:
    """Return what a command stands for whose name ends at `start`, its arguments, and their end.

    An argument has its text and its range. None where one is missing, or the text grows too long.
    """
    arguments: list[tuple[str, int, int]] = []
    values: dict[str, str] = {}
    for number, parameter in enumerate(command.parameters, 1):
        blanks = _BLANKS.match(text, start)
        after = blanks.end() if blanks else start
        value, opening = parameter.default, None
        if parameter.kind == "group":
            opening = opening_brace(text, start)
            closing = None if opening is None else closing_brace(text, opening, comments=True)
            if opening is None or closing is None:
                return None
        elif parameter.kind == "bracket" and text.startswith("[", after):
            opening, closing = after, text.find("]", after, after + _LONGEST_EXPANSION)
            if closing < 0:
                return None
        elif parameter.kind == "star" and text.startswith("*", after):
            start = after + 1
        if opening is not None and closing is not None:
            value, start = text[opening + 1 : closing], closing + 1
            arguments.append((value, opening + 1, closing))
        values[str(number)] = uncommented(value).strip()
    body = _PARAMETER.sub(lambda parameter: values.get(parameter[1], ""), command.body)
    return (body, tuple(arguments), start) if len(body) <= _LONGEST_EXPANSION else None
