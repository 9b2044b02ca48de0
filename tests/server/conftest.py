from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
import pytest_asyncio

from tests.server.editor_session import BIBLIOGRAPHY, EDITORS, Session, in_fresh_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A writer's folder with a bibliography of six entries."""
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    return tmp_path


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_session(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Session]:
    """One server for all tests that need nothing special, as starting takes a second."""
    async with Session(tmp_path_factory.mktemp("workspace")) as session:
        yield session


@pytest.fixture
def session(shared_session: Session) -> Iterator[Session]:
    """The shared server, in a fresh folder of its workspace with the bibliography."""
    yield from in_fresh_folder(shared_session)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def editor_sessions(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[dict[str, Session]]:
    """One server for each editor."""
    async with AsyncExitStack() as stack:
        yield {
            editor: await stack.enter_async_context(
                Session(tmp_path_factory.mktemp("workspace"), editor)
            )
            for editor in EDITORS
        }


@pytest.fixture(params=EDITORS)
def editor_session(
    editor_sessions: dict[str, Session], request: pytest.FixtureRequest
) -> Iterator[Session]:
    """The server of each editor in turn, in a fresh folder of its workspace."""
    yield from in_fresh_folder(editor_sessions[request.param])
