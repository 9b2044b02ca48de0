"""Checksums of the files of a corpus, written when it is built, compared when it is checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

CHECKSUMS = "checksums.json"
PASSING = ("encoded-", "graph-", "build.json")
"""How the files of a version begin that only an unfinished build needs."""
_CHUNK = 1 << 20


def write_checksums(version: Path) -> None:
    """Write down the checksum of every file of a version.

    Raises:
        OSError: it cannot be written.
    """
    sums = {name: checksum(path) for name, path in files_of(version)}
    (version / CHECKSUMS).write_text(json.dumps(sums, indent=1), encoding="utf-8")


def files_of(version: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of a version that last, by name."""
    for path in sorted(version.rglob("*")):
        name = path.relative_to(version).as_posix()
        if path.is_file() and name != CHECKSUMS and not name.startswith(PASSING):
            yield name, path


def checksum(path: Path) -> str:
    """Return the checksum of a file.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
