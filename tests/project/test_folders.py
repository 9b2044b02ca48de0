"""Which folders hold a file."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from cite_lsp.project import folders
from cite_lsp.project.folders import absolute, files_in, holding
from cite_lsp.storage.caches import LastUsed
from tests.project.projects import MAIN, Open, Write, bibliographies, names

OUTER, INNER, OTHER = Path("/thesis"), Path("/thesis/chapters"), Path("/thes")


@pytest.mark.parametrize("folders", [(OUTER, OTHER, INNER), (INNER, OUTER, OTHER)])
def test_the_innermost_folder_that_holds_a_file_comes_first(folders: tuple[Path, ...]) -> None:
    assert holding(Path("/thesis/chapters/one.tex"), folders) == [INNER, OUTER]
    assert holding(Path("/thesis/main.tex"), folders) == [OUTER]
    assert holding(Path("/elsewhere.tex"), folders) == []


def test_what_programs_put_beside_a_file_is_not_one_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text("@misc{a}", encoding="utf-8")
    (tmp_path / "._refs.bib").write_bytes(b"\x00\x05\x16\x07")
    (tmp_path / ".#refs.bib").symlink_to("ada@office.1234:1600000000")
    assert files_in(tmp_path, ".bib") == [tmp_path / "refs.bib"]


def test_a_folder_is_listed_again_only_when_it_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[Path] = []
    scandir = os.scandir

    def counting(folder: Path) -> Iterator[os.DirEntry[str]]:
        listed.append(folder)
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", counting)
    (tmp_path / "a.bib").touch()
    for _ in range(2):  # it may change again in the same moment
        assert files_in(tmp_path, ".bib") == [tmp_path / "a.bib"]
    assert len(listed) == 2
    monkeypatch.setattr(folders, "SETTLED", -1)
    for _ in range(3):
        assert files_in(tmp_path, ".bib") == [tmp_path / "a.bib"]
    assert len(listed) == 3
    (tmp_path / "b.bib").touch()
    os.utime(tmp_path, (1, 1))
    assert files_in(tmp_path, ".bib") == [tmp_path / "a.bib", tmp_path / "b.bib"]
    assert files_in(tmp_path, ".tex") == []
    (tmp_path / "b.bib").unlink()
    os.utime(tmp_path, (2, 2))
    assert files_in(tmp_path, ".bib", most=5) == [tmp_path / "a.bib"]


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of files as macOS takes them."""
    monkeypatch.setattr(folders, "_SPELLINGS", True)
    monkeypatch.setattr(folders, "_listings", LastUsed())


@pytest.mark.usefixtures("mac")
def test_a_file_with_several_spellings_has_one_path(tmp_path: Path) -> None:
    path = tmp_path / "Mémoire" / "Été.tex"
    path.parent.mkdir()
    path.touch()
    taken_apart = Path(unicodedata.normalize("NFD", str(path)))
    assert taken_apart != path
    for spelling in (path, taken_apart, tmp_path / "mémoire" / "ÉTÉ.tex"):
        assert absolute(spelling) == path
    # What Finder has made is listed with its accents as letters of their own.
    (tmp_path / unicodedata.normalize("NFD", "thèse.tex")).touch()
    assert files_in(tmp_path, ".tex") == [tmp_path / "thèse.tex"]
    path.with_name("été.tex").touch()  # a disk that tells capitals apart
    assert absolute(path.with_name("été.tex")) != absolute(path) == path
    assert absolute(path.with_name("new.TEX")) == path.with_name("new.TEX")


@pytest.mark.usefixtures("mac", "no_home")
def test_a_chapter_finds_its_draft_by_another_spelling(
    write: Write, opened: Open, tmp_path: Path
) -> None:
    write("thèse.tex", MAIN % "\\input{Chapters/E\u0301te\u0301}\\bibliography{Refs}")
    write("chapters/été.tex", "Prose \\cite{k}.")
    write("refs.bib", "@misc{k, title={T}}")
    project = opened("chapters/été.tex")
    assert names(project) == ["thèse.tex", "été.tex"]
    assert bibliographies(project, tmp_path) == ["refs.bib"]
