"""The real server on a slow disk: a file called `slow…` takes a while, and is put down in a log."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from cite_lsp.server.app import create_server, run
from cite_lsp.server.session.documents import DocumentStore

at_once = DocumentStore._read_file


def slowly(self: DocumentStore, path: Path) -> str | None:
    if path.name.startswith("slow"):
        with Path(sys.argv[1]).open("a") as log:
            log.write(f"{path.name}\n")
        time.sleep(0.03)
    return at_once(self, path)


if __name__ == "__main__":
    DocumentStore._read_file = slowly  # type: ignore[method-assign]
    run(create_server())
