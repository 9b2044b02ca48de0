r"""Completion: the papers to cite where a key is being typed (`\cite{…}`, `[@…]`), best first.

Editors filter and sort what they are sent, each in its own way; an item is written so that none of
them hides or moves it: the typed text opens `filterText`, the rank is `sortText`, the range is
exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from lsprotocol import types

from cite_lsp.library.text.display import shown
from cite_lsp.manuscript.edit.insertion import key_edits
from cite_lsp.manuscript.model import CitationSite
from cite_lsp.manuscript.text.text_edit import TextEdit
from cite_lsp.recommend.base.recommendation import CitedFor, Recommendation
from cite_lsp.recommend.base.short_names import short_name
from cite_lsp.server.edits import add_entry
from cite_lsp.server.features.relation_completion import complete_relation
from cite_lsp.server.render import cards
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer

Remember = Callable[[Sequence[Recommendation], CitedFor], int]
"""Stores an answer and what its papers are to be cited for, for the resolving of its items; returns
its number."""

_GONE_ON = ".:;,!? "
# A blank is one of them: the words of a title are typed inside the braces too.
TRIGGERS = ("{", ",", "@", "[", "<", "&", " ")


def register(server: CiteServer) -> None:
    """Answer `textDocument/completion`."""

    def completion(request: Request, params: types.CompletionParams) -> types.CompletionList | None:
        if request.is_bibliography:
            return complete_relation(request, params.position)
        return complete(request, params, remember=server.sent_lists.remember)

    options = types.CompletionOptions(trigger_characters=TRIGGERS, resolve_provider=True)
    server.answers(types.TEXT_DOCUMENT_COMPLETION, completion, options)


def complete(
    request: Request, params: types.CompletionParams, remember: Remember
) -> types.CompletionList | None:
    """Return the items at a position, None where no citation is being written."""
    completion = request.recommender.complete(
        request.draft(),
        request.offset(params.position),
        limit=request.options.completion.limit,
        cancelled=request.cancelled,
    )
    if completion is None or (
        completion.site.guessed and not _was_wanted(params.context, completion.site.typed)
    ):
        return None
    recommendations = completion.recommendations[: request.options.completion.limit]
    if _nothing_to_add(completion.site.typed, recommendations) and not _was_invoked(params.context):
        recommendations = ()
    answer = remember(recommendations, CitedFor.at(completion.draft, completion.site.start))
    edit = _edit_maker(request, completion.site, params.position)
    items, draft, typed = [], completion.draft, _in_a_line(completion.site.typed)
    for rank, recommendation in enumerate(recommendations):
        key, *before = key_edits(draft.manuscript, completion.site, recommendation.key)
        item = _item(
            request,
            recommendation,
            typed,
            sort_text=f"{rank:04d}",
            text_edit=edit(key),
            preselect=True if rank == 0 and request.client.preselect else None,
            data={"uri": request.buffer.uri, "answer": answer, "rank": rank},
            **add_entry.on_acceptance(request, draft, recommendation),
        )
        if before:
            item.additional_text_edits = [
                *(item.additional_text_edits or ()),
                *map(request.text_edit, before),
            ]
        items.append(item)
    return types.CompletionList(is_incomplete=True, items=items)


def _item(
    request: Request,
    recommendation: Recommendation,
    typed: str,
    **rest: Any,  # noqa: ANN401 - what the caller knows of the item
) -> types.CompletionItem:
    # All at once: every field that is set later is validated once more.
    paper, key = recommendation.paper, recommendation.key
    read = shown(paper)
    # The year early: VS Code looks at 128 characters, and does not ask again once a digit that is
    # typed has emptied its list.
    words = (typed, key, str(paper.year or ""), *read.authors, read.title)
    label, details = key, None
    if request.client.label_details:
        details = types.CompletionItemLabelDetails(
            detail=f" {short_name(paper)}",
            description=_described(recommendation),
        )
    else:
        # Key first: clients that filter or insert by the label do it by the prefix.
        label = f"{key}  {cards.origin(recommendation)}{_in_a_line(cards.line(paper))}"
    return types.CompletionItem(
        label=label,
        label_details=details,
        kind=types.CompletionItemKind.Reference,
        filter_text=" ".join(word for word in words if word),
        **rest,
    )


def _described(recommendation: Recommendation) -> str | None:
    paper = shown(recommendation.paper)
    retracted = " (retracted)" if paper.retracted else ""
    return f"{cards.origin(recommendation)}{paper.title}{retracted}" or None


def _edit_maker(
    request: Request, site: CitationSite, position: types.Position
) -> Callable[[TextEdit], types.TextEdit | types.InsertReplaceEdit]:
    """Return what makes the client's form of the edit that writes a key where it is being typed.

    The protocol wants the ranges on the line of the cursor, around it, so a key list over several
    lines is replaced on that line only. What goes beyond the key under the cursor goes in any case.
    """
    lines = request.buffer.lines
    cursor = request.offset(position)
    line = lines.line_of(cursor)
    start = min(max(site.start, lines.starts[line]), cursor)
    typed = request.range(start, cursor)

    @cache
    def up_to(end: int) -> types.Range:
        return request.range(start, max(min(end, lines.line_end(line)), cursor))

    def edit(key: TextEdit) -> types.TextEdit | types.InsertReplaceEdit:
        if request.client.insert_replace and key.end == site.end:
            return types.InsertReplaceEdit(key.text, insert=typed, replace=up_to(key.end))
        return types.TextEdit(up_to(key.end), key.text)

    return edit


def _nothing_to_add(typed: str, recommendations: Sequence[Recommendation]) -> bool:
    """Whether all there is to propose is the key that is already there.

    Behind it the writer may have gone on: `By @doe2020.` ends a sentence.
    """
    return len(recommendations) == 1 and recommendations[0].key == typed.rstrip(_GONE_ON)


def _was_invoked(context: types.CompletionContext | None) -> bool:
    return context is None or context.trigger_kind == types.CompletionTriggerKind.Invoked


def _was_wanted(context: types.CompletionContext | None, typed: str) -> bool:
    """Whether the writer asks, or types on in a list that was asked for, and not what is typed."""
    by_itself = types.CompletionTriggerKind.TriggerForIncompleteCompletions
    on = context is not None and context.trigger_kind == by_itself
    return on or (not typed and _was_invoked(context))


def _in_a_line(text: str) -> str:
    return " ".join(text.split())
