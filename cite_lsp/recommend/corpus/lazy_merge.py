"""What the corpora offer, made ready where there are any: few writers have one.

Without one nothing of the corpora is even imported, which would delay the first answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from cite_lsp import paths
from cite_lsp.encode import load_encoder
from cite_lsp.search.remote.address import RemoteAccess, is_address

if TYPE_CHECKING:
    from cite_lsp.recommend.corpus.merge import Offers


class LateOffers:
    """Makes the offers once, when there is something to offer. Thread-safe."""

    def __init__(
        self, corpora: Sequence[str] | None, access: RemoteAccess | None, wait: float | None
    ) -> None:
        """Take the names or addresses of the corpora that take part, None for all of this machine.

        `access` opens remote ones, by default what the environment says; `wait` is how many seconds
        a list waits for them.
        """
        self._corpora = tuple(corpora) if corpora is not None else None
        self._access, self._wait = access, wait
        self._offers: Offers | None = None
        self._lock = Lock()

    def get(self) -> Offers | None:
        """Return what joins corpora in; None, and nothing is imported, where none can be."""
        remote = any(map(is_address, self._corpora or ()))
        if self._corpora == () or not (remote or paths.corpora_folder().is_dir()):
            return None
        with self._lock:
            if self._offers is None:
                from cite_lsp.recommend.corpus.merge import Offers
                from cite_lsp.recommend.corpus.registry import Corpora
                from cite_lsp.recommend.corpus.remote import WAIT

                self._offers = Offers(
                    Corpora(
                        self._corpora,
                        load_encoder=load_encoder,
                        access=self._access,
                        wait=WAIT if self._wait is None else self._wait,
                    )
                )
            return self._offers
