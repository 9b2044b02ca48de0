"""Code-switched training texts for Chinese encoders: English ones with some words in Chinese.

Words and phrases that a glossary knows are replaced by Chinese ones, so that a Chinese text (in
English order, to be sure) stands beside an English one whose meaning is exactly known.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from attrs import frozen

from cite_lsp.corpus.parallel_texts import GlossaryTerm
from cite_lsp.language import HAN
from cite_lsp.lazy_re import lazy_re

_WORD = lazy_re(r"[A-Za-z]+(?:'[a-z]+)?")
_NOTE = lazy_re(r"\([^)]*\)|（[^）]*）|\[[^\]]*\]|\b(?:lit|fig|abbr|sth|sb|esp|etc)\b\.?")
_LEADING = lazy_re(r"^(?:to|a|an|the|be)\s+", re.IGNORECASE)
LONGEST = 4
"""English words of a term."""
_COMMON = 0.3
"""What a Chinese word weighs that the texts do not have."""
_DROPPED = frozenset("a an the to is are be was were of".split())
_FUNCTION = {
    "and": ("和", "与", "及"),
    "or": ("或",),
    "for": ("用于", "面向", ""),
    "in": ("中", "在", ""),
    "on": ("上", "对", ""),
    "with": ("与", "带有", ""),
    "by": ("通过", "由", ""),
    "via": ("通过",),
    "using": ("使用", "利用", "采用"),
    "from": ("从", "来自"),
    "based": ("基于",),
    "towards": ("面向",),
    "toward": ("面向",),
    "we": ("我们", "本文"),
    "this": ("该", "这"),
    "that": ("",),
    "which": ("",),
}


def stem(word: str) -> str:
    """Cut an English word down to what its forms share; both sides of a look-up are cut alike."""
    word = word.lower()
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-3] + "y" if word.endswith("ies") else word[:-1]
    for ending in ("isation", "ization", "ation", "ion", "ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            word = word.removesuffix(ending)
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word


def senses(term: GlossaryTerm) -> str:
    """Return the English side of a term without notes in brackets, "to" and articles."""
    text = _NOTE.sub(" ", term.en)
    return _LEADING.sub("", " ".join(text.split()).strip(" ,;:."))


@frozen
class CodeSwitcher:
    """What English phrases, as stems, become in Chinese, and how much each choice weighs."""

    choices: Mapping[tuple[str, ...], tuple[Sequence[str], Sequence[float]]]

    @classmethod
    def build(cls, terms: Iterable[GlossaryTerm], counts: Mapping[str, int]) -> CodeSwitcher:
        """Gather the choices; `counts` says how often the texts at hand have a Chinese word."""
        weights_of: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
        for term in terms:
            phrase = tuple(stem(word) for word in _WORD.findall(senses(term)))
            if not 0 < len(phrase) <= LONGEST or not term.zh:
                continue
            weight = counts.get(term.zh, 0) + _COMMON
            if len(term.zh) == 1:
                weight *= 0.1  # hardly a term: what stands alone in a sense list is a character
            weights_of[phrase][term.zh] = weights_of[phrase].get(term.zh, 0.0) + weight
        return cls(
            {
                name: (tuple(weights), tuple(weights.values()))
                for name, weights in weights_of.items()
            }
        )

    def __call__(self, text: str, rng: random.Random, *, share: float = 1.0) -> str:
        """Return a text with its known phrases in Chinese, each with probability `share`.

        What the glossary lacks, names and acronyms above all, stays as it stands.
        """
        pieces = list(_WORD.finditer(text))
        out: list[str] = []
        end = place = 0
        while place < len(pieces):
            here = pieces[place]
            between = text[end : here.start()]
            length, word = self._longest(text, pieces, place, rng, share)
            last = pieces[place + length - 1]
            out.append(between if between.strip() or not word else "")
            out.append(text[here.start() : last.end()] if word is None else word)
            end = last.end()
            place += length
        out.append(text[end:])
        return _tight("".join(out))

    def _longest(
        self,
        text: str,
        pieces: Sequence[re.Match[str]],
        place: int,
        rng: random.Random,
        share: float,
    ) -> tuple[int, str | None]:
        """Return how many words are replaced at a place, and by what; None for not at all."""
        word = pieces[place].group()
        if rng.random() >= share:
            return 1, None
        if word.lower() in _DROPPED:
            return 1, ""
        if word.lower() in _FUNCTION:
            return 1, rng.choice(_FUNCTION[word.lower()])
        if sum(letter.isupper() for letter in word) > 1:
            return 1, None  # an acronym
        for length in range(min(LONGEST, len(pieces) - place), 0, -1):
            run = pieces[place : place + length]
            gaps = (text[a.end() : b.start()] for a, b in zip(run, run[1:], strict=False))
            if any(gap not in (" ", "-") for gap in gaps):
                continue
            choices = self.choices.get(tuple(stem(piece.group()) for piece in run))
            if choices:
                return length, rng.choices(*choices)[0]
        return 1, None


def _tight(text: str) -> str:
    """Take out blanks beside Chinese characters, which Chinese text does not have."""
    joined = re.sub(rf"\s+(?=[{HAN}])|(?<=[{HAN}])\s+", "", text)
    return " ".join(joined.split())
