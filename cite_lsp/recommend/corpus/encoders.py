"""The encoders of corpora: that of the draft where it fits the vectors, else their own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock

from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.encoder import Encoder, EncoderError
from cite_lsp.search.corpus.corpus_index import Manifest

log = logging.getLogger(__name__)


class WarnOnce:
    """Logs each warning once. Thread-safe."""

    def __init__(self) -> None:
        self._logged: set[str] = set()
        self._lock = Lock()

    def __call__(self, message: str) -> None:
        """Log a message as a warning, unless it was logged before."""
        with self._lock:
            is_new = message not in self._logged
            self._logged.add(message)
        if is_new:
            log.warning("%s", message)


class CorpusEncoders:
    """Encoders by name, each loaded once, and that of the draft. Thread-safe."""

    def __init__(self, load: Callable[[str], Encoder], warn: WarnOnce) -> None:
        """Take what loads an encoder by name, and what logs those that cannot be loaded."""
        self.draft_encoder: Encoder | None = None
        """The encoder of the draft, once it is loaded."""
        self._load, self._warn = load, warn
        self._lock = Lock()
        self._loaded: dict[str, Encoder | None] = {}

    def load(self, name: str, corpus: str) -> Encoder | None:
        """Return an encoder for a corpus, loaded now if need be; None if that fails."""
        with self._lock:
            if name not in self._loaded:
                self._loaded[name] = self._opened(name, corpus)
            return self._loaded[name]

    def fitting(self, about: Manifest) -> Encoder | None:
        """Return an encoder whose vectors can be compared with those of a corpus.

        It is that of the draft, or a loaded one; None if neither fits.
        """
        encoders = (self.draft_encoder, self._loaded.get(about.encoder))
        return next(
            (encoder for encoder in encoders if encoder is not None and about.fits(encoder)), None
        )

    def fit(self, name: str, checkpoint: str) -> Encoder | None:
        """Return an encoder for the vectors of a remote corpus, loaded now if need be."""
        draft_encoder = self.draft_encoder
        if draft_encoder is not None and draft_encoder.checkpoint == checkpoint:
            return draft_encoder
        encoder = self.load(name, "a remote corpus")
        if encoder is not None and encoder.checkpoint != checkpoint:
            self._warn(f"encoder {name} is another here; a remote corpus is searched by words")
            return None
        return encoder

    def _opened(self, name: str, corpus: str) -> Encoder | None:
        try:
            return CachedEncoder(self._load(name), on_disk=False)
        except EncoderError as error:
            self._warn(f"{corpus}: {error}; it is searched by words only")
            return None
