"""Papers from the JSON records of public dumps, each recognised by the fields that only it has.

Schemas: OpenAlex works (https://docs.openalex.org/api-entities/works/work-object), Semantic Scholar
datasets (https://api.semanticscholar.org/api-docs/datasets), the arXiv metadata snapshot, Crossref
works (https://github.com/CrossRef/rest-api-doc), Europe PMC
(https://europepmc.org/RestfulWebService), bioRxiv and medRxiv (https://api.biorxiv.org), and our
own (`corpus.papers`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve

from cite_lsp.corpus.citations import CitationContext, PaperCitations, split_context
from cite_lsp.corpus.formats.exported import RETRACTED, exported_names, pubmed_address, pubmed_title
from cite_lsp.corpus.formats.papers import paper_from_record
from cite_lsp.language import detect_language
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.csl.item import item_paper
from cite_lsp.library.text.html_markup import without_markup
from cite_lsp.library.text.latex_decode import decode, decode_around_formulas
from cite_lsp.library.text.metadata import language_code
from cite_lsp.library.text.people import named
from cite_lsp.paper import Paper, doi_fields, normalise_doi

JsonRecord = Mapping[str, Any]

_TAG = lazy_re(r"</?[A-Za-z][\w:-]*(?:\s+[\w:-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'))*\s*/?>")
_SECTION_TITLE = lazy_re(r"<jats:title>[^<]*</jats:title>")
_TAKEN_BACK = frozenset(("retraction", "withdrawal", "removal"))
"""What Crossref calls the updates after which a work no longer stands."""
_VERSION = lazy_re(r"v\d+$")
_IN_INITIALS = lazy_re(r"(?<=\w\.)\s+(?=-\w)")
"""The blank that arXiv's snapshot has in "C. -P."."""
_ARXIV_NUMBER = lazy_re(r"\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7}")
_BETWEEN_NAMES = lazy_re(r",\s+(?:and\s+)?|\s+and\s+")
_KINDS = {
    "article": "article-journal", "journal-article": "article-journal", "review": "article-journal",
    "letter": "article-journal", "proceedings-article": "paper-conference", "book": "book",
    "monograph": "book", "edited-book": "book", "reference-book": "book", "book-chapter": "chapter",
    "book-section": "chapter", "dissertation": "thesis", "report": "report", "dataset": "dataset",
    "preprint": "article", "posted-content": "article", "Conference": "paper-conference",
    "JournalArticle": "article-journal", "Review": "article-journal", "Book": "book",
    "BookSection": "chapter", "Dataset": "dataset",
}  # fmt: skip
_OF_PROCEEDINGS = "Conference"
"""What Semantic Scholar calls a paper of a conference, beside and behind "JournalArticle"."""
_LONGEST_INVERTED = 20_000
_OPENALEX = "https://openalex.org/W"
_ONLY_IN_DUMPS = (
    "authorships", "abstract_inverted_index", "authors_parsed", "corpusid", "paperId",
    "authorString", "author_corresponding",
)  # fmt: skip
_OUR_OWN, _OF_CSL = ("authors", "year", "venue"), ("author", "issued", "container-title")
_OF_MEDLINE, _OF_PREPRINTS = "MED", "PPR"
"""What Europe PMC calls two of its sources."""
_FAMILY_FIRST = lazy_re(r"(.+) ([A-Z][A-Z-]{0,4})")
_SERVERS = {"biorxiv": "bioRxiv", "medrxiv": "medRxiv"}


def paper_of_record(record: JsonRecord) -> Paper | None:
    """Return the paper of a record of any schema; None where it says too little to be one.

    Of a record that only adds to another (an abstract of Semantic Scholar) the title is "".
    """
    if _of_openalex(record):
        return openalex(record)
    for names, read in _SCHEMAS:
        if all(name in record for name in names):
            if read is crossref and _are_our_own([record]):
                break  # that spells its DOI as Crossref does
            return read(record)
    return arxiv(record) if _of_arxiv(record) else paper_from_record(dict(record))


def is_of_dump(records: Sequence[JsonRecord]) -> bool:
    """Whether a list holds records of a dump, or our own, and no items of CSL.

    An item of CSL is almost a work of Crossref, which has a list of titles.
    """
    from_dump = any(
        any(name in record for name in _ONLY_IN_DUMPS)
        or _of_openalex(record)
        or ("DOI" in record and isinstance(record.get("title"), list))
        for record in records
    )
    return from_dump or _are_our_own(records)


def _are_our_own(records: Sequence[JsonRecord]) -> bool:
    """Whether records are our own by names that no item of CSL has; some may lack all of these."""
    names = {name for record in records for name in record}
    return "id" in names and not names.isdisjoint(_OUR_OWN) and names.isdisjoint(_OF_CSL)


