"""Folders of files of which only the newest stay: caches on disk do not grow for ever."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from cite_lsp.storage.atomic_write import remove_abandoned


def remove_oldest(folder: Path, suffix: str, most: int) -> None:
    """Remove the files of a suffix that were changed longest ago, all but `most`.

    What cannot be removed stays; a file that is read often is kept by `os.utime`. What killed
    processes have left there goes, too.
    """
    remove_abandoned(folder)
    with suppress(OSError), os.scandir(folder) as entries:
        files = [
            (entry.stat().st_mtime_ns, entry.path)
            for entry in entries
            if entry.name.endswith(suffix)
        ]
        for _, path in sorted(files)[: max(0, len(files) - most)]:
            with suppress(OSError):
                os.unlink(path)
