"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from cite_lsp.storage import atomic_write
from cite_lsp.storage.atomic_write import write_atomically
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


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="Linux tells what is open")
def test_where_nothing_that_is_read_can_be_replaced_its_reader_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "current"
    path.write_text("version-1")
    monkeypatch.setattr(atomic_write, "_RETRY_SECONDS", 5.0)
    with windows_files(), path.open() as reader:
        threading.Timer(0.2, reader.close).start()
        write_atomically(path, "version-2")
    assert path.read_text() == "version-2"
    monkeypatch.setattr(atomic_write, "_RETRY_SECONDS", 0.1)
    with windows_files(), path.open(), pytest.raises(PermissionError):
        write_atomically(path, "version-3")
    assert [file.name for file in tmp_path.iterdir()] == ["current"]
