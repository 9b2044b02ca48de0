"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from cite_lsp.storage import atomic_write
from cite_lsp.storage.atomic_write import (
    read_folder,
    remove_abandoned,
    replacing_folder,
    write_atomically,
)
from tests.windows_files import windows_files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "any").touch()
    write_atomically(tmp_path / "new.json", "{}")
    assert mode(tmp_path / "new.json") == mode(tmp_path / "any")
    assert (tmp_path / "new.json").read_text() == "{}"


@pytest.mark.parametrize("permissions", [0o600, 0o664])
def test_a_file_keeps_its_permissions(tmp_path: Path, permissions: int) -> None:
    path = tmp_path / "file.json"
    path.touch()
    path.chmod(permissions)
    write_atomically(path, "{}")
    assert mode(path) == permissions
    assert path.read_text() == "{}"


def test_all_of_a_file_is_on_the_disk_before_it_takes_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, sizes = tmp_path / "file.json", []

    def sync(descriptor: int) -> None:
        sizes.append(os.fstat(descriptor).st_size)
        assert not path.exists()

    monkeypatch.setattr(os, "fsync", sync)
    write_atomically(path, "whole")
    assert sizes == [5]


def test_what_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise OSError("no space left")

    path = tmp_path / "file.json"
    path.write_text("before")
    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch, pytest.raises(OSError, match="no space"):
            patch.setattr(os, step, full)
            write_atomically(path, "after")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [
        ("file.json", "before")
    ]


def test_an_error_names_what_was_to_be_written(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "file.json"
    with pytest.raises(FileNotFoundError) as missing:
        write_atomically(path, "text")
    assert (missing.value.filename, missing.value.filename2) == (str(path), None)
    with pytest.raises(FileNotFoundError) as missing, replacing_folder(tmp_path / "index") as out:
        (out / "first").write_text("text")
    assert missing.value.filename == str(tmp_path / "index" / "first")
    (tmp_path / "folder" / "full").mkdir(parents=True)
    with pytest.raises(OSError) as refused:  # its kind depends on the system
        write_atomically(tmp_path / "folder", "text")
    assert (refused.value.filename, refused.value.filename2) == (str(tmp_path / "folder"), None)


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="Linux tells what is open")
def test_where_nothing_that_is_read_can_be_replaced_its_reader_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "current"
    path.write_text("version-1")
    monkeypatch.setattr(atomic_write, "_PATIENCE", 5.0)
    with windows_files(), path.open() as reader:
        threading.Timer(0.2, reader.close).start()
        write_atomically(path, "version-2")
    assert path.read_text() == "version-2"
    monkeypatch.setattr(atomic_write, "_PATIENCE", 0.1)
    with windows_files(), path.open(), pytest.raises(PermissionError):
        write_atomically(path, "version-3")
    assert [path.name for path in tmp_path.iterdir()] == ["current"]


def write_folder(folder: Path, text: str) -> None:
    with replacing_folder(folder) as scratch:
        scratch.mkdir()
        for name in ("first", "second"):
            (scratch / name).write_text(text)


def read_both(folder: Path) -> list[str]:
    return [(folder / name).read_text() for name in ("first", "second")]


def test_a_folder_is_there_until_another_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, seen = tmp_path / "index", []
    write_folder(folder, "before")
    replace = os.replace

    def observed(source: Path, target: Path) -> None:
        replace(source, target)
        seen.append(sorted({path.read_text() for path in tmp_path.glob("*/first")}))

    monkeypatch.setattr(os, "replace", observed)
    write_folder(folder, "after")
    assert all("before" in texts for texts in seen)
    assert read_both(folder) == ["after", "after"]
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_a_folder_that_cannot_be_replaced_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "index"
    write_folder(folder, "before")
    replace = os.replace

    def fails_for_the_new(source: Path, target: Path) -> None:
        if (Path(source) / "first").read_text() == "after":
            raise OSError("no space left")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fails_for_the_new)
    with pytest.raises(OSError, match="no space"):
        write_folder(folder, "after")
    assert read_both(folder) == ["before", "before"]
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


def test_a_folder_is_read_whole_though_another_takes_its_place(tmp_path: Path) -> None:
    folder, states = tmp_path / "index", iter(["before", "between"])
    write_folder(folder, "first")

    def read(folder: Path) -> list[str]:
        first = (folder / "first").read_text()
        if (state := next(states, None)) is not None:
            write_folder(folder, state)
        return [first, (folder / "second").read_text()]

    assert read_folder(folder, read) == ["between", "between"]


def test_a_folder_without_its_name_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    write_folder(folder, "before")
    aside = folder.rename(tmp_path / "index.old.part")
    threading.Timer(0.1, lambda: aside.rename(folder)).start()
    assert read_folder(folder, read_both) == ["before", "before"]


def test_a_folder_that_nobody_replaces_is_read_once(tmp_path: Path) -> None:
    attempts = []

    def read(folder: Path) -> None:
        attempts.append(folder)
        raise ValueError("damaged")

    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(ValueError, match="damaged"):
            read_folder(folder, read)
    assert attempts == [tmp_path, tmp_path / "missing"]


def test_only_scratch_files_of_long_ago_are_abandoned(tmp_path: Path) -> None:
    old = ["a.json.17-1.new", "b.npz.17-140521391467392.new", "mine.new", "a.json", "v-1.2.new"]
    for name in (*old, "c.json.18-1.new"):
        (tmp_path / name).write_text("")
    for name in old:
        os.utime(tmp_path / name, (1_400_000_000, 1_400_000_000))
    remove_abandoned(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"mine.new", "a.json", "v-1.2.new", "c.json.18-1.new"}
    remove_abandoned(tmp_path / "gone")
