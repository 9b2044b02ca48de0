"""Indexing a large library in a process of its own, so that it holds up nobody who types meanwhile.

What that process makes it leaves in the caches on disk, from which the index is made as at any
later start, in a hundredth of the time. Where it cannot, nothing is lost: the library is indexed
here.
"""

from __future__ import annotations

import json
import os
import subprocess  # nosec B404  # runs this file alone
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cite_lsp.library import Library

_WORTH_A_PROCESS = 5000
"""Entries from which on a process, which takes a second to start and to read them, is worth it."""


def index_in_process(library: Library) -> None:
    """Have a large library indexed by another process, from its files, and wait until it is."""
    if len(library.entries) < _WORTH_A_PROCESS or not sys.executable:
        return
    paths = [str(bibliography.path) for bibliography in library.bibliographies]
    what = paths, library.zotero.collections, library.zotero.library
    # On Windows it cannot make itself give way to others, as it does elsewhere.
    flags = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
    command = [sys.executable, "-P", "-m", __name__]
    nowhere = subprocess.DEVNULL
    with (
        suppress(OSError),
        subprocess.Popen(  # nosec B603  # no shell, no argument from outside
            command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, creationflags=flags
        ) as process,
    ):
        assert process.stdin is not None  # a pipe, as requested
        process.stdin.write(json.dumps(what).encode() + b"\n")
        process.stdin.flush()
        # The pipe stays open: the other process ends when this one does.
        process.wait()


def _index(paths: Sequence[str], collections: Sequence[str], zotero_library: str) -> None:
    """Index the library of some bibliographies; the caches keep the index.

    `collections` and `zotero_library` say what of Zotero's database counts, see `ZoteroPart`.
    """
    # Imported where needed: by then the pipe is watched.
    from cite_lsp.library import EntryMatcher, LibraryCache
    from cite_lsp.library.entries import digest_of
    from cite_lsp.library.formats.zotero_part import ZoteroPart
    from cite_lsp.recommend.base.pool import Pool
    from cite_lsp.translate.segment import fold_script

    part = ZoteroPart(tuple(collections), zotero_library)
    library = LibraryCache(zotero=part).load([Path(path) for path in paths])
    digest = digest_of(library.entries)
    EntryMatcher(library.entries, script=fold_script, digest=digest).prepare()
    Pool.of_entries(library.entries, digest=digest)


def _end_with(pipe: int) -> None:
    """End this process, whatever it does, once nobody holds the other end of a pipe."""
    with suppress(OSError):
        while os.read(pipe, 1):
            pass
    os._exit(1)


def _main() -> None:
    what = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with, args=[sys.stdin.fileno()], daemon=True).start()
    with suppress(AttributeError, OSError):
        os.nice(10)
    _index(*what)


if __name__ == "__main__":
    _main()
