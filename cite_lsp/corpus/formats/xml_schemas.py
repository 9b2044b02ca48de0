"""Papers from the elements of XML dumps: what each schema holds, and where.

Schemas: https://github.com/acl-org/acl-anthology/blob/master/data/xml/schema.rnc,
https://dblp.org/xml/dblp.dtd, https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_230101.dtd,
https://info.arxiv.org/help/api/user-manual.html (section 3.3), and what EndNote exports.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from xml.etree import ElementTree  # nosec B405  # expat bounds what entities grow to, and fetches none

from cite_lsp.corpus.formats.exported import (
    KINDS,
    RETRACTED,
    exported_names,
    pubmed_address,
    pubmed_suffix,
    pubmed_title,
)
from cite_lsp.language import detect_language
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.latex_decode import decode_around_formulas
from cite_lsp.library.text.metadata import language_code, year_in
from cite_lsp.library.text.people import named
from cite_lsp.paper import DoiFields, Paper, bare_doi, doi_fields, normalise_doi

Element = ElementTree.Element
FileContext = dict[str, str]
"""What the elements around a record add to it: the ids and the title of its volume."""

_NUMBERED = lazy_re(r"\s+\d{4}$")
_ANTHOLOGY_ID = lazy_re(r"[A-Z]\d\d-\d{4}|\d{4}\.[\w-]+-[\w-]+\.\d+")
NO_PAPERS = ("www", "proceedings")
"""Records of DBLP that are of people and of whole volumes."""
_ENDNOTE_PEOPLE = ("authors", "secondary-authors")
_UNKNOWN = "..."
"""What DBLP writes for a reference that it does not have."""
_DBLP_KINDS = {
    "article": "article-journal", "inproceedings": "paper-conference", "book": "book",
    "incollection": "chapter", "phdthesis": "thesis", "mastersthesis": "thesis", "data": "dataset",
}  # fmt: skip
_PUBMED_LANGUAGES = {"eng": "en", "chi": "zh"}
_ARXIV = lazy_re(r"arxiv\.org/abs/(.+?)(?:v\d+)?$")


def acl(element: Element, context: FileContext) -> Paper | None:
    """Read a `paper` of the ACL Anthology."""
    address = text_of(element, "url")
    number = _ANTHOLOGY_ID.search(address)
    name = number.group() if number else _anthology_id(element, context)
    title = text_of(element, "title")
    abstract = text_of(element, "abstract")
    return Paper(
        id=f"acl:{name}",
        title=title,
        abstract=abstract,
        authors=_without_blanks(
            named(text_of(author, "first"), text_of(author, "last"))
            for author in element.findall("author")
        ),
        year=year_in(text_of(element, "year") or context.get("year", "") or name),
        venue=context.get("journal-title") or context.get("booktitle", ""),
        **doi_fields(text_of(element, "doi")),
        url=f"https://aclanthology.org/{name}/",
        language=detect_language(title),
        kind="article-journal" if context.get("journal-title") else "paper-conference",
        retracted=any(element.find(name) is not None for name in ("retracted", "removed")),
    )


def _anthology_id(element: Element, context: FileContext) -> str:
    """Return the id that the Anthology gives a paper, in the form of its time."""
    collection, volume = context.get("collection", ""), context.get("volume", "")
    paper = element.get("id", "")
    if not (re.fullmatch(r"[A-Z]\d\d", collection) and volume.isdecimal() and paper.isdecimal()):
        return f"{collection}-{volume}.{paper}"
    workshop = collection[0] == "W" or collection == "C69" or (
        collection == "D19" and int(volume) >= 5
    )  # fmt: skip
    if workshop:
        return f"{collection}-{int(volume):02}{int(paper):02}"
    return f"{collection}-{int(volume)}{int(paper):03}"


def dblp(element: Element, context: FileContext) -> Paper | None:
    """Read a record of DBLP."""
    key = element.get("key", "")
    kind = _DBLP_KINDS.get(element.tag)
    if kind is None or not key or key.startswith("homepages/"):
        return None
    links = [all_text(link) for link in element.findall("ee")]
    doi = next(
        (link_doi for link in links if "doi.org" in link and (link_doi := bare_doi(link))), ""
    )
    number = re.search(r"abs-(\d{4})-(\d{4,5})$", key)
    title = text_of(element, "title").removesuffix(".")
    informal = key.startswith("journals/corr/")
    return Paper(
        id=f"DBLP:{key}",
        title=title,
        authors=_without_blanks(
            _NUMBERED.sub("", all_text(author)) for author in element.findall("author")
        ),
        year=year_in(text_of(element, "year")),
        venue=first_text(element, "journal", "booktitle", "school", "publisher"),
        **doi_fields(doi),
        url=next((link for link in links if "doi.org" not in link), ""),
        language=detect_language(title),
        kind="article" if informal else kind,
        arxiv=f"{number[1]}.{number[2]}" if number else "",
        retracted="withdrawn" in (element.get("publtype") or ""),
    )


def pubmed(element: Element, context: FileContext) -> Paper | None:
    """Read an article of PubMed."""
    citation = element.find("MedlineCitation")
    article = citation.find("Article") if citation is not None else None
    if citation is None or article is None:
        return None
    date = article.find("Journal/JournalIssue/PubDate")
    kinds = [all_text(kind) for kind in article.findall("PublicationTypeList/PublicationType")]
    title = _pubmed_title(article)
    people = article.find("AuthorList")
    notices = citation.findall("CommentsCorrectionsList/CommentsCorrections")
    number = text_of(citation, "PMID")
    return Paper(
        id=f"pmid:{number}",
        title=title,
        abstract=_pubmed_abstract(article),
        authors=_pubmed_authors(people),
        year=year_in(all_text(date) if date is not None else ""),
        venue=text_of(article, "Journal/Title"),
        **_pubmed_doi(article, element.find("PubmedData")),
        url=pubmed_address(number),
        language=_PUBMED_LANGUAGES.get(text_of(article, "Language"), ""),
        kind="article-journal",
        retracted=RETRACTED in kinds
        or any(notice.get("RefType") == "RetractionIn" for notice in notices),
        more_authors=people is not None and people.get("CompleteYN") == "N",
    )


def pubmed_book(element: Element, context: FileContext) -> Paper | None:
    """Read a book of PubMed, or a chapter of one."""
    document = element.find("BookDocument")
    book = document.find("Book") if document is not None else None
    if document is None or book is None:
        return None
    chapter, whole = _pubmed_title(document), pubmed_title(text_of(book, "BookTitle"))
    lists = [*document.findall("AuthorList"), *([] if chapter else book.findall("AuthorList"))]
    people = min(lists, key=lambda people: people.get("Type") == "editors", default=None)
    number = text_of(document, "PMID")
    return Paper(
        id=f"pmid:{number}",
        title=chapter or whole,
        abstract=_pubmed_abstract(document),
        authors=_pubmed_authors(people),
        year=year_in(first_text(book, "PubDate/Year", "PubDate/MedlineDate", "BeginningDate/Year")),
        venue=whole if chapter else text_of(book, "Publisher/PublisherName"),
        **_pubmed_doi(document, None if chapter else book, element.find("PubmedBookData")),
        url=pubmed_address(number),
        language=_PUBMED_LANGUAGES.get(text_of(document, "Language"), ""),
        kind="chapter" if chapter else "book",
        more_authors=people is not None and people.get("CompleteYN") == "N",
    )


def _pubmed_title(record: Element) -> str:
    """Return the title of a record, the one in its own language where no other is available."""
    title = pubmed_title(text_of(record, "ArticleTitle"))
    return title or pubmed_title(text_of(record, "VernacularTitle"))


def _pubmed_abstract(record: Element) -> str:
    return " ".join(
        f"{label.capitalize()}: {text}" if (label := part.get("Label", "")) else text
        for part in record.findall("Abstract/AbstractText")
        if (text := all_text(part))
    )


def _pubmed_doi(*holders: Element | None) -> DoiFields:
    """Return what the first DOI in parts of a record gives, the publisher's before PubMed's."""
    present = [holder for holder in holders if holder is not None]
    ids = [place for holder in present for place in holder.findall("ELocationID")
           if place.get("EIdType") == "doi"]  # fmt: skip
    ids += [number for holder in present for number in holder.findall("ArticleIdList/ArticleId")
            if number.get("IdType") == "doi"]  # fmt: skip
    return doi_fields(next((doi for element in ids if (doi := bare_doi(all_text(element)))), ""))


def _pubmed_authors(people: Element | None) -> tuple[str, ...]:
    """Return the names of a list; beside one that was corrected stands the one that was wrong."""
    authors = people.findall("Author") if people is not None else []
    right = [author for author in authors if author.get("ValidYN") != "N"]
    return _without_blanks(map(_pubmed_author, right or authors))


def arxiv(element: Element, context: FileContext) -> Paper | None:
    """Read an entry of an answer of arXiv's interface."""
    number = _ARXIV.search(text_of(element, "id"))
    if number is None:
        return None
    journal = text_of(element, "journal_ref")
    return Paper(
        id=f"arxiv:{number[1]}",
        title=decode_around_formulas(text_of(element, "title")),
        abstract=text_of(element, "summary"),
        authors=_without_blanks(text_of(author, "name") for author in element.findall("author")),
        year=year_in(text_of(element, "published")),
        venue=journal or "arXiv",
        **doi_fields(text_of(element, "doi")),
        url=f"https://arxiv.org/abs/{number[1]}",
        language="en",
        kind="" if journal else "article",
        arxiv=number[1],
        retracted="withdrawn" in text_of(element, "comment").lower(),
    )


