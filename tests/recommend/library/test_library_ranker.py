"""The ranker of libraries that ships."""

import json

import numpy as np
import pytest

from cite_lsp.encode import load_encoder
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.library.features import FEATURE_INDEX, FEATURES, library_ranker
from cite_lsp.recommend.library.file_features import FILE_FEATURES
from cite_lsp.recommend.query.encoder_input import LIBRARY_QUERY_ENCODER, open_query_encoder
from cite_lsp.recommend.query.latin_names import NAME_FEATURES


def rows(count: int, **values: float) -> np.ndarray:
    matrix = np.zeros((count, len(FEATURES)), dtype=np.float32)
    for name, value in values.items():
        matrix[0, FEATURE_INDEX[name]] = value
    return matrix


def test_more_evidence_scores_higher() -> None:
    words = {f"{window}_words": 12.0 for window in ("sentence", "near", "close", "wide")}
    words |= {f"{name}_share": 1.0 for name in words}
    matrix = rows(2, **words, near_title=0.7, title_cover_near=0.8, title_cover_sentence=0.8)
    matrix[:, [FEATURE_INDEX[name] for name in (*NAME_FEATURES, *FILE_FEATURES)]] = np.nan
    first, second = library_ranker().score(matrix)
    assert first > second


def test_the_model_of_this_version_was_made_for_the_encoders_of_this_version() -> None:
    folder = shipped_model("library-ranker")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert tuple(config["features"]) == FEATURES
    queries = open_query_encoder(shipped_model(LIBRARY_QUERY_ENCODER))
    assert config["query_encoder"] == queries.fingerprint
    assert library_ranker().checkpoint == load_encoder().checkpoint


def test_missing_features_are_taken() -> None:
    matrix = rows(3, near_words=12)
    matrix[:, FEATURE_INDEX["near_title"]] = np.nan
    assert np.isfinite(library_ranker().score(matrix)).all()


def test_many_rows_have_the_scores_that_each_has_alone() -> None:
    matrix = np.random.default_rng(5).normal(size=(601, len(FEATURES))).astype(np.float32)
    ranker = library_ranker()
    few = [ranker.score(part) for part in np.array_split(matrix, 10)]
    assert ranker.score(matrix).tolist() == np.concatenate(few).tolist()


def test_probabilities_sum_to_one_in_the_order_of_the_scores() -> None:
    matrix = rows(4, near_words=12, near_title=0.6)
    ranker = library_ranker()
    probabilities = ranker.probabilities(matrix)
    assert probabilities.sum() == pytest.approx(1, abs=1e-5)
    assert np.argsort(probabilities).tolist() == np.argsort(ranker.score(matrix)).tolist()


def test_no_rows_no_scores() -> None:
    assert library_ranker().probabilities(rows(0)).shape == (0,)
