"""Learn how a library writes its keys from its entries, and make a new key in that style.

Each key is split into the parts of its paper (people, year, title words); the way that most
keys can be split in is the style: `vaswani2017attention`, `Vaswani:2017lxt`,
`vaswani-etal-2017-attention`, `Collobert.Weston.Bottou.ea.2011`, and whatever else is regular.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from attrs import evolve, frozen

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.entries import Entry
from cite_lsp.library.text.key_parts import (
    Code,
    Dblp,
    Doi,
    Part,
    PartsByText,
    People,
    Text,
    Title,
    Year,
    people_parts,
    title_parts,
)
from cite_lsp.library.text.organisation_keys import Form, form_of, with_written_organisations
from cite_lsp.library.text.people import is_organisation
from cite_lsp.paper import Paper

SAMPLE = 80
"""Entries that are looked at; spread over the library, the newest keys among them."""
AGREEMENT = 0.25
"""Share of keys that must agree; below it the default style is used."""

_SEPARATORS = "-_:.+/|"
_PREFIX = lazy_re(r"(?:[A-Za-z]{1,12}[:/])+")
_CODE = lazy_re(r"[a-z]{3}")
_UNWANTED = lazy_re(r"[\s{}()\[\],\"'`#%~\\=@^$&;<>?!*]")
_LOOSE = lazy_re(rf"^[{re.escape(_SEPARATORS)}]+|[{re.escape(_SEPARATORS)}]+$")


@frozen
class KeyStyle:
    """How keys are made: parts in order, and the share of the keys looked at that are made so.

    `organisations` is the form that they give the names of organisations, None if none is known.
    """

    parts: tuple[Part, ...]
    share: float = 0.0
    organisations: Form | None = None

    def key(self, paper: Paper, taken: Callable[[str], bool]) -> str:
        """Return a key for a paper which `taken` does not hold; never empty.

        Of two papers with the same key the second gets an "a" behind a year, a "2" behind a word.
        """
        named = with_written_organisations(paper, self.organisations)
        raw_key = "".join(_UNWANTED.sub("", part.write(named)) for part in self.parts)
        key = _LOOSE.sub("", raw_key)
        if not key:  # a style of identifiers, and a paper that has none
            if self.parts != DEFAULT.parts:
                return DEFAULT.key(paper, taken)
            key = "paper"
        if not taken(key):
            return key
        return next(other for other in _other_keys(key) if not taken(other))


DEFAULT = KeyStyle((People(), Year(), Title()))
"""`vaswani2017attention`, as Google Scholar writes keys."""


def key_style(entries: Sequence[Entry]) -> KeyStyle:
    """Return the style of a library's keys; the default one where too few agree on any."""
    step = max(len(entries) // SAMPLE, 1)
    counted: Counter[_Shape] = Counter()
    spellings: dict[_Shape, list[Counter[Part]]] = {}
    forms: Counter[Form] = Counter()
    looked_at = 0
    for entry in entries[::step][:SAMPLE]:
        if not entry.paper.authors:
            continue
        looked_at += 1
        paper, first = entry.paper, entry.paper.authors[0]
        if is_organisation(first) and (form := form_of(entry.key, first)):
            forms[form] += 1
            paper = with_written_organisations(paper, form)
        for shape, parts in _readings(entry.key, paper).items():
            counted[shape] += 1
            votes = spellings.setdefault(shape, [Counter() for _ in shape])
            for vote, alike in zip(votes, parts, strict=True):
                vote.update(alike)
    organisations = next((form for form, _ in forms.most_common(1)), None)
    for shape, count in counted.most_common(1):
        if count / looked_at >= AGREEMENT:
            best = tuple(vote.most_common(1)[0][0] for vote in spellings[shape])
            return KeyStyle(best, count / looked_at, organisations)
    return evolve(DEFAULT, organisations=organisations)


def new_key(paper: Paper, entries: Sequence[Entry]) -> str:
    """Return a key in the style of those of a library, and unlike each of them."""
    taken = {entry.key.lower() for entry in entries}
    return key_style(entries).key(paper, lambda key: key.lower() in taken)


def _other_keys(key: str) -> Iterator[str]:
    if key[-1].isdigit():
        yield from (key + letter for letter in "abcdefghijklmnopqrstuvwxyz")
        key += "-"
    number = 2
    while True:
        yield f"{key}{number}"
        number += 1


_Shape = tuple[Part, ...]
_Spellings = tuple[Sequence[Part], ...]
"""For each part of a shape the spellings of it that write the key."""


def _readings(key: str, paper: Paper) -> dict[_Shape, _Spellings]:
    """Return the ways in which a key can be made of the parts of its paper."""
    if paper.doi and key.lower() == paper.doi:
        return {(Doi(),): ((Doi(),),)}
    if key.startswith("DBLP:"):
        return {(Dblp(),): ((Dblp(),),)}
    pieces = _pieces(paper, key)
    readings: dict[_Shape, _Spellings] = {}
    prefix = _PREFIX.match(key)
    for start in (0, prefix.end()) if prefix else (0,):
        leading: _Shape = (Text(key[:start]),) if start else ()
        for shape, parts in _decompositions(key, start, frozenset(), pieces):
            if any(isinstance(part, People) for part in shape):
                readings.setdefault(leading + shape, tuple((part,) for part in leading) + parts)
    return readings


_Pieces = tuple[tuple[type[Part], PartsByText], ...]


def _pieces(paper: Paper, key: str) -> _Pieces:
    """Return the texts that a key can hold of a paper, with the parts that write them."""
    pieces: list[tuple[type[Part], PartsByText]] = [
        (People, people_parts(paper, key)),
        (Title, title_parts(paper, key)),
    ]
    if paper.year:
        years = [Year(digits) for digits in (4, 2)]
        pieces.append((Year, {year.write(paper): {year: [year]} for year in years}))
    return tuple(pieces)


def _decompositions(
    key: str, start: int, used: frozenset[type[Part]], pieces: _Pieces
) -> Iterator[tuple[_Shape, _Spellings]]:
    """Yield the parts that write `key[start:]`, each kind at most once."""
    if start == len(key):
        yield (), ()
        return
    if Year in used:
        yield from _disambiguators(key, start)
    for kind, parts_by_text in pieces:
        if kind in used:
            continue
        for text, shapes in parts_by_text.items():
            if not key.startswith(text, start):
                continue
            for rest, parts in _decompositions(key, start + len(text), used | {kind}, pieces):
                for shape, alike in shapes.items():
                    yield (shape, *rest), (alike, *parts)
    if used and key[start] in _SEPARATORS and start + 1 < len(key):
        separator = Text(key[start])
        for rest, parts in _decompositions(key, start + 1, used, pieces):
            if rest and not isinstance(rest[0], Text):
                yield (separator, *rest), ((separator,), *parts)


def _disambiguators(key: str, start: int) -> Iterator[tuple[_Shape, _Spellings]]:
    """Yield what may stand behind a year to tell its papers apart: a code, or a single letter.

    The letter is no part of the style: the first paper of a year has none.
    """
    if _CODE.fullmatch(key, start):
        yield (Code(),), ((Code(),),)
    elif len(key) == start + 1 and key[start].islower():
        yield (), ()
