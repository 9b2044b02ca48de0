"""Standard input and output as the wire of the server.

pygls sends its reading thread off three times for each message, and each trip costs as much as
answering a cheap request. Here a thread hands over whatever has arrived, in one go.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from typing import BinaryIO, Protocol

from pygls.exceptions import JsonRpcException, PyglsError
from pygls.io_ import run_async

from cite_lsp.server.rpc.protocol import CiteProtocol

logger = logging.getLogger(__name__)

_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 30
"""Bytes; junk in the place of a header is skipped however long it is."""


class StreamServer(Protocol):
    """The server, as far as its streams need it."""

    protocol: CiteProtocol

    def report_server_error(
        self, error: Exception, source: type[PyglsError] | type[JsonRpcException]
    ) -> None:
        """Tell the writer of an error."""


def serve_streams(server: StreamServer, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve on two streams until the client sends `exit` or is gone."""
    try:
        asyncio.run(_listen(server, stdin, stdout))
    except (KeyboardInterrupt, SystemExit, asyncio.CancelledError):
        pass  # SystemExit: how the protocol ends on `exit`; CancelledError: nothing can be sent


class _Writer:
    """Writes messages until that fails: the client is gone then, and `end` is called."""

    def __init__(self, stdout: BinaryIO, end: Callable[[], object]) -> None:
        self._stdout, self._end = stdout, end

    def write(self, message: bytes) -> None:
        """Write a message whole."""
        try:
            self._stdout.write(message)
            self._stdout.flush()
        except (OSError, ValueError) as error:
            logger.error("nothing can be sent to the client (%s): the server ends", error)
            self._end()

    def close(self) -> None:
        """Close the stream."""
        self._stdout.close()


async def _listen(server: StreamServer, stdin: BinaryIO, stdout: BinaryIO) -> None:
    arrived = asyncio.StreamReader(limit=_LONGEST_LINE)
    loop = asyncio.get_running_loop()
    listening = asyncio.current_task(loop)

    def end() -> None:
        server.protocol.disconnect()
        if listening is not None:
            listening.cancel()

    server.protocol.set_writer(_Writer(stdout, end))
    threading.Thread(target=_feed, args=(stdin, arrived, loop), name="stdin", daemon=True).start()
    try:
        await run_async(
            threading.Event(), arrived, server.protocol, logger, server.report_server_error
        )
    except asyncio.IncompleteReadError:
        logger.error("the client left in the middle of a message: the server ends")
    finally:
        server.protocol.disconnect()


def _feed(stdin: BinaryIO, arrived: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    """Hand over what arrives until nothing more comes, or the client is gone."""
    read = getattr(stdin, "read1", stdin.read)
    try:
        while chunk := read(_CHUNK):
            loop.call_soon_threadsafe(arrived.feed_data, chunk)
        loop.call_soon_threadsafe(arrived.feed_eof)
    except (OSError, RuntimeError, ValueError) as error:  # the stream or the loop is closed
        logger.debug("nothing more is read: %s", error)
