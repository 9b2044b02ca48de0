"""The models that drafts are read with: encoders and a translator, each loaded once.

Of each there is one for what stays, which keeps on disk what it makes, and one for what is being
typed, which is not worth a write.
"""

from __future__ import annotations

import logging
from threading import Lock

from attrs import evolve

from cite_lsp.encode import EncoderError, load_encoder
from cite_lsp.encode.cached import CachedEncoder
from cite_lsp.encode.model import Cancel, Encoder, stop_if
from cite_lsp.language import has_han
from cite_lsp.manuscript import Context
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.library.ranker import library_ranker
from cite_lsp.recommend.query.encoder_input import cached_query_encoder
from cite_lsp.recommend.query.query import sentence_of
from cite_lsp.translate.cached import CachedTranslator, open_translator
from cite_lsp.translate.translator import DictionaryTranslator, Translator, TranslatorError

log = logging.getLogger(__name__)

_ENDS = ("。", "！", "？", "…", ".", "!", "?")


class DraftModels:
    """Thread-safe; what is not loaded, or cannot be had, is None.

    encoder, query_encoder: of what stays, the papers and the draft's markers; the second places
    markers among the papers. typing_encoder, placing_encoder: the same of what is being typed.
    """

    def __init__(self, encoder: str, translator: str) -> None:
        """Take the name of the encoder, and of what puts Chinese into English."""
        self.encoder: CachedEncoder | None = None
        self.typing_encoder: CachedEncoder | None = None
        self.query_encoder: CachedEncoder | None = None
        self.placing_encoder: CachedEncoder | None = None
        self._encoder_name = encoder
        self._encoder_failed = False
        self._translator_name = translator
        self._translator: Translator | None = None
        self._typing_translator: Translator | None = None
        self._translator_failed = translator == DictionaryTranslator.name  # words need no loading
        self._lock = Lock()

    def load_encoder(self) -> None:
        """Load the encoder, once; if it cannot be had, say so in the log and stay lexical."""
        with self._lock:
            if self.encoder is not None or self._encoder_failed:
                return
            try:
                encoder = CachedEncoder(load_encoder(self._encoder_name))
            except EncoderError as error:
                self._encoder_failed = True
                log.error("%s; ranking by words only", error)
                return
            self.typing_encoder = encoder.without_writing()
            self.query_encoder = _query_encoder_of(encoder)
            if self.query_encoder is not None:
                self.placing_encoder = self.query_encoder.without_writing()
            self.encoder = encoder

    def load_translator(self) -> None:
        """Load the translator of the settings, once; without it the lexicon does what it can."""
        with self._lock:
            if self._translator is not None or self._translator_failed:
                return
            try:
                found = self._typing_translator = open_translator(self._translator_name)
                if isinstance(found, CachedTranslator):
                    self._typing_translator = found.without_writing()
                self._translator = found
            except TranslatorError as error:
                self._translator_failed = True
                log.error("%s; Chinese is translated by the lexicon alone", error)

    def close(self) -> None:
        """Close the files of what is kept; the models work on without them.

        The query encoder is one for the whole process, and stays open.
        """
        for cached in (self.encoder, self._translator):
            if isinstance(cached, (CachedEncoder, CachedTranslator)):
                cached.close()

    def translated(self, context: Context, cancelled: Cancel | None = None) -> Context:
        """Return a context with its translation, where there is a translator and Chinese.

        A sentence without its end is one being typed: it is soon another.

        Raises:
            Cancelled: `cancelled` said so.
        """
        sentence = sentence_of(context)
        ended = sentence.endswith(_ENDS)
        translator = self._translator if ended else self._typing_translator
        if translator is None or not has_han(sentence):
            return context
        found = translator.translate([sentence], check=lambda: stop_if(cancelled))
        return evolve(context, translation=found[0])


def _query_encoder_of(encoder: Encoder) -> CachedEncoder | None:
    """Return the query encoder, if it places contexts among the vectors of this encoder."""
    try:
        return cached_query_encoder() if encoder.checkpoint == library_ranker().checkpoint else None
    except (EncoderError, RankerError) as error:
        log.error("%s; ranking without the query encoder", error)
        return None
