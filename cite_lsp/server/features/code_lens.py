"""Code lenses, where the writer wants them: how often the entries of a .bib file are cited."""

from __future__ import annotations

from collections import Counter

from lsprotocol import types

from cite_lsp.library.bibtex.relations import keys_of
from cite_lsp.project.workspace import scope_of
from cite_lsp.server.rpc.commands import SHOW_COMMAND
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer


def register(server: CiteServer) -> None:
    """Answer `textDocument/codeLens`."""
    server.answers(types.TEXT_DOCUMENT_CODE_LENS, lambda request, _: lenses(request))


def lenses(request: Request) -> list[types.CodeLens] | None:
    """Return a lens for every entry of a .bib file; None for a draft, and where they are off."""
    if not request.is_bibliography or not request.options.code_lens.enabled:
        return None
    times = Counter(
        key.text.lower()
        for _, manuscript in scope_of(request.surroundings).drafts
        for marker in manuscript.markers
        if not marker.silent
        for key in marker.keys
    )
    code_lenses = []
    for entry in request.bibliography().entries:
        place = request.range(entry.key_start, entry.key_end)
        arguments = [request.buffer.uri, place.start]
        keys = {key.lower() for key in keys_of(entry)}
        title = _title(sum(times[key] for key in keys))
        code_lenses.append(
            types.CodeLens(place, types.Command(title, SHOW_COMMAND, arguments=arguments))
        )
    return code_lenses


def _title(times: int) -> str:
    return {0: "not cited", 1: "cited once", 2: "cited twice"}.get(times, f"cited {times} times")
