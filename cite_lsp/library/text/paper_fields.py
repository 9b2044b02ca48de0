"""The kind of a paper, and its fields under the names of BibTeX, biblatex and CSL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from attrs import evolve

from cite_lsp.language import has_han
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.display import shown
from cite_lsp.library.text.invisible_characters import without_invisible
from cite_lsp.library.text.journals import JOURNAL_NAMES
from cite_lsp.library.text.key_parts import arxiv_number
from cite_lsp.library.text.names import names_more, split_names
from cite_lsp.library.text.people import OTHERS, in_one_word, parts_of, untied, with_others
from cite_lsp.paper import Paper, fold, surname

_CONFERENCE = lazy_re(
    r"\b(?:proceedings|conference|workshop|symposium|meeting|congress|findings|advances in"
    r"|colloquium|conf|proc|会议|论文集)\b"
)
_JOURNAL = lazy_re(
    r"\b(?:journal|transactions|letters|annals|review|reviews|magazine|bulletin|archives|quarterly"
    r"|acta|zeitschrift|revue|j)\b|学报|杂志"
)
_PREPRINT = lazy_re(r"\b(?:arxiv|corr|biorxiv|medrxiv|preprints?|ssrn)\b")
_THESIS = lazy_re(r"\b(?:thesis|dissertation)\b|学位论文")
_ACRONYM = lazy_re(r"[A-Z][A-Za-z]*[A-Z][A-Za-z]*(?:[ '’-]*(?:\d{2}|\d{4}))?")
_JOURNALS = frozenset(
    "JMLR TACL PNAS TPAMI PAMI CACM JACM JAIR TOIS TODS TOG IJCV TMLR AIJ".split()
).union(JOURNAL_NAMES)
_SERIES_OF_MEETINGS = lazy_re(r"\b(?:acl|emnlp|naacl|eacl|coling|lrec|conll|cvpr|iccv|icml)\b")

_IN_JOURNALS = ("article-journal", "article-magazine", "article-newspaper", "review", "review-book")
_IN_COLLECTIONS = ("chapter", "entry-dictionary", "entry-encyclopedia")
PUBLISHED_IN = frozenset((*_IN_JOURNALS, *_IN_COLLECTIONS, "paper-conference"))
"""Types of CSL that appear in something: a journal, a collection, the proceedings of a meeting."""
_BIBTEX_KINDS = {
    **dict.fromkeys(_IN_JOURNALS, ("article", "journal")),
    "paper-conference": ("inproceedings", "booktitle"),
    **dict.fromkeys(_IN_COLLECTIONS, ("incollection", "booktitle")),
    "book": ("book", "publisher"),
    "thesis": ("phdthesis", "school"),
    "report": ("techreport", "institution"),
    "manuscript": ("unpublished", "note"),
}
_BIBLATEX_KINDS = {
    **dict.fromkeys(_IN_JOURNALS, ("article", "journaltitle")),
    "thesis": ("thesis", "institution"),
    "report": ("report", "institution"),
    "webpage": ("online", "organization"),
    "dataset": ("dataset", "publisher"),
    "software": ("software", "publisher"),
    "patent": ("patent", "organization"),
    "article": ("online", ""),
}
_SAID = frozenset("title author journaltitle booktitle date year doi url abstract".split())
"""Details that the paper itself holds."""
_SAID_BY_PAPER = ("id", "type", "title", "DOI", "URL", "abstract")
_BIBTEX_NAMES = {"location": "address"}
_ONLY_BIBLATEX = frozenset(("eventtitle", "translator", "urldate"))
_RANGE = lazy_re(r"\s*[-–—]+\s*")
_DATE = lazy_re(r"(\d{4})-(\d\d?)(?:-(\d\d?))?(?!\d)")


def kind_of(paper: Paper) -> str:
    """Return the CSL type of a paper; where its source does not tell, what its venue suggests."""
    if paper.kind:
        return paper.kind
    venue = fold(paper.venue)
    if _PREPRINT.search(venue) or (not venue and arxiv_number(paper)):
        return "article"
    if not venue:
        return "document"
    if _THESIS.search(venue):
        return "thesis"
    if _JOURNAL.search(venue):
        return "article-journal"
    if _CONFERENCE.search(venue) or _SERIES_OF_MEETINGS.search(venue):
        return "paper-conference"
    if _ACRONYM.fullmatch(paper.venue) and paper.venue.split()[0] not in _JOURNALS:
        return "paper-conference"
    return "article-journal"


def bibtex_fields(
    paper: Paper,
    details: Mapping[str, str],
    *,
    biblatex: bool,
    given_first: bool,
) -> tuple[str, dict[str, str]]:
    """Return the kind of a record and its fields, plain text, in the order of most files.

    People are in `author`, joined by "and", as BibTeX takes names apart. `details` are further
    fields, under the names that a reader gives those of an item of CSL.
    """
    csl = kind_of(paper)
    kind, venue = _BIBTEX_KINDS.get(csl, ("misc", "howpublished"))
    if biblatex:
        kind, venue = _BIBLATEX_KINDS.get(csl, (kind, venue))
    number = arxiv_number(paper)
    preprint = csl == "article"
    fields = {
        "title": paper.title,
        "author": _people(with_others(paper), given_first),
        venue: "" if preprint and number else paper.venue,
        "date" if biblatex else "year": _date(paper, details if biblatex else {}),
    }
    if not paper.year:
        fields["year"] = details.get("date", "")  # "forthcoming", which is no date to biblatex
    if number and preprint:
        fields["eprint"] = number
        fields["eprinttype" if biblatex else "archiveprefix"] = "arxiv" if biblatex else "arXiv"
    fields["doi"] = paper.written_doi or paper.doi
    if not paper.doi or "doi.org" not in paper.url:
        fields["url"] = paper.url or (f"https://arxiv.org/abs/{number}" if number else "")
    fields["abstract"] = paper.abstract
    for name, value in _detail_fields(details, biblatex, given_first):
        if not fields.get(name) and value not in (paper.venue, number):
            fields[name] = value
    return kind, {name: value for name, value in fields.items() if name and value}


def _detail_fields(
    details: Mapping[str, str], biblatex: bool, given_first: bool
) -> Iterator[tuple[str, str]]:
    """Yield the fields that only `details` have, under the names of a dialect."""
    for name, value in details.items():
        if name in _SAID or (name in _ONLY_BIBLATEX and not biblatex):
            continue
        if name in ("editor", "translator"):
            names = split_names(value)
            value = _people((*names, OTHERS) if names_more(value) else names, given_first)
        elif name == "pages":
            value = _RANGE.sub("--", value)
        yield name if biblatex else _BIBTEX_NAMES.get(name, name), value


def _people(names: Iterable[str], given_first: bool) -> str:
    return " and ".join(bibtex_name(name, given_first=given_first) for name in names)


def _date(paper: Paper, details: Mapping[str, str]) -> str:
    """Return the date of a paper as ISO 8601 has it, the year where no more is known."""
    match = _DATE.match(details.get("date", ""))
    if match is None:
        return str(paper.year or "")
    parts = takewhile(lambda part: part and part.strip("0"), match.groups())
    return "-".join(part.zfill(2) for part in parts)


def paper_to_csl(paper: Paper, key: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """Return a paper as an item of the CSL schema, empty fields left out.

    `details` are the variables of CSL that are known of it; it takes from them what it does not say
    itself, and what it says less of: where it appeared, who wrote and who edited it, and when.
    """
    if not paper.kind and details.get("type", "document") != "document":
        paper = evolve(paper, kind=details["type"])
    csl, read = kind_of(paper), shown(paper)
    container = {"book": "publisher", "thesis": "publisher", "report": "publisher"}
    item: dict[str, Any] = {"id": key, "type": csl, "title": read.title}
    item["author"] = [csl_person(author) for author in with_others(paper)]
    item[container.get(csl, "container-title")] = paper.venue
    if paper.year:
        item["issued"] = {"date-parts": [[paper.year]]}
    item["DOI"] = paper.written_doi or paper.doi
    number = arxiv_number(paper)
    item["URL"] = paper.url or (f"https://arxiv.org/abs/{number}" if number else "")
    if paper.doi and "doi.org" in item["URL"]:
        item["URL"] = ""
    item["abstract"] = read.abstract
    if details:
        item = {name: item[name] for name in _SAID_BY_PAPER if name in item}
        item |= {name: value for name, value in details.items() if name not in _SAID_BY_PAPER}
    return {name: _visible(value) for name, value in item.items() if value}


def _visible(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return a value of JSON without the characters that nobody sees."""
    if isinstance(value, str):
        return without_invisible(value)
    if isinstance(value, Mapping):
        return {name: _visible(part) for name, part in value.items()}
    return [_visible(part) for part in value] if isinstance(value, list | tuple) else value


def bibtex_name(author: str, *, given_first: bool = False) -> str:
    """Return a name so that BibTeX finds its parts: what has no parts stands in braces.

    One with a suffix has its family name first in any case: there is no other way to write it.
    """
    given, family, suffix = parts_of(author)
    if " and " in author or (not given and " " in family and not has_han(family)):
        return f"{{{untied(author)}}}"
    if has_han(family) and family.count(" ") == 1:
        return in_one_word(*family.split()) or family  # by itself 山田 太郎 is read as two people
    if suffix or not given or not given_first:
        return ", ".join(filter(None, (family, suffix, given)))
    plain = f"{given} {family}" if "," in author else untied(author)
    return plain if surname(plain) == family else f"{given} {{{family}}}"


def csl_person(author: str) -> dict[str, str]:
    """Return a name as CSL has it; that of an organisation is in one piece."""
    given, family, suffix = parts_of(author)
    if not given:
        return {"literal": " ".join(filter(None, (family, suffix)))}
    return {"family": family, "given": given} | ({"suffix": suffix} if suffix else {})
