"""Words that a draft uses everywhere: they do not tell what is cited at one place.

The document frequency in the library does not show it: in a thesis on CAES nearly every sentence
has the word, and the few papers with it in their titles would be found at every marker.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

from cite_lsp.lazy_re import lazy_re
from cite_lsp.manuscript.model import Mention
from cite_lsp.search.words.query_words import Words
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.storage.memory import text_cache

SIDES = (120, 60)
"""Characters left and right of a marker whose words count."""
HALF_WEIGHT_SHARE = 0.1
"""Share of the markers with a word beside them at which the word has half its weight."""
FEWEST_MARKERS = 4
"""Markers that a word must stand beside to count as overused."""
_WORD = lazy_re(r"[A-Za-z][A-Za-z0-9+.-]*")


@text_cache(16384)
def _words_beside(left: str, right: str) -> frozenset[str]:
    return frozenset(tokenise(" ".join(_WORD.findall(f"{left} {right}"))))


def overused_words(mentions: Iterable[Mention]) -> dict[str, float]:
    """Return the share of a draft's markers that each overused word stands beside.

    Only words in Latin letters count: a Chinese word has many translations, each of them rarely
    used.
    """
    beside = [
        _words_beside(mention.left[-SIDES[0] :], mention.right[: SIDES[1]]) for mention in mentions
    ]
    counts = Counter(chain.from_iterable(beside))
    return {word: count / len(beside) for word, count in counts.items() if count >= FEWEST_MARKERS}


def downweighted(words: Words, overused: Mapping[str, float]) -> Words:
    """Return weighted query words, overused words with less weight the more common they are."""
    return {
        word: weight / (1 + overused[word] / HALF_WEIGHT_SHARE) if word in overused else weight
        for word, weight in words.items()
    }
