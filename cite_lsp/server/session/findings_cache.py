"""The findings about documents, until anything that they depend on has changed.

The client asks for diagnostics, the server looks unasked, and every move of the cursor asks for
actions: all want the findings of the same state of a document.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from pathlib import Path

from attrs import frozen

from cite_lsp.library.load.read import stamps
from cite_lsp.rules.findings import Finding
from cite_lsp.storage.caches import LastUsed, Turns
from cite_lsp.storage.stamps import Stamp

_MOST_DOCUMENTS = 8

Findings = tuple[Finding, ...]


@frozen(eq=False)
class Examined:
    """The findings about a document, and until when they count.

    They do so while the `files` that they stand in, beside those of the draft, are as they were;
    `snapshot` are the open documents, which are kept so that no others get their id.
    """

    findings: Findings
    files: tuple[tuple[Path, tuple[Stamp, ...]], ...]
    until: float
    snapshot: object

    def holds(self) -> bool:
        """Whether time has not run out, and the other files are the same."""
        return time.monotonic() <= self.until and all(
            stamps(path) == before for path, before in self.files
        )


class RecentFindings:
    """The findings of the documents that were examined last. Thread-safe."""

    def __init__(self) -> None:
        self._cached: LastUsed[Path, tuple[object, Examined]] = LastUsed(_MOST_DOCUMENTS)
        self._turns: Turns[Path] = Turns()

    def forget_others(self, paths: Collection[Path]) -> None:
        """Drop the findings of other documents than these."""
        self._cached.forget_unless(paths.__contains__)

    def of(
        self,
        path: Path,
        state_of: Callable[[], object],
        examine: Callable[[], Examined],
        cancelled: Callable[[], bool],
    ) -> Findings:
        """Return the findings of a document; `examine` finds them where its state is another.

        A request for them during an examination waits for its findings.
        """
        with self._turns.of(path):
            state = state_of()
            before, known = self._cached.get(path) or (None, None)
            if known is not None and before == state and known.holds():
                return known.findings
            examined = examine()
            if not cancelled():  # else they may be no more than the first of them
                self._cached.keep(path, (state, examined))
            return examined.findings
