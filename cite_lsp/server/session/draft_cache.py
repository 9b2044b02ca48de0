"""Drafts as they were read a moment ago: a burst of requests looks at the disk once.

After an edit, editors ask for completions, actions, hints, links and diagnostics all at once, and
each would look for every file that the draft may consist of.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import ReferenceType, ref

from attrs import frozen

from cite_lsp.library.load.read import stamps
from cite_lsp.storage.caches import LastUsed
from cite_lsp.storage.stamps import Stamp, stamp

if TYPE_CHECKING:
    from cite_lsp.project.draft import Draft
    from cite_lsp.recommend.engine import DraftRecommender
    from cite_lsp.server.session.documents import Document

MOMENT = 0.25
"""Seconds for which a file that comes to a draft may go unnoticed; changed ones are noticed."""
_MOST_DRAFTS = 8

Snapshot = Mapping[Path, "Document"]
_Stamps = tuple[tuple[Path, tuple[Stamp, ...]], ...]


@frozen(eq=False)
class _ReadDraft:
    snapshot: Snapshot
    recommender: ReferenceType[DraftRecommender]
    when: float
    stamps: _Stamps
    draft: Draft


class RecentDrafts:
    """The drafts that were used last. Thread-safe."""

    def __init__(self) -> None:
        self._drafts: LastUsed[Path, _ReadDraft] = LastUsed(_MOST_DRAFTS)

    def get(
        self, path: Path, snapshot: Snapshot, recommender: DraftRecommender | None
    ) -> Draft | None:
        """Return the draft of a path if it was read just now, from these buffers and files."""
        cached = self._drafts.get(path)
        if (
            cached is None
            or cached.snapshot is not snapshot
            or cached.recommender() is not recommender
            or time.monotonic() > cached.when + MOMENT
            or any(stamps(file) != before for file, before in cached.stamps)
        ):
            return None
        return cached.draft

    def forget_others(self, paths: Collection[Path]) -> None:
        """Drop the drafts that were read at other files than these."""
        self._drafts.forget_unless(paths.__contains__)

    def put(
        self,
        path: Path,
        snapshot: Snapshot,
        recommender: DraftRecommender,
        draft: Draft,
        stamp_read: Callable[[Path], Stamp] = stamp,
    ) -> None:
        """Store a draft that was read just now; `stamp_read` returns stamps from before that."""
        drafts = (*(file for file, _ in draft.project.files), *draft.project.packages)
        known: dict[Path, tuple[Stamp, ...]] = {file: (stamp_read(file),) for file in drafts}
        for bibliography in draft.library.bibliographies:
            if bibliography.path not in known:
                known[bibliography.path] = stamps(bibliography.path)
        on_disk = tuple((file, before) for file, before in known.items() if file not in snapshot)
        self._drafts.keep(
            path, _ReadDraft(snapshot, ref(recommender), time.monotonic(), on_disk, draft)
        )
