"""Document links: the bibliographies that a draft names, the papers that a .bib file links to."""

from __future__ import annotations

import os
from collections.abc import Iterator

from lsprotocol import types

from cite_lsp.cancelling import stop_if
from cite_lsp.server.edits.paper_links import link_fields
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer


def register(server: CiteServer) -> None:
    """Answer `textDocument/documentLink`."""
    server.answers(types.TEXT_DOCUMENT_DOCUMENT_LINK, lambda request, _: list(links(request)))


def links(request: Request) -> Iterator[types.DocumentLink]:
    """Yield the links of a document in order."""
    if request.is_bibliography:
        for entry in request.bibliography().entries:
            stop_if(request.cancelled)
            for link, start, end in link_fields(entry):
                yield types.DocumentLink(request.range(start, end), target=link.uri)
        return
    for path, declaration, target in request.draft().project.declared:
        if path == request.path and os.path.isfile(target):
            place = request.range(declaration.start, declaration.end)
            yield types.DocumentLink(place, target=request.buffers.uri(target))
