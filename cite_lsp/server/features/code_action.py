"""Code actions: cite one of the best papers for the sentence or marker under the cursor.

`Cite: …` appears at a sentence that cites nothing, and in a marker, which it adds a key to; what
has only been begun of a key there it completes.
`Add missing citations` puts the best paper into every such sentence of the selection, where
the recommender is confident enough to choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import evolve
from lsprotocol import types

from cite_lsp.library.text.display import shortened
from cite_lsp.manuscript.draft.sites import end_in_words, site_at
from cite_lsp.manuscript.edit.begun import begun_marker, completed, is_finished
from cite_lsp.manuscript.edit.cited_in_words import may_cite_in_words
from cite_lsp.manuscript.layout import Span
from cite_lsp.project.citations import on_known_key
from cite_lsp.recommend.base.recommendation import Recommendation
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.rules.missing_citations import cited_until, paragraph_of
from cite_lsp.server.edits import add_entry
from cite_lsp.server.edits.citation_places import (
    CitationPlace,
    begun_place,
    cite_all,
    place_at,
    places_in,
    sentences_between,
)
from cite_lsp.server.edits.gaps import gaps_in
from cite_lsp.server.edits.quick_fix import Actions, fixes, preprint_updates
from cite_lsp.server.edits.ranked_places import MOST_PROPOSED, PapersAt
from cite_lsp.server.render import cards
from cite_lsp.server.rpc.commands import DISMISS_COMMAND
from cite_lsp.server.session.progress import ReportProgress, answer_with_progress
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer
from cite_lsp.server.session.stale_edits import fingerprint, sendable

ADD_MISSING = "source.addMissingCitations"
ADD_MISSING_TITLE = "Add missing citations"
_LONGEST_TITLE = 100
_EDITED = (
    "cite-lsp: the draft was edited meanwhile, so nothing was added: "
    f"choose “{ADD_MISSING_TITLE}” again"
)


class _Edited(Exception):
    """The draft was edited since an action was proposed, or since its edit was made."""


def register(server: CiteServer) -> None:
    """Answer `textDocument/codeAction` and `codeAction/resolve`."""
    options = types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix, ADD_MISSING], resolve_provider=True
    )

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_actions(ls: CiteServer, params: types.CodeActionParams) -> Actions | None:
        texts = ls.buffers.snapshot()

        def work(request: Request) -> Actions:
            if params.context.trigger_kind == types.CodeActionTriggerKind.Automatic:
                # The cursor moved, no writer wants to know: no place to complain.
                request = evolve(request, complain=lambda message: None)
            return code_actions_at(request, params.range, params.context)

        actions = await ls.answer(params.text_document.uri, work)
        return actions and [action for action in actions if sendable(ls, action.edit, texts)]

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve_action(ls: CiteServer, action: types.CodeAction) -> types.CodeAction:
        data: dict[str, Any] = action.data if isinstance(action.data, dict) else {}

        def work(request: Request, report: ReportProgress) -> types.WorkspaceEdit | None:
            if fingerprint(request.buffer.text) != data.get("text"):
                raise _Edited
            offsets = int(data.get("start", 0)), int(data.get("end", 0))
            return add_missing(request, *offsets, str(data.get("kind")), report)

        if not data:
            return action
        title = "Adding missing citations"
        texts = ls.buffers.snapshot()
        try:
            edit = await answer_with_progress(ls, str(data.get("uri", "")), title, work)
            if not sendable(ls, edit, texts):
                raise _Edited
        except _Edited:
            ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, _EDITED))
        else:
            action.edit = edit
        return action


def code_actions_at(
    request: Request, place: types.Range, context: types.CodeActionContext
) -> Actions:
    """Return the actions for a range of the draft; those that silence a rule come last."""
    start, end = request.offset(place.start), request.offset(place.end)
    quick_fixes = _wanted(context, types.CodeActionKind.QuickFix)
    actions: Actions = []
    suppressions: Actions = []
    if quick_fixes:
        repairs, suppressions = fixes(request, start, end)
        actions += repairs
        actions += preprint_updates(request, start)
    if request.is_bibliography:
        return actions + suppressions
    if quick_fixes:
        if adding := add_entry.action(request, start):
            actions.append(adding)
        papers = PapersAt(request)
        actions += _citations(request, start, papers)
        if missing := _missing(request, start, end, types.CodeActionKind.QuickFix, papers):
            actions.append(missing)
    # Only by name: in a list of everything the quick fix of the same title stands for it.
    if context.only and _wanted(context, ADD_MISSING):
        whole = 0, len(request.buffer.text)
        if missing := _missing(request, *whole, ADD_MISSING):
            actions.append(missing)
    return actions + suppressions


def add_missing(
    request: Request,
    start: int,
    end: int,
    kind: str,
    report: ReportProgress | None = None,
    papers: PapersAt | None = None,
) -> types.WorkspaceEdit | None:
    """Return the edit that fills the gaps in `start`:`end`, or in all of the draft; None without.

    A writer who points at one sentence wants a citation there, if any paper is plausible. Of a
    longer stretch the sentences that need one get it, of a whole draft only where the choice is
    sure; then every change is to be confirmed, where the client can ask. A paper goes into a
    paragraph once, and not where that has cited it before, unless a marker waits there, or words
    cite it, which give way to markers wherever they do.
    """
    whole = kind == ADD_MISSING
    places = [] if whole else _uncited(request, start, end)
    if len(places) != 1 or _cites_in_words(request, start, end):
        choices = _sure_choices(request, None if whole else (start, end), report)
        if choices or len(places) != 1:
            return cite_all(request, choices, confirm=whole)
    recommendations = (papers or PapersAt(request)).plausible(places[0])
    return cite_all(request, [(places[0], recommendations)] if recommendations else [])


def _sure_choices(
    request: Request, span: Span | None, report: ReportProgress | None
) -> list[tuple[CitationPlace, Sequence[Recommendation]]]:
    """Return the papers for the gaps of a stretch of the draft, or the certain ones of it all."""
    draft = request.draft()
    sentences = sentences_between(draft, *span) if span else None
    choices: list[tuple[CitationPlace, Sequence[Recommendation]]] = []
    named: dict[int, set[str]] = {}
    for gap in gaps_in(request, draft, sentences, certain=span is None, report=report):
        before = named.setdefault(paragraph_of(draft, gap.sentence), set())
        cited = set() if gap.marker else cited_until(draft, gap.sentence)
        keys = {paper.key for paper in gap.chosen}
        if not gap.in_words and not keys.isdisjoint(before | cited):
            continue
        before |= keys
        choices.append((CitationPlace(draft, gap.marker, gap.sentence), gap.chosen))
    return choices


def _citations(request: Request, offset: int, papers: PapersAt) -> Actions:
    place = place_at(request, offset)
    if place is None:
        return _citations_in_words(request, offset, papers)
    if place.sentence is None:
        completing = _completions(request, place, offset, papers)
        # One that is not closed holds the prose that follows, too.
        if completing or (place.marker and not place.marker.closed):
            return completing
    best = papers.best(place)
    in_words = place.cited_in_words(best)
    actions = [
        _citation(request, place, [paper])
        for paper in best
        # Behind "Doe (2019, 2020)" a single one of them would print names and year again.
        if len(in_words) < 2 or paper not in in_words or place.cited_in_words([paper])
    ]
    if together := papers.together(place, best):
        actions.insert(0, _citation(request, place, together))
    if best and place.sentence is not None:
        actions.append(_dismissal(request, place, best[0]))
    return actions


def _citations_in_words(request: Request, offset: int, papers: PapersAt) -> Actions:
    """Return the actions for papers that words cite, in a sentence that has a citation as well."""
    place = place_at(request, offset, cited=True)
    if place is None or not may_cite_in_words(place.text):
        return []
    best = papers.best(place)
    cited = [[paper] for paper in best if place.cited_in_words([paper])]
    if len(together := place.cited_in_words(best)) > 1:
        cited.insert(0, list(together))
    return [_citation(request, place, recommendations) for recommendations in cited]


def _completions(request: Request, place: CitationPlace, offset: int, papers: PapersAt) -> Actions:
    """Return the actions that put a key in the place of what is typed of one at an offset."""
    draft, text = place.draft, place.draft.manuscript.text
    placeholder_key = place.placeholder_key
    site = site_at(draft.manuscript, placeholder_key.end if placeholder_key else offset)
    if site and (end := end_in_words(text, site)) > site.end:
        offset, site = end, site_at(draft.manuscript, end)
    if site is None and place.marker:
        site = begun_marker(draft.manuscript, place.marker)
    if site is None or (not site.typed.strip() and is_finished(draft.manuscript, site)):
        return []
    site = on_known_key(site, draft.library)
    if draft.library.get(text[site.start : site.end].strip()) is not None:
        return []
    proposed: Sequence[Recommendation] = ()
    if placeholder_key or not site.typed.strip():
        proposed = papers.best(place)
    elif matching := request.recommender.complete(
        draft, offset, limit=MOST_PROPOSED, cancelled=request.cancelled
    ):
        site, proposed = matching.site, matching.recommendations[:MOST_PROPOSED]
    actions: Actions = []
    for paper in proposed:
        completion = completed(draft.manuscript, site, [paper.key], draft.document)
        edit = add_entry.cite(request, draft, [request.text_edit(completion)], [paper.key])
        actions.append(types.CodeAction(_title([paper]), types.CodeActionKind.QuickFix, edit=edit))
    return actions


def _title(papers: Sequence[Recommendation]) -> str:
    names = [short_name(recommendation.paper) for recommendation in papers]
    first = cards.origin(papers[0]) + cards.line(papers[0].paper)
    return f"Cite: {shortened(', '.join(names) if len(names) > 1 else first, _LONGEST_TITLE)}"


def _dismissal(
    request: Request, place: CitationPlace, recommendation: Recommendation
) -> types.CodeAction:
    """Return "Never suggest here" for the paper that comes first; the next one moves up."""
    title = f"Never suggest here: {shortened(cards.line(recommendation.paper), _LONGEST_TITLE)}"
    position = request.range(place.offset, place.offset).start
    arguments = [request.buffer.uri, position, recommendation.key]
    command = types.Command(title, DISMISS_COMMAND, arguments=arguments)
    return types.CodeAction(title, kind=types.CodeActionKind.QuickFix, command=command)


def _citation(
    request: Request, place: CitationPlace, papers: Sequence[Recommendation]
) -> types.CodeAction:
    edit = request.text_edit(place.citing(papers))
    whole = add_entry.cite(request, place.draft, [edit], [paper.key for paper in papers])
    return types.CodeAction(_title(papers), kind=types.CodeActionKind.QuickFix, edit=whole)


def _missing(
    request: Request, start: int, end: int, kind: str, papers: PapersAt | None = None
) -> types.CodeAction | None:
    """Return the action that adds what is missing between two offsets, where something is.

    Ranking for more than one sentence takes a while, so that the edit is left to resolving. For a
    client that does not resolve it is made at once where `ADD_MISSING` is requested by name, and
    the quick fix is left out.
    """
    places = _uncited(request, start, end)
    if not places and (start == end or not _cites_in_words(request, start, end)):
        return None
    action = types.CodeAction(ADD_MISSING_TITLE, kind=kind)
    whole, later = kind == ADD_MISSING, request.client.code_action_resolve
    at_once = not later if whole else len(places) == 1
    if at_once:
        action.edit = add_missing(request, start, end, kind, papers=papers)
        return action if action.edit else None
    if not later:
        return None
    identity = {"uri": request.buffer.uri, "text": fingerprint(request.buffer.text)}
    action.data = {**identity, "start": start, "end": end, "kind": kind}
    return action


def _uncited(request: Request, start: int, end: int) -> list[CitationPlace]:
    """Return where citations are wanted in the sentences between two offsets of the draft."""
    draft = request.draft()
    if start == end and (begun := begun_place(draft, start)):
        return [begun]
    return [
        place
        for sentence in sentences_between(draft, start, end)
        for place in places_in(draft, sentence)
    ]


def _cites_in_words(request: Request, start: int, end: int) -> bool:
    """Whether a sentence between two offsets of the draft may cite in words."""
    sentences = sentences_between(request.draft(), start, end)
    return any(may_cite_in_words(sentence.text) for sentence in sentences)


def _wanted(context: types.CodeActionContext, kind: str) -> bool:
    """Whether a kind is requested; "source" includes "source.addMissingCitations"."""
    if not context.only:
        return True
    wanted_kinds = [str(getattr(wanted, "value", wanted)) for wanted in context.only]
    kind = str(getattr(kind, "value", kind))
    return any(not only or kind == only or kind.startswith(f"{only}.") for only in wanted_kinds)
