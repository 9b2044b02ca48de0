"""Two streams as the wire of the server: standard input and output, or those of a connection.

pygls sends its reading thread off three times for each message, and each trip costs as much as
answering a cheap request. Here a thread hands over whatever has arrived, in one go.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import threading
from collections.abc import Callable
from typing import BinaryIO

from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcParseError

from cite_lsp.lazy_re import lazy_re
from cite_lsp.server.rpc.protocol import CiteProtocol

logger = logging.getLogger(__name__)

_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 30
"""Bytes; junk in the place of a header is skipped however long it is."""
_LENGTH = lazy_re(rb"content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?\n", re.IGNORECASE)
"""The header of a message, behind whatever junk stands before it."""
_MOST_DIGITS = 9
_PAUSE = 3.0
"""Seconds between two looks at whether the client is alive."""


def serve_streams(protocol: CiteProtocol, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serve on two streams until the client sends `exit` or is gone."""
    try:
        asyncio.run(_listen(protocol, stdin, stdout))
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


async def _listen(protocol: CiteProtocol, stdin: BinaryIO, stdout: BinaryIO) -> None:
    arrived = asyncio.StreamReader(limit=_LONGEST_LINE)
    loop = asyncio.get_running_loop()
    listening = asyncio.current_task(loop)

    def end() -> None:
        protocol.disconnect()
        if listening is not None:
            listening.cancel()

    protocol.set_writer(_Writer(stdout, end))
    threading.Thread(target=_feed, args=(stdin, arrived, loop), name="stdin", daemon=True).start()
    watching = asyncio.create_task(_watch(protocol, end))
    any_message = False
    try:
        while (body := await _body(arrived)) is not None:
            any_message = True
            _handle(protocol, body)
        if not any_message:
            logger.error(
                "the input ended and held no message of the Language Server Protocol: "
                "let an editor start the server"
            )
    except asyncio.IncompleteReadError:
        logger.error("the client left in the middle of a message: the server ends")
    finally:
        watching.cancel()
        protocol.disconnect()


async def _body(arrived: asyncio.StreamReader) -> bytes | None:
    """Return the body of the next message, None where nothing more comes."""
    length = 0
    while line := await arrived.readline():
        if (match := _LENGTH.search(line)) is not None:
            length = int(match[1]) if len(match[1]) <= _MOST_DIGITS else 0
            if not length:
                logger.warning("a message without a sensible length is passed over")
        elif length and not line.strip():
            return await arrived.readexactly(length)
    return None


def _handle(protocol: CiteProtocol, body: bytes) -> None:
    """Handle a message; one that cannot be read costs a line in the log, and no other."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        protocol.refuse(None, JsonRpcParseError(f"a message is not valid JSON: {error}"))
        return
    if not isinstance(data, dict):
        protocol.refuse(None, JsonRpcInvalidRequest("a message is no object of JSON"))
        return
    if "jsonrpc" not in data:
        protocol.refuse(None, JsonRpcInvalidRequest("a message is none of JSON-RPC 2.0"))
        return
    try:
        protocol.handle_message(protocol.structure_message(data))
    except JsonRpcException as error:
        logger.warning("a message is passed over: %s", error.message)
    except Exception as error:
        logger.warning("a message is passed over: %s", error)


async def _watch(protocol: CiteProtocol, end: Callable[[], object]) -> None:
    """End the server once the process is gone that it works for."""
    while protocol.client_process is None or _is_alive(protocol.client_process):
        await asyncio.sleep(_PAUSE)
    logger.error("the process of the client is gone: the server ends")
    end()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it is somebody else's
        return True
    return True


def _feed(stdin: BinaryIO, arrived: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    """Hand over what arrives until nothing more comes, or the client is gone."""
    read = getattr(stdin, "read1", stdin.read)
    try:
        try:
            while chunk := read(_CHUNK):
                loop.call_soon_threadsafe(arrived.feed_data, chunk)
        except (OSError, ValueError) as error:  # the stream is broken or closed
            logger.debug("nothing more is read: %s", error)
        loop.call_soon_threadsafe(arrived.feed_eof)
    except RuntimeError as error:  # the loop is closed
        logger.debug("nothing more is read: %s", error)
