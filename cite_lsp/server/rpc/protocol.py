"""The wire: what pygls's protocol does otherwise here, message by message.

- Texts are the server's own. Those of pygls break lines where the protocol does not, take
  milliseconds for each edit of a long document, and lose a column at the end of the last line.
- Edits wait their turn among requests: a question is about the text as it was when it was asked.
- A request that the client calls off ends its work, too; pygls drops the answer alone.
- Every request is answered: one that cannot be read, or comes after `shutdown`, with an error. An
  answer of the client that cannot be read is an error to whoever waits for it; one that nobody
  waits for any more is passed over.
- Nothing is kept of a notification that was handled.
- The server can be told to shut down in the middle of anything, and says nothing more to a client
  that has left.
- A long list, such as the outline of a bibliography of thousands of entries, is written piece by
  piece: nothing else is answered while pygls writes.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
)
from pygls.protocol import JsonRPCResponseMessage, LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import RPCMessage, RPCRequest

from cite_lsp.server.rpc.lenient_parse import read_leniently

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.lsp.server import LanguageServer

logger = logging.getLogger(__name__)

Steps = Generator[Any, Any, None]
"""What pygls runs after its own part: the handlers that features registered."""

_OF_TEXTS = frozenset(
    (
        types.TEXT_DOCUMENT_DID_OPEN,
        types.TEXT_DOCUMENT_DID_CHANGE,
        types.TEXT_DOCUMENT_DID_SAVE,
        types.TEXT_DOCUMENT_DID_CLOSE,
    )
)
"""Notifications that change what questions are about."""
_PIECE = 200
"""Rows of a long answer that are written at a time: a few milliseconds."""


class Documents(Protocol):
    """The texts that the editor has open, as the messages about them tell."""

    def open(self, item: types.TextDocumentItem) -> object:
        """Take over an opened document."""

    def change(self, params: types.DidChangeTextDocumentParams) -> object:
        """Apply edits to a document."""

    def close(self, uri: str) -> object:
        """Forget a document."""


class HasDocuments(Protocol):
    """The server, as far as its protocol needs it."""

    documents: Documents


class CiteProtocol(LanguageServerProtocol):
    """Feeds the documents of the server, then calls the registered handlers."""

    _server: HasDocuments  # type: ignore[assignment]  # which LanguageServer has not
    _listened_to = True

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self._writing: set[asyncio.Task[None]] = set()
        # Of an edited document some clients tell no version, or null.
        converter.register_structure_hook(
            types.VersionedTextDocumentIdentifier,
            lambda told, _: converter.structure(
                told, types.OptionalVersionedTextDocumentIdentifier
            ),
        )

    def structure_message(self, data: dict[str, Any]) -> Any:  # noqa: ANN401 - of any type
        """Return a message as its type has it; of a request what cannot be read is left out.

        An answer of the client that cannot be read is taken for an error.

        Raises:
            JsonRpcInvalidParams: it cannot be read at all; a request has its answer by then.
        """
        if "jsonrpc" in data and "method" in data:
            data.setdefault("params", None)  # which may be left out
        elif "jsonrpc" in data and "id" in data:
            return self._structure_answer(data)
        kind = self.get_message_type(data.get("method", ""))
        if kind is None or "jsonrpc" not in data or "id" not in data:
            return super().structure_message(data)
        try:
            return read_leniently(data, lambda message: self._converter.structure(message, kind))
        except Exception as error:
            said = JsonRpcInvalidParams(f"the params of {data['method']} cannot be read")
            self._send_response(data["id"], error=said.to_response_error())
            raise said from error

    def handle_message(self, message: RPCMessage) -> None:
        """Handle a message; after `shutdown` a request is refused."""
        method = getattr(message, "method", "")
        if self._shutdown and isinstance(message, RPCRequest):
            refusal = JsonRpcInvalidRequest("the server was told to shut down")
            self._send_response(message.id, error=refusal.to_response_error())
        elif method in _OF_TEXTS:
            # What answers a request begins in the next turn of the loop, so this has to wait, too:
            # a question is about the text as it was when it was asked.
            asyncio.get_running_loop().call_soon(super().handle_message, message)
        else:
            super().handle_message(message)

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, params: None) -> Steps:
        """End what is in progress; pygls stumbles over requests that end while it counts them."""
        yield from self._registered(types.SHUTDOWN, params)
        self._call_off(but=self.msg_id)
        self._shutdown = True

    def hang_up(self) -> None:
        """End what is in progress and send nothing more: the client has left."""
        self._listened_to = False
        self._call_off()

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Steps:
        """Take over an opened document."""
        self._server.documents.open(params.text_document)
        yield from self._registered(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Steps:
        """Apply edits to a document."""
        self._server.documents.change(params)
        yield from self._registered(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Steps:
        """Forget a document."""
        self._server.documents.close(params.text_document.uri)
        yield from self._registered(types.TEXT_DOCUMENT_DID_CLOSE, params)

    @property
    def ended_well(self) -> bool:
        """Whether the client asked for `shutdown` before it left."""
        return bool(self._shutdown)

    def _structure_answer(self, data: dict[str, Any]) -> object:
        kind = self._result_types.pop(data["id"], None) or JsonRPCResponseMessage
        kind = types.ResponseErrorMessage if data.get("error") else kind
        try:
            return self._converter.structure(data, kind)
        except Exception:
            error = JsonRpcException("the answer of the client cannot be read")
            return types.ResponseErrorMessage(data["id"], error.to_response_error())

    def _handle_response(
        self, msg_id: int | str, result: object = None, error: types.ResponseError | None = None
    ) -> None:
        """Hand an answer of the client to who waits for it; it may have been called off since."""
        future = self._request_futures.get(msg_id)
        if future is not None and future.cancelled():
            del self._request_futures[msg_id]
            return
        super()._handle_response(msg_id, result, error)

    def _send_response(
        self, msg_id: int | str, result: object = None, error: types.ResponseError | None = None
    ) -> None:
        if error is not None or not isinstance(result, list) or len(result) <= _PIECE:
            super()._send_response(msg_id, result, error)
            return
        self._result_types.pop(msg_id, None)
        task = asyncio.get_running_loop().create_task(self._send_rows(msg_id, result))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _send_rows(self, msg_id: int | str, rows: Sequence[object]) -> None:
        """Answer with a long list; other messages are read and sent while it is written."""
        try:
            body = await self._written(msg_id, rows)
        except Exception:
            logger.exception("the answer to request %s cannot be written", msg_id)
            error = JsonRpcInternalError("the answer cannot be written")
            self._send_response(msg_id, error=error.to_response_error())
            return
        if self._listened_to and self.writer is not None:
            sent = self.writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            if inspect.isawaitable(sent):
                await sent

    async def _written(self, msg_id: int | str, rows: Sequence[object]) -> bytes:
        pieces = []
        for start in range(0, len(rows), _PIECE):
            piece = rows[start : start + _PIECE]
            pieces.append(json.dumps(piece, default=self._serialize_message)[1:-1])
            await asyncio.sleep(0)
        number, result = json.dumps(msg_id), ", ".join(pieces)
        return f'{{"id": {number}, "jsonrpc": "{self.VERSION}", "result": [{result}]}}'.encode()

    def _send_data(self, data: object) -> None:
        if self._listened_to:
            super()._send_data(data)

    def _execute_handler(
        self,
        msg_id: int | str,
        handler: Callable[..., Any],
        callback: Callable[[Future[Any]], None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Run a handler; what pygls notes of it, of a notification for ever, is kept until done."""
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        if (future := self._request_futures.get(msg_id)) is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    def _run_generator(
        self,
        future: Future[Any] | None,
        *,
        gen: Generator[Any, Any, Any],
        result_future: Future[Any],
    ) -> None:
        """Run the next step of a handler; calling off the whole calls off the step."""
        before = set(self._request_futures)
        super()._run_generator(future, gen=gen, result_future=result_future)
        for name in self._request_futures.keys() - before:
            step = self._request_futures.pop(name)
            result_future.add_done_callback(partial(_cancel_with, step))

    def _call_off(self, but: int | str | None = None) -> None:
        """Cancel all requests, those to the client as well, except one."""
        for name, future in tuple(self._request_futures.items()):
            if name != but:
                future.cancel()

    def _registered(self, method: str, params: object) -> Steps:
        if (handler := self.fm.features.get(method)) is not None:
            yield handler, (params,), None


def _cancel_with(step: Future[Any], whole: Future[Any]) -> None:
    if whole.cancelled():
        step.cancel()
