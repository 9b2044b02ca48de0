"""What counts as a word when texts are searched: scientific English, and Han, kana and Hangul."""

from __future__ import annotations

from functools import lru_cache

from cite_lsp.language import EAST_ASIAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import fold

_ASCII_WORD = lazy_re(r"[a-z0-9]+")
_RUN = lazy_re(rf"([{EAST_ASIAN}]+)|([^\W_{EAST_ASIAN}]+)")

STOP_WORDS = frozenset(
    """a about above after again against all also although am among an and any are as at be because
    been before being below between both but by can cannot could did do does doing down during each
    either et etc few for from further had has have having he hence her here his how however i if
    in into is it its itself just like may me might more most much must my neither no nor not of off
    often on once one only onto or other our out over own per quite rather same several shall she
    should since so some such than that the their them then there therefore these they this those
    though through thus to too toward towards under until up upon us very via was we well were what
    when where whether which while who whom whose why will with within without would yet you your
    al e g ie eg""".split()
)


def tokenise(text: str) -> list[str]:
    """Return the words of a text to search by, in order, repeated as they are repeated.

    Case, accents and full-width forms are folded, stop words and single letters dropped, plurals
    undone (the S-stemmer of Harman, "How effective is suffixing?", JASIS 1991). A run of Han, kana
    or Hangul becomes its overlapping pairs: no dictionary to load, and none to miss new terms.
    """
    folded = fold(text)
    if folded.isascii():
        return list(filter(None, map(_searched, _ASCII_WORD.findall(folded))))
    words = []
    for run, word in _RUN.findall(folded):
        if run:
            words += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        elif searched := _searched(word):
            words.append(searched)
    return words


@lru_cache(maxsize=1 << 16)
def _searched(word: str) -> str:
    """Return what is searched for a word, "" for one that is not; a text repeats most of them."""
    if len(word) == 1 or word in STOP_WORDS:
        return ""
    if len(word) < 4 or word[-1] != "s" or word[-2] in "su":
        return word
    if word.endswith("ies") and word[-4] not in "ae":
        return word[:-3] + "y"
    if word.endswith("es") and word[-3] in "aeo":
        return word
    return word[:-1]
