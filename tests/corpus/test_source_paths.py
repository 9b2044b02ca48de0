"""Which file is which, and which folder or pattern it came from."""

from __future__ import annotations

import ntpath
import os
from pathlib import Path

import pytest

from cite_lsp.corpus.source_paths import covers, is_searched, normalised, with_large_drive


def test_a_file_is_noted_once_however_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shores").mkdir()
    (tmp_path / "shores" / "a.jsonl").touch()
    monkeypatch.chdir(tmp_path)
    wanted = str(tmp_path / "shores" / "a.jsonl")
    for name in ("shores/a.jsonl", "./shores//a.jsonl", "shores/../shores/a.jsonl", wanted):
        assert normalised(Path(name)) == wanted
    assert normalised(Path("shores/../gone.jsonl")) == str(tmp_path / "gone.jsonl")
    assert normalised(Path("shores/../sh*/**/a.*")) == str(tmp_path / "sh*" / "**" / "a.*")


def test_a_drive_is_one_whichever_its_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "splitdrive", ntpath.splitdrive)
    for path in (r"c:\papers\a.bib", r"C:\papers\a.bib"):
        assert with_large_drive(path) == r"C:\papers\a.bib"
    assert with_large_drive(r"\\server\share\a.bib") == r"\\server\share\a.bib"


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_link_stays_and_what_lies_above_its_folder_is_not_mistaken(tmp_path: Path) -> None:
    (tmp_path / "far" / "shores").mkdir(parents=True)
    (tmp_path / "far" / "a.jsonl").touch()
    (tmp_path / "link").symlink_to(tmp_path / "far" / "shores")
    assert normalised(tmp_path / "link") == str(tmp_path / "link")
    above = normalised(tmp_path / "link" / ".." / "a.jsonl")
    assert os.path.samefile(above, tmp_path / "far" / "a.jsonl")


def test_folders_and_patterns_are_searched_and_a_name_that_exists_is_no_pattern(
    tmp_path: Path,
) -> None:
    (tmp_path / "a[1].bib").touch()
    searched = {name: is_searched(str(tmp_path / name)) for name in ("", "*.bib", "a[1].bib", "x")}
    assert searched == {"": True, "*.bib": True, "a[1].bib": False, "x": False}


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("*.bib", {"a.bib"}),
        ("dee?", {"deep/b.bib", "deep/deeper/c.bib"}),
        ("deep/*", {"deep/b.bib", "deep/deeper/c.bib"}),
        ("**/[bc].bib", {"deep/b.bib", "deep/deeper/c.bib"}),
        ("**/a.bib", {"a.bib"}),
        ("deep", {"deep/b.bib", "deep/deeper/c.bib"}),
        ("dee", set()),
    ],
)
def test_a_file_is_known_by_the_place_that_it_came_from(
    tmp_path: Path, pattern: str, files: set[str]
) -> None:
    names = ("a.bib", "deep/b.bib", "deep/deeper/c.bib")
    place = str(tmp_path / pattern)
    assert {name for name in names if covers(place, str(tmp_path / name))} == files
