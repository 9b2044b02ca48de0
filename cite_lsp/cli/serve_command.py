"""Run the language server: on stdin and stdout, or on a TCP address."""

from __future__ import annotations

import argparse
import sys

from cite_lsp.cli import CommandError
from cite_lsp.server import serve
from cite_lsp.server.rpc.tcp import NoTokenError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--tcp", metavar="HOST:PORT", type=_address, help="listen here instead")
    parser.add_argument("--stdio", action="store_true", help="use stdin and stdout (the default)")


def run(options: argparse.Namespace) -> int:
    """Serve until the client says exit."""
    if options.tcp is None and (sys.stdin is None or sys.stdout is None):
        raise CommandError(
            "standard input or output is closed, where the server talks to an editor; "
            "open both, or name an address by --tcp HOST:PORT"
        )
    try:
        serve(options.tcp)
    except NoTokenError as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        if options.tcp is None:
            raise
        where = "{}:{}".format(*options.tcp)
        raise CommandError(f"--tcp {where}: {error.strerror}; name another address") from error
    return 0


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, e.g. 127.0.0.1:8123")
    return host.strip("[]") or "127.0.0.1", int(port)
