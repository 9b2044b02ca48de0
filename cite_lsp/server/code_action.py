"""Code actions: cite one of the best papers for the sentence or marker under the cursor.

`Cite: …` is offered at a sentence that cites nothing, and in a marker, which it adds a key to.
`Add missing citations` puts the best paper into every such sentence of the selection, where
the recommender is confident enough to choose.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from cite_lsp.recommend.model import Recommendation
from cite_lsp.server import add_entry, cards
from cite_lsp.server.missing import DISMISS_COMMAND, dismissals
from cite_lsp.server.places import Place, place_at
from cite_lsp.server.quick_fix import fixes
from cite_lsp.server.request import Request
from cite_lsp.server.server import CiteServer

ADD_MISSING = "source.addMissingCitations"
ADD_MISSING_TITLE = "Add missing citations"
INSERT_COMMAND = "citeLsp.insert"
_OFFERED = 5
_LONGEST_TITLE = 100

Actions = list[types.CodeAction | types.Command]


def register(server: CiteServer) -> None:
    """Answer `textDocument/codeAction` and `codeAction/resolve`."""
    options = types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix, ADD_MISSING], resolve_provider=True
    )

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_actions(ls: CiteServer, params: types.CodeActionParams) -> Actions | None:
        return await ls.answer(
            params.text_document.uri, lambda request: offer(request, params.range, params.context)
        )

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve_action(ls: CiteServer, action: types.CodeAction) -> types.CodeAction:
        data: dict[str, Any] = action.data if isinstance(action.data, dict) else {}

        def work(request: Request) -> types.CodeAction:
            if request.document.version == data.get("version"):
                offsets = int(data.get("start", 0)), int(data.get("end", 0))
                action.edit = add_missing(request, *offsets)
            return action

        return await ls.answer(str(data.get("uri", "")), work) or action


def offer(request: Request, place: types.Range, context: types.CodeActionContext) -> Actions:
    """Return the actions for a range of the draft."""
    start, end = request.offset(place.start), request.offset(place.end)
    actions: Actions = []
    if _wanted(context, types.CodeActionKind.QuickFix):
        if request.client.code_action_literals:
            actions += fixes(request, start, end)
        if not request.is_bibliography:
            if request.client.code_action_literals and (adding := add_entry.action(request, start)):
                actions.append(adding)
            actions += _citations(request, start)
    if request.is_bibliography:
        return actions
    for kind in (types.CodeActionKind.QuickFix, ADD_MISSING):
        asked_by_name = kind == ADD_MISSING and bool(context.only)
        if kind == ADD_MISSING and not asked_by_name:
            continue  # in a list of everything the quickfix of the same name stands for it
        if _wanted(context, kind) and (
            action := _missing(request, start, end, kind, asked_by_name)
        ):
            actions.append(action)
    return actions


def add_missing(request: Request, start: int, end: int) -> types.WorkspaceEdit | None:
    """Return the edit that cites the best paper in every uncited sentence of `start`:`end`.

    Sentences for which no paper scores well enough are left alone; None when all are. A writer who
    asks for one sentence wants a citation there, of a longer stretch only some lack one.
    """
    from cite_lsp.recommend.draft import CONFIDENT, PLAUSIBLE

    edits, keys = [], []
    places = _uncited(request, start, end)
    enough = PLAUSIBLE if len(places) == 1 else CONFIDENT
    for place in places:
        if request.cancelled():
            return None
        best = _recommendations(request, place, limit=1)
        if best and best[0].score >= enough:
            edits.append(place.edit(request, [best[0].key]))
            keys.append(best[0].key)
    return add_entry.cite(request, request.draft(), edits, keys) if edits else None


def _citations(request: Request, offset: int) -> Actions:
    place = place_at(request, offset)
    if place is None:
        return []
    found = _recommendations(request, place, limit=_OFFERED)
    actions = [_citation(request, place, recommendation) for recommendation in found]
    if found and place.marker is None:
        actions.append(_dismissal(request, place, found[0]))
    return actions


def _recommendations(request: Request, place: Place, limit: int) -> tuple[Recommendation, ...]:
    """Return the best papers for a place, those it cites and those dismissed for it left out."""
    out = place.cited | dismissals(request).keys(place.text)
    found = request.recommender.recommend(
        request.path, place.offset, limit=limit + len(out), cancelled=request.cancelled
    )
    return tuple(paper for paper in found if paper.key not in out)[:limit]


def _dismissal(
    request: Request, place: Place, recommendation: Recommendation
) -> types.CodeAction | types.Command:
    """Return "Not this one" for the paper that is offered first; the next one moves up."""
    title = f"Not this one: {_shortened(cards.line(recommendation.paper))}"
    position = request.range(place.offset, place.offset).start
    arguments = [request.document.uri, position, recommendation.key]
    command = types.Command(title, DISMISS_COMMAND, arguments=arguments)
    if not request.client.code_action_literals:
        return command
    return types.CodeAction(title, kind=types.CodeActionKind.QuickFix, command=command)


def _citation(
    request: Request, place: Place, recommendation: Recommendation
) -> types.CodeAction | types.Command:
    title = f"Cite: {_shortened(cards.origin(recommendation) + cards.line(recommendation.paper))}"
    edit = place.edit(request, [recommendation.key])
    if not request.client.code_action_literals:
        arguments = [request.document.uri, edit.range.start, recommendation.key]
        return types.Command(title, INSERT_COMMAND, arguments=arguments)
    whole = add_entry.cite(request, place.draft, [edit], [recommendation.key])
    return types.CodeAction(title, kind=types.CodeActionKind.QuickFix, edit=whole)


def _missing(
    request: Request, start: int, end: int, kind: str, asked_by_name: bool
) -> types.CodeAction | None:
    """Return the action that adds what is missing, where something is.

    Ranking for a long selection takes a while, so its edit is left to resolving where the client
    resolves, and where it does not, to a request for this kind of action.
    """
    if not request.client.code_action_literals:
        return None
    places = _uncited(request, start, end)
    if not places:
        return None
    action = types.CodeAction(ADD_MISSING_TITLE, kind=kind)
    if len(places) == 1 or asked_by_name:
        action.edit = add_missing(request, start, end)
        return action if action.edit else None
    if not request.client.code_action_resolve:
        return None
    identity = {"uri": request.document.uri, "version": request.document.version}
    action.data = {**identity, "start": start, "end": end}
    return action


def _uncited(request: Request, start: int, end: int) -> list[Place]:
    draft = request.draft()
    return [
        Place(draft, None, sentence)
        for sentence in draft.manuscript.sentences
        if sentence.start <= end and start <= sentence.end and not sentence.markers
    ]


def _wanted(context: types.CodeActionContext, kind: str) -> bool:
    """Whether a kind is asked for; "source" asks for "source.addMissingCitations" too."""
    if not context.only:
        return True
    asked = [str(getattr(wanted, "value", wanted)) for wanted in context.only]
    kind = str(getattr(kind, "value", kind))
    return any(not only or kind == only or kind.startswith(f"{only}.") for only in asked)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TITLE else text[: _LONGEST_TITLE - 1].rstrip() + "…"
