"""What a paper cites and what cites it, as far as the corpora on this machine know.

`citeLsp.citing` [uri, position, limit?] returns what the paper cites whose key is at the position,
of a draft or a .bib file; `citeLsp.citedBy` [uri, position, limit?] what cites it. The answer is
{key, title, total, inLibrary, papers}, the papers as rows, or null where no corpus knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from cite_lsp.library.text.display import shown
from cite_lsp.library.text.invisible_characters import printable_line
from cite_lsp.server.edits.occurrences import key_at, library_of
from cite_lsp.server.render.rows import linked_row
from cite_lsp.server.rpc.commands import CITED_BY_COMMAND, CITING_COMMAND, place_arguments
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer

if TYPE_CHECKING:
    from cite_lsp.recommend.corpus.citation_links import Direction

_LIMIT = 50
_MOST = 1000


def register(server: CiteServer) -> None:
    """Answer the commands."""

    @server.command(CITING_COMMAND)
    async def citing_command(ls: CiteServer, *arguments: object) -> dict[str, Any] | None:
        uri, position, limit = place_arguments(arguments, _LIMIT, int)
        return await ls.answer(uri, lambda request: links_at(request, position, "citing", limit))

    @server.command(CITED_BY_COMMAND)
    async def cited_by_command(ls: CiteServer, *arguments: object) -> dict[str, Any] | None:
        uri, position, limit = place_arguments(arguments, _LIMIT, int)
        return await ls.answer(uri, lambda request: links_at(request, position, "citedBy", limit))


def links_at(
    request: Request, position: types.Position, direction: Direction, limit: int
) -> dict[str, Any] | None:
    """Return the papers that citations link to the one whose key is at a position."""
    named = key_at(request, position)
    if named is None or named.entry is None:
        return None
    recommender = request.recommender
    library = library_of(request)
    root = request.path if request.is_bibliography else request.draft().project.root
    links = recommender.known_works.links(library, named.entry, direction)
    if links is None:
        return None
    papers = recommender.keys.linked(library, root, links, min(max(limit, 0), _MOST))
    return {
        "key": named.entry.key,
        "title": printable_line(shown(named.entry.paper).title),
        "total": len(links),
        "inLibrary": links.in_library,
        "papers": [linked_row(paper) for paper in papers],
    }
