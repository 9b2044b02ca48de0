"""Resolving a completion item: who wrote the paper, where, what it says, and why it is proposed.

Only the item under the writer's eyes is resolved, so a list stays a few kilobytes.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from cite_lsp.library import Library
from cite_lsp.library.annotations import annotations_of
from cite_lsp.project.workspace import library_beside
from cite_lsp.server.render import cards
from cite_lsp.server.session.completion_lists import CompletionLists
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer


def register(server: CiteServer) -> None:
    """Answer `completionItem/resolve`."""

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    async def resolve_item(ls: CiteServer, item: types.CompletionItem) -> types.CompletionItem:
        data: dict[str, Any] = item.data if isinstance(item.data, dict) else {}

        def work(request: Request) -> types.CompletionItem:
            return resolve(request, item, ls.sent_lists)

        return await ls.answer(str(data.get("uri", "")), work) or item


def resolve(
    request: Request, item: types.CompletionItem, sent_lists: CompletionLists
) -> types.CompletionItem:
    """Return the item with its documentation; from a forgotten answer, without the reason."""
    data: dict[str, Any] = item.data if isinstance(item.data, dict) else {}
    recalled = sent_lists.recall(data.get("answer", 0), data.get("rank", -1))
    markup = request.client.completion_markup
    if recalled is not None:
        recommendation = request.recommender.with_passages(*recalled)
        item.documentation = cards.recommended(recommendation, markup)
    elif entry := _library(request).get(_inserted(item)):
        notes = cards.annotated(annotations_of(entry), "en")
        item.documentation = cards.card(entry.paper, markup, notes=notes)
    return item


def _library(request: Request) -> Library:
    if request.is_bibliography:
        return library_beside(request.surroundings)
    return request.draft().library


def _inserted(item: types.CompletionItem) -> str:
    return item.text_edit.new_text.strip("@ ") if item.text_edit else item.label
