"""Full texts in TEI, as GROBID makes them of PDF files.

Schema: https://grobid.readthedocs.io/en/latest/TEI-encoding-of-results/
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from cite_lsp.corpus.citations import SourceItem
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
from cite_lsp.library.text.metadata import language_code, year_in
from cite_lsp.library.text.people import named
from cite_lsp.paper import Paper, doi_fields

_MARKUP = ElementNames(
    section="div",
    heading="head",
    link=("ref", "target"),
    skipped=frozenset("figure table note formula listBibl graphic".split()),
    blocks=frozenset("p s item list quote".split()),
)


def tei(element: Element) -> Iterator[SourceItem]:
    """Yield the paper of a `TEI`, the papers of its list of references, and what it cites where."""
    header = element.find("teiHeader")
    if header is None:
        return
    paper = _paper(header)
    if not paper.title:
        return
    references = {
        name: _reference_paper(reference, f"{paper.id}#{name}")
        for reference in element.iterfind(".//listBibl/biblStruct")
        if (name := reference.get(XML + "id", ""))
    }
    yield from items_of(paper, references, element.iterfind("text/body"), _MARKUP)


def _paper(header: Element) -> Paper:
    bibl = header.find("fileDesc/sourceDesc/biblStruct")
    header_paper = _reference_paper(header if bibl is None else bibl, "")
    title = text_of(header, "fileDesc/titleStmt/title") or header_paper.title
    return evolve(
        header_paper,
        id=header_paper.id or digest_of(title, header_paper.authors),
        title=title,
        abstract=" ".join(
            filter(None, map(all_text, _innermost(header.find("profileDesc/abstract"))))
        ),
        year=header_paper.year or year_in(_date(header)),
        language=language_code(header.get(XML + "lang", "")) or detect_language(title),
    )


def _innermost(abstract: Element | None) -> Iterator[Element]:
    """Yield the elements of an abstract that hold its text: sentences, paragraphs, or itself."""
    if abstract is None:
        return
    for tag in ("s", "p"):
        if abstract.find(f".//{tag}") is not None:
            yield from abstract.iter(tag)
            return
    yield abstract


def _reference_paper(bibl: Element, own_id: str) -> Paper:
    """Return what a `biblStruct` says, with `own_id` where it is not known by any other.

    What stands on its own (`monogr`, a book) is the work only where no part of it (`analytic`) is.
    """
    ids = {idno.get("type", "").casefold(): all_text(idno) for idno in bibl.iter("idno")}
    part, whole = bibl.find("analytic"), bibl.find("monogr")
    title = text_of(part, "title") if part is not None else ""
    within = {
        container_title.get("level", ""): all_text(container_title)
        for container_title in bibl.iterfind("monogr/title")
    }
    venue = next(filter(None, within.values()), "")
    if not title and within.get("m"):
        title, venue, kind = within["m"], text_of(bibl, "monogr/imprint/publisher"), "book"
    else:
        meeting = whole is not None and whole.find("meeting") is not None
        kind = "paper-conference" if meeting else "article-journal" if within.get("j") else ""
    holder = part if part is not None and part.find("author") is not None else whole
    people = () if holder is None else tuple(filter(None, map(_name, holder.iterfind("author"))))
    doi, arxiv = doi_fields(ids.get("doi", "")), arxiv_number_in(ids.get("arxiv", ""))
    return Paper(
        id=id_of(ids.get("pmid", ""), doi["doi"], arxiv, own_id),
        title=title,
        authors=people,
        year=year_in(_date(bibl)),
        venue=venue,
        **doi,
        language=detect_language(title),
        kind=kind,
        arxiv=arxiv,
    )


def _name(author: Element) -> str:
    given = " ".join(map(all_text, author.iter("forename")))
    family = next(map(all_text, author.iter("surname")), "")
    return named(given, family) if family else named("", first_text(author, "orgName", "name"))


def _date(element: Element) -> str:
    dates = (
        element_date.get("when") or all_text(element_date) for element_date in element.iter("date")
    )
    return next((date for date in dates if year_in(date)), "")
