"""Of the files of a folder the newest stay."""

from __future__ import annotations

import os
from pathlib import Path

from cite_lsp.storage.eviction import remove_oldest


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def files(folder: Path, *named: str) -> None:
    for age, name in enumerate(named):
        (folder / name).touch()
        os.utime(folder / name, (1000 + age, 1000 + age))


def test_the_oldest_files_of_a_suffix_go(tmp_path: Path) -> None:
    files(tmp_path, "d.json", "x.npz", "c.json", "b.json", "a.json")
    remove_oldest(tmp_path, ".json", 2)
    assert names(tmp_path) == ["a.json", "b.json", "x.npz"]


def test_of_fewer_files_all_stay(tmp_path: Path) -> None:
    files(tmp_path, "b.json", "a.json")
    remove_oldest(tmp_path, ".json", 2)
    remove_oldest(tmp_path, ".npz", 0)
    assert names(tmp_path) == ["a.json", "b.json"]


def test_a_folder_that_is_missing_is_no_error(tmp_path: Path) -> None:
    remove_oldest(tmp_path / "gone", ".json", 2)
