"""Connections to Milvus, and how its failures become one line or another attempt."""

from __future__ import annotations

import logging
import os
import random
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import frozen

from cite_lsp.installation import how_to_install
from cite_lsp.lazy_re import lazy_re
from cite_lsp.search.remote.address import (
    CERTIFICATE_VARIABLE,
    TOKEN_VARIABLE,
    RemoteAccess,
    RemoteAddress,
    RemoteError,
)

if TYPE_CHECKING:
    from pymilvus import MilvusClient

log = logging.getLogger(__name__)

_ATTEMPTS = 6
"""How often a write is tried before it fails."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_VERSION = lazy_re(r"v?(\d+)\.(\d+)")
_LITE = "milvus_lite"
_MESSAGE = lazy_re(r"message=(.*?)\)?>?$", re.DOTALL)

T = TypeVar("T")


@frozen
class EngineAbilities:
    """What an engine can do: sparse vectors (words), `like "%x%"` (venues), an index of numbers."""

    words: bool
    infix: bool
    number_index: str


@frozen
class Connection:
    """An open connection. Safe to share between threads."""

    client: MilvusClient
    address: RemoteAddress
    abilities: EngineAbilities

    def close(self) -> None:
        """Let go of the server."""
        self.client.close()


def connect(address: RemoteAddress, access: RemoteAccess, *, timeout: float) -> Connection:
    """Connect within `timeout` seconds.

    Raises:
        RemoteError: pymilvus is missing, the server does not answer, or it refuses.
    """
    if access.token and not (address.encrypted or address.local):
        raise RemoteError(
            f"{address.place}: a token would travel unencrypted; write milvus+https://, or take "
            f"{TOKEN_VARIABLE} away"
        )
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what it writes becomes one line here
    try:
        # Imported where needed: an extra has it.
        from pymilvus import MilvusClient
    except ImportError as error:
        raise RemoteError(
            f"{address.place}: a remote corpus needs pymilvus; {how_to_install('milvus')}"
        ) from error
    # They log whole tracebacks of what becomes one line here, and of what Lite cannot do.
    for library in ("pymilvus", "grpc"):
        logging.getLogger(library).setLevel(logging.CRITICAL)
    security: dict[str, Any] = {"token": access.token} if access.token else {}
    if address.encrypted:
        security["secure"] = True
        if access.certificate:
            _look_at(access.certificate)
            security["server_pem_path"] = access.certificate
    if address.database:
        security["db_name"] = address.database

    def opened() -> Connection:
        client = MilvusClient(address.uri, timeout=timeout, **security)
        return Connection(client, address, _abilities(client.get_server_version(timeout=timeout)))

    return call(address, opened)


def _look_at(certificate: str) -> None:
    try:
        with open(certificate, "rb"):
            pass
    except OSError as error:
        raise RemoteError(
            f"{certificate}: {error.strerror}; set {CERTIFICATE_VARIABLE} to the authority's PEM"
        ) from error


def call(address: RemoteAddress, operation: Callable[[], T]) -> T:
    """Run an operation on the server; what goes wrong becomes one line.

    Raises:
        RemoteError: whatever the client library raised.
    """
    try:
        return operation()
    except RemoteError:
        raise
    except Exception as error:
        # The library raises its own exceptions, those of gRPC, and built-in ones, by version.
        raise RemoteError(f"{address.place}: {_reason(error)}") from error


def call_retrying(address: RemoteAddress, operation: Callable[[], T]) -> T:
    """Run an operation until it succeeds, with pauses that double, at most `_ATTEMPTS` times.

    Only for what may be done twice.

    Raises:
        RemoteError: it failed every time.
    """
    for attempt in range(1, _ATTEMPTS):
        try:
            return call(address, operation)
        except RemoteError as error:
            pause = min(_FIRST_PAUSE * 2 ** (attempt - 1), _LONGEST_PAUSE)
            log.warning("%s; trying again in %.0f s", error, pause)
            time.sleep(pause * random.uniform(0.75, 1.25))  # so that writers do not come as one
    return call(address, operation)


def _abilities(version: str) -> EngineAbilities:
    if version.startswith(_LITE):
        return EngineAbilities(words=True, infix=True, number_index="INVERTED")
    match = _VERSION.search(version)
    new = match is not None and (int(match[1]), int(match[2])) >= (2, 4)
    return EngineAbilities(words=new, infix=new, number_index="INVERTED" if new else "STL_SORT")


def _reason(error: Exception) -> str:
    """Return the first line of what went wrong, with what to do where that is known."""
    text = _details(error) or str(getattr(error, "message", "") or error) or type(error).__name__
    match = _MESSAGE.search(text)
    line = ((match[1] if match else text).strip() or type(error).__name__).splitlines()[0][-200:]
    low = line.lower()
    if "certificate" in low or "ssl" in low:
        return f"no safe connection ({line}); set {CERTIFICATE_VARIABLE} to the authority's PEM"
    if "auth" in low or "token" in low or "permission" in low or "privilege" in low:
        return f"the server refuses ({line}); set {TOKEN_VARIABLE}"
    if any(word in low for word in ("connect", "unavailable", "deadline", "socket")):
        return f"the server does not answer ({line}); check that it runs and its address"
    return line


def _details(error: Exception) -> str:
    """Return why a connection failed, by gRPC; the client library only reports that it did.

    "" for other errors.
    """
    details = getattr(error.__cause__, "details", None)
    text = str(details() or "") if callable(details) else ""
    return text.rpartition("last error: ")[2]