def endnote(element: Element, context: FileContext) -> Paper | None:
    """Read a record of EndNote."""
    title = text_of(element, "titles/title")
    doi = normalise_doi(text_of(element, "electronic-resource-num"))
    kind = element.find("ref-type")
    people = (element.findall(f"contributors/{role}/author") for role in _ENDNOTE_PEOPLE)
    return Paper(
        id="entry:" + (text_of(element, "label") or doi or title),
        title=title,
        abstract=text_of(element, "abstract"),
        authors=tuple(
            name
            for person in next(filter(None, people), [])
            for name in exported_names(all_text(person))
        ),
        year=year_in(first_text(element, "dates/year", "dates/pub-dates/date")),
        venue=first_text(element, "periodical/full-title", "titles/secondary-title", "publisher"),
        **doi_fields(doi),
        url=next((all_text(url) for url in element.iterfind("urls//url")), ""),
        language=language_code(text_of(element, "language")) or detect_language(title),
        kind=KINDS.get(kind.get("name", "") if kind is not None else "", ""),
    )


def cited_identifiers(element: Element) -> Iterator[str]:
    """Yield the identifiers of what a record cites: PubMed by number or DOI, DBLP by key."""
    for citation in element.iterfind("cite"):
        if (key := all_text(citation)) != _UNKNOWN:
            yield f"id DBLP:{key}"
    for reference in element.iterfind("PubmedData//Reference"):
        ids = {
            article_id.get("IdType"): all_text(article_id)
            for article_id in reference.iter("ArticleId")
        }
        if ids.get("pubmed"):
            yield f"id pmid:{ids['pubmed']}"
        elif doi := normalise_doi(ids.get("doi", "")):
            yield f"doi {doi}"


