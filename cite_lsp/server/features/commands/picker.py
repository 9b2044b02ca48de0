"""Commands, for editors that hide what they are sent: a picker can be built on them.

`citeLsp.recommend` [uri, position, limit?] returns the recommendations there as plain rows;
`citeLsp.insert` [uri, position, key or keys] cites there what is not cited there yet, and returns
whether the client did so;
`citeLsp.addEntry` [uri, key] adds an entry of another file to the draft's own bibliography;
`citeLsp.showReferences` [uri, position] returns where the key there is cited.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from cite_lsp.server.edits.add_entry import add, citable, cite, paper_of
from cite_lsp.server.edits.citation_places import place_at
from cite_lsp.server.edits.gaps import dismissals
from cite_lsp.server.features.find_references import find
from cite_lsp.server.render.rows import row
from cite_lsp.server.rpc.commands import (
    ADD_COMMAND,
    INSERT_COMMAND,
    RECOMMEND_COMMAND,
    SHOW_COMMAND,
    place_arguments,
)
from cite_lsp.server.session.request import Request, Snapshot
from cite_lsp.server.session.server import CiteServer
from cite_lsp.server.session.stale_edits import fits, sendable

_LIMIT = 10
_ATTEMPTS = 3
"""How often an entry is placed in a text that is edited meanwhile: the writer types on."""


def register(server: CiteServer) -> None:
    """Answer `workspace/executeCommand`."""

    @server.command(RECOMMEND_COMMAND)
    async def recommend_command(ls: CiteServer, *arguments: object) -> list[dict[str, Any]] | None:
        uri, position, limit = place_arguments(arguments, _LIMIT, int)
        return await ls.answer(uri, lambda request: rows(request, position, limit))

    @server.command(ADD_COMMAND)
    async def add_command(ls: CiteServer, *arguments: object) -> bool:
        match arguments:
            case (str() as uri, str() as key):
                pass
            case _:
                raise JsonRpcInvalidParams("expected the arguments [uri, key]")
        for _ in range(_ATTEMPTS):
            texts = ls.buffers.snapshot()
            edit = await ls.answer(uri, lambda request: add(request, key))
            if edit is None or fits(ls, edit, texts):
                break
        return await _applied(ls, edit, texts, f"Add {key}")

    @server.command(SHOW_COMMAND)
    async def show_command(ls: CiteServer, *arguments: object) -> list[types.Location] | None:
        uri, position, _ = place_arguments(arguments, None, object)
        return await ls.answer(uri, lambda request: find(request, position, with_entry=False))

    @server.command(INSERT_COMMAND)
    async def insert_command(ls: CiteServer, *arguments: object) -> bool:
        uri, position, keys = place_arguments(arguments, None, str | list)
        keys = [keys] if isinstance(keys, str) else [str(key) for key in keys]
        texts = ls.buffers.snapshot()
        edit = await ls.answer(uri, lambda request: insert(request, position, keys))
        return await _applied(ls, edit, texts, f"Cite {', '.join(keys)}")


async def _applied(
    ls: CiteServer, edit: types.WorkspaceEdit | None, texts: Snapshot, label: str
) -> bool:
    if edit is None or not sendable(ls, edit, texts):
        return False
    params = types.ApplyWorkspaceEditParams(edit, label)
    return (await ls.workspace_apply_edit_async(params)).applied


def rows(request: Request, position: types.Position, limit: int) -> list[dict[str, Any]]:
    """Return the recommendations for a position, best first, as plain data.

    What was dismissed for the sentence there is left out.
    """
    offset = request.offset(position)
    draft = request.draft()
    manuscript = draft.manuscript
    sentence, marker = manuscript.sentence_at(offset), manuscript.marker_at(offset)
    unwanted = dismissals(request).keys(sentence.text) if sentence else frozenset()
    ranked = request.recommender.recommend(
        draft, offset, limit=limit + len(unwanted), cancelled=request.cancelled
    )
    remaining = [recommendation for recommendation in ranked if recommendation.key not in unwanted]
    markers = (*(sentence.markers if sentence else ()), *((marker,) if marker else ()))
    cited = {key.text for marker in markers for key in marker.keys}
    return [row(recommendation, cited) for recommendation in remaining[:limit]]


def insert(
    request: Request, position: types.Position, keys: Sequence[str]
) -> types.WorkspaceEdit | None:
    """Return the edit that cites keys at a position.

    None where no citation can go, and where all of them are cited already.
    """
    place = place_at(request, request.offset(position), cited=True)
    if place is None or not keys:
        return None
    keys = list(dict.fromkeys(citable(request, place.draft, key) for key in keys))
    papers = [paper for key in keys if (paper := paper_of(request, place.draft, key))]
    edit = place.edit(keys, papers if len(papers) == len(keys) else ())
    return cite(request, place.draft, [request.text_edit(edit)], keys) if edit.text else None
