"""The pieces of words that BERT reads: WordPiece under the rules of a `tokenizer.json`.

Source: Devlin et al., "BERT: Pre-training of deep bidirectional transformers" (2019), and the rules
that such a file states. Blanks part words, signs and Han characters stand alone, case and accents
are dropped, and a word is cut into the longest pieces of the vocabulary, from its beginning. Words
recur, so each is cut once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from attrs import frozen

from cite_lsp.encode.encoder import well_formed
from cite_lsp.lazy_re import lazy_re

_BLANK = "\t\n\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_RUN = lazy_re(f"[^{_BLANK}]+")
_ASCII_WORD = lazy_re(r"[A-Za-z0-9]+|[!-/:-@\[-`{-~]")
_CONTROL = lazy_re(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_HAN = lazy_re(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)
_NO_TEXT = frozenset(["Cc", "Cf", "Co"])
"""Categories of characters that are dropped: controls, formats, private ones."""
_CACHED_WORDS = 200_000


class WordPieces:
    """A tokenizer of such rules. Safe to share between threads.

    Attributes:
        vocabulary: the number of each piece.
        around: the numbers that stand before and behind a text.
    """

    def __init__(self, rules: Mapping[str, Any]) -> None:
        """Take the content of a `tokenizer.json`.

        Raises:
            UnknownRulesError: it states other rules than those of BERT.
        """
        _require_bert(rules)
        model, normalizer = rules["model"], rules["normalizer"]
        special = {token["content"]: token["id"] for token in rules.get("added_tokens") or ()}
        self.vocabulary: Mapping[str, int] = {**model["vocab"], **special}
        self.around = _around(rules.get("post_processor"), self.vocabulary)
        self._rules = _Rules(
            self.vocabulary,
            self.vocabulary[model["unk_token"]],
            model["continuing_subword_prefix"],
            model["max_input_chars_per_word"],
            han_alone=normalizer["handle_chinese_chars"],
            lower_case=normalizer["lowercase"],
            drops_accents=(
                normalizer["lowercase"]
                if normalizer["strip_accents"] is None
                else normalizer["strip_accents"]
            ),
        )
        longest_first = sorted(special, key=len, reverse=True)
        self._special = re.compile(f"({'|'.join(map(re.escape, longest_first)) or '(?!)'})")
        self._pieces_of: dict[str, tuple[int, ...]] = {}

    def pieces(self, texts: Sequence[str], most: int | None = None) -> list[list[int]]:
        """Return the numbers of the pieces of each text, at most so many."""
        return [list(islice(self._pieces(well_formed(text)), most)) for text in texts]

    def _pieces(self, text: str) -> Iterator[int]:
        pieces_of = self._pieces_of
        if len(pieces_of) > _CACHED_WORDS:
            pieces_of = self._pieces_of = {}
        for part in self._special.split(text):
            if self._special.fullmatch(part):
                yield self.vocabulary[part]
                continue
            plain = part.isascii() and not _CONTROL.search(part)
            for word in (_ASCII_WORD if plain else _RUN).findall(part):
                pieces = pieces_of.get(word)
                if pieces is None:
                    pieces = pieces_of[word] = tuple(self._rules.cut(word))
                yield from pieces


class UnknownRulesError(Exception):
    """A tokenizer has other rules than those of BERT."""


@frozen
class _Rules:
    vocabulary: Mapping[str, int]
    unknown: int
    continued: str
    most_characters: int
    han_alone: bool
    lower_case: bool
    drops_accents: bool

    def cut(self, run: str) -> Iterator[int]:
        """Yield the pieces of what stands between blanks."""
        text = "".join(character for character in run if not _is_dropped(character))
        if self.han_alone:
            text = _HAN.sub(r" \g<0> ", text)
        if self.drops_accents:
            decomposed = unicodedata.normalize("NFD", text)
            marks = (unicodedata.category(character) == "Mn" for character in decomposed)
            text = "".join(
                character for character, mark in zip(decomposed, marks, strict=True) if not mark
            )
        if self.lower_case:
            text = "".join(map(str.lower, text))  # a sigma at the end of a word, too
        return chain.from_iterable(map(self._longest_pieces, _words(text)))

    def _longest_pieces(self, word: str) -> list[int]:
        pieces: list[int] = []
        start, end = 0, len(word)
        if end > self.most_characters:
            return [self.unknown]
        while start < len(word):
            piece = self.vocabulary.get((self.continued if start else "") + word[start:end])
            if piece is not None:
                pieces.append(piece)
                start, end = end, len(word)
            elif end - start > 1:
                end -= 1
            else:
                return [self.unknown]
        return pieces


def _is_dropped(character: str) -> bool:
    return character == "\N{REPLACEMENT CHARACTER}" or unicodedata.category(character) in _NO_TEXT


def _words(text: str) -> Iterator[str]:
    """Part a text at blanks and around signs."""
    word = ""
    for character in text:
        blank = character.isspace()
        if blank or _is_sign(character):
            if word:
                yield word
            word = ""
            if not blank:
                yield character
        else:
            word += character
    if word:
        yield word


def _is_sign(character: str) -> bool:
    if character.isascii():
        return not character.isalnum()
    return unicodedata.category(character).startswith("P")


def _require_bert(rules: Mapping[str, Any]) -> None:
    model, normalizer = rules["model"], rules.get("normalizer") or {}
    cutter, added = rules.get("pre_tokenizer") or {}, rules.get("added_tokens") or ()
    bert = (
        model.get("type") == "WordPiece"
        and normalizer.get("type") == "BertNormalizer"
        and normalizer.get("clean_text")
        and cutter.get("type") == "BertPreTokenizer"
        and not any(
            token[trait] for token in added for trait in ("single_word", "lstrip", "rstrip")
        )
        and not any(token["normalized"] for token in added)
    )
    if not bert:
        raise UnknownRulesError


def _around(
    processor: Mapping[str, Any] | None, vocabulary: Mapping[str, int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the numbers before and behind a single text."""
    if processor is None:
        return (), ()
    if processor["type"] == "BertProcessing":
        return (processor["cls"][1],), (processor["sep"][1],)
    if processor["type"] != "TemplateProcessing":
        raise UnknownRulesError
    names = [part.get("SpecialToken", {}).get("id") for part in processor["single"]]
    place = names.index(None)  # the text itself
    before, behind = names[:place], names[place + 1 :]
    return tuple(vocabulary[name] for name in before), tuple(vocabulary[name] for name in behind)
