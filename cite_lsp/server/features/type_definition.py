"""From a key to the paper itself: its page (DOI, arXiv, address), its file on this disk.

An editor that can show any address is asked to show it; others get it as a location to go to.
"""

from __future__ import annotations

from lsprotocol import types

from cite_lsp.server.edits.occurrences import entry_around, key_at
from cite_lsp.server.edits.paper_links import PaperLink, links_of
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer

Goal = types.Location | list[types.LocationLink] | None
_TOP = types.Range(types.Position(0, 0), types.Position(0, 0))
Target = tuple[PaperLink, types.Range | None]
"""Where a paper can be read, and the range of the key that leads there, if one does."""


def register(server: CiteServer) -> None:
    """Answer `textDocument/typeDefinition` (the page) and `textDocument/implementation` (file)."""

    @server.feature(types.TEXT_DOCUMENT_TYPE_DEFINITION)
    async def type_definition(ls: CiteServer, params: types.TypeDefinitionParams) -> Goal:
        target = await ls.answer(
            params.text_document.uri,
            lambda request: target_at(request, params.position, file_first=False),
        )
        return await _show(ls, target, ls.client.type_definition_links)

    @server.feature(types.TEXT_DOCUMENT_IMPLEMENTATION)
    async def implementation(ls: CiteServer, params: types.ImplementationParams) -> Goal:
        target = await ls.answer(
            params.text_document.uri,
            lambda request: target_at(request, params.position, file_first=True),
        )
        return await _show(ls, target, ls.client.implementation_links)


def target_at(request: Request, position: types.Position, file_first: bool) -> Target | None:
    """Return where the paper at a position can be read, its page or its file first."""
    named = key_at(request, position)
    entry, origin = None, None
    if named is not None:
        entry, origin = named.entry, request.range(named.start, named.end)
    elif request.is_bibliography:
        entry = entry_around(request.bibliography(), request.offset(position))
    if entry is None:
        return None
    links = sorted(links_of(entry), key=lambda link: (link.kind == "file") != file_first)
    return (links[0], origin) if links else None


async def _show(ls: CiteServer, target: Target | None, links: bool) -> Goal:
    if target is None:
        return None
    link, origin = target
    if ls.client.show_document:
        params = types.ShowDocumentParams(link.uri, external=True)
        answer = await ls.window_show_document_async(params)
        if answer.success:
            return None
    if links:
        return [types.LocationLink(link.uri, _TOP, _TOP, origin)]
    return types.Location(link.uri, _TOP)
