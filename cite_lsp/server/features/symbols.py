"""Symbols: the entries of a .bib file, and those of all libraries and corpora that are open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from cite_lsp.cancelling import stop_if
from cite_lsp.library import Library
from cite_lsp.library.entries import Entry
from cite_lsp.manuscript import format_of
from cite_lsp.project.workspace import is_bibliography
from cite_lsp.server.render import cards
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer

_MOST = 200
_MOST_OF_CORPORA = 50
_LARGEST_FILE = 50_000_000
"""Bytes up to which editors open a file well; papers of a larger one are no symbols."""
_KINDS = {
    "book": types.SymbolKind.Class,
    "thesis": types.SymbolKind.Class,
    "phdthesis": types.SymbolKind.Class,
    "mastersthesis": types.SymbolKind.Class,
    "proceedings": types.SymbolKind.Namespace,
    "collection": types.SymbolKind.Namespace,
    "xdata": types.SymbolKind.Namespace,
}

Symbols = list[types.DocumentSymbol] | list[types.SymbolInformation] | None


def register(server: CiteServer) -> None:
    """Answer `textDocument/documentSymbol` and `workspace/symbol`."""
    server.answers(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, lambda request, _: outline(request))

    @server.feature(types.WORKSPACE_SYMBOL)
    async def workspace_symbols(
        ls: CiteServer, params: types.WorkspaceSymbolParams
    ) -> list[types.SymbolInformation] | None:
        for buffer in ls.buffers:
            if format_of(buffer.path) is not None or is_bibliography(buffer.path):
                return await ls.answer(buffer.uri, lambda request: search(request, params.query))
        return None


def outline(request: Request) -> Symbols:
    """Return the entries of a .bib file in order; None for a draft."""
    if not request.is_bibliography:
        return None
    entries = request.bibliography().entries
    if not request.client.symbol_tree:
        return [information for entry in entries if (information := _information(request, entry))]
    return [
        types.DocumentSymbol(
            name=entry.key,
            kind=_kind(entry),
            range=request.range(entry.start, entry.end),
            selection_range=request.range(entry.key_start, entry.key_end),
            detail=cards.line(entry.paper),
        )
        for entry in entries
    ]


def search(request: Request, query: str) -> list[types.SymbolInformation]:
    """Return what matches a query by key, people, title, year: entries of all open libraries.

    After them the papers of corpora that none of them has, at their records.
    """
    symbols: dict[tuple[str, int], types.SymbolInformation] = {}
    libraries = list(_libraries(request))
    for library in libraries:
        stop_if(request.cancelled)
        for row in request.recommender.matcher(library).match(query)[:_MOST]:
            entry = library.entries[row]
            if symbol := _information(request, entry):
                symbols.setdefault((symbol.location.uri, entry.start), symbol)
            if len(symbols) >= _MOST:
                return list(symbols.values())
    return [*symbols.values(), *_in_corpora(request, query, libraries)]


def _in_corpora(
    request: Request, query: str, libraries: list[Library]
) -> Iterator[types.SymbolInformation]:
    stop_if(request.cancelled)
    if not query.strip():
        return
    for match in request.recommender.merger.search(query, libraries, _MOST_OF_CORPORA):
        if (size := _size(match.path)) is not None and size <= _LARGEST_FILE:
            start = types.Position(match.line, 0)
            yield types.SymbolInformation(
                location=types.Location(request.buffers.uri(match.path), types.Range(start, start)),
                name=cards.line(match.paper),
                kind=types.SymbolKind.Field,
                container_name=match.corpus,
            )


def _size(path: Path) -> int | None:
    """Return the bytes of a file; None where it is gone: a corpus may be rebuilt meanwhile."""
    try:
        return path.stat().st_size
    except OSError:
        return None


def _libraries(request: Request) -> Iterator[Library]:
    seen: list[Library] = []
    for buffer in dict.fromkeys(request.snapshot.values()):
        if is_bibliography(buffer.path):
            library = request.recommender.reader.library([buffer.path])
        elif format_of(buffer.path) is not None:
            library = request.recommender.draft(buffer.path).library
        else:
            continue
        if not any(library is other for other in seen):
            seen.append(library)
            yield library


def _information(request: Request, entry: Entry) -> types.SymbolInformation | None:
    location = request.location(entry.path, entry.start, entry.end)
    if location is None:
        return None
    return types.SymbolInformation(
        location=location,
        name=f"{entry.key}  {cards.line(entry.paper)}",
        kind=_kind(entry),
        container_name=entry.path.name,
    )


def _kind(entry: Entry) -> types.SymbolKind:
    return _KINDS.get(entry.kind, types.SymbolKind.Field)
