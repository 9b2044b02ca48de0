"""An open document of the server, and the requests on it, without an editor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attrs import evolve
from lsprotocol import types

from cite_lsp.project.draft import Draft
from cite_lsp.rules.findings import Finding
from cite_lsp.server.config.options import Options
from cite_lsp.server.config.setup import Setup
from cite_lsp.server.rpc.capabilities import ClientAbilities
from cite_lsp.server.session.buffers import BufferStore
from cite_lsp.server.session.engine import Engine
from cite_lsp.server.session.finding_diagnostics import findings_of
from cite_lsp.server.session.recent_results import RecentResults
from cite_lsp.server.session.request import Request


class Desk:
    """An open document, and how often it was examined."""

    def __init__(self, path: Path, text: str, corpora: tuple[str, ...] | None = ()) -> None:
        self.path, self.store, self.examined = path, BufferStore(), 0
        self.engine = Engine(self.store)
        self.engine.configure(Setup("static", corpora=corpora, other_drafts=False))
        self.recent: RecentResults[Draft] = RecentResults()
        self.findings: RecentResults[tuple[Finding, ...]] = RecentResults()
        self.store.open(types.TextDocumentItem(path.as_uri(), "latex", 1, text))

    def request(self, **changed: Any) -> Request:  # noqa: ANN401
        buffer = self.store.find(self.path)
        assert buffer is not None
        request = Request(
            buffer=buffer,
            buffers=self.store,
            client=ClientAbilities(),
            options=Options(),
            setup=self.engine.setup,
            engine=self.engine,
            cancelled=lambda: False,
            snapshot=self.store.snapshot(),
            recent=self.recent,
            findings=self.findings,
        )
        return evolve(request, **changed)

    def rules(self, **changed: Any) -> list[str]:  # noqa: ANN401
        return [finding.rule for finding in findings_of(self.request(**changed))]
