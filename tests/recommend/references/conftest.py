"""A small library on shores with vectors, and who cites whom in it."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.references.citation_graph import CitationGraph, graph_of_lists
from tests.recommend.shores import TopicEncoder

PAPERS = (
    Paper("tide", "The tide and its causes", "", ("Ada Moor",), 1990, "Shores"),
    Paper("marsh", "Marsh and tide", "", ("Bo Luz", "Ada Moor"), 1995, "Shores"),
    Paper("gull", "A gull in the dune", "", ("Cy Vogel",), 2000, "Birds"),
    Paper("dune", "Dune and reed", "", ("Di Sand",), 2003, "Shores"),
    Paper("survey", "Tide, marsh and gull, a survey", "", ("Ada Moor",), 2004, "Shores"),
    Paper("storm", "A storm on the marsh", "", ("Eo Wind",), 2005, "Birds"),
    Paper("reed", "The reed alone", "", ("Fa Rohr",), None),
)
ROW = {paper.id: row for row, paper in enumerate(PAPERS)}
CITES = {"survey": ["tide", "marsh", "gull"], "storm": ["tide", "marsh"], "dune": ["gull"]}


@pytest.fixture
def encoder() -> TopicEncoder:
    return TopicEncoder()


@pytest.fixture
def source(encoder: TopicEncoder) -> LibraryPapers:
    pool = Pool(PAPERS)
    pool.embed(encoder)
    return LibraryPapers(pool)


@pytest.fixture
def graph() -> CitationGraph:
    documents = np.array([ROW[name] for name in CITES])
    years = np.array([PAPERS[row].year or 0 for row in documents], dtype=np.int32)
    cited = [np.array([ROW[name] for name in names]) for names in CITES.values()]
    return graph_of_lists(documents, years, cited)
