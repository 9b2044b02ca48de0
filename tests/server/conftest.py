from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.server.session import BIBLIOGRAPHY, Session


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A writer's folder with a bibliography of six entries."""
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    return tmp_path


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_session(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Session]:
    """One server for the tests of a file that need nothing special, as starting takes a second."""
    async with Session(tmp_path_factory.mktemp("workspace")) as session:
        yield session


@pytest.fixture
def session(shared_session: Session, request: pytest.FixtureRequest) -> Iterator[Session]:
    """The shared server, in a fresh folder of its workspace with the bibliography."""
    workspace = shared_session.folder
    folder = workspace / f"folder{len(list(workspace.iterdir()))}"
    folder.mkdir()
    (folder / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    shared_session.folder = folder
    yield shared_session
    shared_session.leave()
    shared_session.folder = workspace
