"""Run the language server: on stdin and stdout, or on a TCP address."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--tcp", metavar="HOST:PORT", type=_address, help="listen here instead")
    parser.add_argument("--stdio", action="store_true", help="use stdin and stdout (the default)")


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, e.g. 127.0.0.1:8123")
    return host.strip("[]") or "127.0.0.1", int(port)
