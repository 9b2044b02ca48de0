"""A TCP port as the wire of the server, for one client.

Whoever connects has the server read and index files as the user who runs it. So it listens on this
machine alone, unless clients have to know a token; and it hangs up on what does not begin as the
protocol does: a web page can have a browser send anything to a port of this machine, behind the
first line of HTTP.
"""

from __future__ import annotations

import ipaddress
import logging
import os
import socket

from cite_lsp.errors import CiteLspError
from cite_lsp.server.rpc.protocol import CiteProtocol
from cite_lsp.server.rpc.stdio import serve_streams

logger = logging.getLogger(__name__)

_BEGINNING = b"content-"
"""How the headers of a message begin, in any case."""
_PATIENCE = 10.0
"""Seconds that a client may take to begin."""
TOKEN = "CITE_LSP_TCP_TOKEN"
"""The environment variable with what a client has to know, "" or not set where it need not."""


class NoTokenError(CiteLspError):
    """Other machines could connect, and no token keeps them out."""


def serve_tcp(protocol: CiteProtocol, host: str, port: int) -> None:
    """Serve the first client that connects and speaks the protocol, until it leaves.

    Raises:
        NoTokenError: the address is not of this machine alone, and there is no token.
        OSError: nothing can listen there.
    """
    family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    protocol.token = _token_for(host, port, str(address[0]))
    with socket.create_server(address[:2], family=family) as listening:
        logger.info("listening on %s:%d", *listening.getsockname()[:2])
        connection = _first_client(listening)
    with connection:
        serve_streams(protocol, connection.makefile("rb"), connection.makefile("wb"))


def _first_client(listening: socket.socket) -> socket.socket:
    while True:
        connection, (peer, *_) = listening.accept()
        connection.settimeout(_PATIENCE)
        try:
            beginning = connection.recv(len(_BEGINNING), socket.MSG_PEEK).lower()
        except OSError:
            beginning = b""
        if beginning and _BEGINNING.startswith(beginning):
            connection.settimeout(None)
            return connection
        logger.warning("a connection from %s is closed: it does not speak the protocol", peer)
        connection.close()


def _token_for(host: str, port: int, address: str) -> str:
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
