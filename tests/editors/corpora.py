"""Corpora for the tests in real editors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cite_lsp.corpus.citations import CitationContext, PaperCitations
from cite_lsp.library import read_bibliography
from cite_lsp.paper import Paper
from tests.search.in_memory_sources import InMemorySources


def index_citations(environment: Mapping[str, str], library: Path) -> None:
    """Index a corpus in which two papers cite bojanowski2017enriching, and one is in no library.

    That one cites it in a sentence that is known.
    """
    entries = {entry.key: entry.paper for entry in read_bibliography(library).entries}
    cited, citing = entries["bojanowski2017enriching"], entries["devlin2019bert"]
    papers = [
        Paper("b", cited.title, authors=cited.authors, year=cited.year),
        Paper("d", citing.title, authors=citing.authors, year=citing.year),
        Paper("n", "Subword Tides", authors=("Ada Moor",), year=2021),
    ]
    words = CitationContext("Pieces of words carry much of their meaning", "in most languages.")
    citations = [PaperCitations("id d", ("id b",)), PaperCitations("id n", ("id b",), (words,))]
    folder = Path(environment["CITE_LSP_HOME"]) / "corpora" / "acl"
    InMemorySources(all=[*papers, *citations]).index(folder, "all")
