"""A cache of what was computed of documents a moment ago, until what it depends on has changed.

After an edit, editors ask for completions, actions, hints, links and diagnostics all at once, and
the server looks unasked: all want the draft, and the findings, of the same state of a document.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Generic, TypeVar

from attrs import frozen

from cite_lsp.library.load.read import stamps
from cite_lsp.storage.caches import LastUsed, Turns
from cite_lsp.storage.stamps import Stamp

T = TypeVar("T")
_MOST_DOCUMENTS = 8

Stamps = tuple[tuple[Path, tuple[Stamp, ...]], ...]
"""Files as they were."""


def stamps_of(paths: Iterable[Path]) -> Stamps:
    """Return files, each once, as they are now."""
    return tuple((path, stamps(path)) for path in dict.fromkeys(paths))


@frozen(eq=False)
class StoredResult(Generic[T]):
    """What was made of a document, and until when (monotonic seconds) it counts.

    It does so while the `files`, which are not open, are as they were; `snapshot` are the open
    documents, which are kept so that no others get their id.
    """

    value: T
    files: Stamps
    until: float
    snapshot: object

    def holds(self) -> bool:
        """Whether time has not run out, and the files are the same."""
        return time.monotonic() <= self.until and all(
            stamps(path) == before for path, before in self.files
        )


class RecentResults(Generic[T]):
    """What was made of the documents that were used last. Thread-safe."""

    def __init__(self) -> None:
        self._cached: LastUsed[Path, tuple[object, StoredResult[T]]] = LastUsed(_MOST_DOCUMENTS)
        self._turns: Turns[Path] = Turns()

    def forget_others(self, paths: Collection[Path]) -> None:
        """Drop what was made of other documents than these."""
        self._cached.forget_unless(paths.__contains__)

    def of(
        self, path: Path, state_of: Callable[[], object], make: Callable[[], StoredResult[T]]
    ) -> T:
        """Return what was made of a document, or is now where its state is another.

        A request for it while it is being made waits for that.
        """
        with self._turns.of(path):
            state = state_of()
            before, result = self._cached.get(path) or (None, None)
            if result is not None and before == state and result.holds():
                return result.value
            stored = make()
            self._cached.keep(path, (state, stored))
            return stored.value
