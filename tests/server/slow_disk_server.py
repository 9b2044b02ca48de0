"""The real server on a slow disk: a file called `slow…` takes a while, and is put down in a log."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.server.app import create_server, run

read_at_once = FilesOnDisk.read


def read_slowly(self: FilesOnDisk, path: Path) -> str | None:
    if path.name.startswith("slow"):
        with Path(sys.argv[1]).open("a") as log:
            log.write(f"{path.name}\n")
        time.sleep(0.03)
    return read_at_once(self, path)


if __name__ == "__main__":
    FilesOnDisk.read = read_slowly  # type: ignore[method-assign]
    run(create_server())
