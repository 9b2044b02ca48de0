"""Words that a draft says at every turn: they tell nothing of what is cited at one place.

How rare a word is in the library does not say it: in a thesis on CAES nearly every sentence has the
word, and the few papers that have it in their titles would be found at every marker.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from cite_lsp.manuscript.model import Mention
from cite_lsp.search.words.query_words import Words
from cite_lsp.search.words.tokens import tokenise

SIDES = (120, 60)
"""Characters left and right of a marker whose words count."""
HALF = 0.1
"""Share of the markers with a word beside them at which it counts half."""
FEWEST = 4
"""Markers that a word must stand beside to be worn."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")


@lru_cache(maxsize=16384)
def _said(left: str, right: str) -> frozenset[str]:
    return frozenset(tokenise(" ".join(_WORD.findall(f"{left} {right}"))))


def worn_words(mentions: Iterable[Mention]) -> dict[str, float]:
    """Return the share of a draft's markers that each of its worn words stands beside.

    Words in Latin letters alone: what a Chinese word may mean is many words, each seldom meant.
    """
    counts: Counter[str] = Counter()
    total = 0
    for mention in mentions:
        counts.update(_said(mention.left[-SIDES[0] :], mention.right[: SIDES[1]]))
        total += 1
    return {word: count / total for word, count in counts.items() if count >= FEWEST}


def less_worn(words: Words, worn: Mapping[str, float]) -> Words:
    """Return what a text asks for, each word the less the more places of its draft say it."""
    return {
        word: weight / (1 + worn[word] / HALF) if word in worn else weight
        for word, weight in words.items()
    }
