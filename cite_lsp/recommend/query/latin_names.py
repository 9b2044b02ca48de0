"""What stands in Latin letters around a marker, and how far from it: names of authors and methods.

Of a list of methods, each with its marker, the one that stands right before a marker is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.paper import fold
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.query.everyday_names import may_be_named
from cite_lsp.search.corpus.paper_columns import AUTHORS_READ
from cite_lsp.search.words.tokens import STOP_WORDS, tokenise

LATIN = re.compile(r"[A-Za-z][A-Za-z0-9+.'-]*[A-Za-z0-9+]|[A-Za-z]")
_ACRONYM = re.compile(r"(?<![A-Za-z])[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?![A-Za-z])")
SIDES = (120, 60)
"""Characters left and right of a marker that are read for names, where words are Latin anyway."""
NAMED_FEATURES = (
    "acronym",
    "title_before",
    "author_before",
    "handle_before",
    "acronym_before",
    "nearest_held",
    "title_behind",
    "named_behind",
)
_LONGEST_ACRONYM = 8
_TITLES_KEPT = 50_000


@frozen
class Named:
    """What stands in Latin letters on one side of a marker: characters between it and the marker.

    `words` are as texts are searched, `names` as names of methods are compared (words and
    neighbouring pairs, folded), `surnames` those of them that can be an author's: everyday words
    only where they are written as names; `acronyms` lower-cased. The nearest place of each counts.
    """

    words: Mapping[str, int]
    names: Mapping[str, int]
    surnames: Mapping[str, int]
    acronyms: Mapping[str, int]


def named_in(text: str, marker: int) -> Named:
    """Read the Latin words of a text by their distance to the marker, which stands at a place."""
    words: dict[str, int] = {}
    names: dict[str, int] = {}
    acronyms: dict[str, int] = {}
    last = ""
    for found in sorted(LATIN.finditer(text), key=lambda one: one.start()):
        distance = marker - found.end() if found.end() <= marker else found.start() - marker

        def keep(kept: dict[str, int], word: str, distance: int = distance) -> None:
            kept[word] = min(kept.get(word, distance), distance)

        for word in tokenise(found.group()):
            keep(words, word)
        name = fold(found.group())
        keep(names, name)
        keep(names, f"{last} {name}")
        last = name
        for acronym in acronyms_of(found.group()):
            keep(acronyms, acronym)
    surnames = {name: place for name, place in names.items() if may_be_named(name, text)}
    return Named(words, names, surnames, acronyms)


def acronyms_of(text: str) -> list[str]:
    """Return the words in capitals of a text, lower-cased and without the s of a plural."""
    found = (one.lower().rstrip("s") for one in _ACRONYM.findall(text))
    return [one for one in found if 1 < len(one) <= _LONGEST_ACRONYM]


@lru_cache(maxsize=_TITLES_KEPT)
def initials(title: str) -> tuple[str, str]:
    """Return the first letters of a title's words, all of them and without stop words."""
    words = [word for word in re.split(r"[\s\-–/:,]+", fold(title)) if word[:1].isalpha()]
    return (
        "".join(word[0] for word in words),
        "".join(word[0] for word in words if word not in STOP_WORDS),
    )


def spells(acronyms: Iterable[str], title: str) -> int:
    """Return the letters of the longest acronym that neighbouring words of a title spell, or 0."""
    firsts = initials(title)
    return max(
        (len(one) for one in acronyms if any(one in letters for letters in firsts)), default=0
    )


def named_features(
    left: str, right: str, pool: Pool, rows: Sequence[int] | NDArray[np.int64]
) -> dict[str, NDArray[np.float32]]:
    """Return how far from a marker stands what names each paper of a pool, NaN where nothing does.

    `left` and `right` are the text on either side. Distances are in characters: to a word of the
    title, an author, the name that the title gives its method, an acronym that the title spells;
    `nearest_held` is the least of them, from the nearest word in Latin letters on. `acronym` counts
    the letters of the longest acronym that the title spells. Columns of shape (r,).
    """
    before, behind = (
        named_in(left[-SIDES[0] :], len(left[-SIDES[0] :])),
        named_in(right[: SIDES[1]], 0),
    )
    acronyms = {*before.acronyms, *behind.acronyms}
    words_before, words_behind = before.words.keys(), behind.words.keys()
    nearest = min(before.names.values(), default=0)
    columns = {name: np.full(len(rows), np.nan, dtype=np.float32) for name in NAMED_FEATURES}
    for place, row in enumerate(rows):
        title, called = pool.title_tokens[row], pool.called[row]
        held: dict[str, int | None] = {}
        if not title.isdisjoint(words_before):
            held["title_before"] = _least(before.words, title)
        if not called.isdisjoint(before.names):
            held["author_before"] = _least(before.surnames, pool.surnames[row][:AUTHORS_READ])
            held["handle_before"] = before.names.get(pool.handles[row])
        if acronyms:
            held["acronym_before"] = _spelled(before.acronyms, pool, row)
            columns["acronym"][place] = spells(acronyms, pool.papers[row].title)
        distances = [distance for distance in held.values() if distance is not None]
        if distances:
            columns["nearest_held"][place] = min(distances) - nearest
        if not title.isdisjoint(words_behind):
            held["title_behind"] = _least(behind.words, title)
        if not called.isdisjoint(behind.names):
            authors = pool.surnames[row][:AUTHORS_READ]
            places = (behind.names.get(pool.handles[row]), _least(behind.surnames, authors))
            held["named_behind"] = min((one for one in places if one is not None), default=None)
        for name, distance in held.items():
            if distance is not None:
                columns[name][place] = distance
    return columns


def _least(places: Mapping[str, int], words: Iterable[str]) -> int | None:
    found = [places[word] for word in words if word in places]
    return min(found) if found else None


def _spelled(acronyms: Mapping[str, int], pool: Pool, row: int) -> int | None:
    if not acronyms:
        return None
    firsts = initials(pool.papers[row].title)
    return min(
        (
            distance
            for acronym, distance in acronyms.items()
            if len(acronym) > 2 and any(acronym in letters for letters in firsts)
        ),
        default=None,
    )
