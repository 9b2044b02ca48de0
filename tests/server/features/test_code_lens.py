"""How often entries are cited."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session

DRAFT = "深 \\cite{李明2021}, \\cite{李明2021,he2016resnet}. \\nocite{müller2020}\n"


async def lenses(bib: Buffer) -> dict[str, str]:
    code_lenses = await bib.session.client.text_document_code_lens_async(
        types.CodeLensParams(bib.identifier)
    )
    return {
        bib.words(lens.range): lens.command.title
        for lens in code_lenses or []
        if lens.command is not None
    }


async def test_every_entry_says_how_often_it_is_cited(folder: Path) -> None:
    (folder / "a.tex").write_text(DRAFT, encoding="utf-8")
    async with Session(folder, options={"codeLens": {"enabled": True}}) as session:
        bib = session.open("refs.bib", BIBLIOGRAPHY + "@misc{new, ids={he2016resnet}}\n")
        titles = await lenses(bib)
        assert titles["new"] == "cited once"
        assert titles["李明2021"] == "cited twice"
        assert titles["he2016resnet"] == "cited once"
        assert titles["müller2020"] == "not cited"
        draft = session.open("a.tex", DRAFT)
        draft.at("深 ").type("\\cite{李明2021} ")
        assert (await lenses(bib))["李明2021"] == "cited 3 times"
        command = types.ExecuteCommandParams(
            "citeLsp.showReferences", [bib.uri, bib.at("@article{李").position()]
        )
        places = await session.client.workspace_execute_command_async(command)
        assert places is not None and len(places) == 3


async def test_they_are_off_by_default(folder: Path) -> None:
    async with Session(folder) as session:
        bib = session.open("refs.bib", BIBLIOGRAPHY)
        assert await lenses(bib) == {}
        session.client.set_configuration({"codeLens": {"enabled": True}}, section="citeLsp")
        session.change_configuration()
        await session.until(lambda: types.WORKSPACE_CODE_LENS_REFRESH in session.refreshed)
        assert len(await lenses(bib)) == 6


async def test_the_client_is_notified_when_a_draft_has_changed_them(folder: Path) -> None:
    async with Session(folder, options={"codeLens": {"enabled": True}}) as session:
        bib = session.open("refs.bib", BIBLIOGRAPHY + "@misc{he2016resnet}\n")
        await session.diagnostics(bib.path)
        draft = session.open("a.tex", DRAFT)
        await session.until(lambda: types.WORKSPACE_CODE_LENS_REFRESH in session.refreshed)
        session.refreshed.clear()
        draft.at("深 ").type("\\cite{李明2021} ")
        await session.until(lambda: types.WORKSPACE_CODE_LENS_REFRESH in session.refreshed)
        assert (await lenses(bib))["李明2021"] == "cited 3 times"
