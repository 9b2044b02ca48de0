"""Records of remote papers as files, for editors that show where something stands."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from attrs import asdict

from cite_lsp.paper import Paper
from cite_lsp.paths import cache_folder

log = logging.getLogger(__name__)

_KEPT = 1000
"""Records of a corpus on disk; those asked for least recently go first."""


def remote_records(corpus: str, papers: Sequence[Paper]) -> list[Path | None]:
    """Return a file of the cache for each paper, with its record; None where it has no room."""
    folder = cache_folder() / "remote" / corpus
    found = [_record(folder, paper) for paper in papers]
    _forget_old(folder)
    return found


def _record(folder: Path, paper: Paper) -> Path | None:
    name = hashlib.blake2b(paper.id.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    path = folder / f"{name}.json"
    record = {key: value for key, value in asdict(paper).items() if value}
    data = (json.dumps(record, indent=1) + "\n").encode()
    try:
        if _read(path) == data:
            os.utime(path)  # asked for again
        else:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    except OSError as error:
        log.warning("%s: a record cannot be kept (%s)", path, error)
        return None
    return path


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _forget_old(folder: Path) -> None:
    with suppress(OSError), os.scandir(folder) as listed:
        files = [(one.stat().st_mtime_ns, one.path) for one in listed]
        for _, path in sorted(files)[:-_KEPT]:
            os.unlink(path)
