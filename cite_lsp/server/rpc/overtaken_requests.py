"""Requests that a newer one has overtaken: nobody reads their answers any more.

An editor asks with every letter, and some cancel nothing. What is asked about a text that has been
edited since, and has been asked again, is dropped like a request that the client cancels.
"""

from __future__ import annotations

from typing import Final

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException

_AT_THE_CURSOR = frozenset(
    (types.TEXT_DOCUMENT_COMPLETION, types.TEXT_DOCUMENT_HOVER, types.TEXT_DOCUMENT_DIAGNOSTIC)
)
"""Of a document only the newest of these counts: there is one cursor, one pointer, one text."""
_AT_SEVERAL_PLACES = frozenset(
    (
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.TEXT_DOCUMENT_CODE_LENS,
        types.TEXT_DOCUMENT_DOCUMENT_LINK,
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
        types.TEXT_DOCUMENT_INLAY_HINT,
    )
)
"""Editors ask for several of these at a time: of two ranges, of two kinds of actions."""
_MOST = 16
"""Requests of one method on one document that wait at most; the oldest is dropped for another."""

_OUTDATED: Final = object()
"""In the place of what a request asks, where its document was edited since."""

RequestId = int | str
_Question = tuple[str, str]
"""A method, and the URI of the document that it is about."""


class WaitingRequests:
    """The requests about documents that wait for an answer."""

    def __init__(self) -> None:
        self._waiting: dict[_Question, dict[RequestId, object]] = {}
        self._question_of: dict[RequestId, _Question] = {}

    def edited(self, uri: str) -> None:
        """Note that what was asked about a document until now is about an older text."""
        for question, waiting in self._waiting.items():
            if question[1] == uri:
                waiting.update(dict.fromkeys(waiting, _OUTDATED))

    def ask(self, number: RequestId, method: str, params: object) -> list[RequestId]:
        """Note a request; return the earlier ones that it overtakes."""
        document = getattr(params, "text_document", None)
        if document is None or method not in _AT_THE_CURSOR | _AT_SEVERAL_PLACES:
            return []
        question = method, document.uri
        waiting = self._waiting.setdefault(question, {})
        overtaken = [
            earlier
            for earlier, earlier_params in waiting.items()
            if method in _AT_THE_CURSOR or earlier_params is _OUTDATED or earlier_params == params
        ]
        left = [earlier for earlier in waiting if earlier not in overtaken]
        overtaken += left[: max(0, len(left) + 1 - _MOST)]
        for earlier in overtaken:
            del waiting[earlier]
        waiting[number] = params
        self._question_of[number] = question
        return overtaken

    def answered(self, number: RequestId) -> None:
        """Forget a request that waits no longer."""
        question = self._question_of.pop(number, None)
        waiting = self._waiting.get(question, {}) if question else {}
        waiting.pop(number, None)
        if question and not waiting:
            self._waiting.pop(question, None)


def overtaken(method: str) -> JsonRpcException:
    """Return the error that answers an overtaken request.

    Clients pass over content that was modified; for diagnostics they would take it for none.
    """
    if method == types.TEXT_DOCUMENT_DIAGNOSTIC:
        return JsonRpcException(
            "a newer request has overtaken this one",
            types.LSPErrorCodes.ServerCancelled.value,
            {"retriggerRequest": False},
        )
    return JsonRpcContentModified("a newer request has overtaken this one")
