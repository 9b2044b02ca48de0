"""The models that rank for drafts: encoders and a translator, each loaded once.

Each has a variant that caches its results on disk, for text that stays, and one that does not, for
text that is being typed.
"""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from attrs import evolve, field, frozen

from cite_lsp.cancelling import Cancel, stop_if
from cite_lsp.encode import EncoderError, load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.encoder import Encoder
from cite_lsp.language import has_han
from cite_lsp.manuscript import Context
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.encoders import NO_ENCODERS, Encoders
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.base.threads import ENCODING_THREADS
from cite_lsp.recommend.library.features import library_ranker
from cite_lsp.recommend.query.encoder_input import (
    LIBRARY_QUERY_ENCODER,
    cached_query_encoder,
    open_query_encoder,
)
from cite_lsp.recommend.query.query import sentence_of
from cite_lsp.translate.cached_translator import CachedTranslator, open_translator
from cite_lsp.translate.translator import DictionaryTranslator, Translator, TranslatorError

log = logging.getLogger(__name__)

_ENDS = ("。", "！", "？", "…", ".", "!", "?")


@frozen
class ModelNames:
    """The names of the encoder, and of the translator from Chinese to English.

    `query_encoder` is the folder of the one for libraries, by default of that which ships.
    """

    encoder: str = "default"
    translator: str = DictionaryTranslator.name
    query_encoder: Path = field(factory=lambda: shipped_model(LIBRARY_QUERY_ENCODER))


class DraftModels:
    """The encoders and the translator. Thread-safe.

    stored: those for papers and the draft's markers, with a cache on disk. typing: the same without
    writes, for text being typed.
    """

    def __init__(self, names: ModelNames | None = None, *, threads: int = ENCODING_THREADS) -> None:
        """Take the names of the models, by default those that ship; nothing is loaded yet.

        `threads` is how many texts are encoded at a time.
        """
        names = names or ModelNames()
        self._threads = threads
        self.stored = self.typing = NO_ENCODERS
        self._names = names
        self._encoder_failed = False
        self._translator: Translator | None = None
        self._typing_translator: Translator | None = None
        # The dictionary needs no loading.
        self._translator_failed = names.translator == DictionaryTranslator.name
        self._lock = Lock()

    def load_encoder(self) -> None:
        """Load the encoder, once; if that fails, log an error and rank by words only."""
        with self._lock:
            if self.stored.papers is not None or self._encoder_failed:
                return
            try:
                encoder = CachedEncoder(load_encoder(self._names.encoder, threads=self._threads))
            except EncoderError as error:
                self._encoder_failed = True
                log.error("%s; ranking by words only", error)
                return
            loaded = encoder, *self._query_encoders(encoder)
            self.typing = Encoders(*(cached.without_writing() for cached in loaded))
            self.stored = Encoders(*loaded)

    def _query_encoders(self, encoder: Encoder) -> tuple[CachedEncoder, ...]:
        """Load those of queries and precedents, if trained for the vectors of this encoder."""
        try:
            if encoder.checkpoint != library_ranker().checkpoint:
                return ()
            with ThreadPoolExecutor(1, thread_name_prefix="loading") as beside:
                opened = beside.submit(open_query_encoder, self._names.query_encoder, self._threads)
                precedents = cached_query_encoder(self._threads)
            return opened.result(), precedents
        except (EncoderError, RankerError) as error:
            log.error("%s; ranking without the query encoders", error)
            return ()

    def load_translator(self) -> None:
        """Load the translator, once; if that fails, the lexicon translates alone."""
        with self._lock:
            if self._translator is not None or self._translator_failed:
                return
            try:
                translator = self._typing_translator = open_translator(self._names.translator)
                if isinstance(translator, CachedTranslator):
                    self._typing_translator = translator.without_writing()
                self._translator = translator
            except TranslatorError as error:
                self._translator_failed = True
                log.error("%s; Chinese is translated by the lexicon alone", error)

    def close(self) -> None:
        """Close the caches on disk; the models work on without them.

        The query encoders are shared by the whole process, and stay open.
        """
        for cached in (self.stored.papers, self._translator):
            if isinstance(cached, (CachedEncoder, CachedTranslator)):
                cached.close()

    def translated(self, context: Context, cancelled: Cancel | None = None) -> Context:
        """Return a context with its translation, if it is Chinese and there is a translator.

        A sentence without its end is being typed: its translation is not cached on disk.

        Raises:
            Cancelled: `cancelled` said so.
        """
        sentence = sentence_of(context)
        ended = sentence.endswith(_ENDS)
        translator = self._translator if ended else self._typing_translator
        if translator is None or not has_han(sentence):
            return context
        translations = translator.translate([sentence], check=lambda: stop_if(cancelled))
        return evolve(context, translation=translations[0])
