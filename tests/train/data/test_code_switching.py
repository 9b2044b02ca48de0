"""English texts with Chinese words in them."""

from __future__ import annotations

import random

import pytest

from cite_lsp.corpus.parallel_texts import GlossaryTerm
from cite_lsp.train.data.code_switching import CodeSwitcher, senses, stem

TERMS = [
    GlossaryTerm("neural network", "神经网络"),
    GlossaryTerm("to train", "训练"),
    GlossaryTerm("image", "图像"),
    GlossaryTerm("image", "影像"),
    GlossaryTerm("network", "网络"),
]


def switch(counts: dict[str, int] | None = None) -> CodeSwitcher:
    return CodeSwitcher.build(TERMS, {"图像": 1_000_000} if counts is None else counts)


def test_the_longest_phrase_is_taken_in_any_of_its_forms() -> None:
    assert switch()("Training neural networks", random.Random(1)) == "训练神经网络"


def test_names_and_acronyms_stay_as_they_stand() -> None:
    made = switch()("ResNet: training the image GAN of Ho", random.Random(1))
    assert made == "ResNet:训练图像GAN Ho"


def test_of_several_choices_the_one_that_texts_use_weighs_most() -> None:
    rng = random.Random(3)
    assert {switch()("image", rng) for _ in range(20)} == {"图像"}
    assert {switch({})("image", rng) for _ in range(50)} == {"图像", "影像"}


def test_a_share_of_none_leaves_the_text_alone() -> None:
    assert switch()("Training the image", random.Random(1), share=0.0) == "Training the image"


@pytest.mark.parametrize(
    ("forms", "shared"),
    [
        (("train", "trained", "training", "trains"), "train"),
        (("segment", "segmentation", "segments"), "segment"),
        (("optimise", "optimising"), "optimis"),
        (("study", "studies"), "study"),
    ],
)
def test_forms_of_a_word_share_a_stem(forms: tuple[str, ...], shared: str) -> None:
    assert {stem(form) for form in forms} == {shared}


def test_senses_are_cut_free_of_notes() -> None:
    assert senses(GlossaryTerm("to drill (sth); ", "训练")) == "drill"
    assert senses(GlossaryTerm("lit. the tide", "潮")) == "tide"
