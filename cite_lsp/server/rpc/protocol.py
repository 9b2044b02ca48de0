"""The protocol: who handles a message, and what is sent for it.

pygls knows the methods of the protocol, negotiates capabilities and calls `structure_message` and
`handle_message` for what arrives. What becomes of a message is decided here, with nothing but the
public face of pygls: `tests/server/rpc/test_pygls.py` says which parts of it.

- Texts are the server's own. Those of pygls break lines where the protocol does not, take
  milliseconds for each edit of a long document, and lose a column at the end of the last line.
- Edits wait their turn among requests: a request is about the text as it was when it was sent.
- A request that the client cancels, or overtakes with a newer one, ends its work, too.
- Every request is answered: one that cannot be read, or comes after `shutdown`, with an error, and
  so is one whose answer cannot be written. An answer of the client that cannot be read is an error
  to whoever waits for it; one that nobody waits for any more is passed over.
- Nothing is stored of a message that was handled.
- The server can be told to shut down in the middle of anything, and says nothing more to a client
  that has left.
- A long list, such as the outline of a bibliography of thousands of entries, is written piece by
  piece: others are answered meanwhile.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import os
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextvars import ContextVar, copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from attrs import fields
from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import (
    FeatureNotificationError,
    FeatureRequestError,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
    PyglsError,
)
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    lsp_method,
)

from cite_lsp.server.rpc.calls import Call, Handler, Steps, run
from cite_lsp.server.rpc.lenient_parse import read_leniently
from cite_lsp.server.rpc.log_lines import in_one_line
from cite_lsp.server.rpc.overtaken_requests import WaitingRequests, overtaken
from cite_lsp.server.rpc.sending import Sender
from cite_lsp.server.rpc.shown_texts import make_texts_harmless

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

logger = logging.getLogger(__name__)

_OF_TEXTS = frozenset(
    (
        types.TEXT_DOCUMENT_DID_OPEN,
        types.TEXT_DOCUMENT_DID_CHANGE,
        types.TEXT_DOCUMENT_DID_SAVE,
        types.TEXT_DOCUMENT_DID_CLOSE,
    )
)
"""Notifications that change what questions are about."""

_NAMES_ONE = {types.CANCEL_REQUEST: "id", types.WINDOW_WORK_DONE_PROGRESS_CANCEL: "token"}
"""Notifications about a request or a task, and the field that names it."""
_NOT_YET = JsonRpcServerNotInitialized("the first request is initialize")
_NOT_TWICE = JsonRpcInvalidRequest("the session has begun")
_MOST_REQUESTS = 1000
"""Requests in progress from which on another one is refused."""
_TOO_MANY = JsonRpcException(
    f"{_MOST_REQUESTS} requests wait for an answer: ask again later",
    types.LSPErrorCodes.RequestFailed.value,
)

_request_id: ContextVar[int | str | None] = ContextVar("request_id", default=None)
"""The request that the running code answers."""


class Buffers(Protocol):
    """The texts that the editor has open, by the messages about them."""

    def open(self, item: types.TextDocumentItem) -> object:
        """Take over an opened buffer."""

    def change(self, params: types.DidChangeTextDocumentParams) -> object:
        """Apply edits to a buffer."""

    def close(self, uri: str) -> object:
        """Forget a buffer."""


class CiteProtocol(LanguageServerProtocol):
    """Feeds the buffers, then calls the registered handlers. For the event loop alone.

    Names of its own must be none of pygls's; what has one of pygls's names replaces it on purpose.
    """

    buffers: Buffers
    """Set by the server before it serves."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.client_process: int | None = None
        """The process that the server works for; it ends with that."""
        self.token = ""
        """What the client has to know; it need know nothing where this is empty."""
        self._begun = False  # whether the client has asked for `initialize`
        self.ended_well = False  # whether the client has asked for `shutdown`
        self._structure = converter.structure
        self._report_error = server.report_server_error
        self._requests: dict[int | str, Call] = {}  # of the client, in progress
        self._questions = WaitingRequests()
        self._refusals: dict[int | str, JsonRpcException] = {}  # of requests that were overtaken
        self._notifications: set[Call] = set()  # of the client, in progress
        self._server_requests: dict[int | str, tuple[Future[Any], type[Any] | None]] = {}
        self._sender = Sender(converter, lambda: self.writer, self._report)
        make_texts_harmless(converter)
        # Some clients send no version of an edited document, or null.
        converter.register_structure_hook(
            types.VersionedTextDocumentIdentifier,
            lambda data, _: converter.structure(
                data, types.OptionalVersionedTextDocumentIdentifier
            ),
        )

    # What arrives

    def structure_message(self, data: dict[str, Any]) -> Any:  # noqa: ANN401 - of any type
        """Return a message as its type has it; of a request what cannot be read is left out.

        An answer of the client that cannot be read is taken for an error.

        Raises:
            JsonRpcInvalidParams: it cannot be read at all; a request has its answer by then.
        """
        if "jsonrpc" not in data:  # a part of a message
            return data
        if "method" not in data and "id" in data:
            return self._structure_answer(data)
        method = data.get("method", "")
        identifier = data.get("id")
        if not isinstance(method, str) or not isinstance(identifier, int | str | None):
            invalid = JsonRpcInvalidRequest("the method is no text, or the id no number or text")
            if "id" in data:
                self._sender.send_error(None, invalid)
            raise invalid
        data.setdefault("params", None)  # which may be left out
        kind: Any = self.get_message_type(method)
        try:
            if "id" not in data:
                name = _NAMES_ONE.get(method)
                if name is not None and not isinstance(data["params"][name], int | str):
                    raise TypeError(name)
                return self._structure(data, kind or JsonRPCNotification)
            if kind is not None and not any(field.name == "id" for field in fields(kind)):
                kind = None  # a notification that wants an answer is a request nobody handles
                data = data | {"method": f"{method} with an id"}
            kind = kind or JsonRPCRequestMessage
            return read_leniently(data, lambda message: self._structure(message, kind))
        except Exception as error:
            refusal = JsonRpcInvalidParams(f"the params of {method} cannot be read")
            if "id" in data:
                self._sender.send_error(data["id"], refusal)
            raise refusal from error

    def handle_message(self, message: Any) -> None:  # noqa: ANN401 - of any type
        """Handle a message; after `shutdown` a request is refused and a notification dropped."""
        if message.jsonrpc != self.VERSION:
            logger.debug("a message of version %r is passed over", message.jsonrpc)
        elif not hasattr(message, "method"):
            self._take_answer(message)
        elif hasattr(message, "id"):
            copy_context().run(self._start_request, message)
        elif message.method in _OF_TEXTS:
            if message.method == types.TEXT_DOCUMENT_DID_CHANGE:
                self._questions.edited(message.params.text_document.uri)
            # What answers a request begins in the next turn of the loop, so this has to wait, too:
            # a request is about the text as it was when it was sent.
            asyncio.get_running_loop().call_soon(self._start_notification, message)
        else:
            copy_context().run(self._start_notification, message)

    def refuse(self, identifier: int | str | None, error: JsonRpcException) -> None:
        """Answer a message that cannot be read, and log it."""
        logger.warning("a message is passed over: %s", error.message)
        self._sender.send_error(identifier, error)

    def disconnect(self) -> None:
        """End what is in progress and send nothing more: the client has left."""
        self._sender.silence()
        self._cancel_all()

    @property
    def msg_id(self) -> int | str | None:
        """The request that the running code answers, None where it answers none."""
        return _request_id.get()

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, params: None) -> Steps:
        """End what is in progress."""
        yield from self._registered(types.SHUTDOWN, params)
        self._cancel_all(but=self.msg_id)
        self.ended_well = True

    @lsp_method(types.EXIT)
    def lsp_exit(self, params: None) -> Steps:
        """Close the connection and leave the event loop."""
        yield from self._registered(types.EXIT, params)
        if self.writer is not None:
            self.writer.close()
        raise SystemExit(0 if self.ended_well else 1)

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Steps:
        """Take over an opened document."""
        self.buffers.open(params.text_document)
        yield from self._registered(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Steps:
        """Apply edits to a document."""
        self.buffers.change(params)
        yield from self._registered(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Steps:
        """Forget a document."""
        self.buffers.close(params.text_document.uri)
        yield from self._registered(types.TEXT_DOCUMENT_DID_CLOSE, params)

    # What is sent

    def notify(self, method: str, params: Any | None = None) -> None:  # noqa: ANN401
        """Send a notification."""
        kind: Any = self.get_message_type(method) or JsonRPCNotification
        self._sender.send(kind(method=method, params=params, jsonrpc=self.VERSION))

    def send_request(
        self,
        method: str,
        params: Any | None = None,  # noqa: ANN401 - of any type
        callback: Callable[[Any], None] | None = None,
        msg_id: int | str | None = None,
    ) -> Future[Any]:
        """Send a request to the client; the future holds the answer, or is a JsonRpcException."""
        number = str(uuid.uuid4()) if msg_id is None else msg_id
        future: Future[Any] = Future()
        self._server_requests[number] = future, self.get_result_type(method)
        future.add_done_callback(lambda _: self._server_requests.pop(number, None))
        if callback is not None:
            future.add_done_callback(lambda answered: callback(answered.result()))
        kind: Any = self.get_message_type(method) or JsonRPCRequestMessage
        self._sender.send(kind(id=number, method=method, params=params, jsonrpc=self.VERSION))
        return future

    # Requests and notifications of the client

    def _handler(self, method: str) -> Handler | None:
        return self.fm.builtin_features.get(method) or self.fm.features.get(method)

    def _registered(self, method: str, params: object) -> Steps:
        if (handler := self.fm.features.get(method)) is not None:
            yield handler, (params,), None

    def _start_request(self, message: Any) -> None:  # noqa: ANN401 - of any type
        if self.ended_well:
            refusal = JsonRpcInvalidRequest("the server was told to shut down")
            self._sender.send_error(message.id, refusal)
        elif (message.method == types.INITIALIZE) == self._begun:
            self._sender.send_error(message.id, _NOT_TWICE if self._begun else _NOT_YET)
        elif (handler := self._handler(message.method)) is None:
            self._sender.send_error(message.id, JsonRpcMethodNotFound.of(message.method))
        elif len(self._requests) >= _MOST_REQUESTS:
            self._sender.send_error(message.id, _TOO_MANY)
        elif not self._begun and not self._is_admitted(message.params.initialization_options):
            self.refuse(message.id, JsonRpcInvalidRequest("the token is missing or wrong"))
            raise SystemExit(1)
        else:
            if message.method == types.INITIALIZE:
                self._begun = True
                self._watch_client(message.params.process_id)
            self._drop_overtaken(message)
            _request_id.set(message.id)
            call = self._requests[message.id] = run(handler, (message.params,))
            call.add_done_callback(partial(self._finish_request, message.id))

    def _is_admitted(self, options: object) -> bool:
        """Whether a client that starts with some options knows the token, where there is one."""
        if not self.token:
            return True
        token = options.get("token") if isinstance(options, Mapping) else None
        return isinstance(token, str) and hmac.compare_digest(token.encode(), self.token.encode())

    def _watch_client(self, process: int | None) -> None:
        # A process that is not there belongs to another machine, or another container.
        if process is not None and process > 0 and os.name == "posix":
            try:
                os.kill(process, 0)
            except (OSError, OverflowError):
                return
            self.client_process = process

    def _drop_overtaken(self, message: Any) -> None:  # noqa: ANN401 - of any type
        for earlier in self._questions.ask(message.id, message.method, message.params):
            if (request := self._requests.pop(earlier, None)) is not None:
                self._refusals[earlier] = overtaken(message.method)
                request.cancel()

    def _finish_request(self, msg_id: int | str, call: Call) -> None:
        self._requests.pop(msg_id, None)
        self._questions.answered(msg_id)
        refusal = self._refusals.pop(msg_id, None)
        if call.cancelled():
            cancelled = JsonRpcRequestCancelled(f'Request with id "{msg_id}" is canceled')
            self._sender.send_error(msg_id, refusal or cancelled)
        elif (failure := call.exception()) is not None:
            if not isinstance(failure, JsonRpcException):
                logger.error("request %s could not be answered", msg_id, exc_info=failure)
                failure = _as_internal(failure)
            self._sender.send_error(msg_id, failure)
            self._report(failure, FeatureRequestError)
        else:
            self._sender.send_result(msg_id, call.result())

    def _start_notification(self, message: Any) -> None:  # noqa: ANN401 - of any type
        if (self.ended_well or not self._begun) and message.method != types.EXIT:
            return
        if message.method == types.CANCEL_REQUEST:
            if (request := self._requests.pop(message.params.id, None)) is not None:
                request.cancel()
        elif (handler := self._handler(message.method)) is not None:
            call = run(handler, (message.params,))
            self._notifications.add(call)
            call.add_done_callback(self._finish_notification)

    def _finish_notification(self, call: Call) -> None:
        self._notifications.discard(call)
        if not call.cancelled() and (failure := call.exception()) is not None:
            logger.error("a notification could not be handled", exc_info=failure)
            self._report(_as_internal(failure), FeatureNotificationError)

    def _cancel_all(self, but: int | str | None = None) -> None:
        """Cancel all that is in progress, requests to the client as well, except one request."""
        requests = [call for msg_id, call in self._requests.items() if msg_id != but]
        to_the_client = [future for future, _ in self._server_requests.values()]
        for call in (*requests, *self._notifications, *to_the_client):
            call.cancel()

    def _report(self, error: Exception, source: type[PyglsError] | type[JsonRpcException]) -> None:
        try:
            self._report_error(error, source)
        except Exception:
            logger.exception("an error cannot be reported")

    # Answers of the client

    def _structure_answer(self, data: dict[str, Any]) -> object:
        _, kind = self._server_requests.get(data["id"], (None, None))
        expected: Any = types.ResponseErrorMessage if data.get("error") else kind
        try:
            return self._structure(data, expected or JsonRPCResponseMessage)
        except Exception:
            error = JsonRpcException("the answer of the client cannot be read")
            return types.ResponseErrorMessage(data["id"], error.to_response_error())

    def _take_answer(self, message: Any) -> None:  # noqa: ANN401 - of any type
        """Hand an answer of the client to what waits for it; that may have been cancelled since."""
        future, _ = self._server_requests.pop(message.id, (None, None))
        if future is None or future.cancelled():
            logger.debug("nobody waits for the answer %r", message.id)
        elif (error := getattr(message, "error", None)) is not None:
            future.set_exception(JsonRpcException.from_error(error))
        else:
            future.set_result(getattr(message, "result", None))


def _as_internal(failure: BaseException) -> JsonRpcInternalError:
    return JsonRpcInternalError(in_one_line(failure))
