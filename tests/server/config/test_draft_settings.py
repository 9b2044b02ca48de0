"""The `cite-lsp.toml` files above a draft: the nearest one wins, the client over all of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types

from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.server.config.draft_settings import DraftSettings
from tests.server.editor_session import Session
from tests.server.test_other_drafts import BEFORE, LIBRARY

TEXT = "See [@¦]\n"
QUIET = "otherDrafts = false\n"


def put(folder: Path, settings: str) -> Path:
    """Write the settings of a folder, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cite-lsp.toml").write_text(settings, encoding="utf-8")
    return folder


def test_the_nearest_file_wins_and_the_others_count_where_it_is_silent(tmp_path: Path) -> None:
    top = put(
        tmp_path / "top", "completion.limit = 4\notherDrafts = false\ncodeLens.enabled = true"
    )
    put(top / "book", 'completion.limit = 5\nbibliography = ["own.bib"]')
    put(top / "book" / "part", "codeLens.enabled = false")
    settings = DraftSettings([top])
    options = settings.of(top / "book" / "part" / "one.tex").options
    assert (options.completion.limit, options.other_drafts) == (5, False)
    assert not options.code_lens.enabled
    assert settings.of(top / "one.tex").options == settings.general().options
    assert settings.of(top / "book" / "x.tex").setup.extra_bibliographies == (
        top / "book" / "own.bib",
    )
    assert settings.of(top / "one.tex").setup.extra_bibliographies == ()


def test_the_client_wins_over_the_nearest_file(tmp_path: Path) -> None:
    put(
        tmp_path / "book",
        'completion.limit = 5\nbibliography = ["own.bib"]\ncodeLens.enabled = true',
    )
    client = [("client", {"completion.limit": 2, "bibliography": ["all.bib"]})]
    effective = DraftSettings([tmp_path], client).of(tmp_path / "book" / "one.tex")
    assert (effective.options.completion.limit, effective.options.code_lens.enabled) == (2, True)
    assert effective.setup.extra_bibliographies == (tmp_path / "all.bib",)


def test_nothing_above_the_folder_of_the_workspace_counts(tmp_path: Path) -> None:
    top = put(tmp_path / "top", "completion.limit = 4")
    (top / "book").mkdir()
    assert DraftSettings([top / "book"]).of(top / "book" / "a.md").options.completion.limit == 50
    assert DraftSettings([top]).of(top / "book" / "a.md").options.completion.limit == 4


def test_of_several_folders_that_of_the_draft_wins_then_the_first(tmp_path: Path) -> None:
    first = put(tmp_path / "first", "completion.limit = 1\nbibliography = 'a.bib'")
    second = put(tmp_path / "second", "completion.limit = 2\nbibliography = 'b.bib'")
    third = put(tmp_path / "third", "")
    put(second / "book", "bibliography = 'c.bib'")
    settings = DraftSettings([first, second, third])
    drafts = [folder / "a.md" for folder in (first, second, third, second / "book")]
    assert [settings.of(draft).options.completion.limit for draft in drafts] == [1, 2, 1, 2]
    both = (first / "a.bib", second / "b.bib")
    cited = [settings.of(draft).setup.extra_bibliographies for draft in drafts]
    assert cited == [both, both, both, (first / "a.bib", second / "book" / "c.bib")]


def test_without_a_workspace_the_files_of_the_project_count_or_the_nearest_above_it(
    tmp_path: Path,
) -> None:
    put(tmp_path, "completion.limit = 3\ncodeLens.enabled = true")
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "project" / "drafts").mkdir()
    draft = tmp_path / "project" / "drafts" / "one.tex"
    assert DraftSettings().of(draft).options.completion.limit == 3
    put(tmp_path / "project", QUIET)
    put(tmp_path / "project" / "drafts", "completion.limit = 5")
    options = DraftSettings().of(draft).options
    assert (options.completion.limit, options.other_drafts) == (5, False)
    assert not options.code_lens.enabled


def test_a_folder_that_is_not_trusted_chooses_no_model_and_causes_a_complaint(
    tmp_path: Path,
) -> None:
    put(tmp_path / "book", "encoder = './model'\ncompletion.limit = 3")
    settings = DraftSettings([tmp_path], paths=WorkspacePaths((tmp_path,), trusted=False))
    effective = settings.of(tmp_path / "book" / "one.tex")
    assert (effective.options.encoder, effective.options.completion.limit) == ("default", 3)
    (complaint,) = settings.complaints()
    assert complaint.startswith(str(tmp_path / "book" / "cite-lsp.toml"))


