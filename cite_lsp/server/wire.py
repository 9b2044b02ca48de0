"""Standard input and output as the wire of the server.

pygls sends its reading thread off three times for each message, and each trip costs as much as
answering a cheap request. Here a thread hands over whatever has arrived, in one go.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING, BinaryIO

from pygls.io_ import StdoutWriter, run_async

if TYPE_CHECKING:
    from cite_lsp.server.server import CiteServer

logger = logging.getLogger(__name__)

_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 30
"""Bytes; junk in the place of a header is skipped however long it is."""


def converse(server: CiteServer, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve on two streams until the client says exit or is gone."""
    server.protocol.set_writer(StdoutWriter(stdout))
    try:
        asyncio.run(_listen(server, stdin))
    except BrokenPipeError:
        logger.error("the client is gone: the server ends")
    except (KeyboardInterrupt, SystemExit):  # SystemExit: how pygls ends on `exit`
        pass


async def _listen(server: CiteServer, stdin: BinaryIO) -> None:
    arrived = asyncio.StreamReader(limit=_LONGEST_LINE)
    loop = asyncio.get_running_loop()
    threading.Thread(target=_feed, args=(stdin, arrived, loop), name="stdin", daemon=True).start()
    try:
        await run_async(
            threading.Event(), arrived, server.protocol, logger, server.report_server_error
        )
    except asyncio.IncompleteReadError:
        logger.error("the client left in the middle of a message: the server ends")
    finally:
        server.protocol.hang_up()


def _feed(stdin: BinaryIO, arrived: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    """Hand over what arrives until nothing more comes, or nobody listens."""
    read = getattr(stdin, "read1", stdin.read)
    try:
        while chunk := read(_CHUNK):
            loop.call_soon_threadsafe(arrived.feed_data, chunk)
        loop.call_soon_threadsafe(arrived.feed_eof)
    except (OSError, RuntimeError, ValueError) as error:  # the stream or the loop is closed
        logger.debug("nothing more is read: %s", error)
