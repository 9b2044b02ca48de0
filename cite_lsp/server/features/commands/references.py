"""What the draft as a whole should cite and does not: `citeLsp.references`.

`citeLsp.references` [{uri, limit?}] returns the document of `cite-lsp references --json`: papers by
topic, each with its reasons, its place, and the commands that add its entry and cite it there.
"""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from cite_lsp.server.render.references_document import Addresses, references_document
from cite_lsp.server.rpc.commands import REFERENCES_COMMAND
from cite_lsp.server.session.progress import ReportProgress, answer_with_progress
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer

_LIMIT = 20
_MOST = 200


def register(server: CiteServer) -> None:
    """Answer the command."""

    @server.command(REFERENCES_COMMAND)
    async def references_command(ls: CiteServer, *arguments: object) -> dict[str, Any] | None:
        uri, limit = _draft_and_limit(arguments)
        return await answer_with_progress(
            ls,
            uri,
            "Looking for papers for this draft",
            lambda request, report: references(request, limit, report),
        )


def references(request: Request, limit: int, report: ReportProgress | None) -> dict[str, Any]:
    """Return what the draft of the request lacks."""
    # Imported where needed: a server starts without models.
    from cite_lsp.recommend.references.find import find_references

    recommender = request.recommender
    recommender.prepare(request.path, cancelled=request.cancelled)
    references = find_references(
        recommender, request.draft(), limit=limit, cancelled=request.cancelled, progress=report
    )
    addresses = Addresses(request.buffers.uri, request.client.encoding)
    return references_document(references, request.path, addresses)


def _draft_and_limit(arguments: tuple[object, ...]) -> tuple[str, int]:
    match arguments:
        case ({"uri": str() as uri, **rest},) if not set(rest) - {"limit"}:
            limit = rest.get("limit", _LIMIT)
            if isinstance(limit, int) and not isinstance(limit, bool) and 1 <= limit <= _MOST:
                return uri, limit
    raise JsonRpcInvalidParams(f"expected the arguments [{{uri, limit?}}], limit from 1 to {_MOST}")
