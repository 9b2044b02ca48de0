"""What is sent to the client: messages as bytes, long answers piece by piece."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

import attrs
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, PyglsError
from pygls.protocol import JsonRPCResponseMessage

if TYPE_CHECKING:
    from cattrs import Converter

logger = logging.getLogger(__name__)

_VERSION = "2.0"
_ROWS_AT_ONCE = 200
"""Rows of a long answer that are written at a time: a few milliseconds."""

ReportError = Callable[[Exception, type[PyglsError] | type[JsonRpcException]], object]
"""Tells the writer of an error, and what it is an error of."""


class Writer(Protocol):
    """Where the bytes go."""

    def write(self, data: bytes, /) -> Awaitable[None] | None:
        """Send bytes."""


class Sender:
    """Sends messages until it is silenced. For the event loop alone."""

    def __init__(
        self, converter: Converter, writer: Callable[[], Writer | None], report: ReportError
    ) -> None:
        self._converter, self._writer, self._report = converter, writer, report
        self._silent = False
        self._tasks: set[asyncio.Task[None]] = set()

    def silence(self) -> None:
        """Send nothing more: the client has left."""
        self._silent = True

    def send(self, message: object) -> None:
        """Send a message; one that has no form in JSON is an error of the server."""
        try:
            body = self._encode(message)
        except Exception as error:
            logger.exception("a message cannot be written")
            self._report(error, JsonRpcInternalError)
        else:
            self._write(body)

    def send_error(self, msg_id: int | str | None, error: JsonRpcException) -> None:
        """Answer a request with an error."""
        self.send(types.ResponseErrorMessage(id=msg_id, error=error.to_response_error()))

    def send_result(self, msg_id: int | str, result: object) -> None:
        """Answer a request; other messages are read and sent while a long list is written."""
        if isinstance(result, list) and len(result) > _ROWS_AT_ONCE:
            task = asyncio.get_running_loop().create_task(self._send_rows(msg_id, result))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return
        answer = JsonRPCResponseMessage(id=msg_id, jsonrpc=_VERSION, result=result)
        try:
            body = self._encode(answer)
        except Exception:
            self._send_unwritable(msg_id)
        else:
            self._write(body)

    async def _send_rows(self, msg_id: int | str, rows: Sequence[object]) -> None:
        pieces = []
        try:
            for start in range(0, len(rows), _ROWS_AT_ONCE):
                pieces.append(self._encode(rows[start : start + _ROWS_AT_ONCE])[1:-1])
                await asyncio.sleep(0)
        except Exception:
            self._send_unwritable(msg_id)
            return
        number, version = json.dumps(msg_id).encode(), _VERSION.encode()
        result = b", ".join(pieces)
        self._write(b'{"id": %s, "jsonrpc": "%s", "result": [%s]}' % (number, version, result))

    def _send_unwritable(self, msg_id: int | str) -> None:
        logger.exception("the answer to request %s cannot be written", msg_id)
        self.send_error(msg_id, JsonRpcInternalError("the answer cannot be written"))

    def _write(self, body: bytes) -> None:
        if self._silent:
            return
        writer = self._writer()
        if writer is None:
            logger.error("nothing can be sent: no client is connected")
            return
        writing = writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        if inspect.isawaitable(writing):
            asyncio.ensure_future(writing)

    def _encode(self, message: object) -> bytes:
        # Half a character, as names of files may hold, has no bytes, and strict clients refuse it.
        text = json.dumps(message, default=self._plain, ensure_ascii=False)
        return text.encode("utf-8", "replace")

    def _plain(self, value: object) -> Any:  # noqa: ANN401 - what JSON has
        """Return a value that JSON does not know as what it does know."""
        if attrs.has(type(value)):
            return self._converter.unstructure(value)
        return value.value if isinstance(value, Enum) else vars(value)
