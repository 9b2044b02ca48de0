"""What a request sees of the editor: its buffers as they were when it was made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types

from cite_lsp.project.workspace import library_beside, scope_of
from cite_lsp.server.config.options import Options
from cite_lsp.server.config.setup import Setup
from cite_lsp.server.features.symbols import search
from cite_lsp.server.rpc.capabilities import ClientAbilities
from cite_lsp.server.session.buffers import BufferStore
from cite_lsp.server.session.engine import Engine
from cite_lsp.server.session.recent_results import RecentResults
from cite_lsp.server.session.request import Request


@pytest.fixture
def earlier_request(tmp_path: Path) -> Iterator[Request]:
    """A request on a bibliography, and a draft of another folder that is opened meanwhile."""
    refs, others = tmp_path / "desk" / "refs.bib", tmp_path / "later" / "others.bib"
    for path, key in ((refs, "one"), (others, "two")):
        path.parent.mkdir()
        path.write_text(f"@misc{{{key}, title={{Gulls}}}}\n")
    later = others.with_name("later.tex")
    later.write_text("\\cite{one}\\bibliography{../desk/refs,others}\n")
    store = BufferStore()
    item = types.TextDocumentItem(refs.as_uri(), "bibtex", 1, refs.read_text())
    request = Request(
        buffer=store.open(item),
        buffers=store,
        client=ClientAbilities(),
        options=Options(),
        setup=Setup("default"),
        engine=Engine(store),
        cancelled=lambda: False,
        snapshot=store.snapshot(),
        recent=RecentResults(),
    )
    with store.pinned(request.snapshot):
        store.open(types.TextDocumentItem(later.as_uri(), "latex", 1, later.read_text()))
        yield request


def test_a_draft_that_is_opened_meanwhile_brings_no_symbols(earlier_request: Request) -> None:
    assert [symbol.name for symbol in search(earlier_request, "Gulls")] == ["one  Gulls"]


def test_a_draft_that_is_opened_meanwhile_is_not_in_reach(earlier_request: Request) -> None:
    assert not scope_of(earlier_request.surroundings).drafts


def test_a_draft_that_is_opened_meanwhile_puts_no_entries_beside(earlier_request: Request) -> None:
    assert [entry.key for entry in library_beside(earlier_request.surroundings).entries] == ["one"]
