"""Checksums of the files of a corpus: written when it is built, compared before it is believed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

from cite_lsp.search.corpus.version_files import CHECKSUMS, MANIFEST
from cite_lsp.storage.atomic_write import write_atomically

PASSING = ("encoded-", "graph-", "build.json")
"""How the files of a version begin that only an unfinished build needs."""
PAPER_FILES = (MANIFEST, "papers.jsonl", "starts.npy", "origins.npy", "origin_ends.npy")
"""The files by which a build knows which source has which papers."""
REFERENCE_FILES = "references/"
"""How the files of who cites whom begin."""
RECORDS = "records.jsonl.zst"
"""The file of the records that differ from their papers."""
TAKEN_OVER = (*PAPER_FILES, REFERENCE_FILES, RECORDS)
"""The files of which a build takes over what it does not read again."""
_CHUNK = 1 << 20


def write_checksums(version: Path) -> None:
    """Write down the checksum of every file of a version.

    Raises:
        OSError: it cannot be written.
    """
    sums = {name: checksum(path) for name, path in files_of(version)}
    write_atomically(version / CHECKSUMS, json.dumps(sums, indent=1))


def add_checksum(version: Path, path: Path) -> None:
    """Write down the checksum of a file that came to a version later.

    Raises:
        OSError, ValueError: those of the others cannot be read, or it cannot be written.
    """
    sums = _read(version) | {path.relative_to(version).as_posix(): checksum(path)}
    write_atomically(version / CHECKSUMS, json.dumps(sums, indent=1))


def damage(version: Path, *names: str) -> Iterator[str]:
    """Yield what is wrong with the files of a version whose names begin so, "" for all of them."""
    try:
        checksums = _read(version)
    except (OSError, ValueError) as error:
        yield f"{CHECKSUMS} cannot be read ({error})"
        return
    for name in sorted(checksums):
        if name.startswith(names) and (fault := _fault(version / name, checksums[name])):
            yield f"{name} {fault}"


def _read(version: Path) -> dict[str, str]:
    checksums = json.loads((version / CHECKSUMS).read_text(encoding="utf-8"))
    if not isinstance(checksums, dict):
        raise ValueError("it holds something else")
    return checksums


def _fault(path: Path, expected: str) -> str:
    """Return what is wrong with a file, "" where it is as its checksum says."""
    try:
        return "" if checksum(path) == expected else "has changed since it was written"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"


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
