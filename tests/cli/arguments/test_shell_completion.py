"""`--completion`: each shell takes its script and completes the command line with it."""

from __future__ import annotations

import argparse
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cite_lsp.cli import COMMANDS, SHELLS, CommandParser, build_parser
from cite_lsp.cli.arguments.shell_completion import SCRIPTS, completions
from tests.cli.conftest import Outcome

Complete = Callable[[str], str]

_KEYS = {
    # Ctrl-X writes the line as it stands to a file; the prompt says that the shell is ready.
    "bash": 'bind -x \'"\\C-x": printf %s "$READLINE_LINE" >line.new; mv line.new line\'\n',
    "zsh": "show() { print -rn -- $BUFFER >line.new; mv line.new line }; zle -N show\n"
    "bindkey '^X' show\n",
}
_START = {
    "bash": ["bash", "--noprofile", "--rcfile", "setup", "-i"],
    "zsh": ["zsh", "-d", "-i"],
}
_COMPLETE_ZSH = "autoload -U compinit && compinit -u -D\n"


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a shell, with a `cite-lsp` that is this checkout's."""
    program = folder / "bin" / "cite-lsp"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cite_lsp "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return {
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[3]),
        "HOME": str(folder),
        "ZDOTDIR": str(folder),
        "TERM": "dumb",
        "INPUTRC": os.devnull,
    }


class Terminal:
    """A shell at a terminal, in which keys are pressed."""

    def __init__(self, shell: str, folder: Path) -> None:
        import pty

        self.folder = folder
        script = folder / "cite-lsp.completion"
        script.write_text(SCRIPTS[shell], encoding="utf-8")
        first = _COMPLETE_ZSH if shell == "zsh" else ""
        setup = f"PS1='> '\n{first}source ./cite-lsp.completion\n{_KEYS[shell]}"
        (folder / ("setup" if shell == "bash" else ".zshrc")).write_text(setup, encoding="utf-8")
        self._terminal, far_end = pty.openpty()
        self._process = subprocess.Popen(
            _START[shell],
            cwd=folder,
            env=environment(folder),
            stdin=far_end,
            stdout=far_end,
            stderr=far_end,
            start_new_session=True,
        )
        os.close(far_end)
        self._printed = b""
        self._wait(lambda: b"> " in self._printed)

    def complete(self, line: str) -> str:
        """Type a line and the tab key; return what the line has become, and empty it."""
        shown = self.folder / "line"
        shown.unlink(missing_ok=True)
        os.write(self._terminal, line.encode() + b"\t\x18")
        self._wait(shown.exists)
        os.write(self._terminal, b"\x15")
        return shown.read_text(encoding="utf-8")

    def _wait(self, ready: Callable[[], bool]) -> None:
        until = time.monotonic() + 60
        while not ready():
            assert time.monotonic() < until, self._printed.decode(errors="replace")
            if select.select([self._terminal], [], [], 0.02)[0]:
                self._printed += os.read(self._terminal, 4096)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)


@pytest.fixture(params=["bash", "zsh"])
def complete(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Complete]:
    """What a line becomes by the tab key, in a shell at a terminal."""
    shell: str = request.param
    if sys.platform == "win32" or shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    for name in ("thesis.tex", "notes.md"):
        (tmp_path / name).touch()
    terminal = Terminal(shell, tmp_path)
    yield terminal.complete
    terminal.close()


def test_a_tab_completes_commands_options_values_and_files(complete: Complete) -> None:
    lines = {
        "cite-lsp che": "cite-lsp check ",
        "cite-lsp check --form": "cite-lsp check --format",
        "cite-lsp check --format sa": "cite-lsp check --format sarif ",
        "cite-lsp check --format=sa": "cite-lsp check --format=sarif ",
        "cite-lsp check --format json the": "cite-lsp check --format json thesis.tex ",
        "cite-lsp check -b not": "cite-lsp check -b notes.md ",
        "cite-lsp suggest the": "cite-lsp suggest thesis.tex ",
        "cite-lsp eval man": "cite-lsp eval manuscripts ",
        "cite-lsp eval local --system tan": "cite-lsp eval local --system tanaka",
        "cite-lsp drafts for": "cite-lsp drafts forget ",
        "cite-lsp doctor --lev": "cite-lsp doctor --lev",
        "cite-lsp --comp": "cite-lsp --completion",
    }
    for line, expected in lines.items():
        completed = complete(line)
        if not expected.endswith(" "):  # whether "=" or a space follows is the shell's own way
            completed = completed.rstrip(" =")
        assert completed == expected


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(
    ("line", "completions"),
    [
        ("", set(COMMANDS)),
        ("check --form", {"--format"}),
        ("check --format ", {"text", "json", "sarif"}),
        ("check --format=sa", {"--format=sarif"}),
        ("check --format json the", {"thesis.tex"}),
        ("check -b not", {"notes.md"}),
        ("suggest the", {"thesis.tex"}),
        (
            "eval ",
            {"local", "global", "bilingual", "manuscripts", "references", "missing", "doubts"},
        ),
        ("eval local --proto", {"--protocol"}),
        ("drafts for", {"forget"}),
        ("doctor --lev", set()),
        ("search serve", set()),
    ],
)
def test_fish_completes_what_may_stand_there(
    tmp_path: Path, line: str, completions: set[str]
) -> None:
    (tmp_path / "thesis.tex").touch()
    (tmp_path / "notes.md").touch()
    script = tmp_path / "cite-lsp.completion"
    script.write_text(SCRIPTS["fish"], encoding="utf-8")
    done = subprocess.run(
        ["fish", "--no-config", "-c", f'source {script.name}; complete -C "cite-lsp {line}"'],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert {row.split("\t")[0] for row in done.stdout.splitlines()} == completions


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_loads_without_a_word(tmp_path: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = tmp_path / "cite-lsp.completion"
    script.write_text(SCRIPTS[shell], encoding="utf-8")
    for arguments in (["-n", script.name], ["-c", f"compdef() {{ :; }}; source ./{script.name}"]):
        if shell == "fish":
            arguments = [text.removeprefix("compdef() { :; }; ") for text in arguments]
        done = subprocess.run(
            [shell, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_option_of_every_command_is_completed() -> None:
    commands = {}
    for parser in _parsers(build_parser()):
        words = [*parser.prog.split()[1:], "-"]
        commands[parser.prog] = set(parser._option_string_actions), words
    assert sum(len(flags) for flags, _ in commands.values()) > 60
    for flags, words in commands.values():
        assert set(completions(build_parser(), words)) == flags


def test_what_an_option_is_for_is_said_in_a_line() -> None:
    parser = argparse.ArgumentParser("cite-lsp")
    parser.add_argument("--odd", "-o", help="100 %%\nof\tit", default=5)
    assert completions(parser, ["--"]) == {
        "--help": "show this help message and exit",
        "--odd": "100 % of it",
    }


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    if isinstance(parser, CommandParser):
        parser.declare_options()
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from _parsers(inner)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_prints_the_script(command: Callable[..., Outcome], shell: str) -> None:
    outcome = command("--completion", shell)
    assert (outcome.status, outcome.err, outcome.out) == (0, "", SCRIPTS[shell])


def test_a_shell_that_is_not_known_is_wrong_usage(command: Callable[..., Outcome]) -> None:
    outcome = command("--completion", "csh")
    assert (outcome.status, outcome.out) == (2, "")
    assert "choose from" in outcome.err
