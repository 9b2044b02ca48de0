"""Telling the client when what is drawn into its documents has changed.

A client requests inlay hints and code lenses again after an edit of the document they are in.
They depend on other documents, too: authors and years come from the bibliography, counts of
citations from the drafts. So a look at a document finds out, too, whether its own are as before.
"""

from __future__ import annotations

from cite_lsp.project.workspace import is_bibliography
from cite_lsp.server.features.code_lens import lenses
from cite_lsp.server.features.inlay_hints import hints
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer
from cite_lsp.server.session.uris import path_of


class RedrawRequests:
    """Remembers what was drawn into each document. For the event loop alone."""

    def __init__(self, server: CiteServer) -> None:
        self._server = server
        self._drawn: dict[str, int] = {}

    def seen(self, uri: str, drawn: int | None, *, own_edit: bool) -> None:
        """Take note of the fingerprint of what is drawn now, and have the client ask for it again.

        That is done where it has changed and the client does not ask by itself, after its own edit.
        """
        before = self._drawn.pop(uri, None)
        if drawn is None:
            return
        self._drawn[uri] = drawn
        if own_edit or before in (None, drawn):
            return
        client = self._server.client
        if is_bibliography(path_of(uri)):
            if client.code_lens_refresh:
                self._server.workspace_code_lens_refresh(None)
        elif client.inlay_hint_refresh:
            self._server.workspace_inlay_hint_refresh(None)

    def forget(self, uri: str) -> None:
        """Forget a document that was closed."""
        self._drawn.pop(uri, None)


def fingerprint_of_drawn(request: Request) -> int | None:
    """Return a number that changes with the hints or lenses of a document.

    None where its settings show none.
    """
    options = request.options
    if request.is_bibliography:
        if not options.code_lens.enabled:
            return None
        return hash(tuple(lens.command and lens.command.title for lens in lenses(request) or ()))
    if not options.inlay_hints.enabled:
        return None
    whole = request.range(0, len(request.document.text))
    return hash(tuple(str(hint.label) for hint in hints(request, whole)))
