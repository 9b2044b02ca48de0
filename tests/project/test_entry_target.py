"""Where a new entry goes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from cite_lsp.project.entry_target import EntryTarget, entry_target
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import ProjectCache


def target(
    folder: Path,
    draft: str,
    name: str = "draft.tex",
    chosen: Path | None = None,
    extra: Sequence[Path] = (),
) -> EntryTarget:
    path = folder / name
    path.write_text(draft, encoding="utf-8")
    project = ProjectCache().open(path, read=FilesOnDisk().read, workspace=folder)
    chosen_target = entry_target(project, chosen=chosen, extra=extra, may_take=lambda target: True)
    assert chosen_target is not None
    return chosen_target


def test_the_last_bibliography_that_exists_takes_the_entry(tmp_path: Path) -> None:
    for name in ("one.bib", "two.bib"):
        (tmp_path / name).touch()
    draft = "\\documentclass{article}\\bibliography{one,two,three}"
    assert target(tmp_path, draft) == EntryTarget(tmp_path / "two.bib")


def test_a_bibliography_that_is_named_and_missing_is_made_where_it_is_named(tmp_path: Path) -> None:
    draft = "\\documentclass{article}\\bibliography{parts/refs}"
    expected = EntryTarget(tmp_path / "parts" / "refs.bib", exists=False)
    assert target(tmp_path, draft) == expected


def test_a_draft_that_names_none_gets_references_bib_beside_its_main_file(tmp_path: Path) -> None:
    expected = EntryTarget(tmp_path / "references.bib", exists=False, named=False)
    assert target(tmp_path, "\\documentclass{article} Text.") == expected


def test_items_in_the_draft_itself_are_added_to(tmp_path: Path) -> None:
    yaml = "---\nreferences:\n- id: a\n  title: T\n---\n"
    assert target(tmp_path, yaml, "a.md") == EntryTarget(tmp_path / "a.md", "references")
    latex = (
        "\\documentclass{article}\\begin{thebibliography}{9}\\bibitem{a} T\\end{thebibliography}"
    )
    assert target(tmp_path, latex, "b.tex") == EntryTarget(tmp_path / "b.tex", "bibitems")


def test_what_the_settings_choose_comes_first(tmp_path: Path) -> None:
    (tmp_path / "one.bib").touch()
    chosen = tmp_path / "mine.bib"
    draft = "\\documentclass{article}\\bibliography{one}"
    assert target(tmp_path, draft, chosen=chosen) == EntryTarget(chosen, exists=False)


def test_of_a_folder_that_the_settings_choose_it_is_references_bib(tmp_path: Path) -> None:
    (tmp_path / "refs").mkdir()
    chosen = tmp_path / "refs" / "references.bib"
    assert target(tmp_path, "Text.", chosen=tmp_path / "refs") == EntryTarget(chosen, exists=False)


def test_a_database_that_the_settings_choose_is_not_written_to(tmp_path: Path) -> None:
    for name in ("one.bib", "zotero.sqlite"):
        (tmp_path / name).touch()
    draft = "\\documentclass{article}\\bibliography{one}"
    chosen_target = target(tmp_path, draft, chosen=tmp_path / "zotero.sqlite")
    assert chosen_target == EntryTarget(tmp_path / "one.bib")


def test_a_draft_that_names_none_adds_to_the_last_of_the_settings_that_can_be(
    tmp_path: Path,
) -> None:
    extra = [tmp_path / name for name in ("one.bib", "two.bib", "gone.bib", "zotero.sqlite")]
    for path in (extra[0], extra[1], extra[3]):
        path.touch()
    assert target(tmp_path, "Text.", extra=extra) == EntryTarget(extra[1])
    draft = "\\documentclass{article}\\bibliography{one}"
    assert target(tmp_path, draft, extra=extra) == EntryTarget(extra[0])


def test_a_bibliography_that_may_not_be_written_takes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one.bib", "shared.bib"):
        (tmp_path / name).touch()
    monkeypatch.setattr(os, "access", lambda path, how: path.name != "shared.bib")
    draft = "\\documentclass{article}\\bibliography{one,shared}"
    assert target(tmp_path, draft) == EntryTarget(tmp_path / "one.bib")
