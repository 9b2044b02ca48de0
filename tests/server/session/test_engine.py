"""A change of settings is another recommender, and the one before lets go of all that it holds."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from lsprotocol import types

from cite_lsp.cancelling import Cancelled
from cite_lsp.paper import Paper
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.server.app import create_server
from cite_lsp.server.config.setup import Setup
from cite_lsp.server.session.buffers import BufferStore
from cite_lsp.server.session.engine import Engine, Texts, build
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer
from cite_lsp.server.watch.warm_up import Readiness
from tests.recommend.shores import TopicEncoder
from tests.server import desk as open_draft

UNREACHABLE = "milvus+file:///nowhere/papers.db/shores"


class Stand:
    """Stands for a recommender; notes that it was closed."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


class Desk:
    """An engine of stand-ins, in the order in which they were built."""

    def __init__(self) -> None:
        self.built: list[Stand] = []
        self.during: Callable[[], None] = lambda: None
        self.engine = Engine(BufferStore(), self._build)

    def _build(self, setup: Setup, texts: Texts, **shared: object) -> DraftRecommender:
        self.built.append(Stand(setup))
        self.during()
        return cast(DraftRecommender, self.built[-1])


def test_the_recommender_of_before_is_closed_once_another_takes_its_place() -> None:
    desk = Desk()
    for encoder in ("first", "first", "second"):
        desk.engine.configure(Setup(encoder))
        assert desk.engine.recommender(desk.engine.setup) is cast(DraftRecommender, desk.built[-1])
    assert [(stand.setup.encoder, stand.closed) for stand in desk.built] == [
        ("first", 1),
        ("second", 0),
    ]


def test_the_last_recommender_is_closed_with_the_engine() -> None:
    desk = Desk()
    desk.engine.close()  # nothing was built
    desk = Desk()
    desk.engine.recommender(desk.engine.setup)
    desk.engine.close()
    assert [stand.closed for stand in desk.built] == [1]


def test_a_recommender_that_is_built_while_the_engine_is_closed_is_closed_too() -> None:
    desk = Desk()
    desk.during = desk.engine.close
    desk.engine.recommender(desk.engine.setup)
    assert [stand.closed for stand in desk.built] == [1]


def test_the_engine_is_closed_when_the_client_leaves() -> None:
    desk = Desk()
    server = create_server(lambda buffers: desk.engine)
    desk.engine.recommender(desk.engine.setup)
    shutdown = server.protocol.fm.features[types.SHUTDOWN]
    shutdown(None)
    assert [stand.closed for stand in desk.built] == [1]
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(server.workers.answer(lambda cancelled: None))


@pytest.fixture
def draft(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A draft, and a corpus on this machine."""
    build_corpus(folder / "home" / "corpora" / "birds", [Paper("g", "Gulls")], TopicEncoder())
    monkeypatch.setenv("CITE_LSP_HOME", str(folder / "home"))
    path = folder / "a.tex"
    path.write_text("\\cite{he2016resnet}\\bibliography{refs}", encoding="utf-8")
    return path


@pytest.fixture
def frozen() -> Iterator[None]:
    """The garbage collector as the server has it: it never comes to what is old."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("frozen")
def test_nothing_is_left_of_the_recommender_of_before(draft: Path) -> None:
    desk = open_draft.Desk(draft, draft.read_text(), corpora=("*", UNREACHABLE))
    engine = desk.engine
    engine.recommender(engine.setup).prepare(draft)
    desk.request().draft()
    before = weakref.ref(engine.recommender(engine.setup))
    engine.configure(Setup("static", corpora=(), other_drafts=False))
    engine.recommender(engine.setup)
    assert before() is None


def threads_of_corpora() -> list[threading.Thread]:
    names = ("remote-", "ask-")
    return [thread for thread in threading.enumerate() if thread.name.startswith(names)]


def test_the_threads_of_remote_corpora_end_with_the_settings_that_named_them(draft: Path) -> None:
    engine = Engine(BufferStore())
    engine.configure(Setup("static", corpora=(UNREACHABLE,), other_drafts=False))
    engine.recommender(engine.setup).prepare(draft)
    threads = threads_of_corpora()
    assert threads
    engine.configure(Setup("static", corpora=(), other_drafts=False))
    engine.recommender(engine.setup)
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)


def test_a_closed_recommender_answers_from_memory_and_makes_nothing_ready(draft: Path) -> None:
    recommender = build(Setup("static", other_drafts=False), BufferStore())
    with recommender:
        recommender.prepare(draft)
    assert recommender.complete(recommender.draft(draft), len("\\cite{")) is not None
    assert recommender.corpora.names() == ()
    with pytest.raises(Cancelled):
        recommender.prepare(draft)


async def test_a_draft_that_was_being_made_ready_under_other_settings_is_no_fault(
    draft: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server = CiteServer(Engine)
    server.engine.configure(Setup("static", other_drafts=False))
    document = types.TextDocumentItem(draft.as_uri(), "latex", 1, draft.read_text())
    server.buffers.open(document)
    readiness = Readiness(server)
    statuses: list[tuple[Any, ...]] = []
    server.status.report = lambda *what: statuses.append(what)  # type: ignore[method-assign]

    def work(request: Request) -> bool | None:
        recommender = request.recommender
        request.engine.configure(Setup("static", corpora=(), other_drafts=False))
        recommender.close()
        object.__setattr__(request, "engine", EarlierEngine(recommender))
        return readiness.make_ready(request)

    with caplog.at_level(logging.ERROR):
        assert await server.prepare(document.uri, work) is None
    assert caplog.records == []
    server.close()


class EarlierEngine:
    """An engine whose worker got its recommender before another took its place."""

    def __init__(self, recommender: DraftRecommender) -> None:
        self._recommender = recommender

    def recommender(self, setup: Setup) -> DraftRecommender:
        return self._recommender

    def built(self, setup: Setup) -> None:
        """Return nothing: of this setup there is none any more."""
