"""What the values of command-line options may be."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from cite_lsp.paths import expanded

OptionGroup = argparse._ActionsContainer
"""What options are added to: a parser, or a group of one."""


def positive(text: str) -> int:
    """Read an option that must be a whole number from 1.

    Raises:
        argparse.ArgumentTypeError: it is not.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def share(text: str) -> float:
    """Read an option that must be a number from 0 to 1.

    Raises:
        argparse.ArgumentTypeError: it is not.
    """
    value = _number(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def rate(text: str) -> float:
    """Read an option that must be a number above 0.

    Raises:
        argparse.ArgumentTypeError: it is not.
    """
    value = _number(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def drawing(text: str) -> Path:
    """Read an option that names a drawing to be written.

    Raises:
        argparse.ArgumentTypeError: its name promises another format than SVG.
    """
    path = Path(text)
    if path.suffix.lower() not in ("", ".svg"):
        raise argparse.ArgumentTypeError(
            f"{text!r}: drawings are written as SVG; name a file that ends in .svg"
        )
    return path


def address(text: str) -> tuple[str, int]:
    """Read an option that is a host, this machine where it is empty, and a port.

    Raises:
        argparse.ArgumentTypeError: it is not.
    """
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, e.g. 127.0.0.1:8123")
    return host.strip("[]") or "127.0.0.1", int(port)


def _number(text: str) -> float:
    """Return the number that is written, NaN, which is in no range, where none is."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def add_paths(
    group: OptionGroup, *flags: str, help: str, metavar: str = "FILE", required: bool = False
) -> None:
    """Declare an option that names a path and may be given several times."""
    group.add_argument(
        *flags,
        type=expanded,
        action="append",
        default=[],
        metavar=metavar,
        required=required,
        help=help,
    )
