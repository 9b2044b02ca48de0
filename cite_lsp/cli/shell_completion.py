"""What bash, zsh and fish read to complete the command line, made from its parser."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from attrs import frozen

from cite_lsp.option_types import drawing
from cite_lsp.paths import expanded

_PROGRAM = "cite-lsp"
_OF_FILES = (Path, expanded, drawing)
"""The types of options whose values are paths."""
_FILE_NAMES = ("FILE", "SOURCE")
"""How the names of positional arguments begin that are paths, though their type does not say so."""


@frozen
class Value:
    """What may follow an option, or stand by itself: one of some words, or a path."""

    name: str
    words: tuple[str, ...] = ()
    is_path: bool = False
    repeated: bool = False


@frozen
class Option:
    """An option: its spellings, what it is for, its value if it takes one."""

    flags: tuple[str, ...]
    summary: str
    value: Value | None
    repeated: bool


@frozen
class CompletedCommand:
    """A command, or the program itself, which `path` is empty for: what may follow it."""

    path: tuple[str, ...]
    options: tuple[Option, ...]
    values: tuple[Value, ...]
    commands: tuple[tuple[str, str], ...]

    @property
    def flags(self) -> list[str]:
        """All spellings of all options."""
        return [flag for option in self.options for flag in option.flags]

    @property
    def words(self) -> list[str]:
        """All words that may stand by themselves: those of commands below it, and of values."""
        return [*dict(self.commands), *(word for value in self.values for word in value.words)]


def completion_script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script that completes a command line in bash, zsh or fish.

    Raises:
        KeyError: the shell is another.
    """
    return _SCRIPTS[shell](list(_commands(parser)))


def _commands(
    parser: argparse.ArgumentParser, path: tuple[str, ...] = ()
) -> Iterator[CompletedCommand]:
    """Yield a command and those below it."""
    if (declare := getattr(parser, "declare_options", None)) is not None:
        declare()  # which a command leaves until it is given
    options, values, below, summaries = [], [], {}, {}
    help_of = argparse.HelpFormatter(parser.prog)._expand_help
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            below = dict(action.choices)
            summaries = {choice.dest: choice.help or "" for choice in action._choices_actions}
        elif not action.option_strings:
            values.append(_value(action))
        elif action.help != argparse.SUPPRESS:
            options.append(
                Option(
                    tuple(action.option_strings),
                    help_of(action) if action.help else "",
                    None if action.nargs == 0 else _value(action),
                    isinstance(action, argparse._AppendAction),
                )
            )
    names = tuple((name, summaries.get(name, "")) for name in below)
    yield CompletedCommand(path, tuple(options), tuple(values), names)
    for name, inner in below.items():
        yield from _commands(inner, (*path, name))


def _value(action: argparse.Action) -> Value:
    name = action.metavar if isinstance(action.metavar, str) else action.dest
    positional_path = not action.option_strings and name.startswith(_FILE_NAMES)
    return Value(
        name=name,
        words=tuple(map(str, action.choices or ())),
        is_path=action.type in _OF_FILES or positional_path,
        repeated=action.nargs in ("*", "+"),
    )


def _bash(commands: list[CompletedCommand]) -> str:
    """Return the script for bash, 3.2 or newer.

    Where it says nothing, readline completes paths. Words are offered wherever a value may stand.
    """
    nested = [" ".join(command.path) for command in commands if len(command.path) > 1]
    deeper = " | ".join(map(_quoted, nested)) or "''"
    return "\n".join(
        [
            "_cite_lsp() {",
            "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}",
            "    local command= words=",
            "    # --option=value is three words here.",
            "    if [[ $word == = ]]; then",
            "        word=",
            "    elif [[ $before == = ]]; then",
            "        before=${COMP_WORDS[COMP_CWORD - 2]}",
            "    fi",
            "    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}",
            "    if ((COMP_CWORD > 2)); then",
            '        case "$command ${COMP_WORDS[2]}" in',
            f'            {deeper}) command+=" ${{COMP_WORDS[2]}}" ;;',
            "        esac",
            "    fi",
            '    case "$command:$before" in',
            *(f"        {line}" for command in commands for line in _bash_values(command)),
            "        *)",
            '            case "$command:$word" in',
            *(f"                {line}" for command in commands for line in _bash_words(command)),
            "            esac",
            "            ;;",
            "    esac",
            '    COMPREPLY=($(compgen -W "$words" -- "$word"))',
            "}",
            f"complete -o default -F _cite_lsp {_PROGRAM}",
            "",
        ]
    )


def _bash_values(command: CompletedCommand) -> Iterator[str]:
    path = " ".join(command.path)
    for option in command.options:
        if option.value:
            places = " | ".join(_quoted(f"{path}:{flag}") for flag in option.flags)
            yield f"{places}) words={_quoted(' '.join(option.value.words))} ;;"


