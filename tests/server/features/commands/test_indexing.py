"""A corpus built from the editor: its progress, its end, and going on with it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from cite_lsp.search.corpus.corpus_index import CorpusIndex, current_version
from cite_lsp.server.features.commands import indexing
from tests.server.editor_session import Session
from tests.server.session.test_progress import progress_reports

pytestmark = pytest.mark.asyncio(loop_scope="session")


def write_papers(path: Path, count: int) -> Path:
    rows = [
        {"id": f"p{number}", "title": f"Tides {number}", "abstract": f"About shore {number}."}
        for number in range(count)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


async def index(session: Session, *arguments: Any) -> Any:  # noqa: ANN401
    params = types.ExecuteCommandParams("citeLsp.index", list(arguments))
    return await session.client.workspace_execute_command_async(params)


async def test_a_corpus_is_built_and_its_progress_is_reported(folder: Path) -> None:
    session = Session(folder)
    session.capabilities.window = types.WindowClientCapabilities(work_done_progress=True)
    async with session:
        source = write_papers(folder / "papers.jsonl", 40)
        summary = await index(session, [source.as_uri()], {"corpus": "tides", "encoder": "static"})
        assert (summary["papers"], summary["encoder"]) == (40, "static")
        assert session.status[0] == "indexing" and session.status[-1] == "ready"
        assert "Indexing tides" in progress_reports(session)[0]
        assert any("of 40 papers" in report for report in progress_reports(session))
    assert len(CorpusIndex(folder / ".home" / "corpora" / "tides")) == 40


async def test_no_code_that_lies_beside_the_draft_is_run(folder: Path) -> None:
    command = (sys.executable, "-P", "-m", "cite_lsp", "serve")
    async with Session(folder, command=command) as session:
        source = write_papers(folder / "papers.jsonl", 4)
        (folder / "numpy.py").write_text("raise SystemExit('a module of the workspace')")
        summary = await index(session, [str(source)], {"corpus": "tides", "encoder": "static"})
        assert summary["papers"] == 4


async def test_the_writer_can_call_it_off_and_it_goes_on_later(folder: Path) -> None:
    session = Session(folder)
    session.capabilities.window = types.WindowClientCapabilities(work_done_progress=True)
    async with session:
        source = write_papers(folder / "papers.jsonl", 4000)
        options = {"corpus": "tides", "encoder": "default"}
        building = asyncio.ensure_future(index(session, [str(source)], options))
        await session.until(
            lambda: any("embedding" in report for report in progress_reports(session))
        )
        (token,) = session.client.progress_reports
        session.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
        assert await asyncio.wait_for(building, 20.0) is None
        assert session.status[-1] == "ready"
        corpus = folder / ".home" / "corpora" / "tides"
        assert current_version(corpus) is None
        assert (corpus / "version-1" / "build.json").exists()


async def test_a_request_that_is_called_off_ends_the_process(folder: Path) -> None:
    async with Session(folder) as session:
        source = write_papers(folder / "papers.jsonl", 4000)
        arguments = [[str(source)], {"corpus": "tides", "encoder": "default"}]
        params = types.ExecuteCommandParams("citeLsp.index", arguments)
        protocol = session.client.protocol
        protocol.send_request(types.WORKSPACE_EXECUTE_COMMAND, params, msg_id=77)
        await session.until(lambda: "indexing" in session.status)
        session.client.cancel_request(types.CancelParams(77))
        await session.until(lambda: session.status[-1] == "ready")
        assert current_version(folder / ".home" / "corpora" / "tides") is None


async def test_what_cannot_be_indexed_is_reported_in_a_line(folder: Path) -> None:
    async with Session(folder) as session:
        assert await index(session, [str(folder / "gone.jsonl")]) is None
        (message,) = session.client.messages
        assert "gone.jsonl: no such file or folder" in message.message
        assert message.type == types.MessageType.Error


@pytest.mark.parametrize("arguments", [[], ["a.jsonl"], [[1]], [["a"], {"engine": "x"}]])
async def test_other_arguments_are_refused(session: Session, arguments: list[object]) -> None:
    with pytest.raises(Exception, match="expected the arguments"):
        await index(session, *arguments)


@pytest.mark.skipif(sys.platform == "win32", reason="begun as on Linux first")
async def test_on_windows_the_process_is_begun_so_that_it_gives_way_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    below_normal, creation_flags = 0x4000, list[int]()

    async def refuse(*command: str, creationflags: int, **pipes: int) -> None:
        creation_flags.append(creationflags)
        raise FileNotFoundError

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refuse)
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            async with indexing.running_process(("cite-lsp", "index")):
                pass
        monkeypatch.setattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", below_normal, raising=False)
    assert creation_flags == [0, below_normal]
