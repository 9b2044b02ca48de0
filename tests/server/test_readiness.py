"""The client is told when papers are ranked by meaning, and works before and without."""

from __future__ import annotations

from pathlib import Path

from tests.server.session import Session

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
