"""Drafts as a request found them a moment ago: one burst of requests looks at the disk once.

After an edit, editors ask for completions, actions, hints, links and diagnostics all at once, and
each would look for every file that the draft may consist of.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import ReferenceType, ref

from attrs import frozen

from cite_lsp.library.load.read import Stamp, stamps
from cite_lsp.storage.caches import LastUsed

if TYPE_CHECKING:
    from cite_lsp.project.draft import Draft
    from cite_lsp.recommend.engine import DraftRecommender
    from cite_lsp.server.session.documents import Document

_MOMENT = 0.25
"""Seconds for which a file that comes to a draft may go unnoticed; changed ones are noticed."""
_FILES = 12
"""Files of a draft from which on looking whether they changed is not worth it."""
_KEPT = 8

Snapshot = Mapping[Path, "Document"]
_Stamps = tuple[tuple[Path, tuple[Stamp, ...]], ...]


@frozen(eq=False)
class _Found:
    snapshot: Snapshot
    recommender: ReferenceType[DraftRecommender]
    when: float
    stamps: _Stamps
    draft: Draft


class RecentDrafts:
    """The drafts that were used last. Thread-safe."""

    def __init__(self) -> None:
        self._found: LastUsed[Path, _Found] = LastUsed(_KEPT)

    def get(
        self, path: Path, snapshot: Snapshot, recommender: DraftRecommender | None
    ) -> Draft | None:
        """Return the draft of a path if it was read just now, from these buffers and files."""
        found = self._found.get(path)
        if (
            found is None
            or found.snapshot is not snapshot
            or found.recommender() is not recommender
            or time.monotonic() > found.when + _MOMENT
            or any(stamps(one) != known for one, known in found.stamps)
        ):
            return None
        return found.draft

    def put(
        self, path: Path, snapshot: Snapshot, recommender: DraftRecommender, draft: Draft
    ) -> None:
        """Take a draft that was read just now."""
        files = {one for one, _ in draft.project.files}
        files.update(draft.project.packages)
        files.update(one.path for one in draft.library.bibliographies)
        closed = [one for one in files if one not in snapshot]
        if len(closed) > _FILES:
            return
        known = tuple((one, stamps(one)) for one in closed)
        self._found.keep(path, _Found(snapshot, ref(recommender), time.monotonic(), known, draft))
