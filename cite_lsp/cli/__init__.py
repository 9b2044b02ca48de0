"""The command line: what each command takes and does; here their list, and what errors become."""

from __future__ import annotations

import argparse
import errno
import gc
import importlib
import io
import logging
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from cite_lsp import __version__
from cite_lsp.errors import CiteLspError

COMMANDS = {
    "serve": "the language server, on stdio unless told otherwise",
    "doctor": "check that everything works",
    "suggest": "the recommendations for a place in a draft, or for all of it",
    "references": "what a draft as a whole should cite and does not",
    "check": "what is wrong with the citations of drafts, for builds",
    "bib": "the entries that drafts cite, and other work on bibliographies",
    "mcp": "the same answers for programs that speak the Model Context Protocol, on stdio",
    "index": "build or update a corpus of papers from files and folders",
    "search": "search a corpus or a bibliography by words",
    "corpora": "what has been indexed",
    "drafts": "what your drafts have taught, and learn from those on your disk",
    "models": "what models are installed, and what each is for",
    "eval": "for developers: measure the recommendations on a task",
    "train": "for developers: train a model from a recipe",
}

SHELLS = ("bash", "zsh", "fish")
"""The shells whose completion can be printed."""
_RANKING = frozenset(("suggest", "references", "check", "mcp"))
"""The commands that rank papers place by place, by products of small matrices."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


class CommandError(CiteLspError):
    """The command cannot be done."""


class UsageError(CommandError):
    """The options do not go together, or one is not what it should be: the exit status is 2."""


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; a command declares its options when it is given."""
    parser = _Parser(
        prog="cite-lsp",
        description="Recommends the papers that a sentence should cite.",
    )
    parser.add_argument("--version", action="version", version=f"cite-lsp {__version__}")
    parser.add_argument(
        "--completion",
        choices=SHELLS,
        action=_PrintCompletion,
        default=argparse.SUPPRESS,  # no option that a command sees
        metavar="SHELL",
        help=f"print what completes this command line in a shell ({', '.join(SHELLS)}), and exit",
    )
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=CommandParser
    )
    for name, summary in COMMANDS.items():
        commands.add_parser(name, help=summary, command=name)
    return parser


class _Parser(argparse.ArgumentParser):
    """A parser that reports an unknown option itself.

    argparse leaves that to the parser above, which shows its own usage and none of the options
    that the command has.
    """

    def parse_known_args(self, *arguments: Any, **names: Any) -> Any:  # noqa: ANN401 - as inherited
        options, unknown = super().parse_known_args(*arguments, **names)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options, unknown


class _PrintCompletion(argparse.Action):
    """Prints the completion of a shell, and ends the program."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        # Imported where needed: a command starts without the completion of shells.
        from cite_lsp.cli.arguments.shell_completion import SCRIPTS

        print(SCRIPTS[str(values)], end="")
        parser.exit()


class CommandParser(_Parser):
    """The parser of one command, or of a task of it.

    The options of a `command` are declared when it is given, and what does the work is imported
    only then: help and wrong usage answer at once.
    """

    def __init__(self, *, command: str = "", **names: Any) -> None:  # noqa: ANN401 - as inherited
        super().__init__(**names)
        self._command = command

    def declare_options(self) -> None:
        """Declare the options of the command, once."""
        if self._command:
            declare = getattr(
                importlib.import_module("cite_lsp.cli.arguments.options"), self._command
            )
            self._command, self.description = "", declare.__doc__
            declare(self)

    def parse_known_args(self, *arguments: Any, **names: Any) -> Any:  # noqa: ANN401 - as inherited
        """Parse, the options declared first."""
        self.declare_options()
        return super().parse_known_args(*arguments, **names)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 0 done, 1 could not be done, 2 wrong usage.

    Raises:
        SystemExit: with 2 where argparse finds wrong usage, with 0 after `--help` and `--version`.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    _open_closed_streams(wire=arguments[:1] == ["serve"])
    if isinstance(sys.stderr, io.TextIOWrapper):
        # Editors read it as UTF-8; into a pipe Windows writes what the system's language has.
        sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return _run(arguments)
    except CiteLspError as error:
        _complain(str(error))
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        again = "; given again, the command goes on from there" * (arguments[:1] == ["index"])
        print(f"cite-lsp: interrupted{again}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of a pipe has left: nothing more to print, nor to flush
        _drop_output()
        return 1
    except OSError as error:
        full = error.errno in _FULL
        if error.filename is None and not full:
            if _is_somewhere():
                raise
            print("cite-lsp: the current folder is gone; change to another", file=sys.stderr)
            return 1
        if full:
            _drop_output()
        where = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
        remedy = "make room" if full else "check the path and the permissions"
        _complain(f"{where}{error.strerror}; {remedy}")
        return 1


def _complain(message: str) -> None:
    """Print why a command cannot be done, in one line whatever names in it hold."""
    # Imported where needed: commands and their help start without it.
    from cite_lsp.library.text.invisible_characters import printable_line

    print(printable_line(f"cite-lsp: {message}"), file=sys.stderr)


class _LogLines(logging.Formatter):
    """Writes what a record says in one line."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        # Imported where needed: commands and their help start without it.
        from cite_lsp.library.text.invisible_characters import printable_line

        return printable_line(record.getMessage())


def _open_closed_streams(*, wire: bool) -> None:
    """Let streams that are closed (`>&-`) lead nowhere, before a file gets the number of one.

    The server's `wire` is left closed, which it reports.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None and not (wire and name != "stderr"):
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))


def _run(arguments: list[str]) -> int:
    named = next(filter(COMMANDS.get, arguments[:1]), None)
    if named != "serve" and isinstance(sys.stdout, io.TextIOWrapper):
        # Chinese into a pipe on Windows, file names that are no UTF-8, "…" in a help where the
        # locale is Latin-1: none may end it.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if named in _RANKING:
        # OpenBLAS's other threads wait for the next small product in a loop: all of them together
        # take longer than one. NumPy, which is not loaded yet, reads this when it is.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if len(arguments) > 1 and arguments[0] == "--complete":  # as the scripts of --completion do
        # Imported where needed: a command starts without the completion of shells.
        from cite_lsp.cli.arguments.shell_completion import completions

        for word, summary in completions(build_parser(), arguments[1:]).items():
            print(f"{word}\t{summary}" if summary else word)
        return 0
    options = build_parser().parse_args(arguments)
    if options.command != "serve":  # the server sets up its own, at the level the client asks for
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(_LogLines())
        logging.basicConfig(handlers=[handler], level=logging.WARNING)
    gc.disable()  # nothing of what is imported is garbage: looking for some is a tenth of the time
    try:
        module = importlib.import_module(f"cite_lsp.cli.{options.command}_command")
    finally:
        gc.enable()
    status: int = module.run(options)
    sys.stdout.flush()
    return status


def _is_somewhere() -> bool:
    """Whether the current folder is still there."""
    try:
        return bool(os.getcwd())
    except OSError:
        return False


def _drop_output() -> None:
    """Let go of what is still to be printed, which cannot be."""
    with suppress(OSError):  # there is none
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
