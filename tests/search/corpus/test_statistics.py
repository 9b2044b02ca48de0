"""Statistics of a corpus, and BM25 as a product of sparse vectors that they weigh."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cite_lsp.paper import Paper
from cite_lsp.search.corpus import statistics as corpus_statistics
from cite_lsp.search.corpus.paper_columns import PaperColumns, paper_column
from cite_lsp.search.corpus.statistics import CorpusStatistics, StatisticsCounter
from cite_lsp.search.corpus.texts import searched_text
from cite_lsp.search.words.hashes import word_hashes
from cite_lsp.search.words.sparse_weights import document_weights, query_weights
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.search.words.word_index import WordIndex

RNG = random.Random(3)
WORDS = "tide marsh gull dune reed silt shore nest salt wave".split()
PAPERS = [
    Paper(
        f"p{number}",
        " ".join(RNG.choices(WORDS, k=4)),
        " ".join(RNG.choices(WORDS, k=RNG.randint(0, 30))),
    )
    for number in range(80)
]


def statistics_of(papers: list[Paper]) -> CorpusStatistics:
    counter = StatisticsCounter()
    for paper in papers:
        counter.add(paper)
    return counter.statistics()


def test_products_of_weights_are_the_scores_of_the_word_index() -> None:
    statistics = statistics_of(PAPERS)
    index = WordIndex.build(searched_text(paper) for paper in PAPERS)
    query = tokenise("gulls nest near the tide, and the tide is salt")
    weights = query_weights(query, statistics)
    products = []
    for paper in PAPERS:
        held = document_weights(tokenise(searched_text(paper)), statistics.mean_length)
        products.append(sum(weight * held.get(place, 0.0) for place, weight in weights.items()))
    np.testing.assert_allclose(products, index.scores(query), rtol=1e-4)


def test_a_few_papers_are_weighed_as_among_all() -> None:
    statistics, few = statistics_of(PAPERS), PAPERS[10:20]
    whole = WordIndex.build(searched_text(paper) for paper in PAPERS)
    part = WordIndex.build((searched_text(paper) for paper in few), among=statistics)
    np.testing.assert_allclose(
        part.scores("tide and marsh"), whole.scores("tide and marsh")[10:20], rtol=1e-3
    )
    columns = PaperColumns.join(map(paper_column, few), statistics)
    rows = np.arange(10)
    expected = PaperColumns.build(PAPERS).titles(rows + 10)[1]
    np.testing.assert_allclose(columns.titles(rows)[1], expected, rtol=1e-3)


def test_statistics_survive_being_stored() -> None:
    statistics = statistics_of(PAPERS)
    again = CorpusStatistics.from_bytes(statistics.to_bytes())
    assert (len(again), again.mean_length) == (80, statistics.mean_length)
    assert again.frequency("tide") == statistics.frequency("tide") > 0
    titles = word_hashes(["tide"])
    assert again.title_words.of(titles) == statistics.title_words.of(titles)


@pytest.mark.parametrize("data", [b"", b"nonsense", statistics_of(PAPERS).to_bytes()[:-9]])
def test_damaged_statistics_are_reported(data: bytes) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        CorpusStatistics.from_bytes(data)


def test_counting_on_is_counting_all() -> None:
    counter = StatisticsCounter(statistics_of(PAPERS[:50]))
    for paper in PAPERS[50:]:
        counter.add(paper)
    assert counter.statistics().to_bytes() == statistics_of(PAPERS).to_bytes()


def test_rare_values_share_a_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_statistics, "MOST_WORDS", 3)
    statistics = statistics_of(PAPERS)
    frequencies = sorted((statistics.frequency(word) for word in WORDS), reverse=True)
    assert frequencies[2] > frequencies[3]
    assert set(frequencies[3:]) == {frequencies[2] // 2}


def test_tables_stay_small_while_they_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_statistics, "_COUNTED_AT_ONCE", 20)
    counter = StatisticsCounter()
    for number in range(200):
        counter.add(Paper(f"p{number}", f"tide of {number}th"))
    statistics = counter.statistics()
    assert len(statistics.words.hashes) <= 20
    assert statistics.frequency("tide") == 200
