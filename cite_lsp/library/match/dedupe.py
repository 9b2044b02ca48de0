"""Whether a library has a paper already, under whatever key: by DOI, by arXiv number, by title.

Titles are compared in their normal form, together with the family name of the first author.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.values import read_value
from cite_lsp.library.entries import Entry, Record
from cite_lsp.library.match.pinyin import readings
from cite_lsp.library.text.html_markup import without_markup
from cite_lsp.library.text.key_parts import arxiv_number
from cite_lsp.library.text.latex_decode import decode
from cite_lsp.library.text.metadata import plain_address
from cite_lsp.paper import Paper, fold, joined_title, normalise_doi, surname, title_ends
from cite_lsp.storage.memory import text_cache

_FAMILY_FIRST = lazy_re(r"([^\W\d_]{2,}) [A-Z]{1,2}")
"""A name as PubMed and the Chinese standard have it, "Zhang S"."""
_TITLE = lazy_re(r"[\n,{}]\s*+title\s*+=\s*+", re.IGNORECASE)
_SUBTITLE = lazy_re(r"[\n,{}]\s*+subtitle\s*+=\s*+", re.IGNORECASE)
_DOI = lazy_re(r"10\.\d{4,9}/[^\s\"{},]+")
_UNDERSCORE = r"{\_}"
"""As Mendeley writes it; a brace ends a DOI as a rule."""
_ARXIV = lazy_re(r"(?<![\d.])\d{4}\.\d{4,5}(?!\d)|(?<![\w-])[a-z-]{2,9}(?:\.[A-Z]{2})?/\d{7}")
_PREPRINT = lazy_re("arxiv|eprint", re.IGNORECASE)
_YEARS_APART = 1
"""Years between two entries of one work: online first, then in print."""


class SameWork:
    """Finds the entry of a library that is a given paper.

    Only titles, DOIs and arXiv numbers are read of the entries; the few that may be the paper are
    then read in full.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        """Index entries by title and numbers; records that were read before are not read again."""
        self._entries = entries
        self._by_title: dict[str, list[int]] = {}
        self._by_number: dict[str, list[int]] = {}
        for row, entry in enumerate(entries):
            title, numbers = title_and_numbers(entry.record)
            self._by_title.setdefault(title, []).append(row)
            for number in numbers:
                self._by_number.setdefault(number, []).append(row)

    def find(self, paper: Paper) -> Entry | None:
        """Return the entry that is this paper; None where the library lacks it."""
        for number in filter(None, (paper.doi, arxiv_number(paper).lower())):
            for row in self._by_number.get(number, ()):
                entry = self._entries[row]
                if number == own_arxiv(entry):
                    return entry
                if number == entry.paper.doi and not are_parts(paper, entry.paper):
                    return entry
        title = joined_title(paper.title)
        for row in self._by_title.get(title, ()) if title else ():
            if same_first_author(paper, self._entries[row].paper):
                return self._entries[row]
        return None


def are_parts(paper: Paper, other: Paper) -> bool:
    """Whether two papers of one DOI are parts of the book that it is of, or it and a part.

    Their titles are not alike, and neither are their authors; a title may be a translated one.
    """
    titles = set(filter(None, title_ends(paper.title)))
    if not titles or not other.title or titles.intersection(title_ends(other.title)):
        return False
    wholes = map(joined_title, filter(None, (paper.venue, other.venue)))
    if {joined_title(paper.title), joined_title(other.title)}.intersection(wholes):
        return True
    named = paper.authors and other.authors and has_han(paper.title) == has_han(other.title)
    return bool(named) and not same_first_author(paper, other)


def is_same_work(entry: Entry, other: Entry) -> bool:
    """Whether two entries of a library are one work under two keys.

    They have one title and, as far as they are told, one first author and one DOI; a preprint and
    what was published of it count as one work. A thesis and an article do not, nor do editions
    that are years apart.
    """
    paper, second = entry.paper, other.paper
    title = joined_title(paper.title)
    if not title or title != joined_title(second.title):
        return False
    if ("thesis" in entry.kind) != ("thesis" in other.kind):
        return False
    preprint = _is_preprint(entry) or _is_preprint(other)
    if paper.doi and second.doi:
        if paper.doi != second.doi and not preprint:
            return False
    elif not (paper.authors and second.authors):
        return False
    if not preprint and paper.year and second.year and abs(paper.year - second.year) > _YEARS_APART:
        return False
    return same_first_author(paper, second)


def _is_preprint(entry: Entry) -> bool:
    return bool(own_arxiv(entry))


def same_first_author(paper: Paper, other: Paper) -> bool:
    """Whether two papers of one title can be the same work by their first authors, if known."""
    if not paper.authors or not other.authors:
        return True
    first, second = paper.authors[0], other.authors[0]
    if has_han(first) != has_han(second):
        return _is_pinyin_in(first, second) if has_han(second) else _is_pinyin_in(second, first)
    if sorted(fold(first).split()) == sorted(fold(second).split()):
        return True
    return not _family_names(first).isdisjoint(_family_names(second))


def _family_names(author: str) -> set[str]:
    """Return what the family name may be, folded: "Zhang S" has it first."""
    family = fold(surname(author))
    family_names = {family, *family.split()[-1:]}
    if first := _FAMILY_FIRST.fullmatch(author):
        family_names.add(fold(first[1]))
    return family_names


def _is_pinyin_in(letters: str, name: str) -> bool:
    """Whether a word of a name in Latin letters is the pinyin of a Chinese family name."""
    words = set(fold(letters).replace(",", " ").split())
    first_characters, first_two_characters = (
        product(*map(readings, name[:length])) for length in (1, 2)
    )
    return any(
        "".join(syllables) in words for syllables in (*first_characters, *first_two_characters)
    )


def own_arxiv(entry: Entry) -> str:
    """Return the arXiv number of an entry, "" where it has none."""
    if number := arxiv_number(entry.paper):
        return number.lower()
    match = _ARXIV.search(entry.fields.get("eprint", ""))
    return match.group().lower() if match else ""


def title_and_numbers(record: Record) -> tuple[str, tuple[str, ...]]:
    """Return the normal title of a record, and the DOIs and arXiv numbers that it holds.

    Few of its fields are read. The abstract may hold the number of another work.
    """
    return (
        _read_marks(record.raw) if record.source == "bibtex" and record.raw else _of_paper(record)
    )


def _of_paper(record: Record) -> tuple[str, tuple[str, ...]]:
    paper = record.paper
    numbers = filter(None, (paper.doi, arxiv_number(paper).lower()))
    return joined_title(paper.title), tuple(numbers)


@text_cache(1 << 17)
def _read_marks(raw: str) -> tuple[str, tuple[str, ...]]:
    """Return what `title_and_numbers` does, of a BibTeX record."""
    numbers: list[str] = []
    if "10." in raw:
        dois = _DOI.findall(raw.replace(_UNDERSCORE, "_").replace("\\", ""))
        numbers += map(normalise_doi, map(plain_address, dois))
    if _PREPRINT.search(raw):
        numbers += [number.lower() for number in _ARXIV.findall(raw)]
    title = _TITLE.search(raw)
    if title is None:
        return "", tuple(numbers)
    title_text = decode(read_value(raw, title.end(), {})[0])
    if subtitle := _SUBTITLE.search(raw):
        title_text += " " + decode(read_value(raw, subtitle.end(), {})[0])
    return joined_title(without_markup(title_text)), tuple(numbers)