def _of_openalex(record: JsonRecord) -> bool:
    """Whether a record is of OpenAlex by its id: an answer has the fields that were asked for."""
    return str(record.get("id")).startswith(_OPENALEX)


def _of_arxiv(record: JsonRecord) -> bool:
    """Whether a record is of arXiv's snapshot though it lacks parsed authors, as copies of it do.

    Our own may have categories as well.
    """
    number = _VERSION.sub("", _text(record.get("id")))
    return "categories" in record and _ARXIV_NUMBER.fullmatch(number) is not None


def is_link(record: JsonRecord) -> bool:
    """Whether a record says who cites whom, and is no paper."""
    return "citingcorpusid" in record or ("citing_id" in record and "id" not in record)


def citations_of_record(record: JsonRecord, paper: Paper | None = None) -> PaperCitations | None:
    """Return the citations of a paper, or of a link; None where there are none.

    A link is a citation of Semantic Scholar, with the passages where it stands, a list of
    references (`citing_id`, `refs`), or a context (`citing_id`, `left`, `right`, `cited`).
    """
    if paper is None:
        return _link(record)
    cited = [
        *(
            f"id openalex:{work_id.rsplit('/', 1)[-1]}"
            for work_id in _strings(record, "referenced_works")
        ),
        *(f"id {reference_id}" for reference_id in _ids(record, "references")),
        *(
            f"doi {doi}"
            for reference in _list(record.get("reference"))
            if (doi := normalise_doi(_text(_mapping(reference).get("DOI"))))
        ),
    ]
    return PaperCitations(f"id {paper.id}", tuple(dict.fromkeys(cited))) if cited else None


def _link(record: JsonRecord) -> PaperCitations | None:
    if "citingcorpusid" in record:
        citing, cited = record.get("citingcorpusid"), record.get("citedcorpusid")
        if not citing or not cited:
            return None
        passages, intents = _strings(record, "contexts"), _list(record.get("intents"))
        contexts = [
            evolve(split_context(text), intents=tuple(map(_text, _list(labels))))
            for text, labels in zip(passages, [*intents, *([None] * len(passages))], strict=False)
        ]
        return PaperCitations(f"id s2:{citing}", (f"id s2:{cited}",), tuple(contexts))
    citing = _text(record.get("citing_id"))
    names = _ids(record, "refs") or _ids(record, "cited")
    if not citing or not names:
        return None
    left, right = _text(record.get("left")), _text(record.get("right"))
    contexts = [CitationContext(left, right)] if left or right else []
    return PaperCitations(f"id {citing}", tuple(f"id {name}" for name in names), tuple(contexts))


def openalex(record: JsonRecord) -> Paper | None:
    """Read a work of OpenAlex."""
    identifier = str(record.get("id") or "").rsplit("/", 1)[-1]
    title = _text(record.get("title") or record.get("display_name"))
    if not identifier or not title:
        return None
    place = _mapping(record.get("primary_location"))
    source = _mapping(place.get("source"))
    venue = _text(source.get("display_name")) or _text(place.get("raw_source_name"))
    kind = _KINDS.get(str(record.get("type") or ""), "")
    if source.get("type") == "conference":
        kind = "paper-conference"
    elif source.get("type") == "repository" and kind == "article-journal":
        kind = "article"
    return Paper(
        id=f"openalex:{identifier}",
        title=_plain(title),
        abstract=_plain(inverted(record.get("abstract_inverted_index"))),
        authors=tuple(
            name
            for authorship in map(_mapping, _list(record.get("authorships")))
            for name in _authors_of_openalex(authorship)
        ),
        year=_year(record.get("publication_year")) or _year(record.get("publication_date")),
        venue=venue,
        **doi_fields(_text(record.get("doi"))),
        url=_text(place.get("landing_page_url")),
        language=_text(record.get("language"))[:2],
        kind=kind,
        retracted=record.get("is_retracted") is True,
        more_authors=record.get("is_authors_truncated") is True,
    )


def _authors_of_openalex(authorship: JsonRecord) -> tuple[str, ...]:
    """Return an author by the name that all works share, or as print and repositories have it."""
    name = _text(_mapping(authorship.get("author")).get("display_name"))
    return (name,) if name else exported_names(_text(authorship.get("raw_author_name")))


