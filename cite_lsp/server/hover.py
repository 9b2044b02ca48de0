"""Hover: the paper behind the key under the cursor."""

from __future__ import annotations

from lsprotocol import types

from cite_lsp.library.model import Entry
from cite_lsp.manuscript.model import MarkerKey
from cite_lsp.server import cards
from cite_lsp.server.request import Request
from cite_lsp.server.server import CiteServer


def register(server: CiteServer) -> None:
    """Answer `textDocument/hover`."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(ls: CiteServer, params: types.HoverParams) -> types.Hover | None:
        return await ls.answer(
            params.text_document.uri, lambda request: describe(request, params.position)
        )


def describe(request: Request, position: types.Position) -> types.Hover | None:
    """Return the card of the entry at a position, None where there is no known key."""
    found = entry_at(request, position)
    if found is None:
        return None
    key, entry = found
    contents = cards.card(entry.paper, request.client.hover_markup)
    return types.Hover(contents, request.range(key.start, key.end))


def entry_at(request: Request, position: types.Position) -> tuple[MarkerKey, Entry] | None:
    """Return the key at a position and its entry, None where there is no known key."""
    draft = request.draft()
    offset = request.offset(position)
    marker = draft.manuscript.marker_at(offset)
    keys = marker.keys if marker else ()
    key = next((key for key in keys if key.start <= offset <= key.end), None)
    entry = draft.library.get(key.text) if key else None
    return (key, entry) if key and entry else None
