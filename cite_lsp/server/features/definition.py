"""Go to definition: from a key in a draft, or in a field of a .bib file, to its record."""

from __future__ import annotations

from lsprotocol import types

from cite_lsp.library.entries import Entry
from cite_lsp.manuscript.lines import Encoding, LineIndex
from cite_lsp.server.edits.occurrences import key_at
from cite_lsp.server.session.buffers import range_of
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer

Definition = types.Location | list[types.LocationLink] | None


def register(server: CiteServer) -> None:
    """Answer `textDocument/definition`."""
    server.answers(
        types.TEXT_DOCUMENT_DEFINITION, lambda request, params: locate(request, params.position)
    )


def locate(request: Request, position: types.Position) -> Definition:
    """Return the place of the entry of the key at a position.

    None where there is no known key, or its entry is in no text file.
    """
    named = key_at(request, position)
    entry = named.entry if named else None
    lines = request.buffers.lines(entry.path) if entry else None
    if named is None or entry is None or lines is None:
        return None
    uri = request.buffers.uri(entry.path)
    record, name = _ranges(entry, lines, request.client.encoding)
    if not request.client.definition_links:
        return types.Location(uri, name)
    origin = request.range(named.start, named.end)
    return [types.LocationLink(uri, record, name, origin)]


def _ranges(entry: Entry, lines: LineIndex, encoding: Encoding) -> tuple[types.Range, types.Range]:
    """Return the ranges of the record and of its key.

    They are believed only while the key is there: for the rest (a key that is written another
    way, a file that changed this moment) the line of the record has to do.
    """
    if lines.text[entry.key_start : entry.key_end] == entry.key:
        return (
            range_of(lines, entry.start, entry.end, encoding),
            range_of(lines, entry.key_start, entry.key_end, encoding),
        )
    start = types.Position(max(entry.line - 1, 0), 0)
    return types.Range(start, start), types.Range(start, start)
