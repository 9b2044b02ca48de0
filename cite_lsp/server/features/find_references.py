"""Find references: everywhere a key is cited, in all drafts that share its bibliography."""

from __future__ import annotations

from lsprotocol import types

from cite_lsp.project.workspace import scope_of
from cite_lsp.server.edits.occurrences import key_at, occurrences
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer


def register(server: CiteServer) -> None:
    """Answer `textDocument/references`."""
    server.answers(
        types.TEXT_DOCUMENT_REFERENCES,
        lambda request, params: find(request, params.position, params.context.include_declaration),
    )


def find(
    request: Request, position: types.Position, with_entry: bool
) -> list[types.Location] | None:
    """Return the places of the key at a position, with or without its entry; None off any key."""
    named = key_at(request, position)
    if named is None:
        return None
    locations: dict[tuple[str, int, int], types.Location] = {}
    for key in named.names:
        for occurrence in occurrences(scope_of(request.surroundings, key), key):
            if with_entry or not occurrence.defining:
                location = request.location(occurrence.path, occurrence.start, occurrence.end)
                if location is not None:
                    locations.setdefault((location.uri, occurrence.start, occurrence.end), location)
    return list(locations.values())
