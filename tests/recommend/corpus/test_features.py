"""The evidence for papers of a corpus, each feature against an example worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from attrs import evolve, fields

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.corpus.features import (
    CORPUS_FEATURES,
    DENSE_FEATURES,
    FEATURE_PLACE,
    PAPER_FEATURES,
    PRECEDENT_FEATURES,
    SCORES,
    SECTION_FEATURES,
    WITH_GAP,
    WORD_FEATURES,
    CandidateEvidence,
    Candidates,
    EncodedQuery,
    Section,
    corpus_features,
)
from cite_lsp.recommend.evidence.precedents import PrecedentEvidence
from cite_lsp.recommend.query.latin_names import DISTANCE_FEATURES
from cite_lsp.recommend.query.query import Query
from cite_lsp.search.corpus.paper_columns import PaperColumns
from cite_lsp.search.corpus.view import CorpusView

PAPERS = (
    Paper("gauge", "GAUGE: Tide tables", "x", ("Ada Moor", "Bo Reed"), 2001, "Shores"),
    Paper("plants", "Marsh plants", "", ("Cy Lark",), None, ""),
    Paper("gulls", "Gull nests", "x", ("Ada Moor",), 2010, "Birds"),
    Paper("", "", "", (), 2004, "Shores"),
)
COLUMNS = PaperColumns.build(PAPERS)
QUERY = Query(
    sentence="The tide is told by tables",
    near="told by tables of moor and reed",
    wide="A Gauge told the tide by tables of moor and reed near the marsh",
    topic="",
    names="",
    latin="",
)
VECTORS = np.array([[1, 0], [0.6, 0.8], [0, 1], [-1, 0]], dtype=np.float32)
SIZE = len(PAPERS)


def column(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


SCORES_HERE = {
    name: column(*(place + 10 * row for row in range(SIZE))) for place, name in enumerate(SCORES)
}
CANDIDATES = Candidates(
    np.arange(SIZE),
    VECTORS,
    np.array([2001, 0, 2010, 2004], dtype=np.int32),
    np.array([True, False, True, False]),
)
TITLES = tuple(paper.title for paper in PAPERS)


def view(columns: PaperColumns, title: Callable[[int], str]) -> CorpusView:
    """Return a corpus with columns and titles, and nothing else."""
    return cast("CorpusView", SimpleNamespace(columns=columns, title=title))


NO_SECTION = Section(np.zeros(0, dtype=np.int64), VECTORS[:0], np.zeros(0, dtype=np.int32))


def features(
    *,
    query: Query = QUERY,
    year: int | None = 2006,
    candidates: Candidates = CANDIDATES,
    scores: Mapping[str, Column] = SCORES_HERE,
    section: tuple[int, ...] = (),
    witness: PrecedentEvidence | None = None,
    places: tuple[int, ...] = (-1,) * SIZE,
    titles: tuple[str, ...] = TITLES,
    columns: PaperColumns = COLUMNS,
) -> dict[str, np.ndarray]:
    rows = np.array(section, dtype=np.int64)
    precedents = None
    if witness is not None:
        precedents = CandidateEvidence(witness, np.array(places, dtype=np.int64))
    matrix = corpus_features(
        EncodedQuery(query, year, VECTORS[0], VECTORS[0]),
        candidates,
        scores,
        Section(rows, VECTORS[rows], np.zeros(len(rows), dtype=np.int32)),
        view(columns, titles.__getitem__),
        precedents,
    )
    assert matrix.shape == (len(candidates.rows), len(CORPUS_FEATURES))
    assert matrix.dtype == np.float32
    return {name: matrix[:, place] for name, place in FEATURE_PLACE.items()}


def assert_is(actual: np.ndarray, expected: list[float]) -> None:
    np.testing.assert_allclose(actual, expected, rtol=2e-3, atol=1e-6)


def test_every_feature_has_a_name_and_a_place_of_its_own() -> None:
    assert len(set(CORPUS_FEATURES)) == len(CORPUS_FEATURES) == len(FEATURE_PLACE)
    assert [CORPUS_FEATURES[place] for place in FEATURE_PLACE.values()] == list(FEATURE_PLACE)


@pytest.mark.parametrize("name", SCORES)
def test_scores_of_phase_1_stand_as_they_are(name: str) -> None:
    np.testing.assert_array_equal(features()[name], SCORES_HERE[name])


@pytest.mark.parametrize("name", WITH_GAP)
@pytest.mark.parametrize("count", [3, 9])
def test_a_gap_is_the_distance_to_the_mean_of_the_five_best(name: str, count: int) -> None:
    values = column(*[0.5 * (place % 4) + place for place in range(count)])
    rows = np.arange(count) % SIZE
    columns = features(
        candidates=Candidates(
            rows,
            VECTORS[rows],
            CANDIDATES.years[rows],
            CANDIDATES.has_abstract[rows],
        ),
        scores=dict.fromkeys(SCORES, values),
        places=(-1,) * count,
    )
    best = sorted(values.tolist())[-5:]
    assert_is(columns[f"{name}_gap"], [value - sum(best) / len(best) for value in values.tolist()])


def test_the_cover_of_a_title_is_the_weight_of_its_words_that_the_text_has() -> None:
    columns = features()
    assert_is(columns["title_length"], [3, 2, 2, 0])
    # Every title word stands in one title alone, so that all weigh the same.
    assert_is(columns["title_cover_sentence"], [2 / 3, 0, 0, 0])
    assert_is(columns["title_cover_near"], [1 / 3, 0, 0, 0])
    assert_is(columns["title_cover_wide"], [1, 1 / 2, 0, 0])


def test_rare_words_of_a_title_weigh_more() -> None:
    columns = PaperColumns.build([Paper("a", "Tide gauge"), Paper("b", "Tide")])
    query = evolve(QUERY, near="the tide")
    few = Candidates(np.array([0]), VECTORS[:1], CANDIDATES.years[:1], CANDIDATES.has_abstract[:1])
    scores = dict.fromkeys(SCORES, column(0))
    encoded = EncodedQuery(query, None, VECTORS[0], VECTORS[0])
    matrix = corpus_features(encoded, few, scores, NO_SECTION, view(columns, str), None)
    tide, gauge = math.log(1 + 2 / 2), math.log(1 + 2 / 1)
    assert_is(matrix[:, FEATURE_PLACE["title_cover_near"]], [tide / (tide + gauge)])


BESIDE = evolve(QUERY, near_sides=("GAUGE by Moor; gulls are told by", "of the Tide tables"))


def test_what_names_a_paper_counts_by_how_far_from_the_marker_it_stands() -> None:
    columns = features(query=BESIDE)
    assert_is(columns["author_before"], [19, math.nan, 19, math.nan])
    assert_is(columns["handle_before"], [27, math.nan, math.nan, math.nan])
    assert_is(columns["title_behind"], [7, math.nan, math.nan, math.nan])
    # "by" is the nearest word in Latin letters, and stands right at the marker.
    assert_is(columns["nearest_before"], [0, 0, 0, 0])
    assert_is(columns["nearest_held"], [19, math.nan, 12, math.nan])


def test_words_of_a_title_count_less_the_further_from_the_marker_they_stand() -> None:
    gauge, tide, table = math.exp(-27 / 40), 0.6 * math.exp(-7 / 40), 0.6 * math.exp(-12 / 40)
    gull = math.exp(-12 / 40)
    columns = features(query=BESIDE)["title_close"]
    assert_is(columns, [(gauge + tide + table) / 3, 0, gull / 2, 0])


def test_words_in_capitals_are_names() -> None:
    columns = features(query=BESIDE)
    assert_is(columns["capitals"], [3, 3, 3, 3])  # GAUGE, Moor, Tide
    weight = math.log(1 + 4)
    assert_is(columns["capitals_cover"], [2 * weight, 0, 0, 0])
    assert np.isnan(features(query=QUERY)["capitals_cover"]).all()


def test_titles_are_read_for_acronyms_alone() -> None:
    columns = features(query=evolve(QUERY, near_sides=("told by GN", "")))
    assert_is(columns["acronym"], [0, 0, 2, 0])  # "Gull nests"
    spelled = evolve(QUERY, near_sides=("a GTT of", ""))
    assert_is(
        features(query=spelled)["acronym_before"], [3, math.nan, math.nan, math.nan]
    )  # "GAUGE: Tide tables"

    def unread(row: int) -> str:
        raise AssertionError("titles were read for nothing")

    encoded = EncodedQuery(QUERY, None, VECTORS[0], VECTORS[0])
    corpus = view(COLUMNS, unread)
    matrix = corpus_features(encoded, CANDIDATES, SCORES_HERE, NO_SECTION, corpus, None)
    assert np.isnan(matrix[:, FEATURE_PLACE["acronym"]]).all()


def test_a_name_of_a_method_is_looked_for_where_the_title_gives_one() -> None:
    columns = features()
    assert_is(columns["handle_near"], [0, math.nan, math.nan, math.nan])
    assert_is(columns["handle_wide"], [1, math.nan, math.nan, math.nan])
    assert features(query=evolve(QUERY, near="as in (GAUGE),"))["handle_near"][0] == 1


def test_authors_whose_names_the_text_has_are_counted() -> None:
    assert_is(features()["author_named"], [2, 0, 1, 0])


@pytest.mark.parametrize(
    ("text", "named"), [("we see what he did", 0), ("the nets of He et al.", 1)]
)
def test_an_everyday_word_is_counted_where_it_is_written_as_a_name(text: str, named: int) -> None:
    columns = PaperColumns.build((evolve(PAPERS[0], authors=("Ka He",)), *PAPERS[1:]))
    query = evolve(QUERY, wide=text, near=text, near_sides=(text, ""))
    result = features(query=query, columns=columns)
    assert_is(result["author_named"], [named, 0, 0, 0])
    assert np.isnan(result["author_before"][0]) == (not named)


def test_a_paper_is_compared_with_what_the_section_cites() -> None:
    columns = features(section=(0, 2))
    assert_is(columns["section_papers"], [2, 2, 2, 2])
    assert_is(columns["in_section"], [1, 0, 1, 0])
    # The first and third are cited: each of them is compared with the other one alone.
    assert_is(columns["section_nearest"], [0, 0.8, 0, 0])
    assert_is(columns["section_mean"], [0, 0.7, 0, -0.5])
    assert_is(columns["section_authors"], [1, 0, 1, 0])
    assert_is(columns["section_venue"], [0, 0, 0, 1])


def test_a_paper_that_alone_is_cited_has_nothing_to_be_compared_with() -> None:
    columns = features(section=(1,))
    assert_is(columns["section_nearest"], [0.6, math.nan, 0.8, -0.6])
    assert_is(columns["section_mean"], [0.6, 0, 0.8, -0.6])
    assert_is(columns["section_venue"], [0, 0, 0, 0])  # no venue is no shared one


def test_nothing_is_known_of_a_section_that_cites_nothing() -> None:
    columns = features()
    assert_is(columns["section_papers"], [0] * SIZE)
    assert_is(columns["in_section"], [0] * SIZE)
    for name in set(SECTION_FEATURES) - {"section_papers", "in_section"}:
        assert np.isnan(columns[name]).all()


def test_years_that_are_not_known_are_missing() -> None:
    columns = features()
    assert_is(columns["year"], [2001, math.nan, 2010, 2004])
    assert_is(columns["age"], [5, math.nan, -4, 2])
    assert np.isnan(features(year=None)["age"]).all()
    assert_is(columns["has_abstract"], [1, 0, 1, 0])


WITNESS = PrecedentEvidence(
    *(column(1 + place, 21 + place) for place in range(len(fields(PrecedentEvidence))))
)  # of two papers


def test_a_witness_speaks_of_the_papers_that_it_knows() -> None:
    columns = features(witness=WITNESS, places=(1, -1, 0, -1))
    taken = {"citations", "together_damped", "profile_gap", "alike_gap"}
    taken |= {name for name in PRECEDENT_FEATURES if name.removesuffix("_gap") in WITH_GAP}
    for name in set(PRECEDENT_FEATURES) - taken:
        first, second = getattr(WITNESS, name).tolist()
        assert_is(columns[name], [second, 0, first, 0])
    few, many = WITNESS.citations.tolist()
    assert_is(columns["citations"], [math.log1p(many), 0, math.log1p(few), 0])
    first, second = WITNESS.together.tolist()
    assert_is(
        columns["together_damped"], [second / math.sqrt(many + 5), 0, first / math.sqrt(few + 5), 0]
    )


def test_without_a_witness_its_features_alone_are_missing() -> None:
    columns = features(section=(0, 2))
    scored = {name for name in PRECEDENT_FEATURES if name.removesuffix("_gap") in WITH_GAP}
    for name in PRECEDENT_FEATURES:
        assert np.isnan(columns[name]).all() == (name not in scored)
    always = set(WORD_FEATURES + DENSE_FEATURES + SECTION_FEATURES + PAPER_FEATURES)
    known = {name for name in always if not np.isnan(columns[name]).any()}
    absent = {"handle_near", "handle_wide", "year", "age"}
    named = {"acronym", "capitals_cover", *DISTANCE_FEATURES} - {"nearest_held"}
    assert always - known == absent | named


def test_no_candidates_are_no_rows() -> None:
    none = np.zeros(0, dtype=np.int64)
    empty = Candidates(none, VECTORS[:0], np.zeros(0, np.int32), np.zeros(0, dtype=bool))
    columns = features(
        candidates=empty,
        scores=dict.fromkeys(SCORES, column()),
        section=(0,),
        witness=WITNESS,
        places=(),
    )
    assert all(values.shape == (0,) for values in columns.values())


def test_a_text_without_words_covers_nothing() -> None:
    columns = features(query=Query("", "", "", "", "", ""))
    assert_is(columns["title_cover_wide"], [0] * SIZE)
    assert_is(columns["author_named"], [0] * SIZE)
    assert_is(columns["handle_wide"], [0, math.nan, math.nan, math.nan])
