"""What a draft as a whole should cite: the command that lists it, and the commands it names."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcRequestCancelled

from tests.server.editor_session import PATIENCE, Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = (
    "# Related work\n\nResidual learning won [@he2016resnet].\n\n# Networks\n\n"
    "深 😀 A network for translation can be built from attention alone, as others have shown.\n"
)

SLOW = Path(__file__).parents[2] / "slow_disk_server.py"
CHAPTERS = 200


async def run(draft: Buffer, command: str, *arguments: Any) -> Any:  # noqa: ANN401
    return await draft.session.client.workspace_execute_command_async(
        types.ExecuteCommandParams(command, arguments=list(arguments))
    )


async def test_papers_that_the_draft_lacks_are_listed_and_their_command_cites_them(
    session: Session,
) -> None:
    draft = session.open("whole.md", TEXT)
    document = await run(draft, "citeLsp.references", {"uri": draft.uri, "limit": 3})
    papers = [paper for group in document["groups"] for paper in group["papers"]]
    assert 1 < len(papers) <= 3 and all(paper["reasons"] for paper in papers)
    assert "he2016resnet" not in [paper["key"] for paper in papers]
    best = next(paper for paper in papers if paper["key"] == "vaswani2017attention")
    assert (best["inLibrary"], best["corpus"], best["add"]) == (True, "", None)
    assert best["place"]["section"] == "Networks"
    assert best["place"]["sentence"].startswith("深 😀 A network")
    assert best["place"]["line"] == 6
    assert best["place"]["uri"] == document["uri"] == draft.uri
    cite = best["cite"]
    assert await run(draft, cite["command"], *cite["arguments"])
    (change,) = session.applied[-1].document_changes or []
    assert isinstance(change, types.TextDocumentEdit)
    (edit,) = change.edits
    assert isinstance(edit, types.TextEdit)
    assert "as others have shown [@vaswani2017attention]." in draft.after(edit)


@pytest.mark.parametrize(
    "arguments", [(), ("uri",), ({"uri": "file:///a.md", "limit": 0},), ({"uri": 1},)]
)
async def test_other_arguments_are_refused(session: Session, arguments: tuple[Any, ...]) -> None:
    draft = session.open("whole.md", TEXT)
    with pytest.raises(JsonRpcException, match="expected the arguments"):
        await run(draft, "citeLsp.references", *arguments)


@pytest.mark.parametrize("by_bar", [True, False], ids=["by its bar", "as a request"])
async def test_a_search_that_is_cancelled_is_answered_at_once_and_ends(
    folder: Path, by_bar: bool
) -> None:
    log = folder / "log"
    for number in range(CHAPTERS):
        (folder / f"slow{number}.tex").write_text("\\cite{he2016resnet}")
    chapters = "".join(f"\\input{{slow{number}}}" for number in range(CHAPTERS))

    def read() -> int:
        return len(log.read_text().splitlines()) if log.exists() else 0

    session = Session(folder, command=(sys.executable, str(SLOW), str(log)))
    session.capabilities.window = types.WindowClientCapabilities(work_done_progress=True)
    async with session:
        draft = session.open("a.tex", f"\\documentclass{{article}}{chapters}\\bibliography{{refs}}")
        params = types.ExecuteCommandParams("citeLsp.references", arguments=[{"uri": draft.uri}])
        answer = asyncio.wrap_future(
            session.client.protocol.send_request(
                types.WORKSPACE_EXECUTE_COMMAND, params, msg_id=1000
            )
        )
        bars = session.client.progress_reports
        await session.until(lambda: bars if by_bar else read())
        if by_bar:
            (token,) = bars
            cancel = types.WorkDoneProgressCancelParams(token)
            session.client.window_work_done_progress_cancel(cancel)
            assert await asyncio.wait_for(answer, PATIENCE) is None
        else:
            session.client.cancel_request(types.CancelParams(1000))
            with pytest.raises(JsonRpcRequestCancelled):
                await asyncio.wait_for(answer, PATIENCE)
        answered = read()
        draft.close()
        session.buffers.clear()
    assert read() < answered + CHAPTERS, "the search has not read on"