def semantic_scholar(record: JsonRecord) -> Paper | None:
    """Read a record of the datasets `papers` and `abstracts`, which meet under one id."""
    identifier = f"s2:{record['corpusid']}"
    outer = _mapping(record.get("externalids"))
    numbers = {name.lower(): _text(value) for name, value in outer.items()}
    title = _plain(_text(record.get("title")))
    if not title and not record.get("abstract"):
        return None
    journal = _mapping(record.get("journal"))
    kinds_named = [str(kind) for kind in _list(record.get("publicationtypes"))]
    kinds_named.sort(key=lambda kind: kind != _OF_PROCEEDINGS)
    kinds = [_KINDS.get(kind, "") for kind in kinds_named]
    return Paper(
        id=identifier,
        title=title,
        abstract=_plain(_text(record.get("abstract"))),
        authors=tuple(
            name
            for author in _list(record.get("authors"))
            if (name := _text(_mapping(author).get("name")))
        ),
        year=_year(record.get("year")) or _year(record.get("publicationdate")),
        venue=_text(record.get("venue")) or _text(journal.get("name")),
        **doi_fields(numbers.get("doi", "")),
        url=_text(record.get("url")),
        language=detect_language(title) if title else "",
        kind=next(filter(None, kinds), ""),
        arxiv=numbers.get("arxiv", ""),
    )


def semantic_scholar_answer(record: JsonRecord) -> Paper | None:
    """Read a paper as the interface of Semantic Scholar gives it, in names of another case."""
    outer = _mapping(record.get("externalIds"))
    number = record.get("corpusId") or outer.get("CorpusId") or record["paperId"]
    as_dataset = {name.lower(): value for name, value in record.items()}
    paper = semantic_scholar(as_dataset | {"corpusid": number})
    if paper is None or number:
        return paper
    return evolve(paper, id=f"entry:{paper.title}") if paper.title else None  # no paper of theirs


def arxiv(record: JsonRecord) -> Paper | None:
    """Read a record of the arXiv metadata snapshot, which is LaTeX; formulas stay as they are."""
    number = _VERSION.sub("", _text(record.get("id")))
    title = decode_around_formulas(_text(record.get("title")))
    if not number or not title:
        return None
    parsed = _list(record.get("authors_parsed"))
    authors = [
        named(*(_part_of_name(part) for part in (names[1], names[0], *names[2:3])))
        for names in parsed
        if isinstance(names, list) and len(names) > 1
    ]
    versions = [
        _text(_mapping(version).get("created")) for version in _list(record.get("versions"))
    ]
    dates = (*versions[:1], _text(record.get("update_date")))
    comment = _text(record.get("comments")).lower()
    return Paper(
        id=f"arxiv:{number}",
        title=title,
        abstract=_text(record.get("abstract")),
        authors=tuple(filter(None, authors)) or _names_of_arxiv(record.get("authors")),
        year=next(filter(None, map(_year, dates)), None),
        venue=_text(record.get("journal-ref")) or "arXiv",
        **doi_fields(_text(record.get("doi"))),
        url=f"https://arxiv.org/abs/{number}",
        language="en",
        kind="" if record.get("journal-ref") else "article",
        arxiv=number,
        retracted="withdrawn" in comment,
    )


def _part_of_name(part: object) -> str:
    return _IN_INITIALS.sub("", decode(_text(part)))


def _names_of_arxiv(written: object) -> tuple[str, ...]:
    """Return authors that were not parsed: in one text, or a list of names."""
    names = written if isinstance(written, list) else _BETWEEN_NAMES.split(_text(written))
    return tuple(name for author in names if (name := decode(_text(author))))


def crossref(record: JsonRecord) -> Paper | None:
    """Read a work of Crossref, which is almost an item of CSL."""
    doi = normalise_doi(_text(record.get("DOI")))
    titles = [_text(title) for title in _list(record.get("title"))] or [_text(record.get("title"))]
    if not doi or not titles[0]:
        return None
    issued = record.get("issued") or record.get("published") or record.get("created")
    people = [
        {"literal": person["name"]} if "name" in person else person
        for person in map(_mapping, _list(record.get("author")))
    ]
    paper = item_paper({**record, "issued": issued, "author": people}, "")
    abstract = _SECTION_TITLE.sub("", _text(record.get("abstract")))
    updates = [_text(_mapping(update).get("type")) for update in _list(record.get("updated-by"))]
    return evolve(
        paper,
        id=f"doi:{doi}",
        title=_plain(": ".join([titles[0], *map(_text, _list(record.get("subtitle"))[:1])])),
        abstract=_plain(abstract),
        url="" if "doi.org" in paper.url else paper.url,
        kind=_KINDS.get(str(record.get("type") or ""), ""),
        retracted=any(update in _TAKEN_BACK for update in updates),
    )


