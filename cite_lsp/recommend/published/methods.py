"""The methods that a writer may choose instead of the default one, by name.

A draft may be in two languages: of the methods chosen, the first that ranks for the language of a
context is used, and the default one where there is none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from attrs import field, frozen

from cite_lsp.encode.encoder import Encoder
from cite_lsp.language import detect_language
from cite_lsp.manuscript.model import Context
from cite_lsp.recommend.base.method import Method, PaperSource
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.published import mp_bert4cr, two_phase
from cite_lsp.recommend.published.cross_language import CrossLanguage
from cite_lsp.recommend.published.mp_bert4cr import MpBert4Cr
from cite_lsp.recommend.published.two_phase import TwoPhase
from cite_lsp.recommend.query.query import sentence_of

log = logging.getLogger(__name__)

DEFAULT = "default"
_LANGUAGES = {"en": "English", "zh": "Chinese"}


@frozen
class MethodChoice:
    """The methods by name, the preferred one first, and the settings of those that have any.

    depth: how many candidates phase 2 of `two-phase` reorders, k. in_steps: whether it does so in
    steps, or exactly, as published.
    """

    names: tuple[str, ...] = (DEFAULT,)
    depth: int = two_phase.DEPTH
    in_steps: bool = False


REGISTRY: Mapping[str, Callable[[MethodChoice], Method]] = {
    two_phase.NAME: lambda choice: TwoPhase(choice.depth, choice.in_steps),
    mp_bert4cr.NAME: lambda choice: MpBert4Cr(),
    "blsrec-1": lambda choice: CrossLanguage(1),
    "blsrec-2": lambda choice: CrossLanguage(2),
    "blsrec-3": lambda choice: CrossLanguage(3),
}
"""What makes each method; a model is loaded when it is first needed."""


@frozen(eq=False)
class Methods:
    """The chosen methods. Thread-safe."""

    choice: MethodChoice = MethodChoice()
    _by_language: dict[str, Method | None] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        for name in self.choice.names:
            method = REGISTRY[name](self.choice) if name != DEFAULT else None
            languages = (method.language,) if method is not None else ("en", "zh")
            for language in languages:
                self._by_language.setdefault(language, method)

    def __bool__(self) -> bool:
        return any(method is not None for method in self._by_language.values())

    def prepare(self, papers: PaperSource, encoder: Encoder) -> None:
        """Load the models, and compute what every ranking of these papers needs.

        `encoder` is that of their vectors.
        A method whose model cannot be read is done without, which is logged.
        """
        for language, method in tuple(self._by_language.items()):
            try:
                if method is not None:
                    method.prepare(papers, encoder)
            except RankerError as error:
                self._by_language[language] = None
                log.error("%s; until then the default method ranks", error)

    def of(self, context: Context) -> Method | None:
        """Return the method for the language of a context's sentence; None for the default one.

        That no chosen method ranks for a language is logged once.
        """
        sentence = sentence_of(context)
        language = detect_language(sentence) if sentence.strip() else context.language
        if language not in self._by_language and self:
            names = ", ".join(self.choice.names)
            log.warning(
                "%s ranks no %s text: the default method does",
                names,
                _LANGUAGES.get(language, language),
            )
            self._by_language[language] = None
        return self._by_language.get(language)


NO_METHODS = Methods()
"""The default method alone."""
