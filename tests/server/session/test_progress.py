"""A progress bar for what takes a while, that the writer can cancel."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import Session
from tests.server.features.commands.test_missing_citations import run

pytestmark = pytest.mark.asyncio(loop_scope="session")

NEEDY = (
    "In recent years, network number {} has been shown in 2017 to be all you need, as attention is"
    " alone."
)
LONG = "# Related work\n\n" + "\n\n".join(NEEDY.format(number) for number in range(1500)) + "\n"


def progress_reports(session: Session) -> list[str]:
    """Return the reports that the client got of the first progress bar."""
    return [
        str(report) for reports in session.client.progress_reports.values() for report in reports
    ]


async def test_a_long_search_shows_a_bar_and_ends_when_it_is_cancelled(folder: Path) -> None:
    session = Session(folder)
    session.capabilities.window = types.WindowClientCapabilities(work_done_progress=True)
    async with session:
        draft = session.open("a.md", LONG)
        pending = asyncio.ensure_future(run(draft, "citeLsp.missing"))
        await session.until(lambda: len(progress_reports(session)) > 1)
        (token,) = session.client.progress_reports
        session.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
        assert await asyncio.wait_for(pending, 10.0) is None
        await session.until(lambda: "End" in progress_reports(session)[-1])
        assert "Looking for missing citations" in progress_reports(session)[0]
        assert "of 1,500" in progress_reports(session)[1]


@pytest.mark.slow
async def test_completions_do_not_wait_for_whole_drafts_that_are_looked_through(
    folder: Path,
) -> None:
    async with Session(folder) as session:
        draft = session.open("a.md", f"{LONG[:4_000]}\n\nSee [@¦]\n")
        await session.ready()
        pending = [asyncio.ensure_future(run(draft, "citeLsp.missing")) for _ in range(3)]
        await asyncio.sleep(0.5)
        assert len(await draft.keys()) == 6
        assert not any(request.done() for request in pending)
        await asyncio.gather(*pending)


@pytest.mark.slow
async def test_a_client_without_bars_is_sent_none(folder: Path) -> None:
    session = Session(folder, "neovim@v0.7")
    session.capabilities.window = None
    async with session:
        draft = session.open("a.md", LONG[:20_000])
        assert await run(draft, "citeLsp.missing")
        assert not progress_reports(session)
