"""The identifiers of a paper: its id, DOI, arXiv number, and its title where that is unambiguous.

By these a citation finds the paper that it cites. They are compared as hashes.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from cite_lsp.language import UNSPACED
from cite_lsp.lazy_re import lazy_re
from cite_lsp.paper import Paper, fold, joined_title, normalise_doi, normalise_title, surname
from cite_lsp.storage.text_hash import text_hash

ENTRY = "entry:"
"""How the id of a paper from a bibliography begins; its key follows, which is no id."""
UNAMBIGUOUS_WORDS = 4
"""Words from which on a title and a year identify a work; a shorter one needs its author too."""
_IN_A_WORD = 3
"""Characters of Chinese or Japanese that mean as much as a word: no blanks part words there."""
_UNSPACED = lazy_re(f"[{UNSPACED}]")
_NOBODY = "anonymous"
_ARXIV_DOI = lazy_re(r"10\.48550/arxiv\.(.+)")
_ARXIV_URL = lazy_re(r"arxiv\.org/(?:abs|pdf)/([\w./-]+?)(?:v\d+)?(?:\.pdf)?$", re.IGNORECASE)

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: what is multiplied by it fills the range (Knuth 6.4)."""

IdentifierHashes = NDArray[np.uint64]
"""Hashes of identifiers."""


def arxiv_of(paper: Paper) -> str:
    """Return the arXiv number of a paper without its version, "" where it has none."""
    if paper.arxiv:
        return re.sub(r"v\d+$", "", paper.arxiv)
    match = _ARXIV_DOI.fullmatch(paper.doi.lower()) or _ARXIV_URL.search(paper.url)
    return re.sub(r"v\d+$", "", match[1]) if match else ""


def identifiers_of(paper: Paper) -> list[str]:
    """Return the names of a paper by which others cite it: its id, DOI and arXiv number."""
    names = []
    if not paper.id.startswith(ENTRY):
        names.append(f"id {paper.id}")
    if doi := normalise_doi(paper.doi):
        names.append(f"doi {doi}")
    if number := arxiv_of(paper):
        names.append(f"arxiv {number.lower()}")
    return names


def title_identifier(title: str, author: str = "", year: int | str | None = None) -> str:
    """Return by what a paper is found that is cited by its title; "" where that does not tell it.

    A title of less than four words does so together with the year and the last word of the first
    author's surname.
    """
    plain = joined_title(title)
    words = words_in_title(plain)
    if words >= UNAMBIGUOUS_WORDS:
        return f"title {plain}"
    author = " ".join(normalise_title(author).split()[-1:])
    return f"title {plain} by {author} {year}" if words > 1 and author and year else ""


def words_in_title(title: str) -> int:
    """Return how many words a title has, or would have if Chinese had blanks."""
    alone, characters = _UNSPACED.subn(" ", title)
    return len(alone.split()) - (-characters // _IN_A_WORD)


def identifier_by_title(paper: Paper) -> str:
    """Return the identifier that a paper's title is, "" where it is none."""
    return title_identifier(paper.title, first_author(paper), paper.year)


def identifier_hash(identifier: str) -> int:
    """Return the number that stands for an identifier, 64 bits."""
    return text_hash(identifier)


def scoped_hashes(identifiers: IdentifierHashes, origins: NDArray[np.integer]) -> IdentifierHashes:
    """Return the hashes that stand for identifiers as the sources of these numbers use them."""
    scoped: IdentifierHashes = identifiers ^ ((origins.astype(np.uint64) + np.uint64(1)) * _SPREAD)
    return scoped


def first_author(paper: Paper) -> str:
    """Return the last word of the first author's surname, folded; "" where nobody is named."""
    first = paper.authors[0] if paper.authors else ""
    if fold(first).startswith(_NOBODY):
        return ""
    return " ".join(normalise_title(surname(first)).split()[-1:])
