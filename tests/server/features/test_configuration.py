"""Settings of the client and of the workspace."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import PATIENCE, Session

TEXT = "See [@¦]\n"


async def test_the_workspace_file_is_read_and_the_client_wins(folder: Path) -> None:
    (folder / "cite-lsp.toml").write_text("[completion]\nlimit = 3\n", encoding="utf-8")
    async with Session(folder) as session:
        assert len(await session.open("a.md", TEXT).keys()) == 3
    configuration = {"citeLsp": {"completion": {"limit": 1}}}
    async with Session(folder, configuration=configuration) as session:
        draft = session.open("a.md", TEXT)
        async with asyncio.timeout(PATIENCE):
            while len(await draft.keys()) != 1:
                await asyncio.sleep(0.02)


async def test_bibliographies_of_the_settings_can_be_cited(folder: Path) -> None:
    (folder / "refs.bib").rename(folder / "elsewhere.bibliography")
    options = {"bibliography": ["elsewhere.bibliography"]}
    async with Session(folder, options=options) as session:
        assert "he2016resnet" in await session.open("a.md", TEXT).keys()


async def test_the_folder_of_a_user_who_is_not_known_here_costs_nothing(folder: Path) -> None:
    settings = (
        "bibliography = ['~nobody-of-here/refs.bib']\naddEntriesTo = '~nobody-of-here/r.bib'\n"
    )
    (folder / "cite-lsp.toml").write_text(settings, encoding="utf-8")
    async with Session(folder) as session:
        assert len(await session.open("a.md", TEXT).keys()) == 6


async def test_wrong_settings_are_reported_once_and_ignored(folder: Path) -> None:
    (folder / "cite-lsp.toml").write_text("completion.limit = 'many'\n", encoding="utf-8")
    async with Session(folder, options={"colour": "red"}) as session:
        assert len(await session.open("a.md", TEXT).keys()) == 6
        session.change_configuration()
        assert len(await session.open("b.md", TEXT).keys()) == 6
        shown = [message.message for message in session.client.messages]
        assert len(shown) == len(set(shown)) == 2
        assert any("completion.limit" in message for message in shown)
        assert any("colour" in message for message in shown)


async def test_settings_that_are_no_table_are_ignored(folder: Path) -> None:
    async with Session(folder, options=[1]) as session:
        assert len(await session.open("a.md", TEXT).keys()) == 6


async def test_changed_settings_take_effect(folder: Path) -> None:
    async with Session(folder) as session:
        draft = session.open("a.md", TEXT)
        assert len(await draft.keys()) == 6
        session.client.set_configuration({"completion": {"limit": 2}}, section="citeLsp")
        session.change_configuration()
        async with asyncio.timeout(PATIENCE):
            while len(await draft.keys()) != 2:
                await asyncio.sleep(0.02)


async def test_files_are_watched_where_the_client_can_do_it(folder: Path) -> None:
    async with Session(folder, "visual_studio_code") as session:
        await session.until(lambda: types.WORKSPACE_DID_CHANGE_WATCHED_FILES in session.registered)
        for suffix in "bib json yaml yml tex sty cls qmd typ org".split():
            assert any(suffix in re.split(r"\W", pattern) for pattern in session.watched), suffix
    async with Session(folder, "neovim@v0.11") as session:
        await session.open("a.md", TEXT).keys()
        assert types.WORKSPACE_DID_CHANGE_WATCHED_FILES not in session.registered


async def test_files_are_followed_where_the_client_cannot_watch_them_after_all(
    folder: Path,
) -> None:
    def refuse(params: types.RegistrationParams) -> None:
        raise RuntimeError("no more watches are left")

    session = Session(folder, "visual_studio_code")
    session.client.protocol.fm.features[types.CLIENT_REGISTER_CAPABILITY] = refuse
    async with session:
        draft = session.open("watched.md", "---\nbibliography: refs.bib\n---\n\n[@new2024]\n")
        assert await session.diagnostics(draft.path)
        (folder / "refs.bib").write_text("@misc{new2024, title={New}}\n", encoding="utf-8")
        await session.until(lambda: not session.client.diagnostics[draft.uri])


async def test_a_changed_workspace_file_takes_effect(folder: Path) -> None:
    async with Session(folder) as session:
        draft = session.open("a.md", TEXT)
        assert len(await draft.keys()) == 6
        path = folder / "cite-lsp.toml"
        path.write_text("[completion]\nlimit = 2\n", encoding="utf-8")
        event = types.FileEvent(path.as_uri(), types.FileChangeType.Created)
        session.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams([event])
        )
        assert len(await draft.keys()) == 2


async def test_the_file_of_a_workspace_that_is_not_trusted_chooses_no_model(folder: Path) -> None:
    settings = "encoder = './model'\n[completion]\nlimit = 3\n"
    (folder / "cite-lsp.toml").write_text(settings, encoding="utf-8")
    async with Session(folder, options={"trusted": False}) as session:
        assert len(await session.open("a.md", TEXT).keys()) == 3
        await session.until(lambda: {"ready", "error"}.intersection(session.status))
        assert "error" not in session.status
        (shown,) = (message.message for message in session.client.messages)
        assert shown.endswith("until the workspace is trusted, this is ignored: encoder")
    async with Session(folder, options={"trusted": True}) as session:
        session.open("a.md", TEXT)
        await session.until(lambda: "error" in session.status)
        assert not session.client.messages


@pytest.mark.parametrize("options", [{}, {"trusted": None}, {"trusted": "yes"}, None])
async def test_a_workspace_that_nobody_has_trusted_names_no_folder_of_a_model(
    folder: Path, options: object
) -> None:
    settings = "encoder = './model'\n[completion]\nlimit = 3\n"
    (folder / "cite-lsp.toml").write_text(settings, encoding="utf-8")
    async with Session(folder, options=options) as session:
        assert len(await session.open("a.md", TEXT).keys()) == 3
        await session.until(lambda: {"ready", "error"}.intersection(session.status))
        assert "error" not in session.status
        (shown,) = (message.message for message in session.client.messages)
        assert "encoder names the folder ./model, which is ignored" in shown
        assert '"trusted": true' in shown


async def test_a_workspace_does_not_trust_itself_through_the_settings_of_the_editor(
    folder: Path,
) -> None:
    (folder / "cite-lsp.toml").write_text("encoder = './model'\n", encoding="utf-8")
    async with Session(folder, configuration={"citeLsp": {"trusted": True}}) as session:
        session.open("a.md", TEXT)
        await session.until(lambda: {"ready", "error"}.intersection(session.status))
        assert "error" not in session.status
        (shown,) = (message.message for message in session.client.messages)
        assert "encoder names the folder ./model, which is ignored" in shown


async def test_a_workspace_file_is_followed_for_clients_that_watch_none(folder: Path) -> None:
    path = folder / "cite-lsp.toml"
    async with Session(folder, "neovim@v0.11") as session:
        draft = session.open("a.md", TEXT)
        for text, expected in (("limit = 2", 2), ("limit = 4", 4), (None, 6)):
            if text is None:
                path.unlink()
            else:
                path.write_text(f"[completion]\n{text}\n", encoding="utf-8")
            async with asyncio.timeout(PATIENCE):
                while len(await draft.keys()) != expected:
                    await asyncio.sleep(0.1)


@pytest.mark.parametrize("trusted", [{}, {"trusted": False}])
async def test_settings_that_the_editor_may_have_from_the_workspace_name_no_folder_of_a_model(
    folder: Path, trusted: dict[str, bool]
) -> None:
    configuration = {"citeLsp": {"encoder": "./model", "completion": {"limit": 3}}}
    async with Session(folder, configuration=configuration, options=trusted) as session:
        draft = session.open("a.md", TEXT)
        await session.until(lambda: {"ready", "error"}.intersection(session.status))
        assert "error" not in session.status
        assert len(await draft.keys()) == 3
        (shown,) = (message.message for message in session.client.messages)
        assert shown.startswith("settings of the editor: ") and "encoder" in shown
