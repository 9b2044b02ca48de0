"""What stands in Latin letters around a marker."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.query.latin_names import (
    NAME_FEATURES,
    acronyms_of,
    name_features,
    read_latin_names,
)


def test_acronyms_have_several_capitals() -> None:
    assert acronyms_of("two LSTMs, a CNN and Bert") == ["lstm", "cnn"]


def test_the_nearest_place_of_a_word_counts() -> None:
    latin = read_latin_names("alpha beta alpha gamma", len("alpha beta alpha gamma"))
    assert latin.names["alpha"] == len(" gamma") and latin.names["alpha gamma"] == 0
    assert read_latin_names("alpha beta", 0).names["beta"] == len("alpha ")


POOL = Pool(
    (
        Paper("bert", "BERT: Pre-training of Deep Transformers", "", ("Jo Devlin",), 2019),
        Paper("lstm", "Long Short-Term Memory", "", ("Sepp Hoch", "Jürgen Schmid"), 1997),
        Paper("gulls", "Nesting Habits of the Herring Gull", "", (), 1953),
    )
)
ROWS = np.arange(3)


def features_of(left: str, right: str = "") -> dict[str, list[float]]:
    features = name_features(left, right, POOL, ROWS)
    assert tuple(sorted(features)) == tuple(sorted(NAME_FEATURES))
    return {name: column.tolist() for name, column in features.items()}


def test_of_a_list_of_methods_the_last_one_stands_nearest() -> None:
    features = features_of("such as LSTM and BERT")
    assert features["handle_before"][0] == 0
    assert features["acronym_before"][1] == len(" and BERT")
    assert features["nearest_held"][:2] == [0, len(" and BERT")]
    assert np.isnan(features["nearest_held"][2])
    features = features_of("such as BERT and LSTM")
    assert features["handle_before"][0] == len(" and LSTM") and features["acronym_before"][1] == 0


def test_authors_and_title_words_are_found_on_their_side_of_the_marker() -> None:
    features = features_of("as Schmid wrote", "on memory and gulls")
    assert features["author_before"][1] == len(" wrote")
    assert features["title_behind"][1] == len("on ") and features["title_behind"][2] > 3
    assert np.isnan(features["author_before"]).tolist() == [True, False, True]
    features = features_of("nothing", "by Devlin")
    assert features["named_behind"][0] == len("by ")


def test_acronyms_are_what_neighbouring_words_of_a_title_spell() -> None:
    assert features_of("an LSTM of ours")["acronym"] == [0, 4, 0]
    assert np.isnan(features_of("a memory of ours")["acronym"]).all()


def test_an_everyday_word_is_an_author_only_where_it_is_written_as_a_name() -> None:
    pool = Pool((Paper("nets", "Residual Nets", "", ("Kaiming He",), 2016),))
    for left, distance in (("what he did", None), ("nets of He et al.", len(" et al."))):
        features = name_features(left, "", pool, np.arange(1))["author_before"][0]
        assert np.isnan(features) if distance is None else features == distance


@pytest.mark.parametrize("left", ["", "，。", "提出了新的方法"])
def test_where_nothing_is_named_no_distance_is_known(left: str) -> None:
    assert all(np.isnan(column).all() for column in features_of(left).values())
