"""Resolving a completion item: who wrote the paper, where, what it says, and why it is proposed.

Only the item under the writer's eyes is resolved, so a list stays a few kilobytes.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from cite_lsp.recommend.model import Recommendation
from cite_lsp.server import cards
from cite_lsp.server.request import Request

if TYPE_CHECKING:
    from cite_lsp.server.server import CiteServer

_KEPT_ANSWERS = 16


class Answers:
    """The last completion lists, numbered, for the resolving of their items. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[int, tuple[Recommendation, ...]] = {}
        self._count = 0

    def remember(self, recommendations: Sequence[Recommendation]) -> int:
        """Keep an answer and return its number; the oldest one is forgotten for it."""
        with self._lock:
            self._count += 1
            self._kept[self._count] = tuple(recommendations)
            if len(self._kept) > _KEPT_ANSWERS:
                del self._kept[next(iter(self._kept))]
            return self._count

    def recall(self, answer: int, rank: int) -> Recommendation | None:
        """Return one recommendation of an answer, None when it is no longer kept."""
        kept = self._kept.get(answer, ())
        return kept[rank] if 0 <= rank < len(kept) else None


def register(server: CiteServer) -> None:
    """Answer `completionItem/resolve`."""

    @server.feature(types.COMPLETION_ITEM_RESOLVE)
    async def resolve_item(ls: CiteServer, item: types.CompletionItem) -> types.CompletionItem:
        data: dict[str, Any] = item.data if isinstance(item.data, dict) else {}

        def work(request: Request) -> types.CompletionItem:
            return resolve(request, item, ls.answers)

        return await ls.answer(str(data.get("uri", "")), work) or item


def resolve(request: Request, item: types.CompletionItem, answers: Answers) -> types.CompletionItem:
    """Return the item with its documentation; from a forgotten answer, without the reason."""
    data: dict[str, Any] = item.data if isinstance(item.data, dict) else {}
    recommendation = answers.recall(data.get("answer", 0), data.get("rank", -1))
    markup = request.client.completion_markup
    if recommendation is not None:
        why = cards.reason(recommendation)
        item.documentation = cards.card(recommendation.paper, markup, why)
    elif entry := request.draft().library.get(_inserted(item)):
        item.documentation = cards.card(entry.paper, markup)
    return item


def _inserted(item: types.CompletionItem) -> str:
    return item.text_edit.new_text if item.text_edit else item.label
