"""What may be done with a path that a workspace names: the rule, line by line."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

import pytest

from cite_lsp.project import workspace_paths
from cite_lsp.project.workspace_paths import WorkspacePaths, holds_bibliography, lies_within

ENTRY = "@misc{a, title={T}}\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace beside other folders of the writer."""
    folder = tmp_path / "home" / "paper"
    folder.mkdir(parents=True)
    (tmp_path / "home" / "Zotero").mkdir()
    (tmp_path / "home" / "Zotero" / "library.bib").write_text(ENTRY)
    return folder


def paths_of(
    workspace: Path, *, trusted: bool | None = None, own: tuple[str, ...] = ()
) -> WorkspacePaths:
    return WorkspacePaths((workspace,), trusted).naming(own)


@pytest.mark.parametrize("trusted", [True, None, False])
@pytest.mark.parametrize(
    "name", [".profile", "run.sh", "refs.bib.sh", "settings.toml", "zotero.sqlite", "main.tex", "x"]
)
def test_an_entry_goes_into_nothing_but_a_bibliography(
    workspace: Path, name: str, trusted: bool | None
) -> None:
    paths = paths_of(workspace, trusted=trusted, own=(str(workspace / name), str(workspace)))
    for path in (workspace / name, workspace.parent / name):
        refusal = paths.refusal(path)
        assert refusal == f"{path} is no bibliography; name a .bib, .json, .yaml or .ris file"


@pytest.mark.parametrize(
    "name", ["refs.bib", "deep/er/refs.BIB", "refs.json", "refs.yaml", "refs.yml", "refs.ris"]
)
@pytest.mark.parametrize("trusted", [True, None, False])
def test_an_entry_may_go_into_any_bibliography_of_the_workspace(
    workspace: Path, name: str, trusted: bool | None
) -> None:
    assert not paths_of(workspace, trusted=trusted).refusal(workspace / name)
    (workspace / "chapter").mkdir()
    assert not paths_of(workspace).refusal(workspace / "chapter" / ".." / name)


@pytest.mark.parametrize("trusted", [None, False])
def test_an_entry_leaves_the_workspace_only_where_the_writer_says_so(
    workspace: Path, trusted: bool | None
) -> None:
    library = workspace.parent / "Zotero" / "library.bib"
    for path in (library, workspace / ".." / "Zotero" / "library.bib", workspace.parent / "x.bib"):
        refusal = paths_of(workspace, trusted=trusted).refusal(path)
        assert "lies outside the workspace" in refusal and '"trusted": true' in refusal
        assert "\n" not in refusal
    for own in (str(library), "../Zotero/library.bib", "../Zotero"):
        paths = paths_of(workspace, trusted=trusted, own=(own,))
        assert not paths.refusal(library)
        assert paths.refusal(workspace.parent / "x.bib")
    assert not paths_of(workspace, trusted=True).refusal(library)


def test_the_folder_of_the_user_may_be_written_as_a_tilde(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(workspace.parent))
    paths = paths_of(workspace, own=("~/Zotero/library.bib",))
    assert not paths.refusal(workspace.parent / "Zotero" / "library.bib")


@pytest.mark.parametrize(
    ("leads_to", "allowed"),
    [
        ("../.bashrc", False),
        ("../not-there.bib", False),
        ("../Zotero/library.bib", False),
        ("real.bib", True),
        ("script.sh", False),
    ],
)
def test_a_link_is_judged_by_where_it_leads(workspace: Path, leads_to: str, allowed: bool) -> None:
    (workspace.parent / ".bashrc").touch()
    for name in ("real.bib", "script.sh"):
        (workspace / name).touch()
    link = workspace / "refs.bib"
    link.symlink_to(leads_to)
    for own in ((), ("refs.bib",)):  # which says nothing of a link that came with the folder
        refusal = paths_of(workspace, own=own).refusal(link)
        assert (not refusal) == allowed
        if refusal:
            assert f"{link} (which is " in refusal


def test_a_folder_that_is_a_link_leads_outside_as_well(workspace: Path) -> None:
    (workspace / "parts").symlink_to("..", target_is_directory=True)
    assert paths_of(workspace).refusal(workspace / "parts" / "new.bib")
    (workspace / "here").mkdir()
    (workspace / "again").symlink_to("here", target_is_directory=True)
    assert not paths_of(workspace).refusal(workspace / "again" / "new.bib")


