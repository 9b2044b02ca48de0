"""Formatting of .bib files, whole or in part; of no other document.

A client that asks for every document it has would let the writer choose between this server and
another one for LaTeX. Where it can be told, it asks for .bib files alone.
"""

from __future__ import annotations

from lsprotocol import types

from cite_lsp.library.write.bibtex_layout import layout_edits
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer

_METHODS = (types.TEXT_DOCUMENT_FORMATTING, types.TEXT_DOCUMENT_RANGE_FORMATTING)
_DOCUMENTS = [types.TextDocumentFilterPattern(pattern="**/*.{bib,bibtex,biblatex}")]


def answer_formatting(server: CiteServer) -> None:
    """Answer `textDocument/formatting` and `textDocument/rangeFormatting`.

    It is called when the client is known.
    """
    server.answers(
        types.TEXT_DOCUMENT_FORMATTING, lambda request, params: edits(request, params.options)
    )
    server.answers(
        types.TEXT_DOCUMENT_RANGE_FORMATTING,
        lambda request, params: edits(request, params.options, params.range),
    )


def registrations() -> list[types.Registration]:
    """Return what a client is told that can register for some documents only."""
    return [
        types.Registration(
            method, method, types.TextDocumentRegistrationOptions(document_selector=_DOCUMENTS)
        )
        for method in _METHODS
    ]


def edits(
    request: Request, options: types.FormattingOptions, place: types.Range | None = None
) -> list[types.TextEdit] | None:
    """Return the edits that lay out the entries of a .bib file that a range touches."""
    if not request.is_bibliography:
        return None
    text = request.buffer.text
    indent = " " * min(options.tab_size, 16) if options.insert_spaces else "\t"
    start, end = (
        (request.offset(place.start), request.offset(place.end)) if place else (0, len(text))
    )
    return [
        request.text_edit(edit) for edit in layout_edits(text, request.path, indent, start, end)
    ]
