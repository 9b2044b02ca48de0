"""The server's state as the client gets it: the notification `citeLsp/status`.

It carries `state` and `message`: "preparing" while a library is being embedded, "indexing" while a
corpus is being built for the editor, "ready" once papers are ranked by meaning, "error" where that
cannot be and words alone must do.
"""

from __future__ import annotations

from collections.abc import Callable

from cite_lsp.library.text.invisible_characters import printable_line

STATUS = "citeLsp/status"

Notify = Callable[[str, object], None]


class Status:
    """Tells the client of every change, once. For the event loop alone."""

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._resting = ("ready", "")
        self._indexing = False
        self._sent: tuple[str, str] | None = None

    def report(self, state: str, message: str = "") -> None:
        """Send a state; while a corpus is being built, send it afterwards."""
        self._resting = (state, message)
        if not self._indexing:
            self._send(state, message)

    def indexing(self, message: str) -> None:
        """Tell how far the building of a corpus is."""
        self._indexing = True
        self._send("indexing", message)

    def indexed(self) -> None:
        """Tell the state that holds when no corpus is being built."""
        self._indexing = False
        self._send(*self._resting)

    def _send(self, state: str, message: str) -> None:
        if self._sent != (state, message):
            self._sent = (state, message)
            self._notify(STATUS, {"state": state, "message": printable_line(message)})
