"""Which candidates a corpus gives for a context, and the evidence for each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode.encoder import unit
from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus import candidates as retrieval_module
from cite_lsp.recommend.corpus.candidates import RETRIEVED, Retrieval, best_rows
from cite_lsp.recommend.corpus.features import (
    CORPUS_FEATURES,
    FEATURE_PLACE,
    PRECEDENT_FEATURES,
    EncodedQuery,
)
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.evidence.precedents import Precedents, damped
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.search.words.query_words import close_words, fading_words
from cite_lsp.storage.array_folder import places_in
from tests.recommend.shores import (
    SECTION,
    TOPICS,
    TopicEncoder,
    encoded_query,
    many_papers,
    many_precedents,
    placed,
)

PAPERS = many_papers()
D = len(TOPICS)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    return build_corpus(tmp_path_factory.mktemp("corpus") / "shores", PAPERS, TopicEncoder())


@pytest.fixture(scope="module")
def precedents() -> Precedents:
    return many_precedents(PAPERS, TopicEncoder())


@pytest.fixture(scope="module")
def retrieval(corpus: CorpusIndex, precedents: Precedents) -> Retrieval:
    return Retrieval(corpus, link_precedents(corpus, precedents))


def column(matrix: np.ndarray, name: str) -> np.ndarray:
    return matrix[:, FEATURE_PLACE[name]]


def test_candidates_are_distinct_and_each_has_its_features(retrieval: Retrieval) -> None:
    rows, matrix = retrieval.gather(encoded_query(), section=SECTION)
    assert len(set(rows.tolist())) == len(rows) > 0
    assert matrix.shape == (len(rows), len(CORPUS_FEATURES))
    assert set(SECTION) <= set(rows.tolist())  # writers cite again


def test_scores_are_those_of_the_indexes(retrieval: Retrieval, corpus: CorpusIndex) -> None:
    encoded = encoded_query()
    rows, matrix = retrieval.gather(encoded)
    query, words = encoded.windows, corpus.words
    expected = {
        "near_words": words.scores(query.near),
        "wide_words": words.scores(query.wide) + words.scores(query.topic),
        "sentence_words": words.scores(query.sentence),
        "topic_words": words.scores(query.topic),
    }
    near_sides = query.near_sides
    expected["fading_words"] = words.scores(fading_words(*near_sides))
    expected["close_words"] = words.scores(close_words(*near_sides))
    for name, scores in expected.items():
        np.testing.assert_allclose(column(matrix, name), scores[rows], rtol=1e-5)
    vectors = corpus.vectors.vectors(rows)
    for name, vector in {"draft_title": encoded.title, "placed": placed()}.items():
        np.testing.assert_allclose(column(matrix, name), vectors @ vector, atol=1e-5)
    np.testing.assert_array_equal(column(matrix, "has_abstract"), corpus.has_abstract[rows])


def test_words_looked_for_before_are_not_looked_for_again(
    retrieval: Retrieval, corpus: CorpusIndex
) -> None:
    query = encoded_query()
    rows, matrix = retrieval.gather(query, section=SECTION)
    again, same = retrieval.gather(
        query, section=SECTION, window_scores=retrieval.window_scores(query.windows)
    )
    np.testing.assert_array_equal(rows, again)
    np.testing.assert_array_equal(matrix, same)
    nothing = np.zeros(len(corpus), dtype=np.float32)
    _, silent = retrieval.gather(query, section=SECTION, window_scores=(nothing, nothing))
    assert not column(silent, "near_words").any() and not column(silent, "wide_words").any()


def test_another_title_is_another_subject(retrieval: Retrieval) -> None:
    query = encoded_query()
    other = evolve(query, title=np.eye(D, dtype=np.float32)[-1])
    first, second, third = (retrieval.gather(text)[1] for text in (query, other, query))
    np.testing.assert_array_equal(first, third)
    fresh = Retrieval(
        retrieval.corpus, link_precedents(retrieval.corpus, many_precedents(PAPERS, TopicEncoder()))
    ).gather(other)[1]
    np.testing.assert_array_equal(second, fresh)


def test_the_query_is_where_its_encoder_puts_it(retrieval: Retrieval, corpus: CorpusIndex) -> None:
    other = np.eye(D, dtype=np.float32)[2]
    rows, matrix = retrieval.gather(evolve(encoded_query(), vector=other))
    result = column(matrix, "placed")
    np.testing.assert_allclose(result, corpus.vectors.vectors(rows) @ other, atol=1e-5)


def test_a_paper_also_lies_where_the_contexts_lie_that_cite_it(
    retrieval: Retrieval, corpus: CorpusIndex, precedents: Precedents
) -> None:
    other = np.eye(D, dtype=np.float32)[2]
    rows, matrix = retrieval.gather(evolve(encoded_query(), vector=other))
    places = places_in(precedents.papers, corpus.columns.title_keys[rows])
    means = precedents.means(places)
    cited = np.linalg.norm(means, axis=1) > 0
    assert cited.any() and not cited.all()
    cosines = means[cited] @ other / np.linalg.norm(means[cited], axis=1)
    np.testing.assert_allclose(column(matrix, "profile")[cited], cosines, atol=1e-5)
    assert not column(matrix, "profile")[~cited].any()
    both = corpus.vectors.vectors(rows) + means
    both /= np.linalg.norm(both, axis=1, keepdims=True)
    np.testing.assert_allclose(column(matrix, "both"), both @ other, atol=1e-5)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.booleans(), min_size=len(PAPERS), max_size=len(PAPERS)), st.booleans())
def test_what_is_not_allowed_is_no_candidate(
    retrieval: Retrieval, mask: list[bool], section: bool
) -> None:
    allowed = np.array(mask)
    rows, matrix = retrieval.gather(
        encoded_query(), allowed=allowed, section=SECTION if section else []
    )
    assert allowed[rows].all()
    assert len(matrix) == len(rows)


def test_papers_newer_than_allowed_are_never_candidates(
    retrieval: Retrieval, corpus: CorpusIndex
) -> None:
    rows, matrix = retrieval.gather(encoded_query(), allowed=corpus.years <= 2004, section=SECTION)
    assert len(rows) and np.nanmax(column(matrix, "year")) <= 2004


def test_where_nothing_is_allowed_nothing_is_found(retrieval: Retrieval) -> None:
    rows, matrix = retrieval.gather(
        encoded_query(), allowed=np.zeros(len(PAPERS), dtype=bool), section=SECTION
    )
    assert rows.tolist() == [] and matrix.shape == (0, len(CORPUS_FEATURES))


@pytest.fixture
def nothing_retrieved(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    for name in RETRIEVED:
        monkeypatch.setitem(RETRIEVED, name, 0)
    yield monkeypatch


def figures_of(
    retrieval: Retrieval, precedents: Precedents, encoded: EncodedQuery
) -> dict[str, np.ndarray]:
    """Return what each order goes by, for every paper of the corpus."""
    corpus, words = retrieval.corpus, retrieval.corpus.words
    known = link_precedents(corpus, precedents)
    assert known is not None
    vectors = corpus.vectors.vectors(np.arange(len(corpus)))
    evidence = precedents.evidence(
        encoded.vector,
        encoded.windows.near,
        cited=[int(known.places[row]) for row in SECTION if known.places[row] >= 0],
        subject=unit(known.titles) @ encoded.title,
    )
    figures = {
        "near_words": words.scores(encoded.windows.near),
        "wide_words": words.scores(encoded.windows.wide) + words.scores(encoded.windows.topic),
        "placed": vectors @ placed(),
    }
    of_papers: dict[str, np.ndarray] = {
        "profile": evidence.profile * (1 + 0.1 * np.log1p(evidence.citations)),
        "alike_words_sum": evidence.alike_words_sum,
        "together": damped(evidence.together, evidence.citations),
        "subject": damped(evidence.subject, evidence.citations),
    }
    for name, values in of_papers.items():
        figures[name] = np.zeros(len(corpus), dtype=np.float32)
        there = known.rows >= 0
        figures[name][known.rows[there]] = values[there]
    return figures


@pytest.mark.parametrize("order", RETRIEVED)
@pytest.mark.parametrize("bounded", [False, True])
def test_each_order_gives_its_best(
    retrieval: Retrieval,
    precedents: Precedents,
    nothing_retrieved: pytest.MonkeyPatch,
    order: str,
    bounded: bool,
) -> None:
    query = encoded_query()
    nothing_retrieved.setitem(RETRIEVED, order, 4)
    # Of so few vectors a third more than is wanted may not hold enough that are allowed.
    nothing_retrieved.setattr(retrieval_module, "_DENSE_FACTOR", 20)
    allowed = np.arange(len(PAPERS)) % 3 > 0 if bounded else None
    figures = figures_of(retrieval, precedents, query)[order]
    if allowed is not None:
        figures = np.where(allowed, figures, 0)
    rows, _ = retrieval.gather(query, allowed=allowed, section=SECTION)
    section = {row for row in SECTION if allowed is None or allowed[row]}
    best = np.sort(figures)[-4:]
    result = figures[[row for row in rows.tolist() if row not in section]]
    assert (best > 0).all()
    assert len(set(rows.tolist()) - section) <= 4
    assert (result >= best[0] - 1e-3).all()
    chosen = figures[rows]
    np.testing.assert_allclose(np.sort(chosen)[-4:], best, atol=1e-3)


def test_precedents_are_known_by_title_and_first_author(
    corpus: CorpusIndex, precedents: Precedents
) -> None:
    known = link_precedents(corpus, precedents)
    assert known is not None
    keys = [title_key(paper) for paper in PAPERS]
    for row, place in enumerate(known.places.tolist()):
        assert (int(precedents.papers[place]) if place >= 0 else None) == (
            keys[row] if keys[row] in precedents.papers else None
        )
    for key, row in zip(precedents.papers.tolist(), known.rows.tolist(), strict=True):
        assert row == (keys.index(key) if key in keys else -1)  # of two records the first
    assert keys[0] == keys[1] and known.places[0] == known.places[1]


def test_titles_of_citing_documents_are_theirs_in_the_corpus(
    corpus: CorpusIndex, precedents: Precedents
) -> None:
    known = link_precedents(corpus, precedents)
    assert known is not None
    rows = {title_key(paper): row for row, paper in reversed(list(enumerate(PAPERS)))}
    met = set()
    for key, title in zip(precedents.documents.tolist(), known.titles, strict=True):
        row = rows.get(key) if key not in met else None
        expected = corpus.embeddings[row] if row is not None else np.zeros(D)
        np.testing.assert_array_equal(title, expected)
        met.add(key)


@pytest.mark.parametrize("way", ["none", "strangers"])
def test_where_no_precedent_is_known_their_features_are_missing(
    corpus: CorpusIndex, way: str
) -> None:
    strangers = many_precedents(
        [Paper(str(n), f"Elsewhere {n}") for n in range(30)], TopicEncoder()
    )
    linked = link_precedents(corpus, strangers) if way == "strangers" else None
    retrieval = Retrieval(corpus, linked)
    rows, matrix = retrieval.gather(encoded_query(), section=SECTION)
    assert len(rows)
    for name in PRECEDENT_FEATURES:
        assert np.isnan(column(matrix, name)).all()
    for name in ("placed", "near_words", "section_nearest", "title_cover_near"):
        assert np.isfinite(column(matrix, name)).all()


def test_a_document_that_is_learned_from_does_not_testify(
    retrieval: Retrieval, precedents: Precedents
) -> None:
    rows, whole = retrieval.gather(encoded_query())
    again, less = retrieval.gather(encoded_query(), without=0)
    both = np.intersect1d(rows, again)
    before, after = whole[np.isin(rows, both)], less[np.isin(again, both)]
    lost = np.expm1(column(before, "citations")) - np.expm1(column(after, "citations"))
    start, end = precedents.arrays["cites_starts"][:2]
    theirs = precedents.papers[precedents.arrays["cites"][start:end]]
    keys = np.array([title_key(PAPERS[row]) for row in both], dtype=np.uint64)
    np.testing.assert_allclose(lost, np.isin(keys, theirs), atol=1e-4)
    assert lost.sum() > 0


def test_a_cited_paper_is_not_compared_with_itself(retrieval: Retrieval) -> None:
    rows, matrix = retrieval.gather(encoded_query(), section=SECTION[:1])
    own = rows == SECTION[0]
    assert column(matrix, "in_section")[own] == 1
    assert np.isnan(column(matrix, "section_nearest")[own])
    assert np.isfinite(column(matrix, "section_nearest")[~own]).all()


def test_a_cancelled_retrieval_is_given_up_at_every_step(retrieval: Retrieval) -> None:
    for steps in range(3):
        answers = iter([False] * steps + [True])
        with pytest.raises(Cancelled):
            retrieval.gather(encoded_query(), cancelled=answers.__next__)


@pytest.mark.parametrize("size", [0, 1, 31, 64, 5000])
@pytest.mark.parametrize("count", [0, 1, 7, 150])
@pytest.mark.parametrize("share", [0.0, 0.01, 1.0])
def test_the_best_rows_are_those_of_the_greatest_scores(
    size: int, count: int, share: float
) -> None:
    chance = np.random.default_rng(7)
    scores = (chance.gamma(1, 3, size) * (chance.random(size) < share)).astype(np.float32)
    allowed = chance.random(size) < 0.5
    for among in (None, allowed):
        open_to = np.arange(size) if among is None else np.flatnonzero(among)
        order = open_to[np.argsort(-scores[open_to])]
        wanted = order[scores[order] > 0][:count]
        assert sorted(best_rows(scores, count, among)) == sorted(wanted)
