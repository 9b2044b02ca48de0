"""The pieces of words that a BERT tokenizer cuts texts into, several times as fast as it does so.

A tokenizer cuts every word of every text anew; words recur. So it cuts a word
once. Under the rules of BERT a run of ASCII letters and digits is a word, any other ASCII sign
stands alone, and blanks part whatever they stand between; so what has other letters is cut as it
stands between blanks. Texts with control characters or special tokens spelt out, and other
tokenizers, go the tokenizer's way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import chain, islice

from tokenizers import Tokenizer

from cite_lsp.encode.encoder import well_formed
from cite_lsp.lazy_re import lazy_re

_WORD = lazy_re(r"[A-Za-z0-9]+|[!-/:-@\[-`{-~]")
_WORD_OR_RUN = lazy_re(rf"\S*[^\x00-\x7f]\S*|{_WORD.pattern}")
_CONTROL = lazy_re(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CACHED_WORDS = 400_000


class WordPieces:
    """Cuts texts as a tokenizer does, without its special tokens. Not for several threads at once.

    Texts are cut off at `max_tokens`.
    """

    def __init__(self, tokenizer: Tokenizer, max_tokens: int) -> None:
        self._tokenizer = tokenizer
        self._max_tokens = max_tokens
        self._pieces: dict[str, tuple[int, ...]] = {}
        self._special = _special_words(tokenizer)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the numbers of the pieces of each text."""
        numbers: list[list[int]] = [[]] * len(texts)
        words: dict[int, list[str]] = {}
        others = []
        for row, text in enumerate(texts):
            if self._plain(text):
                pattern = _WORD if text.isascii() else _WORD_OR_RUN
                words[row] = pattern.findall(text)
            else:
                others.append(row)
        self._learn(words.values())
        for row, own in words.items():
            pieces = chain.from_iterable(map(self._pieces.__getitem__, own))
            numbers[row] = list(islice(pieces, self._max_tokens))
        for row, ids in zip(others, self._tokenize([texts[row] for row in others]), strict=True):
            numbers[row] = ids
        return numbers

    def _plain(self, text: str) -> bool:
        return (
            self._special is not None
            and not _CONTROL.search(text)
            and not self._special.search(text)
        )

    def _learn(self, words: Iterable[list[str]]) -> None:
        if len(self._pieces) > _CACHED_WORDS:
            self._pieces.clear()
        new = list(set(chain.from_iterable(words)).difference(self._pieces))
        self._pieces.update(zip(new, map(tuple, self._tokenize(new)), strict=True))

    def _tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        clean = [well_formed(text) for text in texts]
        encodings = self._tokenizer.encode_batch_fast(clean, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]


def _special_words(tokenizer: Tokenizer) -> re.Pattern[str] | None:
    """Return what finds a special token that a text spells out; None for rules that are not BERT's.

    Special tokens are looked for before anything else is done to a text.
    """
    rules = json.loads(tokenizer.to_str())
    normalizer, cutter = rules.get("normalizer") or {}, rules.get("pre_tokenizer") or {}
    if (
        normalizer.get("type") != "BertNormalizer"
        or not normalizer.get("lowercase")
        or not normalizer.get("clean_text")
        or cutter.get("type") != "BertPreTokenizer"
        or rules["model"].get("type") != "WordPiece"
    ):
        return None
    words = [token["content"] for token in rules.get("added_tokens", ())]
    return re.compile("|".join(map(re.escape, words)) or r"(?!)", re.IGNORECASE)
