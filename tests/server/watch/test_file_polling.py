"""Which bibliographies are polled, and that a change of one is noticed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cite_lsp.library.load.read import stamps
from cite_lsp.server.session.workers import Workers
from cite_lsp.server.watch.file_polling import PolledFiles, bibliography_stamps


def test_what_is_open_is_not_followed(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("open.bib", "refs.bib", "zotero.sqlite")]
    library = SimpleNamespace(bibliographies=[SimpleNamespace(path=path) for path in paths])
    request: Any = SimpleNamespace(
        is_bibliography=False,
        draft=lambda: SimpleNamespace(library=library),
        snapshot={paths[0]: None},
    )
    assert [path for path, _ in bibliography_stamps(request)] == paths[1:]


@pytest.fixture
def busy() -> Iterator[Workers]:
    """Workers of which every thread is at work that does not end: embedding, answers, hints."""
    workers, release = Workers(), threading.Event()
    for threads in (workers._background, workers._requests, workers._lengthy):
        for _ in range(3):
            threads.submit(release.wait, 120)
    yield workers
    release.set()
    workers.stop()


async def test_a_changed_bibliography_is_noticed_within_two_seconds_whatever_else_is_done(
    busy: Workers, tmp_path: Path
) -> None:
    path, clock, noticed = tmp_path / "refs.bib", [0.0], asyncio.Event()
    path.write_text("@misc{before}", encoding="utf-8")
    answering = asyncio.create_task(busy.answer(lambda cancelled: None))  # it is never quiet

    async def sleep(seconds: float) -> None:
        clock[0] += seconds
        if clock[0] == seconds:
            path.write_text("@misc{after, title = {After}}", encoding="utf-8")
        await asyncio.sleep(0)

    polled = PolledFiles(busy, lambda uri: noticed.set(), sleep)
    polled.follow("file:///draft.tex", ((path, stamps(path)),))
    await asyncio.wait_for(noticed.wait(), 30)
    assert clock[0] <= 2.0
    answering.cancel()


async def test_files_that_nobody_changes_are_not_reported(tmp_path: Path) -> None:
    path, looks, enough = tmp_path / "refs.bib", [0], asyncio.Event()
    path.write_text("@misc{before}", encoding="utf-8")
    workers, reported = Workers(), list[str]()

    async def sleep(seconds: float) -> None:
        looks[0] += 1
        if looks[0] > 3:
            polled.forget("file:///draft.tex")
            enough.set()
        await asyncio.sleep(0)

    polled = PolledFiles(workers, reported.append, sleep)
    polled.follow("file:///draft.tex", ((path, stamps(path)),))
    await asyncio.wait_for(enough.wait(), 30)
    assert reported == []
    workers.stop()
