"""Only regular files of sane size are read, and nothing blocks."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from cite_lsp.storage.regular_files import (
    UnsuitableFileError,
    open_regular,
    read_regular,
    unsuitable,
)

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")


def test_a_file_is_read_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.bib"
    path.write_bytes(b"x" * 100)
    assert read_regular(path, 100) == b"x" * 100
    with pytest.raises(UnsuitableFileError, match="larger than 0 MB"):
        read_regular(path, 99)
    assert unsuitable(path) == "" and unsuitable(path, 99) == "it is larger than 0 MB"
    assert unsuitable(tmp_path / "nowhere") == ""


def test_a_sparse_file_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "a.bib"
    path.touch()
    os.truncate(path, 1 << 40)
    with pytest.raises(UnsuitableFileError, match="larger than 128 MB"):
        read_regular(path)


@needs_pipes
def test_a_pipe_is_refused_also_behind_a_link(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    link = tmp_path / "a.bib"
    link.symlink_to("pipe")
    for path in (tmp_path / "pipe", link):
        with pytest.raises(UnsuitableFileError, match="it is a pipe, not a file"):
            open_regular(path)


def test_a_socket_and_devices_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket may not be long
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("a.bib")
        with pytest.raises(UnsuitableFileError, match="a socket"):
            read_regular(Path("a.bib"))
    with pytest.raises(UnsuitableFileError, match="a device"):
        read_regular(Path("/dev/zero"))


@needs_pipes
def test_what_is_replaced_by_a_pipe_in_between_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.bib"
    path.touch()
    before = os.stat(path)
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(os, "stat", lambda *_, **__: before)
    with pytest.raises(UnsuitableFileError, match="a pipe"):
        read_regular(path)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
def test_files_that_say_they_are_empty_are_read_to_the_limit() -> None:
    assert b"Name:" in read_regular(Path("/proc/self/status"))
    with pytest.raises(UnsuitableFileError, match="larger"):
        read_regular(Path("/proc/self/status"), 10)