def test_a_workspace_that_is_opened_by_a_link_is_the_same_one(workspace: Path) -> None:
    link = workspace.parent / "link"
    link.symlink_to(workspace, target_is_directory=True)
    for folder, path in ((link, workspace), (workspace, link)):
        assert not paths_of(folder).refusal(path / "refs.bib")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.bib", ENTRY),
        ("a.bib", " \n"),
        ("a.bib", "% Encoding: UTF-8\n"),
        ("a.bib", "% JabRef\n@comment{jabref-meta: databaseType:bibtex;}\n"),
        ("a.bib", '@string{acl = "ACL"}\n'),
        ("a.bib", "@misc{half, title = {"),
        ("a.bib", "Some words above.\n\n" + ENTRY),
        ("a.json", '[{"id": "a", "title": "T"}]'),
        ("a.json", "[]"),
        ("a.json", '{"items": []}\n'),
        ("a.yaml", "references:\n- id: a\n  title: T\n"),
        ("a.yaml", "---\nreferences: []\n"),
        ("a.yml", "# none yet\n"),
        ("a.yml", "a:\n  type: article\n  title: T\n"),
        ("a.ris", "TY  - JOUR\nID  - a\nTI  - T\nER  - \n"),
    ],
)
def test_what_is_a_bibliography(workspace: Path, name: str, text: str) -> None:
    assert holds_bibliography(workspace / name, text)
    assert not paths_of(workspace).refusal(workspace / name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.bib", "export PATH=$HOME/bin:$PATH\n"),
        ("a.bib", "#!/bin/sh\n# nothing yet\n"),
        ("a.json", '{"name": "a", "scripts": {"test": "x"}, "version": "1.0"}'),
        ("a.json", '{"editor.fontSize": 12}'),
        ("a.yml", "on: push\njobs:\n  build:\n    runs-on: x\n"),
        ("a.yaml", "openapi: 3.0.0\ninfo:\n  title: T\npaths: {a: {}}\nservers: []\n"),
        ("a.ris", "some words\n"),
    ],
)
@pytest.mark.parametrize("trusted", [True, None, False])
def test_what_is_none_whatever_it_is_called(
    workspace: Path, name: str, text: str, trusted: bool | None
) -> None:
    assert not holds_bibliography(workspace / name, text)
    refusal = paths_of(workspace, trusted=trusted).refusal(workspace / name, text)
    assert "holds something else than a bibliography" in refusal


def test_a_draft_outside_the_workspace_brings_its_own_project_along(workspace: Path) -> None:
    other = workspace.parent / "other"
    (other / ".git").mkdir(parents=True)
    draft = other / "chapters" / "one.tex"
    paths = paths_of(workspace).around(draft)
    assert not paths.refusal(other / "refs.bib")
    assert paths.refusal(workspace.parent / "refs.bib")
    assert paths_of(workspace).around(workspace / "one.tex").refusal(other / "refs.bib")


def test_what_nobody_has_trusted_loads_no_model(workspace: Path) -> None:
    loads = [paths_of(workspace, trusted=trust).may_load_models for trust in (True, None, False)]
    assert loads == [True, False, False]


def test_settings_that_are_not_trusted_read_inside_the_workspace(workspace: Path) -> None:
    library = workspace.parent / "Zotero" / "library.bib"
    link = workspace / "refs.bib"
    link.symlink_to(library)
    for path in (library, link):
        may = [paths_of(workspace, trusted=trust).may_read(path) for trust in (True, None, False)]
        assert may == [True, True, False]
        assert paths_of(workspace, trusted=False, own=(str(library),)).may_read(path)
    assert paths_of(workspace, trusted=False).may_read(workspace / "own.bib")


def test_another_machine_is_not_called_without_trust(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert workspace_paths._on_another_machine(PureWindowsPath(r"\\host\share\a.bib"), windows=True)
    assert not workspace_paths._on_another_machine(PureWindowsPath(r"C:\a.bib"), windows=True)
    monkeypatch.setattr(workspace_paths, "_on_another_machine", lambda path: "host" in str(path))
    path = workspace.parent / "host" / "a.bib"
    may = [paths_of(workspace, trusted=trust).may_read(path) for trust in (True, None, False)]
    assert may == [True, False, False]


def test_what_lies_within_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "out").symlink_to(tmp_path.parent, target_is_directory=True)
    assert lies_within(tmp_path / "a" / "b", [tmp_path / "c", tmp_path])
    assert not lies_within(tmp_path / "out" / "b", [tmp_path])
    assert not lies_within(tmp_path, [tmp_path / "a"])
