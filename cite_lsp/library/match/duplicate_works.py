"""Which entries of a bibliography are one work under several keys, told with care.

Works that share a title are told apart by what their fields say: volumes, editions, parts of books,
the journal, the pages. A talk and the article that grew out of it are two works.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.bibtex.relations import relations
from cite_lsp.library.bibtex.roles import SET, STYLE_SWITCHES
from cite_lsp.library.entries import Entry
from cite_lsp.library.match.dedupe import (
    are_parts,
    is_same_work,
    own_arxiv,
    same_first_author,
    title_and_numbers,
)
from cite_lsp.paper import fold, joined_title, normalise_doi

_NO_WORKS = STYLE_SWITCHES | {SET, "xdata"}
_KINDS = (
    frozenset(("article", "suppperiodical")),
    frozenset(("inproceedings", "conference")),
    frozenset("inbook incollection bookinbook suppbook suppcollection inreference".split()),
    frozenset("book mvbook collection mvcollection reference mvreference booklet".split()),
    frozenset(("proceedings", "mvproceedings", "periodical")),
    frozenset("thesis phdthesis mastersthesis".split()),
    frozenset(("techreport", "report")),
    frozenset("misc online electronic www webpage unpublished manual software dataset".split()),
)
"""Kinds of entries in groups: in two of them stand two works, unless a number says otherwise."""
_ARTICLES, _TALKS, _PARTS, _LOOSE = *_KINDS[:3], _KINDS[-1]
_NOT_OF_PREPRINTS = frozenset().union(*_KINDS[3:6])
_TELLING = ("volume", "edition", "part", "chapter", "version", "isbn", "issn", "number", "type")
_OF_A_BOOK = ("volume", "edition", "part", "chapter", "pages")
_VENUES = ("journal", "journaltitle", "booktitle")
_FIRST_PAGE = lazy_re(r"[a-z]*\d+")
_ORDINAL = lazy_re(r"(?<=\d)(?:st|nd|rd|th)\b|\bedition\b|\bed\b")
_MOST_ALIKE = 12
"""Works of one title that an entry is compared with; a title that more share is no title."""
_LETTERS = lazy_re(r"[^\W_]+")
_ADDRESS = lazy_re(r"^(?:https?://)?(?:www\.)?|[/.\s]+$")
_NOT_DIGITS = lazy_re(r"[^\dx]+")


def duplicate_works(entries: Sequence[Entry]) -> Iterator[tuple[Entry, Entry]]:
    """Yield each entry that is the work of an earlier one under another key, and that one.

    Two entries are one work if they share a title and also the DOI, the arXiv number or the ISBN,
    or the first author and the year. What others take from (`crossref`) is left out, as are sets
    and entries that name each other as related.
    """
    parents = {key for entry in entries for _, key in entry.record.links}
    by_mark: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.kind in _NO_WORKS or entry.key.lower() in parents:
            continue
        title, numbers = title_and_numbers(entry.record)
        places = [by_mark.setdefault(mark, []) for mark in dict.fromkeys((title, *numbers)) if mark]
        seen = {id(other): other for place in places for other in place}
        same = next(
            (
                other
                for other in seen.values()
                if is_duplicate(entry, other) and not _name_each_other(entry, other)
            ),
            None,
        )
        if same is not None:
            yield entry, same
        for place in places if same is None else ():
            if len(place) < _MOST_ALIKE:
                place.append(entry)


def is_duplicate(entry: Entry, other: Entry) -> bool:
    """Whether two entries with different keys are surely one work."""
    if entry.key.lower() == other.key.lower():
        return False
    paper, second = entry.paper, other.paper
    if not paper.title or joined_title(paper.title) != joined_title(second.title):
        return False
    if _share_number(entry, other):
        parts = entry.kind in _PARTS or other.kind in _PARTS
        apart = parts and (entry.kind != other.kind or _differ(entry, other, _OF_A_BOOK))
        return not (
            apart or _differ(entry, other, ("edition", "volume")) or are_parts(paper, second)
        )
    if not (paper.authors and second.authors and is_same_work(entry, other)):
        return False
    numbers = own_arxiv(entry), own_arxiv(other)
    if any(numbers):
        preprint, publication = (entry, other) if numbers[0] else (other, entry)
        return not all(numbers) and _became(preprint, publication)
    if paper.year is None or paper.year != second.year:
        return False
    return _same_kind(entry, other) and not _are_distinct(entry, other)


def _name_each_other(entry: Entry, other: Entry) -> bool:
    """Whether one of two entries names the other, as a reprint does."""
    return any(
        relation.key.lower() == named.key.lower()
        for naming, named in ((entry, other), (other, entry))
        for relation in relations(naming)
    )


def _share_number(entry: Entry, other: Entry) -> bool:
    paper, second = entry.paper, other.paper
    dois = normalise_doi(paper.doi), normalise_doi(second.doi)
    if all(dois):
        return dois[0] == dois[1] and same_first_author(paper, second)
    numbers = own_arxiv(entry), own_arxiv(other)
    if all(numbers):
        return numbers[0] == numbers[1]
    isbns = _said(entry, "isbn"), _said(other, "isbn")
    return bool(isbns[0]) and isbns[0] == isbns[1] and same_first_author(paper, second)


def _became(preprint: Entry, publication: Entry) -> bool:
    """Whether a preprint may have become what an entry of the same title is about.

    A talk that was given before, or with other authors, is another work.
    """
    paper, published = preprint.paper, publication.paper
    if publication.kind in _NOT_OF_PREPRINTS or paper.year is None or published.year is None:
        return False
    alike = len(paper.authors) == len(published.authors)
    cut = paper.more_authors or published.more_authors
    return (alike or cut) and published.year >= paper.year


def _same_kind(entry: Entry, other: Entry) -> bool:
    return entry.kind == other.kind or any({entry.kind, other.kind} <= kinds for kinds in _KINDS)


def _are_distinct(entry: Entry, other: Entry) -> bool:
    """Whether fields of two entries of one kind say that they are two works."""
    if _differ(entry, other, (*_TELLING, "pages")):
        return True
    if entry.kind in _LOOSE:
        return _differ(entry, other, ("url", "howpublished", "month", "date"))
    if entry.kind in _ARTICLES | _PARTS:
        return _venue(entry) != _venue(other) and not _share(entry, other, ("volume", "pages"))
    if entry.kind in _TALKS:
        return _venue(entry) != _venue(other) and _differ(entry, other, ("publisher",))
    return _differ(entry, other, ("school", "institution"))


def _differ(entry: Entry, other: Entry, names: Sequence[str]) -> bool:
    pairs = ((_said(entry, name), _said(other, name)) for name in names)
    return any(first and second and first != second for first, second in pairs)


def _share(entry: Entry, other: Entry, names: Sequence[str]) -> bool:
    return any(_said(entry, name) and _said(entry, name) == _said(other, name) for name in names)


def _said(entry: Entry, name: str) -> str:
    """Return what a field says, "" if nothing, in a form that does not depend on its spelling."""
    text = fold(entry.fields.get(name, ""))
    if name == "pages":
        page = _FIRST_PAGE.search(text)
        return page.group() if page else ""
    if name in ("isbn", "issn"):
        digits = _NOT_DIGITS.sub("", text)
        return digits[3:12] if len(digits) == 13 else digits[:9]
    if name in ("url", "howpublished"):
        return _ADDRESS.sub("", text)
    if name == "edition":
        text = _ORDINAL.sub("", text)
    return " ".join(_LETTERS.findall(text))


def _venue(entry: Entry) -> str:
    return next((said for name in _VENUES if (said := _said(entry, name))), "")
