"""A draft as a query: which documents count for it, and how rare names are."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.encode.encoder import Cancelled
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_query import query_of, rarities
from cite_lsp.recommend.references.draft_text import DraftText, Passage
from tests.recommend.references.conftest import ROW
from tests.recommend.shores import TopicEncoder


def test_newer_documents_and_the_draft_itself_are_not_known(graph: CitationGraph) -> None:
    assert query_of(DraftText("Tides"), None, (), graph).known.tolist() == [1, 1, 1]
    of_2004 = query_of(DraftText("Tides", year=2004), None, (), graph, own=ROW["dune"])
    assert of_2004.known.tolist() == [1, 0, 0]


def test_summary_and_passages_are_encoded_and_words_counted() -> None:
    text = DraftText("Tide", "Marsh", (Passage("Gull", "dune dune"),))
    query = query_of(text, TopicEncoder(), [3, 1, 3])
    assert query.vectors is not None and query.vectors.shape == (2, 5)
    assert query.vectors[1].argmax() == 3
    assert query.passages[0]["dune"] == 2 and query.cited.tolist() == [1, 3]
    assert query_of(text, None).vectors is None


def test_encoding_is_given_up_when_it_is_cancelled() -> None:
    class Slow(TopicEncoder):
        def encode(self, texts, *, cancelled=None):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202
            if cancelled and cancelled():
                raise Cancelled
            return super().encode(texts)

    with pytest.raises(Cancelled):
        query_of(DraftText("Tide"), Slow(), cancelled=lambda: True)


def test_a_name_that_few_bear_says_more() -> None:
    names = np.array([5, 5, 5, 7, 9], dtype=np.uint32)
    common, *_, rare, other = rarities(names, np.array([5, 7, 11], dtype=np.uint32))
    assert 0 < common < rare <= 1 and other == 0
