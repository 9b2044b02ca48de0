"""What a client of a TCP port has to know, and where it may do without.

The command line imports this before the server, so it imports nothing of the protocol.
"""

from __future__ import annotations

import ipaddress
import os

from cite_lsp.errors import CiteLspError

TOKEN = "CITE_LSP_TCP_TOKEN"
"""The environment variable with what a client has to know, "" or not set where it need not."""


class NoTokenError(CiteLspError):
    """Other machines could connect, and no token keeps them out."""


def token_for(host: str, port: int, address: str) -> str:
    """Return what a client has to know, "" for nothing, of a port on an address of a host.

    Raises:
        NoTokenError: the address is not of this machine alone, and there is no token.
    """
    token = os.environ.get(TOKEN, "")
    if not token and not ipaddress.ip_address(address).is_loopback:
        raise NoTokenError(
            f"--tcp {host}:{port}: other machines could connect there; name 127.0.0.1, or set "
            f"{TOKEN} to a secret that clients send as `token` in initializationOptions"
        )
    return token
