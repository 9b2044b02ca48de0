"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from cite_lsp.storage import atomic_write
from cite_lsp.storage.atomic_write import remove_abandoned, write_atomically
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
