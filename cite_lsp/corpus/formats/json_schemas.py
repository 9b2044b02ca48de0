"""Papers from the JSON records of public dumps, each recognised by the fields that only it has.

Schemas: OpenAlex works (https://docs.openalex.org/api-entities/works/work-object), Semantic Scholar
datasets (https://api.semanticscholar.org/api-docs/datasets), the arXiv metadata snapshot, Crossref
works (https://github.com/CrossRef/rest-api-doc), Europe PMC
(https://europepmc.org/RestfulWebService), bioRxiv and medRxiv (https://api.biorxiv.org), and our
own (`corpus.papers`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attrs import evolve

from cite_lsp.corpus.formats.exported import RETRACTED, exported_names, pubmed_address, pubmed_title
from cite_lsp.corpus.formats.json_values import (
    JsonRecord,
    as_list,
    as_mapping,
    as_text,
    as_year,
)
from cite_lsp.corpus.formats.papers import paper_from_record
from cite_lsp.language import detect_language
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.csl.item import item_paper
from cite_lsp.library.text.html_markup import without_markup
from cite_lsp.library.text.latex_decode import decode, decode_around_formulas
from cite_lsp.library.text.metadata import language_code
from cite_lsp.library.text.people import named
from cite_lsp.paper import Paper, doi_fields, normalise_doi

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
    number = _VERSION.sub("", as_text(record.get("id")))
    return "categories" in record and _ARXIV_NUMBER.fullmatch(number) is not None


def openalex(record: JsonRecord) -> Paper | None:
    """Read a work of OpenAlex."""
    identifier = str(record.get("id") or "").rsplit("/", 1)[-1]
    title = as_text(record.get("title") or record.get("display_name"))
    if not identifier or not title:
        return None
    place = as_mapping(record.get("primary_location"))
    source = as_mapping(place.get("source"))
    venue = as_text(source.get("display_name")) or as_text(place.get("raw_source_name"))
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
            for authorship in map(as_mapping, as_list(record.get("authorships")))
            for name in _authors_of_openalex(authorship)
        ),
        year=as_year(record.get("publication_year")) or as_year(record.get("publication_date")),
        venue=venue,
        **doi_fields(as_text(record.get("doi"))),
        url=as_text(place.get("landing_page_url")),
        language=as_text(record.get("language"))[:2],
        kind=kind,
        retracted=record.get("is_retracted") is True,
        more_authors=record.get("is_authors_truncated") is True,
    )


def _authors_of_openalex(authorship: JsonRecord) -> tuple[str, ...]:
    """Return an author by the name that all works share, or as print and repositories have it."""
    name = as_text(as_mapping(authorship.get("author")).get("display_name"))
    return (name,) if name else exported_names(as_text(authorship.get("raw_author_name")))


def semantic_scholar(record: JsonRecord) -> Paper | None:
    """Read a record of the datasets `papers` and `abstracts`, which meet under one id."""
    identifier = f"s2:{record['corpusid']}"
    outer = as_mapping(record.get("externalids"))
    numbers = {name.lower(): as_text(value) for name, value in outer.items()}
    title = _plain(as_text(record.get("title")))
    if not title and not record.get("abstract"):
        return None
    journal = as_mapping(record.get("journal"))
    kinds_named = [str(kind) for kind in as_list(record.get("publicationtypes"))]
    kinds_named.sort(key=lambda kind: kind != _OF_PROCEEDINGS)
    kinds = [_KINDS.get(kind, "") for kind in kinds_named]
    return Paper(
        id=identifier,
        title=title,
        abstract=_plain(as_text(record.get("abstract"))),
        authors=tuple(
            name
            for author in as_list(record.get("authors"))
            if (name := as_text(as_mapping(author).get("name")))
        ),
        year=as_year(record.get("year")) or as_year(record.get("publicationdate")),
        venue=as_text(record.get("venue")) or as_text(journal.get("name")),
        **doi_fields(numbers.get("doi", "")),
        url=as_text(record.get("url")),
        language=detect_language(title) if title else "",
        kind=next(filter(None, kinds), ""),
        arxiv=numbers.get("arxiv", ""),
    )


def semantic_scholar_answer(record: JsonRecord) -> Paper | None:
    """Read a paper as the interface of Semantic Scholar gives it, in names of another case."""
    outer = as_mapping(record.get("externalIds"))
    number = record.get("corpusId") or outer.get("CorpusId") or record["paperId"]
    as_dataset = {name.lower(): value for name, value in record.items()}
    paper = semantic_scholar(as_dataset | {"corpusid": number})
    if paper is None or number:
        return paper
    return evolve(paper, id=f"entry:{paper.title}") if paper.title else None  # no paper of theirs


def arxiv(record: JsonRecord) -> Paper | None:
    """Read a record of the arXiv metadata snapshot, which is LaTeX; formulas stay as they are."""
    number = _VERSION.sub("", as_text(record.get("id")))
    title = decode_around_formulas(as_text(record.get("title")))
    if not number or not title:
        return None
    parsed = as_list(record.get("authors_parsed"))
    authors = [
        named(*(_part_of_name(part) for part in (names[1], names[0], *names[2:3])))
        for names in parsed
        if isinstance(names, list) and len(names) > 1
    ]
    versions = [
        as_text(as_mapping(version).get("created")) for version in as_list(record.get("versions"))
    ]
    dates = (*versions[:1], as_text(record.get("update_date")))
    comment = as_text(record.get("comments")).lower()
    return Paper(
        id=f"arxiv:{number}",
        title=title,
        abstract=as_text(record.get("abstract")),
        authors=tuple(filter(None, authors)) or _names_of_arxiv(record.get("authors")),
        year=next(filter(None, map(as_year, dates)), None),
        venue=as_text(record.get("journal-ref")) or "arXiv",
        **doi_fields(as_text(record.get("doi"))),
        url=f"https://arxiv.org/abs/{number}",
        language="en",
        kind="" if record.get("journal-ref") else "article",
        arxiv=number,
        retracted="withdrawn" in comment,
    )


def _part_of_name(part: object) -> str:
    return _IN_INITIALS.sub("", decode(as_text(part)))


def _names_of_arxiv(authors: object) -> tuple[str, ...]:
    """Return authors that were not parsed: in one text, or a list of names."""
    names = authors if isinstance(authors, list) else _BETWEEN_NAMES.split(as_text(authors))
    return tuple(name for author in names if (name := decode(as_text(author))))


def crossref(record: JsonRecord) -> Paper | None:
    """Read a work of Crossref, which is almost an item of CSL."""
    doi = normalise_doi(as_text(record.get("DOI")))
    titles = [as_text(title) for title in as_list(record.get("title"))] or [
        as_text(record.get("title"))
    ]
    if not doi or not titles[0]:
        return None
    issued = record.get("issued") or record.get("published") or record.get("created")
    people = [
        {"literal": person["name"]} if "name" in person else person
        for person in map(as_mapping, as_list(record.get("author")))
    ]
    paper = item_paper({**record, "issued": issued, "author": people}, "")
    abstract = _SECTION_TITLE.sub("", as_text(record.get("abstract")))
    updates = [
        as_text(as_mapping(update).get("type")) for update in as_list(record.get("updated-by"))
    ]
    return evolve(
        paper,
        id=f"doi:{doi}",
        title=_plain(": ".join([titles[0], *map(as_text, as_list(record.get("subtitle"))[:1])])),
        abstract=_plain(abstract),
        url="" if "doi.org" in paper.url else paper.url,
        kind=_KINDS.get(str(record.get("type") or ""), ""),
        retracted=any(update in _TAKEN_BACK for update in updates),
    )


def europe_pmc(record: JsonRecord) -> Paper | None:
    """Read a record of Europe PMC; its shorter form has neither an abstract nor full names."""
    source, number = as_text(record.get("source")), as_text(record.get("id"))
    title = _plain(pubmed_title(as_text(record.get("title"))))
    if not number or not title:
        return None
    in_medline = source == _OF_MEDLINE
    journal = as_mapping(as_mapping(record.get("journalInfo")).get("journal"))
    venue = as_text(journal.get("title")) or as_text(record.get("journalTitle"))
    listed = as_list(as_mapping(record.get("authorList")).get("author"))
    author_list = as_text(record.get("authorString")).rstrip(".")
    kinds = as_list(as_mapping(record.get("pubTypeList")).get("pubType"))
    return Paper(
        id=f"pmid:{number}" if in_medline else f"epmc:{number}",
        title=title,
        abstract=_plain(as_text(record.get("abstractText"))),
        authors=tuple(filter(None, map(_author_of_pubmed, map(as_mapping, listed))))
        or tuple(map(_given_first, filter(None, author_list.split(", ")))),
        year=as_year(record.get("pubYear")),
        venue=venue,
        **doi_fields(as_text(record.get("doi"))),
        url=pubmed_address(number) if in_medline else "",
        language=language_code(as_text(record.get("language"))) or detect_language(title),
        kind="article" if source == _OF_PREPRINTS else "article-journal" if venue else "",
        retracted=any(as_text(kind).casefold() == RETRACTED.casefold() for kind in kinds),
    )


def _author_of_pubmed(author: JsonRecord) -> str:
    given = as_text(author.get("firstName")) or as_text(author.get("initials"))
    family = as_text(author.get("lastName"))
    if family:
        return named(given, family)
    return named("", as_text(author.get("collectiveName")) or as_text(author.get("fullName")))


def _given_first(name: str) -> str:
    """Return "Moor A" as one reads it."""
    match = _FAMILY_FIRST.fullmatch(name)
    return named(match[2], match[1]) if match else name


def biorxiv(record: JsonRecord) -> Paper | None:
    """Read a preprint as the interface of bioRxiv and medRxiv gives it, one of its versions."""
    doi, title = normalise_doi(as_text(record.get("doi"))), _plain(as_text(record.get("title")))
    if not doi or not title:
        return None
    authors = as_text(record.get("authors")).rstrip("; ")
    server = as_text(record.get("server")).lower()
    return Paper(
        id=f"doi:{doi}",
        title=title,
        abstract=_plain(as_text(record.get("abstract"))),
        authors=tuple(name for names in authors.split("; ") for name in exported_names(names)),
        year=as_year(record.get("date")),
        venue=_SERVERS.get(server, "bioRxiv"),
        **doi_fields(as_text(record.get("doi"))),
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
        for place in as_list(places):
            if isinstance(place, int) and 0 <= place < _LONGEST_INVERTED:
                words[place] = str(word)
    return " ".join(" ".join(words[place] for place in sorted(words)).split())


def _plain(text: str) -> str:
    """Return a text as a browser shows it; some write the signs of its tags as entities."""
    for _ in range(2):
        text = without_markup(text)
    return " ".join(_TAG.sub(" ", text).split()) if "<" in text else text