def _without_blanks(names: Iterable[str]) -> tuple[str, ...]:
    """Return names without those of elements that hold none."""
    return tuple(filter(None, names))


def _pubmed_author(author: Element) -> str:
    given = text_of(author, "ForeName") or text_of(author, "Initials")
    person = named(given, text_of(author, "LastName"), pubmed_suffix(text_of(author, "Suffix")))
    return person or named("", text_of(author, "CollectiveName"))


READERS: dict[str, Callable[[Element, FileContext], Paper | None]] = {
    "paper": acl,
    "PubmedArticle": pubmed,
    "PubmedBookArticle": pubmed_book,
    "entry": arxiv,
    "record": endnote,
    **dict.fromkeys((*_DBLP_KINDS, *NO_PAPERS), dblp),
}
"""What reads the elements of records, by their names without a namespace."""


def first_text(element: Element, *names: str) -> str:
    """Return the text of the first of some elements in another that has any; "" without."""
    return next(filter(None, (text_of(element, name) for name in names)), "")


def text_of(element: Element, name: str) -> str:
    """Return the text of the element of a name in another, on one line; "" where there is none."""
    child = element.find(name)
    return all_text(child) if child is not None else ""


def all_text(element: Element) -> str:
    """Return the text of an element and all in it, on one line."""
    return " ".join("".join(element.itertext()).split())
