"""What JATS and TEI have in common: a paper, its references, and the words that cite them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from cite_lsp.corpus.citations import PaperCitations, SourceItem
from cite_lsp.corpus.full_text.xml_contexts import Element, ElementNames, MarkedText, contexts_of
from cite_lsp.corpus.paper_identifiers import identifiers_of
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import Paper, normalise_title

XML = "{http://www.w3.org/XML/1998/namespace}"
"""What the names of XML's own attributes begin with."""
_ARXIV = lazy_re(r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})")


def items_of(
    paper: Paper, references: Mapping[str, Paper], bodies: Iterable[Element], markup: ElementNames
) -> Iterator[SourceItem]:
    """Yield a paper, those that it refers to, and its citations, with the words around them or not.

    A reference without a title is no paper, but one of a corpus may have its DOI or number.
    """
    yield paper
    yield from (cited for cited in references.values() if cited.title)
    identifiers = {
        name: identifier for name, cited in references.items() if (identifier := _identifier(cited))
    }
    citing_id, order, uncited = f"id {paper.id}", list(references), dict(identifiers)
    for body in bodies:
        for section in (body, *body.iter(markup.section)):
            for names, words in contexts_of(MarkedText(section, markup, references), order):
                cited_identifiers = [identifiers[name] for name in names if name in identifiers]
                if cited_identifiers:
                    yield PaperCitations(
                        citing_id, tuple(dict.fromkeys(cited_identifiers)), (words,)
                    )
                for name in names:
                    uncited.pop(name, None)
    if uncited:
        yield PaperCitations(citing_id, tuple(dict.fromkeys(uncited.values())))


def _identifier(cited: Paper) -> str:
    """Return by what a reference is found; "" where it has neither a title nor a known number."""
    if cited.title:
        return f"id {cited.id}"
    return next(
        (identifier for identifier in reversed(identifiers_of(cited)) if "#" not in identifier), ""
    )


def id_of(number: str, doi: str, arxiv: str, otherwise: str) -> str:
    """Return by what others know a paper: PubMed's number, its DOI or arXiv's number."""
    if number:
        return f"pmid:{number}"
    return f"doi:{doi}" if doi else f"arxiv:{arxiv}" if arxiv else otherwise


def digest_of(title: str, people: Sequence[str]) -> str:
    """Return an id for a paper that is known by its title and first author alone."""
    identity = "\n".join((normalise_title(title), *people[:1])).encode()
    return f"text:{hashlib.blake2b(identity, digest_size=8).hexdigest()}"


def arxiv_number_in(text: str) -> str:
    """Return the number in "arXiv:1705.07354v3 [cs.CL]"; "" where there is none."""
    match = _ARXIV.search(text)
    return match[1] if match else ""