def europe_pmc(record: JsonRecord) -> Paper | None:
    """Read a record of Europe PMC; its shorter form has neither an abstract nor full names."""
    source, number = _text(record.get("source")), _text(record.get("id"))
    title = _plain(pubmed_title(_text(record.get("title"))))
    if not number or not title:
        return None
    in_medline = source == _OF_MEDLINE
    journal = _mapping(_mapping(record.get("journalInfo")).get("journal"))
    venue = _text(journal.get("title")) or _text(record.get("journalTitle"))
    listed = _list(_mapping(record.get("authorList")).get("author"))
    written = _text(record.get("authorString")).rstrip(".")
    kinds = _list(_mapping(record.get("pubTypeList")).get("pubType"))
    return Paper(
        id=f"pmid:{number}" if in_medline else f"epmc:{number}",
        title=title,
        abstract=_plain(_text(record.get("abstractText"))),
        authors=tuple(filter(None, map(_author_of_pubmed, map(_mapping, listed))))
        or tuple(map(_given_first, filter(None, written.split(", ")))),
        year=_year(record.get("pubYear")),
        venue=venue,
        **doi_fields(_text(record.get("doi"))),
        url=pubmed_address(number) if in_medline else "",
        language=language_code(_text(record.get("language"))) or detect_language(title),
        kind="article" if source == _OF_PREPRINTS else "article-journal" if venue else "",
        retracted=any(_text(kind).casefold() == RETRACTED.casefold() for kind in kinds),
    )


def _author_of_pubmed(author: JsonRecord) -> str:
    given = _text(author.get("firstName")) or _text(author.get("initials"))
    family = _text(author.get("lastName"))
    if family:
        return named(given, family)
    return named("", _text(author.get("collectiveName")) or _text(author.get("fullName")))


def _given_first(name: str) -> str:
    """Return "Moor A" as one reads it."""
    match = _FAMILY_FIRST.fullmatch(name)
    return named(match[2], match[1]) if match else name


def biorxiv(record: JsonRecord) -> Paper | None:
    """Read a preprint as the interface of bioRxiv and medRxiv gives it, one of its versions."""
    doi, title = normalise_doi(_text(record.get("doi"))), _plain(_text(record.get("title")))
    if not doi or not title:
        return None
    authors = _text(record.get("authors")).rstrip("; ")
    server = _text(record.get("server")).lower()
    return Paper(
        id=f"doi:{doi}",
        title=title,
        abstract=_plain(_text(record.get("abstract"))),
        authors=tuple(name for names in authors.split("; ") for name in exported_names(names)),
        year=_year(record.get("date")),
        venue=_SERVERS.get(server, "bioRxiv"),
        **doi_fields(_text(record.get("doi"))),
        language="en",
        kind="article",
    )


_SCHEMAS: tuple[tuple[tuple[str, ...], Callable[[JsonRecord], Paper | None]], ...] = (
    (("corpusid",), semantic_scholar),
    (("paperId",), semantic_scholar_answer),
    (("authorships",), openalex),
    (("abstract_inverted_index",), openalex),
    (("authors_parsed",), arxiv),
    (("authorString",), europe_pmc),
    (("author_corresponding", "doi"), biorxiv),
    (("DOI", "title"), crossref),
)


def inverted(value: object) -> str:
    """Return the text of an inverted index: words with the places where they stand."""
    if not isinstance(value, Mapping):
        return ""
    words: dict[int, str] = {}
    for word, places in value.items():
        for place in _list(places):
            if isinstance(place, int) and 0 <= place < _LONGEST_INVERTED:
                words[place] = str(word)
    return " ".join(" ".join(words[place] for place in sorted(words)).split())


def _text(value: object) -> str:
    """Return a string on one line; JSON can spell half a character, which no file can hold."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    return " ".join(value.split()).encode("utf-8", "replace").decode()


def _plain(text: str) -> str:
    """Return a text as a browser shows it; some write the signs of its tags as entities."""
    for _ in range(2):
        text = without_markup(text)
    return " ".join(_TAG.sub(" ", text).split()) if "<" in text else text


def _strings(record: JsonRecord, name: str) -> list[str]:
    return [text for text in _list(record.get(name)) if isinstance(text, str) and text.strip()]


def _ids(record: JsonRecord, name: str) -> list[str]:
    """Return a list of ids as papers have theirs; some are numbers."""
    return [text for value in _list(record.get(name)) if (text := _text(value))]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: object) -> JsonRecord:
    return value if isinstance(value, Mapping) else {}


def _year(value: object) -> int | None:
    match = re.search(r"(?<!\d)(?:1[4-9]|20)\d\d(?!\d)", str(value or ""))
    return int(match.group()) if match else None
