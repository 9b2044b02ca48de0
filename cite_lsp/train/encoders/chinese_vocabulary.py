"""The vocabulary of encoders that read Chinese: that of an English one, with Chinese words added.

Recipes `cross-lingual` and `query-encoder-zh` use it.

The words are those of openly licensed dictionaries (jieba's, CC-CEDICT) that Chinese texts use, and
the commonest others. Chinese text reaches the tokenizer cut into words; one that the vocabulary
lacks falls apart into characters.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from tokenizers import Tokenizer

from cite_lsp.corpus.parallel_texts import GlossaryTerm
from cite_lsp.language import has_han
from cite_lsp.translate.segment import words
from cite_lsp.translate.unigrams import shipped_unigrams

CONTINUED = "##"
"""What a WordPiece vocabulary writes before a piece that goes on with a word."""
_CHARACTERS = 6000
"""Characters that have a row of their own: more than any text uses, as GB 2312 has 6,763."""
_LONGEST = 8


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Count the Chinese words of texts as the student will see them."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(word for word in words(text) if has_han(word))
    return counts


def choose_words(counts: Mapping[str, int], glossary_words: Iterable[str], size: int) -> list[str]:
    """Return up to `size` words for the vocabulary, those that texts use first.

    `counts` says how often texts have a word, `glossary_words` are those with a meaning there. Of
    words that no text has, those come first that are commonest by the words that ship.
    """
    common = shipped_unigrams().counts
    begun = {word[:end] for word in common for end in range(1, len(word) + 1)}
    glossary_words = {
        word for word in glossary_words if 1 < len(word) <= _LONGEST and has_han(word)
    }
    glossary_words = {word for word in glossary_words if word in begun or word in counts}
    used = [
        word for word in counts if len(word) > 1 and (word in glossary_words or counts[word] > 2)
    ]
    used.sort(key=lambda word: (-counts[word], word))
    others = sorted(glossary_words - set(used), key=lambda word: (-common.get(word, 0), word))
    return [*used, *others][:size]


def openly_licensed(terms: Iterable[GlossaryTerm]) -> set[str]:
    """Return the Chinese words that an openly licensed glossary has: the vocabulary is shipped."""
    return {term.zh for term in terms if term.source in ("cc-cedict", "d2l-terminology")}


def choose_characters(counts: Mapping[str, int]) -> list[str]:
    """Return the characters that have rows of their own, those that texts use most first."""
    frequency: Counter[str] = Counter()
    for word, count in shipped_unigrams().counts.items():
        for character in word:
            frequency[character] += count
    for word, count in counts.items():
        for character in word:
            frequency[character] += 100 * count
    return [character for character, _ in frequency.most_common() if has_han(character)][
        :_CHARACTERS
    ]


def extend_tokenizer(base: Path, words: Iterable[str], characters: Iterable[str]) -> Tokenizer:
    """Return the tokenizer in a file with Chinese words added after its own vocabulary.

    The base leaves every Han character alone; here a word stays whole, so that text must come with
    blanks between its words (`cite_lsp.encode.tokens.chinese.spaced`).
    """
    description = json.loads(base.read_text(encoding="utf-8"))
    vocabulary = description["model"]["vocab"]
    characters = list(characters)
    added = [*words, *characters, *(CONTINUED + character for character in characters)]
    for entry in added:
        vocabulary.setdefault(entry, len(vocabulary))
    description["normalizer"] = description["normalizer"] | {"handle_chinese_chars": False}
    description["truncation"] = description["padding"] = None
    return Tokenizer.from_str(json.dumps(description, ensure_ascii=False))
