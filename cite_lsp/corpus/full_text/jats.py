"""Full texts in JATS, as PubMed Central, bioRxiv, SciELO and many publishers have them.

Schema: https://jats.nlm.nih.gov/archiving/tag-library/1.3/
"""

from __future__ import annotations

from collections.abc import Iterator

from cite_lsp.corpus.citations import SourceItem
from cite_lsp.corpus.formats.exported import pubmed_address
from cite_lsp.corpus.formats.xml_schemas import all_text, first_text, text_of
from cite_lsp.corpus.full_text.jats_and_tei import (
    XML,
    arxiv_number_in,
    digest_of,
    id_of,
    items_of,
)
from cite_lsp.corpus.full_text.xml_contexts import Element, ElementNames
from cite_lsp.language import detect_language
from cite_lsp.lazy_re import lazy_re
from cite_lsp.library.text.metadata import language_code, year_in
from cite_lsp.library.text.people import named
from cite_lsp.paper import Paper, bare_doi, doi_fields

_DIGITS = lazy_re(r"\d+")
_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation")
_KINDS = {
    "journal": "article-journal", "confproc": "paper-conference", "conf-proc": "paper-conference",
    "conference": "paper-conference", "preprint": "article", "data": "dataset", "web": "webpage",
}  # fmt: skip
"""Types of CSL by what JATS suggests to call them; programs write names of CSL as well."""
_AS_IN_CSL = frozenset(
    """article article-journal book chapter dataset paper-conference patent report software thesis
    webpage""".split()
)
_WHOLE = frozenset("book dataset patent report software thesis webpage".split())
"""Types whose title stands where that of a journal does, as their `source`."""
_MARKUP = ElementNames(
    section="sec",
    heading="title",
    link=("xref", "rid"),
    skipped=frozenset(
        """table-wrap table-wrap-foot fig fig-group fn fn-group tex-math disp-formula graphic media
        supplementary-material code preformat ref-list""".split()
    ),
    blocks=frozenset("p list list-item def-item disp-quote boxed-text statement".split()),
)
_PEOPLE = ("name", "string-name", "collab", "name-alternatives", "collab-alternatives")
_OF_OTHERS = ("graphical", "teaser", "toc", "executive-summary", "key-points", "web-summary")
"""Kinds of abstracts that hold less than the one without a kind."""


def jats(element: Element) -> Iterator[SourceItem]:
    """Yield an `article` of JATS, the papers of its list of references, and what it cites where."""
    front = element.find("front")
    if front is None:
        return
    paper = _paper(element, front)
    if not paper.title:
        return
    named_references = (
        (reference.get("id") or f"ref-{number}", reference)
        for number, reference in enumerate(element.iterfind("back//ref"), 1)
    )
    references = {
        name: _reference(reference, f"{paper.id}#{name}") for name, reference in named_references
    }
    yield from items_of(paper, references, element.iterfind("body"), _MARKUP)


def _paper(article: Element, front: Element) -> Paper:
    meta = front.find("article-meta")
    meta = front if meta is None else meta
    ids = {
        article_id.get("pub-id-type", ""): all_text(article_id)
        for article_id in meta.iterfind("article-id")
    }
    number = ids.get("pmid", "")
    pmc = _DIGITS.search(ids.get("pmc", "") or ids.get("pmcid", ""))
    doi = doi_fields(ids.get("doi", ""))
    title = text_of(meta, "title-group/article-title")
    people = tuple(
        name
        for contributor in meta.iterfind("contrib-group/contrib")
        if contributor.get("contrib-type", "author") == "author" and (name := _name(contributor))
    )
    years = [year for date in meta.iterfind("pub-date") if (year := year_in(text_of(date, "year")))]
    address = f"https://pmc.ncbi.nlm.nih.gov/articles/PMC{pmc[0]}/" if pmc else ""
    own_id = f"pmcid:PMC{pmc[0]}" if pmc else digest_of(title, people)
    return Paper(
        id=id_of(number, doi["doi"], "", own_id),
        title=title,
        abstract=_abstract(meta),
        authors=people,
        year=min(years, default=None),
        venue=text_of(front, "journal-meta//journal-title"),
        **doi,
        url=pubmed_address(number) if number else address,
        language=language_code(article.get(XML + "lang", "")) or detect_language(title),
        kind="article-journal",
        arxiv=arxiv_number_in(ids.get("arxiv", "")),
    )


def _abstract(meta: Element) -> str:
    for abstract in meta.iterfind("abstract"):
        if abstract.get("abstract-type") in _OF_OTHERS:
            continue
        parts = []
        for section in abstract.iterfind("sec"):
            title, text = text_of(section, "title"), " ".join(map(all_text, section.iter("p")))
            parts.append(f"{title.rstrip('.:')}: {text}" if title else text)
        parts = parts or [all_text(paragraph) for paragraph in abstract.iter("p")]
        return " ".join(parts) or all_text(abstract)
    return ""


def _reference(reference: Element, own_id: str) -> Paper:
    """Return what a `ref` refers to first, with `own_id` where it is not known by any other."""
    citation = next(
        (child for child in reference.iter() if child.tag in _CITATIONS and len(child)), reference
    )
    ids = {
        pub_id.get("pub-id-type", ""): all_text(pub_id) for pub_id in citation.iterfind("pub-id")
    }
    doi = doi_fields(bare_doi(ids.get("doi", "")) or _linked_doi(citation))
    arxiv = arxiv_number_in(ids.get("arxiv", ""))
    kind = _kind(citation)
    title = first_text(citation, "article-title", "data-title", "chapter-title", "part-title")
    venue = text_of(citation, "source")
    if not title and kind in _WHOLE:
        title, venue = venue, text_of(citation, "publisher-name")
    people, more_people = _people(citation)
    return Paper(
        id=id_of(ids.get("pmid", ""), doi["doi"], arxiv, own_id),
        title=title.removesuffix("."),
        authors=people,
        year=year_in(text_of(citation, "year")),
        venue=venue.removesuffix("."),
        **doi,
        language=detect_language(title),
        kind=kind,
        arxiv=arxiv,
        more_authors=more_people,
    )


def _linked_doi(citation: Element) -> str:
    """Return the DOI that a link of a reference leads to, "" where none does."""
    links = (
        f"{all_text(link)} {value}"
        for link in citation.iterfind("ext-link")
        for name, value in link.items()
        if name.endswith("href")
    )
    return next(filter(None, map(bare_doi, links)), "")


def _people(citation: Element) -> tuple[tuple[str, ...], bool]:
    """Return the authors of a reference, and whether there are more than are named."""
    groups = [
        group
        for group in citation.iterfind("person-group")
        if group.get("person-group-type", "author") == "author"
    ] or [citation]
    people = (_name(person) for group in groups for person in group if person.tag in _PEOPLE)
    return tuple(filter(None, people)), any(group.find("etal") is not None for group in groups)


def _name(person: Element) -> str:
    """Return the name in a `name` or a `collab`, or in a `contrib` that holds one."""
    group = next((candidate for candidate in (person, *person) if candidate.tag == "collab"), None)
    if group is not None:  # it may hold its members, too
        return named("", " ".join((group.text or "").split()) or all_text(group))
    for child in person.iter():
        if (family := text_of(child, "surname")) or text_of(child, "given-names"):
            return named(text_of(child, "given-names"), family, text_of(child, "suffix"))
    return all_text(person) if person.tag in ("string-name", "name") else ""


def _kind(citation: Element) -> str:
    kind = (citation.get("publication-type") or citation.get("citation-type") or "").casefold()
    return _KINDS.get(kind) or (kind if kind in _AS_IN_CSL else "")
