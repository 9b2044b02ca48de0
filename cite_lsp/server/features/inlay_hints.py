"""Inlay hints, where the writer wants them: authors and year behind the keys of a draft."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer


def register(server: CiteServer) -> None:
    """Answer `textDocument/inlayHint`."""
    server.answers(
        types.TEXT_DOCUMENT_INLAY_HINT,
        lambda request, params: list(hints(request, params.range)),
    )


def hints(request: Request, place: types.Range) -> Iterator[types.InlayHint]:
    """Yield the hints for the keys in a range of a draft, none where they are off."""
    if request.is_bibliography or not request.options.inlay_hints.enabled:
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
                    label=short_name(entry.paper),
                    padding_left=True,
                )
