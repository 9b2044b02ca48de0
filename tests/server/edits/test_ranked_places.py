"""A place that one request asks about several times is ranked once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.server.config.options import Options
from cite_lsp.server.features.code_action import ADD_MISSING_TITLE, offer
from cite_lsp.server.rpc.capabilities import Client
from cite_lsp.server.session.documents import DocumentStore
from cite_lsp.server.session.draft_cache import RecentDrafts
from cite_lsp.server.session.engine import Engine
from cite_lsp.server.session.request import Request
from tests.server.features.test_code_action import LATEX, SENTENCE


def test_one_request_for_actions_ranks_a_sentence_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked: list[int] = []
    recommend = DraftRecommender.recommend

    def counting(self: DraftRecommender, path: Path, offset: int, **wishes: Any) -> Any:  # noqa: ANN401
        ranked.append(offset)
        return recommend(self, path, offset, **wishes)

    monkeypatch.setattr(DraftRecommender, "recommend", counting)
    store, path = DocumentStore(), folder / "a.tex"
    document = store.open(types.TextDocumentItem(path.as_uri(), "latex", 1, LATEX))
    client = Client(code_action_literals=True, code_action_resolve=True, versioned_edits=True)
    request = Request(
        document,
        store,
        client,
        Options(),
        Engine(store),
        lambda: False,
        store.snapshot(),
        RecentDrafts(),
    )
    offset = LATEX.index(SENTENCE) + 5
    found = offer(request, request.range(offset, offset), types.CodeActionContext([]))
    assert ADD_MISSING_TITLE in [one.title for one in found]
    assert ranked == [LATEX.index(SENTENCE)]
