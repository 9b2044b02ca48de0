"""Did you mean: the keys of a library that are nearest to one that it does not hold."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from cite_lsp.language import EAST_ASIAN
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library import Library
from cite_lsp.library.text.likeness import Likeness
from cite_lsp.library.text.people import family_name
from cite_lsp.paper import fold
from cite_lsp.storage.caches import ByObject, LastUsed

_NEAR = 70.0
"""Likeness from which on a key may be a misspelling of another, out of 100."""
_MOST = 3
_SAME, _BEGUN, _NAMED, _SPELLED = range(4)
"""How a key may be near to another, the nearest first."""
_SHORTEST = 4
"""Letters and digits from which on one key may begin another."""
_PARTING = lazy_re(r"[\W_]+")
_YEAR = r"(?P<year>(?:1[89]|20)\d\d|(?<!\d)\d\d(?!\d))"
_AUTHOR_YEAR = lazy_re(rf"(?:\A|[/:])(?P<author>[^\W\d_]{{2,}})[\W_]*(?:et[\W_]*al[\W_]*)?{_YEAR}")
_YEAR_AUTHOR = lazy_re(rf"\A{_YEAR}[\W_]*(?P<author>[^\W\d_]{{2,}})")
_WRONG_COMMA = lazy_re(r"\s*[，、；;]\s*|\s+")
_ATTACHED = lazy_re(f"[{EAST_ASIAN}]")
_LIKE_A_KEY = lazy_re(r"[^\W\d_]{2}\S*\d|\d\S*[^\W\d_]{2}")
"""What a word of a title is not like: it has letters and digits."""


@frozen
class _Spelling:
    """A key in folded letters, without what parts them, and the author and year in it, if any."""

    folded: str
    plain: str
    named: tuple[str, str] | None

    @classmethod
    def of(cls, key: str) -> _Spelling:
        """Return the spelling of a key."""
        folded = fold(key)
        match = _AUTHOR_YEAR.search(folded) or _YEAR_AUTHOR.search(folded)
        named = (match["author"], match["year"]) if match else None
        return cls(folded, _PARTING.sub("", folded), named)


@frozen
class _Spellings:
    """The keys of a library, each with its spelling, and the keys near to unknown ones."""

    keys: dict[str, _Spelling]
    near: LastUsed[str, tuple[str, ...]] = field(factory=lambda: LastUsed(None))


_spellings: ByObject[Library, _Spellings] = ByObject()


def nearest_keys(library: Library, key: str) -> tuple[str, ...]:
    """Return up to three keys of a library that resemble a key, the nearest first.

    Those with the same letters and digits come first, whatever parts them; then those of which one
    begins with the other (`jumper2021`, `jumper2021alphafold`); then those of the same author and
    year, by their keys or by what the entries say; and those spelled alike.
    """
    spellings = _spellings.get(library)
    if spellings is None:
        spellings = _spellings.keep(
            library, _Spellings({name: _Spelling.of(name) for name in library.by_key})
        )
    near = spellings.near.get(key)
    if near is None:
        near = spellings.near.keep(key, _nearest(library, spellings.keys, key))
    return near


def _nearest(library: Library, keys: Mapping[str, _Spelling], key: str) -> tuple[str, ...]:
    key_spelling = _Spelling.of(key)
    likeness = Likeness(key_spelling.folded)
    near: list[tuple[int, float, str]] = []
    for name, spelling in keys.items():
        rank = _relation(library, key_spelling, name, spelling)
        alike = likeness.ratio(spelling.folded, _NEAR if rank == _SPELLED else 0.0)
        if alike or rank < _SPELLED:
            near.append((rank, -alike, name))
    near.sort(key=lambda ranked: ranked[:2])
    return tuple(name for _, _, name in near[:_MOST])


def _relation(library: Library, key_spelling: _Spelling, name: str, other: _Spelling) -> int:
    """Return how nearly an unknown key is related to one of a library by more than spelling."""
    short, long = key_spelling.plain, other.plain
    if len(short) > len(long):
        short, long = long, short
    if len(short) < _SHORTEST:
        return _SPELLED
    if short == long:
        return _SAME
    # Of two words one may well begin with the other and be about something else.
    telling = short is key_spelling.plain or any(letter.isdigit() for letter in short)
    if telling and long.startswith(short):
        return _BEGUN
    if key_spelling.named is None:
        return _SPELLED
    same = other.named is not None and _same_author_and_year(key_spelling.named, other.named)
    return _NAMED if same or _matches_entry(library, name, key_spelling.named) else _SPELLED


def _same_author_and_year(first: tuple[str, str], second: tuple[str, str]) -> bool:
    (author, year), (other, other_year) = first, second
    return author == other and (year.endswith(other_year) or other_year.endswith(year))


def _matches_entry(library: Library, name: str, named: tuple[str, str]) -> bool:
    """Whether an entry is by the author, first of all, and of the year that a key names."""
    author, year = named
    entry = library.by_key[name]
    if year not in entry.raw or author not in fold(entry.raw):
        return False  # to read all records takes long
    paper = entry.paper
    if not paper.authors or not paper.year:
        return False
    first = _PARTING.sub("", fold(family_name(paper.authors[0])))
    return _same_author_and_year((author, year), (first, str(paper.year)))


def nearest_lists(library: Library, key_text: str) -> tuple[str, ...]:
    r"""Return what reads as one unknown key, `doe2020 mol`, as a list of keys parted by commas.

    The first unknown one that looks like a key gives way to those nearest to it, the others stay.
    It is empty where blanks part no such keys, as in a title, or where a key is near to all of it.
    """
    keys = _WRONG_COMMA.split(key_text)
    whole = nearest_keys(library, key_text)[:1]
    if len(keys) < 2 or any(_PARTING.sub("", fold(key)) == fold("".join(keys)) for key in whole):
        return ()
    for number, key in enumerate(keys):
        if library.get(key) is None and _LIKE_A_KEY.match(key):
            near = nearest_keys(library, key)
            return tuple(",".join((*keys[:number], it, *keys[number + 1 :])) for it in near)
    return (",".join(keys),) if any(library.get(key) is not None for key in keys) else ()


def split_keys(library: Library, key_text: str, *, words: bool) -> str:
    """Return what reads as one unknown key as the known ones in it, or "".

    Those that full-width commas or blanks part, as `a，b`, are parted by a comma. Where `words` may
    follow a key, a blank parts it from one of Chinese, Japanese or Korean, as in `@li2020提出`;
    none may in braces.
    """
    keys = _WRONG_COMMA.split(key_text)
    if len(keys) > 1 and all(library.get(key) is not None for key in keys):
        return ",".join(keys)
    for word in reversed(list(_ATTACHED.finditer(key_text, 1)) if words else []):
        if library.get(key_text[: word.start()]) is not None:
            return f"{key_text[: word.start()]} {key_text[word.start() :]}"
    return ""
