"""BM25: the formula, the queries, the files."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.search.vectors.vector_index import SearchIndexError
from cite_lsp.search.words.tokens import tokenise
from cite_lsp.search.words.word_index import WordIndex

DOCUMENTS = [
    "Neural machine translation with attention",
    "Statistical machine translation, phrase by phrase",
    "Graph neural networks",
    "",
    "机器翻译的注意力机制 and attention",
]
WORDS = st.sampled_from("alpha beta gamma delta epsilon zeta".split())


def bm25(
    documents: list[list[str]], query: list[str], k1: float = 1.2, b: float = 0.75
) -> list[float]:
    """The formula as it stands in the docstring, without any of the index's devices."""
    mean = sum(map(len, documents)) / len(documents) or 1.0
    scores = []
    for document in documents:
        score = 0.0
        for word in query:
            having = sum(word in other for other in documents)
            idf = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
            frequency = Counter(document)[word]
            damping = k1 * (1 - b + b * len(document) / mean)
            score += idf * frequency / (frequency + damping) if frequency else 0.0
        scores.append(score)
    return scores


@pytest.fixture(scope="module")
def index() -> WordIndex:
    return WordIndex.build(DOCUMENTS)


@given(st.lists(st.lists(WORDS, max_size=8), min_size=1, max_size=8), st.lists(WORDS, max_size=6))
def test_scores_follow_the_formula(documents: list[list[str]], query: list[str]) -> None:
    scores = WordIndex.build(documents).scores(query)
    assert scores.dtype == np.float32
    assert scores == pytest.approx(bm25(documents, query), rel=1e-5)


def test_scores_agree_with_another_implementation() -> None:
    bm25s = pytest.importorskip("bm25s")
    documents = [tokenise(text) or ["nothing"] for text in DOCUMENTS]
    other = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    other.index(documents, show_progress=False)
    query = tokenise("neural translation by phrase, 注意力机制")
    expected = other.get_scores(query)
    assert WordIndex.build(documents).scores(query) == pytest.approx(expected, rel=1e-4)


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=30),
    st.lists(st.lists(st.sampled_from("abcdefg"), max_size=5), min_size=1, max_size=3),
    st.data(),
)
def test_scores_of_some_documents_are_those_of_all(
    documents: list[list[str]], queries: list[list[str]], data: st.DataObject
) -> None:
    index = WordIndex.build(documents)
    rows = data.draw(st.lists(st.sampled_from(range(len(documents))), unique=True))
    all_scores = index.scores_of(np.array(rows, dtype=np.int64), queries)
    assert all_scores.shape == (len(queries), len(rows))
    for query, scores in zip(queries, all_scores, strict=True):
        np.testing.assert_allclose(scores, index.scores(query)[rows], rtol=1e-5)


def test_search_gives_the_best_first_and_only_those_that_share_a_word(index: WordIndex) -> None:
    rows, scores = index.search("phrase-based machine translation", 10)
    assert rows.tolist() == [1, 0]
    assert scores[0] > scores[1] > 0
    assert index.search("phrase-based machine translation", 1)[0].tolist() == [1]


@given(st.lists(st.lists(WORDS, max_size=5), min_size=1, max_size=20), st.integers(0, 25))
def test_search_is_the_sorted_head_of_the_scores(documents: list[list[str]], k: int) -> None:
    index = WordIndex.build(documents)
    every = index.scores(["alpha", "beta"])
    rows, scores = index.search(["alpha", "beta"], k)
    assert scores.tolist() == sorted(every[every > 0].tolist(), reverse=True)[:k]
    assert every[rows].tolist() == scores.tolist()


def test_chinese_is_found_by_pairs_of_characters(index: WordIndex) -> None:
    assert index.search("翻译机制", 5)[0].tolist() == [4]


def test_a_word_repeated_in_the_query_counts_as_often(index: WordIndex) -> None:
    assert index.scores("graph graph") == pytest.approx(2 * index.scores("graph"))


@pytest.mark.parametrize("query", ["", "the of and", "zebra", "\ud800"])
def test_a_query_without_known_words_finds_nothing(index: WordIndex, query: str) -> None:
    assert not index.scores(query).any()
    assert len(index.search(query, 5)[0]) == 0


def test_frequency_is_the_number_of_documents_with_the_word(index: WordIndex) -> None:
    assert [index.frequency(word) for word in ("neural", "phrase", "zebra")] == [2, 1, 0]


def test_an_index_of_nothing_finds_nothing() -> None:
    assert WordIndex.build([]).search("anything", 3)[0].tolist() == []
    assert len(WordIndex.build([])) == 0


def test_a_saved_index_answers_the_same(index: WordIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "words")
    index.save(tmp_path / "words")  # over an index that is there
    opened = WordIndex.open(tmp_path / "words")
    assert len(opened) == len(DOCUMENTS)
    for query in ("neural attention", "翻译", "zebra"):
        assert np.array_equal(opened.scores(query), index.scores(query))
    assert [path.name for path in tmp_path.iterdir()] == ["words"]


@pytest.mark.parametrize("file", ["words", "starts", "documents", "impacts", "about"])
@pytest.mark.parametrize("left", [0, 50, -4])
def test_a_cut_off_file_is_reported(index: WordIndex, tmp_path: Path, file: str, left: int) -> None:
    index.save(tmp_path / "words")
    path = tmp_path / "words" / f"{file}.npy"
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(SearchIndexError, match="build it again"):
        WordIndex.open(tmp_path / "words")


@pytest.mark.parametrize("file", ["starts", "documents", "impacts"])
def test_files_of_two_indexes_are_reported(index: WordIndex, tmp_path: Path, file: str) -> None:
    index.save(tmp_path / "words")
    WordIndex.build(DOCUMENTS * 2 + ["another"]).save(tmp_path / "other")
    (tmp_path / "other" / f"{file}.npy").replace(tmp_path / "words" / f"{file}.npy")
    with pytest.raises(SearchIndexError, match="build it again"):
        WordIndex.open(tmp_path / "words")


def test_a_missing_index_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SearchIndexError, match="build it again"):
        WordIndex.open(tmp_path / "none")
