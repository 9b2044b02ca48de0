"""The client gets the status when papers are ranked by meaning; all works before and without."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsprotocol import types

from cite_lsp.server.config.options import Options
from cite_lsp.server.config.setup import Setup
from cite_lsp.server.rpc.capabilities import ClientAbilities
from cite_lsp.server.session.buffers import BufferStore
from cite_lsp.server.session.server import CiteServer
from cite_lsp.server.watch.diagnostics import DiagnosticsWatch
from cite_lsp.server.watch.warm_up import Readiness
from tests.server.editor_session import Session

TEXT = "See [@¦]\n"


async def test_ready_is_said_once(folder: Path) -> None:
    async with Session(folder) as session:
        draft = session.open("a.md", TEXT)
        await session.ready()
        draft.save()
        session.open("b.md", TEXT)
        await draft.keys()
        assert session.status.count("ready") == 1


async def test_without_an_encoder_words_alone_must_do(folder: Path) -> None:
    async with Session(folder, options={"encoder": "no-such-encoder"}) as session:
        draft = session.open("a.md", TEXT)
        await session.until(lambda: "error" in session.status)
        assert len(await draft.keys()) == 6


async def test_a_new_encoder_is_made_ready_for_the_open_drafts(folder: Path) -> None:
    async with Session(folder, options={"encoder": "no-such-encoder"}) as session:
        session.open("a.md", TEXT)
        await session.until(lambda: "error" in session.status)
        session.client.set_configuration({"encoder": "default"}, section="citeLsp")
        session.change_configuration()
        await session.ready()


class Bench:
    """Stands for the server: does what it is given for a draft, and notes it."""

    def __init__(self, chunks: dict[str, int], fails: str = "") -> None:
        self.noted: list[tuple[str, str]] = []
        self.chunks = chunks
        self.fails = fails
        self.closed = {"closed"}
        self.status = SimpleNamespace(report=lambda *status: self.noted.append(("told", status[0])))
        self.workers = SimpleNamespace(giving_way=lambda cancelled: cancelled)
        self.readiness = Readiness(cast(CiteServer, self))
        self.meanwhile: Callable[[str], None] = lambda uri: None

    async def prepare(self, uri: str, work: Callable[[Any], object]) -> object:
        await asyncio.sleep(0.01)
        if uri in self.closed:
            return None
        recommender = SimpleNamespace(
            prepare=lambda path, **_: self.noted.append(("ready", path)),
            adapt=self.adapt,
            semantic=True,
        )
        return work(SimpleNamespace(recommender=recommender, path=uri, cancelled=None))

    def adapt(self, path: str, *, most: int, cancelled: object) -> bool:
        assert most > 0
        if path == self.fails:
            raise RuntimeError("a bad draft")
        self.noted.append(("adapted", path))
        self.meanwhile(path)
        self.chunks[path] -= 1
        return self.chunks[path] <= 0

    async def work(self) -> list[tuple[str, str]]:
        task = self.readiness.task
        assert task is not None
        await task
        return [note for note in self.noted if note[0] != "told"]


async def test_how_a_writer_cites_is_learned_once_the_drafts_are_ready() -> None:
    bench = Bench({"a": 2, "b": 1})
    bench.readiness.want("a")
    bench.readiness.want("b")
    assert await bench.work() == [
        ("ready", "a"),
        ("ready", "b"),
        ("adapted", "a"),
        ("adapted", "a"),
        ("adapted", "b"),
    ]
    assert bench.noted.count(("told", "ready")) == 2


async def test_a_draft_that_is_opened_does_not_wait_for_what_is_learned_of_another() -> None:
    bench = Bench({"a": 3, "b": 1})

    def open_another(path: str) -> None:
        if bench.noted.count(("adapted", "a")) == 1:
            bench.readiness.want("b")

    bench.meanwhile = open_another
    bench.readiness.want("a")
    done = await bench.work()
    assert done[:3] == [("ready", "a"), ("adapted", "a"), ("ready", "b")]
    assert done.count(("adapted", "a")) == 3 and done.count(("adapted", "b")) == 1


async def test_a_draft_that_tells_nothing_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench({"bad": 1, "b": 1}, fails="bad")
    bench.readiness.want("bad")
    bench.readiness.want("closed")
    bench.readiness.want("b")
    with caplog.at_level(logging.ERROR):
        done = await bench.work()
    assert ("adapted", "b") in done and ("adapted", "bad") not in done
    assert "bad: how its writer cites could not be learned" in caplog.text
    assert ("told", "error") not in bench.noted  # it is ranked as drafts are at large


async def test_closing_a_draft_that_is_being_prepared_updates_the_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench({"a": 1})
    bench.readiness.want("a")
    await bench.work()
    monkeypatch.setattr("cite_lsp.server.watch.warm_up.NOTICEABLE", 0)
    bench.readiness.want("closed")
    await bench.work()
    assert [state for what, state in bench.noted if what == "told"][-2:] == ["preparing", "ready"]


async def test_a_draft_that_is_closed_is_learned_from_no_longer() -> None:
    bench = Bench({"a": 5})
    bench.meanwhile = lambda path: bench.closed.add(path)
    bench.readiness.want("a")
    assert (await bench.work()).count(("adapted", "a")) == 1


@pytest.mark.parametrize("uri", ["file:///b.md", "file:///b.bib"])
async def test_a_draft_that_is_opened_later_is_got_ready_while_it_is_looked_at(uri: str) -> None:
    bench = Bench({uri: 1})
    looking = asyncio.Event()

    async def look() -> None:
        looking.set()
        await asyncio.Event().wait()

    bench.workers.quiet = look
    server = cast(Any, bench)
    server.client, server.options, server.buffers = ClientAbilities(), Options(), BufferStore()
    server.buffers.open(types.TextDocumentItem(uri, "", 1, TEXT))
    server.engine = SimpleNamespace(setup=Setup("default"), built=lambda setup: object())
    watch = DiagnosticsWatch(server)
    watch.opened(uri)
    await looking.wait()
    await asyncio.sleep(0.1)
    assert [path for what, path in bench.noted if what == "ready"] == [uri] * uri.endswith(".md")
    watch.forget(uri)
