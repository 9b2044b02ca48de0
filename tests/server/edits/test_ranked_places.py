"""What one request asks for several times is found out once: a place, and the draft itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from lsprotocol import types

from cite_lsp.project.draft import Draft
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.server.config.options import Options
from cite_lsp.server.config.setup import Setup
from cite_lsp.server.features.code_action import ADD_MISSING_TITLE, code_actions_at
from cite_lsp.server.features.completion import complete
from cite_lsp.server.rpc.capabilities import ClientAbilities
from cite_lsp.server.session import request
from cite_lsp.server.session.buffers import BufferStore
from cite_lsp.server.session.engine import Engine
from cite_lsp.server.session.recent_results import RecentResults
from cite_lsp.server.session.request import Request
from tests.server.features.test_code_action import LATEX, SENTENCE


def test_one_request_for_actions_ranks_a_sentence_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked: list[int] = []
    recommend = DraftRecommender.recommend

    def counting(self: DraftRecommender, draft: Draft, offset: int, **wishes: Any) -> Any:  # noqa: ANN401
        ranked.append(offset)
        return recommend(self, draft, offset, **wishes)

    monkeypatch.setattr(DraftRecommender, "recommend", counting)
    request = request_on(folder, LATEX)
    offset = LATEX.index(SENTENCE) + 5
    actions = code_actions_at(request, request.range(offset, offset), types.CodeActionContext([]))
    assert ADD_MISSING_TITLE in [action.title for action in actions]
    assert ranked == [LATEX.index(SENTENCE)]


@pytest.mark.parametrize("typed", ["", "he2016"])
def test_one_request_reads_the_draft_once_however_many_files_it_has(
    folder: Path, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    for number in range(20):  # more than are looked at again for the next request
        (folder / f"part{number}.tex").write_text(f"Part {number}.", encoding="utf-8")
    parts = "".join(f"\\input{{part{number}}}" for number in range(20))
    text = (
        f"\\documentclass{{article}}\\bibliography{{refs}}{parts}\nA sentence. \\cite{{{typed}}}\n"
    )
    request, reads = request_on(folder, text), list[Path]()
    read = DraftRecommender.draft

    def counting(self: DraftRecommender, path: Path) -> Draft:
        reads.append(path)
        return read(self, path)

    monkeypatch.setattr(DraftRecommender, "draft", counting)
    cursor = request.range(*[text.index("\\cite{") + len("\\cite{")] * 2)
    assert code_actions_at(request, cursor, types.CodeActionContext([]))
    assert reads == [request.path]


def test_a_list_of_keys_is_made_of_the_draft_that_was_read_a_moment_ago(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "MOMENT", 60.0)
    text = "\\cite{}\\bibliography{refs}"
    first = request_on(folder, text)
    first.draft()
    monkeypatch.setattr(DraftRecommender, "draft", lambda self, path: pytest.fail("read again"))
    params = types.CompletionParams(
        types.TextDocumentIdentifier(first.buffer.uri), first.range(6, 6).start
    )
    completions = complete(evolve(first), params, remember=lambda items, _: len(items))
    assert completions is not None and len(completions.items) == 6


def request_on(folder: Path, text: str) -> Request:
    store, path = BufferStore(), folder / "a.tex"
    buffer = store.open(types.TextDocumentItem(path.as_uri(), "latex", 1, text))
    client = ClientAbilities(code_action_resolve=True, versioned_edits=True)
    return Request(
        buffer,
        store,
        client,
        Options(),
        Setup("default"),
        Engine(store),
        lambda: False,
        store.snapshot(),
        RecentResults(),
    )
