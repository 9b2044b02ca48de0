"""Names in Latin letters around a marker, of authors and methods, and their distances to it.

Some surnames are also everyday words: See, An, He, Long. Names are compared in folded letters, in
which "see also" would name Abigail See, and every "an" someone called An. Such a word counts as a
name only with a capital, and at the beginning of a sentence, where every word has one, only if the
text behind it is typical of names. A name ends before an East Asian letter, as in He等人.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from attrs import frozen

from cite_lsp.language import EAST_ASIAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import fold
from cite_lsp.search.words.tokens import STOP_WORDS, tokenise
from cite_lsp.storage.memory import text_cache

LATIN = lazy_re(r"[A-Za-z][A-Za-z0-9+.'-]*[A-Za-z0-9+]|[A-Za-z]")
_ACRONYM = lazy_re(r"(?<![A-Za-z])[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?![A-Za-z])")
SIDES = (120, 60)
"""Characters left and right of a marker that are read for names in an English text."""
_LONGEST_ACRONYM = 8
_CACHED_TITLES = 50_000
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


@frozen
class LatinNames:
    """Words in Latin letters on one side of a marker, each with its distance to it in characters.

    `words` are tokens of the word index, `names` are single words and neighbouring pairs, folded as
    names of methods are, `surnames` those of them that can be an author's (everyday words only
    where they are written as names), `acronyms` are lower-cased. The nearest occurrence counts.
    """

    words: Mapping[str, int]
    names: Mapping[str, int]
    surnames: Mapping[str, int]
    acronyms: Mapping[str, int]


def read_latin_names(text: str, marker: int) -> LatinNames:
    """Read the Latin words of a text by their distance to the marker at offset `marker`."""
    words: dict[str, int] = {}
    names: dict[str, int] = {}
    acronyms: dict[str, int] = {}
    last = ""
    for match in sorted(LATIN.finditer(text), key=lambda match: match.start()):
        distance = marker - match.end() if match.end() <= marker else match.start() - marker

        def record(distances: dict[str, int], word: str, distance: int = distance) -> None:
            distances[word] = min(distances.get(word, distance), distance)

        for word in tokenise(match.group()):
            record(words, word)
        name = fold(match.group())
        record(names, name)
        record(names, f"{last} {name}")
        last = name
        for acronym in acronyms_of(match.group()):
            record(acronyms, acronym)
    surnames = {name: place for name, place in names.items() if may_be_surname(name, text)}
    return LatinNames(words, names, surnames, acronyms)


def acronyms_of(text: str) -> list[str]:
    """Return the acronyms of a text, lower-cased and without the s of a plural."""
    acronyms = (acronym.lower().rstrip("s") for acronym in _ACRONYM.findall(text))
    return [acronym for acronym in acronyms if 1 < len(acronym) <= _LONGEST_ACRONYM]


@text_cache(_CACHED_TITLES)
def initials(title: str) -> tuple[str, str]:
    """Return the first letters of a title's words, all of them and without stop words."""
    words = [word for word in re.split(r"[\s\-–/:,]+", fold(title)) if word[:1].isalpha()]
    return (
        "".join(word[0] for word in words),
        "".join(word[0] for word in words if word not in STOP_WORDS),
    )


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
