"""Surnames that are also everyday words: See, An, He, Long.

Names are compared in folded letters, in which "see also" would name Abigail See, and every "an"
someone called An. Of such a name more is asked: it has its capital, and where a sentence begins,
which gives one to every word, what follows is what follows a name. Beside a letter of East Asia a
name ends, as in He等人.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cite_lsp.language import EAST_ASIAN
from cite_lsp.search.words.tokens import STOP_WORDS

_ALSO_WORDS = frozenset(
    """bell best black brown case cost day early field fields fine gold good gray green grey hall
    hand head high hill hope king large law laws let light long love low main major mean moon new
    old page park pool power price read rich ring rose say see set sharp short small song still
    stone strong sun swift train way white wise wood young""".split()
)
_EVERYDAY = STOP_WORDS | _ALSO_WORDS
_BEGINS = re.compile(r"(?:\A|(?<!\b[A-Z])[.!?:;][\"'”’)\]]*\s|[(\[“\"])\s*\Z")
_OTHERS = r"(?:,?\s+et\s+al\b|\s*&|\s+and\s+[A-Z]|,?\s+and\s+(?:colleagues|others|co-?workers)\b"
_BEHIND_NAME = re.compile(rf"{_OTHERS}|['’]s\b|,?\s*[(\[]?\d{{4}}\b|\s*[等和与與及、])")
_LETTER = rf"(?:(?![{EAST_ASIAN}])[^\W\d_])"


def may_be_named(name: str, text: str) -> bool:
    """Whether a text that holds a folded surname as a word has it as a name."""
    return name not in _EVERYDAY or (name.capitalize() in text and names_someone(name, text))


def names_someone(name: str, text: str) -> bool:
    """Whether a text, as it is written, has an everyday word as somebody's name."""
    return any(
        not _BEGINS.search(text, 0, found.start()) or _BEHIND_NAME.match(text, found.end())
        for found in _capitalised(name).finditer(text)
    )


@lru_cache(maxsize=len(_EVERYDAY))
def _capitalised(name: str) -> re.Pattern[str]:
    word = re.escape(name.capitalize())
    # A dot ends an abbreviation, not a name: "No. 3".
    return re.compile(rf"(?<!{_LETTER}){word}(?!{_LETTER}|-{_LETTER}|\.\s*\d)")