def _bash_words(command: CompletedCommand) -> Iterator[str]:
    path = " ".join(command.path)
    yield f"{_quoted(path + ':-')}*) words={_quoted(' '.join(command.flags))} ;;"
    if command.words:
        yield f"{_quoted(path + ':')}*) words={_quoted(' '.join(command.words))} ;;"


def _zsh(commands: list[CompletedCommand]) -> str:
    """Return the script for zsh: a file `_cite-lsp` on its `fpath`, or to be sourced."""
    return "\n".join(
        [
            f"#compdef {_PROGRAM}",
            "",
            *(line for command in reversed(commands) for line in _zsh_function(command)),
            f"if [[ $funcstack[1] == _{_PROGRAM} ]]; then",
            '    _cite_lsp "$@"',
            "else",
            f"    compdef _cite_lsp {_PROGRAM}",
            "fi",
            "",
        ]
    )


def _zsh_function(command: CompletedCommand) -> Iterator[str]:
    name = "_".join(["_cite_lsp", *command.path])
    specifications = [_zsh_option(option) for option in command.options]
    specifications += [
        _quoted(("*" if value.repeated else "") + ":" + _zsh_value(value))
        for value in command.values
    ]
    if command.commands:
        specifications += ["':command:->command'", "'*::argument:->argument'"]
    yield f"{name}() {{"
    if command.commands:
        yield "    local line state"
    yield f"    _arguments{' -C' if command.commands else ''} \\"
    yield from (f"        {each} \\" for each in specifications[:-1])
    yield f"        {specifications[-1]}"
    if command.commands:
        yield "    case $state in"
        yield "        command)"
        yield "            local -a commands=("
        for word, summary in command.commands:
            yield f"                {_quoted(word + ':' + summary)}"
        yield "            )"
        yield "            _describe command commands"
        yield "            ;;"
        yield "        argument)"
        yield f"            (( $+functions[{name}_$line[1]] )) && {name}_$line[1]"
        yield "            ;;"
        yield "    esac"
    yield "}"
    yield ""


def _zsh_option(option: Option) -> str:
    summary = "[" + _escaped(option.summary, "\\[]") + "]"
    tail = summary + (":" + _zsh_value(option.value) if option.value else "")
    spellings = [
        flag + ("" if not option.value else "=" if flag.startswith("--") else "+")
        for flag in option.flags
    ]
    others = "*" if option.repeated else "(" + " ".join(option.flags) + ")"
    if len(spellings) == 1:
        return _quoted(("*" if option.repeated else "") + spellings[0] + tail)
    return f"{_quoted(others)}{{{','.join(spellings)}}}{_quoted(tail)}"


def _zsh_value(value: Value) -> str:
    name = _escaped(value.name, "\\:")
    if value.words:
        return f"{name}:({' '.join(value.words)})"
    return f"{name}:{'_files' if value.is_path else ' '}"


def _fish(commands: list[CompletedCommand]) -> str:
    """Return the script for fish, 3.0 or newer."""
    lines = [
        "# Whether the words behind the program begin with these, or are these.",
        "function __cite_lsp_in",
        "    set -l words (commandline -opc)",
        "    set -e words[1]",
        "    set -l length (count $argv)",
        '    test (count $words) -ge $length; and test "$words[1..$length]" = "$argv"',
        "end",
        "function __cite_lsp_at",
        "    set -l words (commandline -opc)",
        "    set -e words[1]",
        '    test "$words" = "$argv"',
        "end",
        "",
        f"complete -c {_PROGRAM} -f",
    ]
    for command in commands:
        within = "at" if command.commands else "in"
        place = " ".join([f"__cite_lsp_{within}", *command.path])
        begin = f"complete -c {_PROGRAM} -n {_fish_quoted(place)}"
        lines += [
            f"{begin} -a {word} -d {_fish_quoted(summary)}" for word, summary in command.commands
        ]
        lines += [f"{begin} {_fish_option(option)}" for option in command.options]
        for value in command.values:
            if value.words:
                lines.append(f"{begin} -a {_fish_quoted(' '.join(value.words))}")
            if value.is_path:
                lines.append(f"{begin} -F")
    return "\n".join([*lines, ""])


def _fish_option(option: Option) -> str:
    parts = [
        f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags
    ]
    if option.value:
        parts.append("-r -F" if option.value.is_path else "-x")
        if option.value.words:
            parts.append(f"-a {_fish_quoted(' '.join(option.value.words))}")
    return " ".join([*parts, f"-d {_fish_quoted(option.summary)}"])


def _quoted(text: str) -> str:
    """Return a text as bash and zsh read it back, whatever is in it."""
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + _escaped(text, "\\'") + "'"


def _escaped(text: str, characters: Iterable[str]) -> str:
    """Return a text with a backslash before some characters, itself named first if it is one."""
    for character in characters:
        text = text.replace(character, "\\" + character)
    return text


_SCRIPTS: dict[str, Callable[[list[CompletedCommand]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
