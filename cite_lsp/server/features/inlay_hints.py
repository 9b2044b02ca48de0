"""Inlay hints, where the writer wants them: authors and year behind the keys of a draft."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from cite_lsp.server.render import cards
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer


def register(server: CiteServer) -> None:
    """Answer `textDocument/inlayHint`."""

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hints(
        ls: CiteServer, params: types.InlayHintParams
    ) -> list[types.InlayHint] | None:
        document = ls.documents.get(params.text_document.uri)
        if document is None or not ls.options_for(document.path).inlay_hints.enabled:
            return None
        return await ls.answer(document.uri, lambda request: list(hints(request, params.range)))

    def refresh(changed: frozenset[str]) -> None:
        if "inlay_hints" in changed and server.client.inlay_hint_refresh:
            server.workspace_inlay_hint_refresh(None)

    server.settings_changed.append(refresh)


def hints(request: Request, place: types.Range) -> Iterator[types.InlayHint]:
    """Yield the hints for the keys in a range of a draft."""
    if request.is_bibliography:
        return
    first, last = request.offset(place.start), request.offset(place.end)
    draft = request.draft()
    for marker in draft.manuscript.markers:
        if marker.end < first or marker.start > last:
            continue
        for key in marker.keys:
            entry = draft.library.get(key.text)
            if entry is not None and first <= key.end <= last:
                yield types.InlayHint(
                    position=request.range(key.end, key.end).start,
                    label=cards.headline(entry.paper),
                    padding_left=True,
                )