def test_a_file_outside_of_a_trusted_workspace_names_no_folder_of_a_model(tmp_path: Path) -> None:
    for name in ("inside", "outside"):
        (tmp_path / name / "model").mkdir(parents=True)
        put(tmp_path / name, "encoder = './model'\ncompletion.limit = 3")
    inside = tmp_path / "inside"
    settings = DraftSettings([inside], paths=WorkspacePaths((inside,), trusted=True))
    assert settings.of(inside / "a.tex").options.encoder == str(inside / "model")
    (inside / "cite-lsp.toml").unlink()
    settings = DraftSettings([inside], paths=WorkspacePaths((inside,), trusted=True))
    options = settings.of(tmp_path / "outside" / "a.tex").options
    assert (options.encoder, options.completion.limit) == ("default", 3)


@pytest.mark.asyncio(loop_scope="session")
async def test_the_file_beside_a_draft_counts_for_that_draft_alone(folder: Path) -> None:
    own = put(folder / "own", "completion.limit = 2\nbibliography = ['../refs.bib']")
    async with Session(folder) as session:
        assert len(await session.open("own/a.md", TEXT).keys()) == 2
        assert len(await session.open("a.md", TEXT).keys()) == 6
        (own / "cite-lsp.toml").write_text("completion.limit = 'many'\n", encoding="utf-8")
        await asyncio.sleep(0.6)
        session.open("own/b.md", TEXT)
        await session.until(
            lambda: any("limit" in message.message for message in session.client.messages)
        )


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize("editor", ["visual_studio_code", "neovim@v0.11"])
async def test_a_file_that_comes_or_changes_below_the_workspace_takes_effect(
    folder: Path, editor: str
) -> None:
    path = folder / "own" / "cite-lsp.toml"
    path.parent.mkdir()
    async with Session(folder, editor) as session:
        draft = session.open("own/a.md", "---\nbibliography: ../refs.bib\n---\n" + TEXT)
        for text, expected in (("limit = 2", 2), ("limit = 4", 4), (None, 6)):
            if text is None:
                path.unlink()
            else:
                put(path.parent, f"[completion]\n{text}\n")
            if editor == "visual_studio_code":
                event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
                session.client.workspace_did_change_watched_files(
                    types.DidChangeWatchedFilesParams([event])
                )
            async with asyncio.timeout(5):
                while len(await draft.keys()) != expected:
                    await asyncio.sleep(0.1)


def remembered_drafts(folder: Path) -> list[Path]:
    return list((folder / ".home" / "cache" / "drafts").glob("*.npz"))


@pytest.mark.asyncio(loop_scope="session")
async def test_a_draft_whose_own_folder_forbids_it_teaches_no_other(tmp_path: Path) -> None:
    for name in ("demo", "papers"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "papers.bib").write_text(LIBRARY, encoding="utf-8")
        (tmp_path / name / "before.tex").write_text(BEFORE, encoding="utf-8")
    put(tmp_path / "demo", QUIET)
    async with Session(tmp_path) as session:
        session.open("demo/before.tex", BEFORE)
        await session.ready()
        assert not remembered_drafts(tmp_path)
        session.open("papers/before.tex", BEFORE)
        await session.until(lambda: remembered_drafts(tmp_path))
        assert len(remembered_drafts(tmp_path)) == 1


@pytest.mark.asyncio(loop_scope="session")
async def test_nor_does_a_draft_with_a_chapter_in_such_a_folder(tmp_path: Path) -> None:
    chapter, main = BEFORE.split("\n", 1)[1], "\\documentclass{book}\n\\input{quiet/one}\n"
    (tmp_path / "papers.bib").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "main.tex").write_text(main + "\\bibliography{papers}\n", encoding="utf-8")
    put(tmp_path / "quiet", QUIET)
    (tmp_path / "quiet" / "one.tex").write_text(chapter, encoding="utf-8")
    async with Session(tmp_path) as session:
        session.open("main.tex", main + "\\bibliography{papers}\n")
        await session.ready()
        assert not remembered_drafts(tmp_path)
