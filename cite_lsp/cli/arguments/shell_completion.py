"""Completion of the command line by the tab key, in bash, zsh and fish.

The script of a shell asks `cite-lsp --complete WORDS…` what the last word may become, and completes
paths where nothing is printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

_BASH = r"""
_cite_lsp() {
    local IFS=$'\n'
    COMPREPLY=($(cite-lsp --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _cite_lsp cite-lsp
"""
_ZSH = r"""
_cite_lsp() {
    local -a found=("${(@f)$(cite-lsp --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    found=("${(@)found//:/\\:}")
    found=("${(@)found/$'\t'/:}")
    if [[ -n $found ]]; then
        _describe word found
    else
        _files
    fi
}
if [[ $funcstack[1] == _cite-lsp ]]; then
    _cite_lsp "$@"
else
    compdef _cite_lsp cite-lsp
fi
"""
_FISH = r"""
function __cite_lsp_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found (cite-lsp --complete $words[2..] 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path $words[-1]
    end
end
complete -c cite-lsp -f -a '(__cite_lsp_complete)'
"""
SCRIPTS = {"bash": _BASH.lstrip(), "zsh": f"#compdef cite-lsp{_ZSH}", "fish": _FISH.lstrip()}
"""What each shell reads; that for zsh can be a file `_cite-lsp` on its `fpath`, or be sourced."""


def completions(parser: argparse.ArgumentParser, words: Sequence[str]) -> dict[str, str]:
    """Return what the last of some words may become, each with a line on what it is for.

    `words` stand behind the name of the program. Those that bash makes of `--option=value` are the
    option, the sign and the value.
    """
    *before, typed = (word for word in (*words, *[""] * (words[-1] == "=")) if word != "=")
    for word in before:
        parser = _below(parser).get(word, parser)
        if declare := getattr(parser, "declare_options", None):
            declare()  # which a command leaves until it is given
    options = parser._option_string_actions
    option, sign, _ = typed.partition("=")
    last = options.get(before[-1]) if before else None
    if sign and option in options:
        candidates = {f"{option}={value}": "" for value in _values(options[option])}
    elif last is not None and last.nargs != 0:
        candidates = dict.fromkeys(_values(last), "")
    elif typed.startswith("-"):
        candidates = {flag: _summary(parser, action) for flag, action in options.items()}
    else:
        candidates = _positional(parser)
    return {word: summary for word, summary in candidates.items() if word.startswith(typed)}


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the commands below one."""
    choices = [a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return dict(choices[0]) if choices else {}


def _positional(parser: argparse.ArgumentParser) -> dict[str, str]:
    candidates: dict[str, str] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            candidates |= {choice.dest: choice.help or "" for choice in action._choices_actions}
        elif not action.option_strings:
            candidates |= dict.fromkeys(_values(action), "")
    return candidates


def _values(action: argparse.Action) -> list[str]:
    return list(map(str, action.choices or ()))


def _summary(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    help = argparse.HelpFormatter(parser.prog)._expand_help(action) if action.help else ""
    return " ".join(help.split())
