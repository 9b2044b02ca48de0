"""What stands in Latin letters around a marker."""

from __future__ import annotations

from cite_lsp.recommend.query.latin_names import acronyms_of, read_latin_names


def test_acronyms_have_several_capitals() -> None:
    assert acronyms_of("two LSTMs, a CNN and Bert") == ["lstm", "cnn"]


def test_the_nearest_place_of_a_word_counts() -> None:
    latin = read_latin_names("alpha beta alpha gamma", len("alpha beta alpha gamma"))
    assert latin.names["alpha"] == len(" gamma") and latin.names["alpha gamma"] == 0
    assert read_latin_names("alpha beta", 0).names["beta"] == len("alpha ")
