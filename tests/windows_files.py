"""Windows' rules for files that are open: what is, or is memory-mapped, keeps its name and size.

Linux lets a file be deleted, replaced or cut while it is read. The rules hold for the files of this
process, which stands for both sides: who builds, and an editor's server that has the same open.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def windows_files() -> Iterator[None]:
    """Let these rules hold."""

    def refusing(act: Callable[..., object], names: int) -> Callable[..., object]:
        def checked(*arguments: object, **options: object) -> object:
            for name in arguments[:names]:
                _expect(name, lambda path: _is_open(path) or _is_mapped(path))
            return act(*arguments, **options)

        return checked

    def opening(file: object, mode: str = "r", *rest: object, **options: object) -> object:
        if "w" in mode and not isinstance(file, int):
            _expect(file, _is_mapped)
        return plainly(file, mode, *rest, **options)

    plainly: Callable[..., object] = io.open
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "_use_fd_functions", False)  # whole paths, as on Windows
        for name, names in {"unlink": 1, "remove": 1, "replace": 2, "rename": 2}.items():
            patch.setattr(os, name, refusing(getattr(os, name), names))
        for module in (io, builtins):
            patch.setattr(module, "open", opening)
        yield


def _expect(name: object, is_held: Callable[[str], bool]) -> None:
    """Refuse what is held, as Windows does: "used by another process", "access is denied"."""
    assert isinstance(name, str | bytes | os.PathLike)
    path = os.path.realpath(os.fsdecode(name))
    if is_held(path):
        raise PermissionError(errno.EACCES, "held by a process", path)


def _is_mapped(path: str) -> bool:
    maps = Path("/proc/self/maps").read_text().splitlines()
    return any(line.split(maxsplit=5)[5:] == [path] for line in maps)


def _is_open(path: str) -> bool:
    is_open = False
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # that of the listing itself
            is_open |= os.readlink(f"/proc/self/fd/{descriptor}") == path
    return is_open
