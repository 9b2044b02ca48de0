"""How alike sentences are by the words that they share."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.recommend.base.word_overlap import WordSimilarity, checksums, word_similarity


def test_likeness_is_one_for_the_same_words_and_nought_for_others() -> None:
    same, other = word_similarity(
        "attention in translation", ["attention in translation", "gulls nest on cliffs"]
    )
    assert same == pytest.approx(1.0, abs=1e-5) and other == 0


def test_rare_words_weigh_more_than_words_that_every_marker_has() -> None:
    others = ["model attention", "model gulls", "model marshes", "model vectors"]
    rare, common, *_ = word_similarity("model attention", others)
    assert rare > 2 * common > 0


def test_a_word_unheard_of_makes_everything_less_alike() -> None:
    others = ["tide and marsh", "gull"]
    assert (
        word_similarity("tide and marsh", others)[0]
        > word_similarity("tide and marsh zyzzyva", others)[0]
        > 0
    )


@pytest.mark.parametrize("others", [[], [""], ["", "tide"]])
def test_empty_texts_are_like_nothing(others: list[str]) -> None:
    assert word_similarity("", others).tolist() == [0.0] * len(others)
    assert np.isfinite(word_similarity("tide", others)).all()


def test_it_is_the_cosine_of_binary_weighted_words() -> None:
    texts = ["tide marsh reed", "tide gull", "dune"]
    weight = {
        word: np.log(1 + 4 / (1 + sum(word in text for text in texts)))
        for word in "tide gull marsh reed dune".split()
    }
    query_words = {"tide", "gull", "fen"}
    unseen = np.log(1 + 4) ** 2
    length = np.sqrt(weight["tide"] ** 2 + weight["gull"] ** 2 + unseen)
    own = np.sqrt(sum(weight[word] ** 2 for word in ("tide", "marsh", "reed")))
    result = WordSimilarity([checksums(text) for text in texts]).to(
        checksums(" ".join(query_words))
    )
    assert result[0] == pytest.approx(weight["tide"] ** 2 / (length * own), rel=1e-5)
