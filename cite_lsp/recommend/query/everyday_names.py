"""Surnames that are also everyday words: See, An, He, Long.

Names are compared in folded letters, in which "see also" would name Abigail See, and every "an"
someone called An. Such a word counts as a name only with a capital, and at the beginning of a
sentence, where every word has one, only if the text behind it is typical of names. A name ends
before an East Asian letter, as in He等人.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cite_lsp.language import EAST_ASIAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.search.words.tokens import STOP_WORDS

_OTHER_WORDS = frozenset(
    """bell best black brown case cost day early field fields fine gold good gray green grey hall
    hand head high hill hope king large law laws let light long love low main major mean moon new
    old page park pool power price read rich ring rose say see set sharp short small song still
    stone strong sun swift train way white wise wood young""".split()
)
_EVERYDAY = STOP_WORDS | _OTHER_WORDS
_BEGINS = lazy_re(r"(?:\A|(?<!\b[A-Z])[.!?:;][\"'”’)\]]*\s|[(\[“\"])\s*\Z")
_COAUTHORS = r"(?:,?\s+et\s+al\b|\s*&|\s+and\s+[A-Z]|,?\s+and\s+(?:colleagues|others|co-?workers)\b"
_BEHIND_NAME = lazy_re(rf"{_COAUTHORS}|['’]s\b|,?\s*[(\[]?\d{{4}}\b|\s*[等和与與及、])")
_LETTER = rf"(?:(?![{EAST_ASIAN}])[^\W\d_])"


def may_be_surname(name: str, text: str) -> bool:
    """Whether a word of a text, a folded surname, can be a name there."""
    return name not in _EVERYDAY or (name.capitalize() in text and is_written_as_name(name, text))


def is_written_as_name(name: str, text: str) -> bool:
    """Whether an everyday word stands in a text, with its capitals, as somebody's name."""
    return any(
        not _BEGINS.search(text, 0, match.start()) or _BEHIND_NAME.match(text, match.end())
        for match in _capitalised(name).finditer(text)
    )


@lru_cache(maxsize=len(_EVERYDAY))
def _capitalised(name: str) -> re.Pattern[str]:
    word = re.escape(name.capitalize())
    # A dot ends an abbreviation, not a name: "No. 3".
    return re.compile(rf"(?<!{_LETTER}){word}(?!{_LETTER}|-{_LETTER}|\.\s*\d)")
