"""Names in Latin letters around a marker, of authors and methods, and their distances to it.

In a list of methods, each with its marker, a marker cites the method right before it.

Some surnames are also everyday words: See, An, He, Long. Names are compared in folded letters, in
which "see also" would name Abigail See, and every "an" someone called An. Such a word counts as a
name only with a capital, and at the beginning of a sentence, where every word has one, only if the
text behind it is typical of names. A name ends before an East Asian letter, as in He等人.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.language import EAST_ASIAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import fold
from cite_lsp.recommend.base.columns import Column, unknown_columns
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.search.corpus.paper_columns import PaperColumns, Ragged
from cite_lsp.search.vectors.vector_index import Rows
from cite_lsp.search.words.hashes import Hashes, word_hash
from cite_lsp.search.words.tokens import STOP_WORDS, tokenise
from cite_lsp.storage.array_folder import list_starts, places_in
from cite_lsp.storage.memory import text_cache

LATIN = lazy_re(r"[A-Za-z][A-Za-z0-9+.'-]*[A-Za-z0-9+]|[A-Za-z]")
_ACRONYM = lazy_re(r"(?<![A-Za-z])[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?![A-Za-z])")
_NAMES_BESIDE = (120, 60)
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
"""Characters between the marker and a word of the title, an author, the first author, the name that
the title gives its method, an acronym that the title spells; `nearest_held` is the least of them
less the distance of the nearest name (`nearest_before`), 0 where there is no name at all."""
NAME_FEATURES = (
    "acronym",
    "title_before",
    "author_before",
    "handle_before",
    "acronym_before",
    "nearest_held",
    "title_behind",
    "named_behind",
)
"""Those of a library: without the first author, and `nearest_held` is not known where there is no
name; `acronym` is the length of the longest acronym that the title spells."""
FAR = np.float32(1e6)
"""The distance to what does not occur."""
_SHORTEST_ACRONYM = 3


@frozen
class NameHashes:
    """What names r papers: words of their titles, their surnames, and their handles, (r,)."""

    words: Ragged
    authors: Ragged
    handles: NDArray[np.generic]

    @classmethod
    def of(cls, columns: PaperColumns, rows: Rows) -> NameHashes:
        """Return the hashes of rows of a corpus."""
        return cls(columns.titles(rows)[0], columns.authors(rows), columns.handles[rows])


def name_features(left: str, right: str, pool: Pool, rows: Rows) -> dict[str, Column]:
    """Return `NAME_FEATURES` of papers of a library, columns of shape (r,).

    `left` and `right` are the text on either side of the marker.
    """
    if not len(rows):
        return unknown_columns(NAME_FEATURES, 0)
    left, right = left[-_NAMES_BESIDE[0] :], right[: _NAMES_BESIDE[1]]
    before, behind = read_latin_names(left, len(left)), read_latin_names(right, 0)
    acronyms = {*before.acronyms, *behind.acronyms}
    numbers = rows.tolist()  # NumPy's are slow keys
    firsts = initials_of(pool.papers[row].title for row in numbers) if acronyms else ()
    words, authors, handles = zip(*(pool.name_hashes[row] for row in numbers), strict=True)
    columns = distances(
        before,
        behind,
        NameHashes(_joined(words), _joined(authors), np.concatenate(handles)),
        spelled_distances(before.acronyms, firsts, len(numbers)),
    )
    if not before.names:
        columns["nearest_held"] = np.full(len(numbers), np.nan, dtype=np.float32)
    letters = np.zeros(len(numbers), dtype=np.float32) + spelled_letters(acronyms, firsts)
    columns["acronym"] = letters.astype(np.float32)
    return {name: columns[name] for name in NAME_FEATURES}


def _joined(lists: Sequence[Hashes]) -> Ragged:
    return Ragged(list_starts([len(hashes) for hashes in lists]), np.concatenate(lists))


def distances(
    before: LatinNames, behind: LatinNames, names: NameHashes, spelled: Column
) -> dict[str, Column]:
    """Return `DISTANCE_FEATURES` of papers, columns of shape (r,); NaN where nothing matches.

    `spelled` are their `spelled_distances`.
    """
    words, authors, handles = names.words, names.authors, names.handles
    some = np.diff(authors.starts) > 0
    author = distances_of(authors.values, before.surnames)
    first = np.full(len(handles), FAR, dtype=np.float32)
    first[some] = author[authors.starts[:-1][some]]
    columns_by_name = {
        "title_before": _least_of_lists(words, distances_of(words.values, before.words)),
        "author_before": _least_of_lists(authors, author),
        "first_author_before": first,
        "handle_before": distances_of(handles, before.names),
        "acronym_before": spelled,
        "title_behind": _least_of_lists(words, distances_of(words.values, behind.words)),
        "named_behind": np.minimum(
            _least_of_lists(authors, distances_of(authors.values, behind.surnames)),
            distances_of(handles, behind.names),
        ),
    }
    nearest = min(before.names.values(), default=FAR)
    least = np.min(
        [values for name, values in columns_by_name.items() if name.endswith("before")], axis=0
    )
    columns_by_name["nearest_held"] = least - nearest
    columns_by_name = {
        name: np.where(values >= FAR / 2, np.nan, values)
        for name, values in columns_by_name.items()
    }
    columns_by_name["nearest_before"] = np.full(
        len(least), nearest if nearest < FAR else np.nan, np.float32
    )
    return columns_by_name


def distances_of(hashes: NDArray[np.generic], distance_of: Mapping[str, int]) -> Column:
    """Return the distance of each hashed word, `FAR` where it does not occur."""
    hashes_known = np.array([word_hash(word) for word in distance_of], dtype=np.uint32)
    order = np.argsort(hashes_known, kind="stable")
    distances = np.fromiter(distance_of.values(), np.float32, len(distance_of))[order]
    places = places_in(hashes_known[order], hashes)
    return np.append(distances, FAR)[places].astype(np.float32)


def spelled_letters(acronyms: Collection[str], firsts: Sequence[str]) -> Column | float:
    """Return the length of the longest acronym that each title spells; NaN without acronyms.

    `firsts` are the first letters of the titles, see `initials_of`.
    """
    if not acronyms:
        return float("nan")
    lengths = np.zeros(len(firsts), dtype=np.float32)
    for letters in acronyms:
        rows = _spelling(letters, firsts)
        lengths[rows] = np.maximum(lengths[rows], len(letters))
    return lengths


def spelled_distances(acronyms: Mapping[str, int], firsts: Sequence[str], count: int) -> Column:
    """Return the distance of the nearest acronym that each of `count` titles spells, `FAR` if none.

    `firsts` are the first letters of the titles, see `initials_of`; they may be missing where there
    are no acronyms.
    """
    distances = np.full(count, FAR, dtype=np.float32)
    for name, distance in acronyms.items():
        if len(name) >= _SHORTEST_ACRONYM:
            rows = _spelling(name, firsts)
            distances[rows] = np.minimum(distances[rows], distance)
    return distances


def initials_of(titles: Iterable[str]) -> list[str]:
    """Return the first letters of the words of each title, to look for acronyms in."""
    return [" ".join(initials(title)) for title in titles]


def _spelling(acronym: str, firsts: Sequence[str]) -> list[int]:
    """Return the places of the titles whose neighbouring words spell an acronym."""
    return [row for row, letters in enumerate(firsts) if acronym in letters]


def _least_of_lists(lists: Ragged, values: Column) -> Column:
    """Return the least value of each list, `FAR` of an empty one."""
    padded = np.append(values, FAR)
    least = np.minimum.reduceat(padded, lists.starts[:-1]) if len(lists.starts) > 1 else values[:0]
    return np.asarray(np.where(np.diff(lists.starts) > 0, least, FAR), dtype=np.float32)
