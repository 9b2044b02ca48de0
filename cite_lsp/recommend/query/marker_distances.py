"""How far from a marker stands what names each paper of a corpus, over the hashes of its columns.

Of a list of methods, each with its marker, the one that stands right before a marker is meant.
`named.py` tells the same of the papers of a writer's own library, whose words are at hand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.query.latin_names import Named, initials
from cite_lsp.search.corpus.paper_columns import PaperColumns, Ragged
from cite_lsp.search.vectors.index import Rows
from cite_lsp.search.words.hashes import word_hash

DISTANCE_FEATURES = (
    "title_before",
    "author_before",
    "first_author_before",
    "handle_before",
    "acronym_before",
    "title_behind",
    "named_behind",
    "nearest_held",
    "nearest_before",
)
"""Characters between the marker and a word of the title, an author, the first of them, the name
that the title gives its method, an acronym that the title spells; `nearest_held` is the least of
them, counted from the nearest name on (`nearest_before`), 0 where no name stands at all."""
FAR = np.float32(1e6)
"""Where nothing stands."""
_SHORTEST_ACRONYM = 3


def distances(
    before: Named, behind: Named, rows: Rows, columns: PaperColumns, spelled: Column
) -> dict[str, Column]:
    """Return the columns `DISTANCE_FEATURES` of papers, shape (r,); NaN where nothing stands.

    `spelled` is what `spelled_distances` says of them.
    """
    words, _ = columns.titles(rows)
    authors = columns.authors(rows)
    handles = columns.handles[rows]
    some = np.diff(authors.starts) > 0
    author = places_of(authors.values, before.surnames)
    first = np.full(len(rows), FAR, dtype=np.float32)
    first[some] = author[authors.starts[:-1][some]]
    found = {
        "title_before": _least(words, places_of(words.values, before.words)),
        "author_before": _least(authors, author),
        "first_author_before": first,
        "handle_before": places_of(handles, before.names),
        "acronym_before": spelled,
        "title_behind": _least(words, places_of(words.values, behind.words)),
        "named_behind": np.minimum(
            _least(authors, places_of(authors.values, behind.surnames)),
            places_of(handles, behind.names),
        ),
    }
    nearest = min(before.names.values(), default=FAR)
    held = np.min([values for name, values in found.items() if name.endswith("before")], axis=0)
    found["nearest_held"] = held - nearest
    found = {name: np.where(values >= FAR / 2, np.nan, values) for name, values in found.items()}
    found["nearest_before"] = np.full(len(held), nearest if nearest < FAR else np.nan, np.float32)
    return found


def places_of(hashes: NDArray[np.generic], places: Mapping[str, int]) -> Column:
    """Return where each hashed word stands, `FAR` away where it does not."""
    if not places:
        return np.full(len(hashes), FAR, dtype=np.float32)
    known = np.array([word_hash(word) for word in places], dtype=np.uint32)
    order = np.argsort(known, kind="stable")
    at = np.fromiter(places.values(), np.float32, len(places))[order]
    found = np.minimum(np.searchsorted(known[order], hashes), len(known) - 1)
    return np.asarray(np.where(known[order][found] == hashes, at[found], FAR), dtype=np.float32)


def spelled_letters(acronyms: Collection[str], firsts: Sequence[str]) -> Column | float:
    """Return the letters of the longest acronym that each title spells; NaN of no acronyms.

    `firsts` are their first letters, as `initials_of` gives them.
    """
    if not acronyms:
        return float("nan")
    found = np.zeros(len(firsts), dtype=np.float32)
    for letters in acronyms:
        rows = _spelling(letters, firsts)
        found[rows] = np.maximum(found[rows], len(letters))
    return found


def spelled_distances(acronyms: Mapping[str, int], firsts: Sequence[str], count: int) -> Column:
    """Return where the nearest acronym stands that each title spells, `FAR` away without one.

    `firsts` are their first letters, as `initials_of` gives them; without acronyms those of the
    `count` papers need not be given.
    """
    found = np.full(count, FAR, dtype=np.float32)
    for name, distance in acronyms.items():
        if len(name) >= _SHORTEST_ACRONYM:
            rows = _spelling(name, firsts)
            found[rows] = np.minimum(found[rows], distance)
    return found


def initials_of(titles: Iterable[str]) -> list[str]:
    """Return the first letters of the words of each title, in which acronyms are looked for."""
    return [" ".join(initials(title)) for title in titles]


def _spelling(acronym: str, firsts: Sequence[str]) -> list[int]:
    """Return the places of the titles whose neighbouring words spell an acronym."""
    return [row for row, letters in enumerate(firsts) if acronym in letters]


def _least(lists: Ragged, values: Column) -> Column:
    """Return the least value of each list, far away of an empty one."""
    padded = np.append(values, FAR)
    least = np.minimum.reduceat(padded, lists.starts[:-1]) if len(lists.starts) > 1 else values[:0]
    return np.asarray(np.where(np.diff(lists.starts) > 0, least, FAR), dtype=np.float32)
