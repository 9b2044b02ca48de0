"""Records of remote papers as files, for editors that show where something stands."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path

from attrs import asdict

from cite_lsp.paper import Paper
from cite_lsp.paths import cache_folder
from cite_lsp.storage.atomic_write import replacing
from cite_lsp.storage.eviction import remove_oldest

log = logging.getLogger(__name__)

_SUFFIX = ".json"
_MOST_RECORDS = 1000
"""Records of a corpus on disk; the least recently used go first."""


def remote_records(corpus: str, papers: Sequence[Paper]) -> list[Path | None]:
    """Return a file of the cache with the record of each paper; None if it cannot be written."""
    folder = cache_folder() / "remote" / corpus
    records = [_record(folder, paper) for paper in papers]
    remove_oldest(folder, _SUFFIX, _MOST_RECORDS)
    return records


def _record(folder: Path, paper: Paper) -> Path | None:
    name = hashlib.blake2b(paper.id.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    path = folder / f"{name}{_SUFFIX}"
    record = {key: value for key, value in asdict(paper).items() if value}
    data = (json.dumps(record, indent=1) + "\n").encode()
    try:
        if _read(path) == data:
            os.utime(path)  # used again
        else:
            folder.mkdir(parents=True, exist_ok=True)
            with replacing(path) as scratch:
                scratch.write_bytes(data)
    except OSError as error:
        log.warning("%s: a record cannot be kept (%s)", path, error)
        return None
    return path


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
