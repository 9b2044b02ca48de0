"""Bibliographies that another program is writing just now: their previous content is used.

Most programs empty a file and then fill it, or remove it and put another in its place. A read
in between misses entries that are back a moment later.
"""

from __future__ import annotations

import time
from pathlib import Path

from attrs import frozen

from cite_lsp.library.bibtex.scanner import unclosed_record
from cite_lsp.library.formats.zotero_part import ZoteroPart
from cite_lsp.library.load.read import BibliographyFile, read_file, stamps
from cite_lsp.storage.stamps import Stamp

_REST = 2.0
"""Seconds without a change after which a file is taken as it is, half written or not."""


@frozen
class FileSnapshot:
    """What a bibliography file held when it was last read.

    Attributes:
        stamps: The stamps of the file at that time.
        file: What it held, or where it seemed half written, what it held before.
        outdated_until: In the latter case, the time (monotonic seconds) until which that is used.
    """

    stamps: tuple[Stamp, ...]
    file: BibliographyFile
    outdated_until: float | None = None

    @property
    def is_outdated(self) -> bool:
        """Whether the file holds something else by now."""
        return self.outdated_until is not None

    @property
    def left(self) -> float:
        """The seconds for which it is still used although the file holds something else."""
        return (
            0.0 if self.outdated_until is None else max(self.outdated_until - time.monotonic(), 0.0)
        )


def snapshot_of(
    path: Path,
    snapshot: FileSnapshot | None,
    *,
    patient: bool = True,
    zotero: ZoteroPart,
) -> FileSnapshot:
    """Return what a file holds; the same object as long as the file has not changed.

    Of Zotero's database it is a part. With `patient`, the previous content of a file that seems
    half written is used until it rests.
    """
    # The stamp is older than what is read: a change in between is seen the next time.
    current = stamps(path)
    if snapshot is None:
        return FileSnapshot(current, read_file(path, None, zotero))
    same = snapshot.stamps == current
    if same and not snapshot.file.refused and (snapshot.left or not snapshot.is_outdated):
        return snapshot
    read = read_file(path, snapshot.file, zotero)
    rested = snapshot.is_outdated and same
    if patient and not rested and seems_half_written(read, snapshot.file):
        return FileSnapshot(current, snapshot.file, time.monotonic() + _REST)
    if read.refused and read == snapshot.file:
        read = snapshot.file  # a library is the same as long as its parts are
    return FileSnapshot(current, read)


def seems_half_written(read: BibliographyFile, before: BibliographyFile) -> bool:
    """Whether a file reads as if its end were yet to be written, going by what it held `before`.

    It holds no entry any more, or is not there, or stops within a record, or what stood behind the
    last of its entries has gone. The writer may have done that on purpose, too: only time tells.
    """
    keys_before = [entry.key for entry in before.bibliography.entries]
    entries = read.bibliography.entries
    if not keys_before:
        return False
    if not entries:
        return True
    if _stops_within_record(read) and not _stops_within_record(before):
        return True
    last = entries[-1].key
    if last not in keys_before:
        return False
    behind = keys_before[keys_before.index(last) + 1 :]
    return bool(behind) and not {entry.key for entry in entries}.intersection(behind)


def _stops_within_record(file: BibliographyFile) -> bool:
    return file.bibtex is not None and unclosed_record(file.bibtex.text) >= 0
