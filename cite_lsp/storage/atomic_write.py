"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cite_lsp.lazy_re import lazy_re

_PATIENCE = 2.0 if os.name == "nt" else 0.0
"""Seconds for which others may read what is to be replaced: Windows refuses it meanwhile."""
_GLANCE = 0.01
_NEW, _PART = ".new", ".part"
"""How scratch files end, and graphs that are not finished."""
_SCRATCH = lazy_re(rf"\.\d+-\d+{re.escape(_NEW)}\Z")
_LONG = 3600.0
"""Seconds after which a scratch file is taken to be left by a killed process."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a scratch file beside `path` to write, which takes that name where all went well.

    Readers see what was there before or what is there now; nothing else is left beside it.

    Raises:
        OSError: it cannot take the name. An error of the scratch file, too, names `path`.
    """
    scratch = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}{_NEW}")
    try:
        yield scratch
        _take_name(scratch, path)
    except BaseException as error:
        with suppress(OSError):
            scratch.unlink()
        _name(error, scratch, path)
        raise


def _take_name(scratch: Path, path: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            os.replace(scratch, path)
            return
        except PermissionError:
            if time.monotonic() >= until:
                raise
            time.sleep(_GLANCE)


def remove_unfinished(folder: Path) -> None:
    """Remove what killed processes have left of files that they were writing.

    No process may be writing there now.

    Raises:
        OSError: something cannot be removed.
    """
    for path in folder.iterdir():
        if path.name.endswith((_NEW, _PART)):
            discard(path)


def remove_abandoned(folder: Path) -> None:
    """Remove scratch files of a folder that were last written long ago: by killed processes.

    What cannot be removed stays.
    """
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _SCRATCH.search(entry.name):
                with suppress(OSError):
                    if time.time() - entry.stat().st_mtime > _LONG:
                        os.unlink(entry)


def discard(path: Path) -> None:
    """Remove a file of our own if it is there, or a folder that stands in its place.

    Raises:
        OSError: it cannot be removed.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _name(error: BaseException, scratch: Path, path: Path) -> None:
    """Have an error name what was to be written, as nobody knows a scratch file."""
    if isinstance(error, OSError) and str(error.filename) == str(scratch):
        error.filename = str(path)
        del error.filename2


def for_user_alone(path: str, flags: int) -> int:
    """Open a file that nobody else may read: an `opener` for `open`."""
    return os.open(path, flags, 0o600)


def keep_for_user_alone(path: Path) -> None:
    """Make a file that nobody else may read, or make one that is there so.

    One that is there is not opened: a process that closes a file drops all locks that it has on
    it, those of its open databases as well.

    Raises:
        OSError: it cannot be made.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    if os.name == "posix" and (os.stat(path).st_mode & 0o077):
        with suppress(OSError):  # it belongs to somebody else
            os.chmod(path, 0o600)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all, and onto the disk before it takes its name.

    A file that is there keeps its permissions, a new one has those of any new file.

    Raises:
        OSError: it cannot be written.
    """
    with replacing(path) as scratch:
        with scratch.open("wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            scratch.chmod(stat.S_IMODE(path.stat().st_mode))
