"""What the corpora offer, made ready where there are any: few writers have one.

Without one nothing of the corpora is even imported, which would delay the first answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from cite_lsp import paths
from cite_lsp.encode import load_encoder
from cite_lsp.encode.model import Cancel, Encoder
from cite_lsp.library import Library
from cite_lsp.library.model import Entry
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.model import Recommendation
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.search.remote.address import RemoteAccess, is_address

if TYPE_CHECKING:
    from cite_lsp.recommend.corpus.merge import Found, Offers
    from cite_lsp.recommend.corpus.metadata import Known
    from cite_lsp.search.corpus.index import CorpusIndex


class NoOffers:
    """Stands for `Offers` where there is no corpus: nothing is added, nothing is known."""

    def prepare(
        self, library: Library, cited: Sequence[str], drafts: tuple[CitingDraft, ...] = ()
    ) -> None:
        """See `Offers.prepare`."""

    def indexes(self) -> tuple[CorpusIndex, ...]:
        """See `Offers.indexes`."""
        return ()

    def searched(self) -> tuple[CorpusIndex, ...]:
        """See `Offers.searched`."""
        return ()

    def known(self, entries: Sequence[Entry]) -> list[tuple[Known, ...]]:
        """See `Offers.known`."""
        return [()] * len(entries)

    def completed(self, library: Library) -> Mapping[int, Paper]:
        """See `Offers.completed`."""
        return {}

    def names(self) -> tuple[str, ...]:
        """See `Offers.names`."""
        return ()

    def join(
        self,
        library: Library,
        root: Path,
        found: tuple[Recommendation, ...],
        context: Context,
        *,
        typed: str = "",
        limit: int,
        cancelled: Cancel | None = None,
    ) -> tuple[Recommendation, ...]:
        """See `Offers.join`."""
        return found

    def offered(self, library: Library, root: Path, key: str) -> Recommendation | None:
        """See `Offers.offered`."""
        return None

    def existing_key(self, library: Library, paper: Paper) -> str | None:
        """See `Offers.existing_key`."""
        return None

    def search(self, typed: str, libraries: Sequence[Library], limit: int) -> list[Found]:
        """See `Offers.search`."""
        return []

    def close(self) -> None:
        """See `Offers.close`."""


class LateOffers:
    """Makes the offers once, when there is something to offer. Thread-safe."""

    def __init__(
        self,
        corpora: Sequence[str] | None,
        access: RemoteAccess | None,
        wait: float | None,
        encoder: Callable[[], Encoder | None],
    ) -> None:
        """Take the names or addresses of the corpora that take part, None for all of this machine.

        `access` opens remote ones, by default what the environment says; `wait` is how many seconds
        a list waits for them; `encoder` returns the one that drafts are read with, if it is loaded.
        """
        self._corpora = tuple(corpora) if corpora is not None else None
        self._access, self._wait = access, wait
        self._encoder = encoder
        self._none = NoOffers()
        self._offers: Offers | None = None
        self._closed = False
        self._lock = Lock()

    def get(self) -> Offers | NoOffers:
        """Return what joins corpora in; where none can be nothing is imported."""
        remote = any(map(is_address, self._corpora or ()))
        if self._corpora == () or not (remote or paths.corpora_folder().is_dir()):
            return self._none
        with self._lock:
            if self._closed:
                return self._none
            if self._offers is None:
                from cite_lsp.recommend.corpus.merge import Offers
                from cite_lsp.recommend.corpus.registry import Corpora
                from cite_lsp.recommend.corpus.remote import WAIT

                corpora = Corpora(
                    self._corpora,
                    load_encoder=load_encoder,
                    access=self._access,
                    wait=WAIT if self._wait is None else self._wait,
                )
                self._offers = Offers(corpora, self._encoder)
            return self._offers

    def close(self) -> None:
        """Let go of the corpora; from then on there are none."""
        with self._lock:
            self._closed = True
            offers, self._offers = self._offers, None
        if offers is not None:
            offers.close()
