"""Which sentences need a citation, as the model that ships tells."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode import description
from cite_lsp.encode.tokens.chinese import CHINESE
from cite_lsp.manuscript import Document, parse
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.missing import worthiness_encoder
from cite_lsp.recommend.missing.passages import Passage, passages_of, share_elsewhere
from cite_lsp.recommend.missing.worthiness import (
    CUES,
    FEATURES,
    MODEL,
    THRESHOLD,
    WorthinessModel,
    cues,
    gather,
    worth_reading,
    worthiness_model,
    worthiness_of,
)
from cite_lsp.recommend.missing.worthiness_encoder import (
    CHINESE_MODEL,
)
from cite_lsp.recommend.missing.worthiness_encoder import MODEL as OTHERS_MODEL

TITLE = "Related work"
NEEDY = (
    "The Transformer was introduced in 2017 and has been shown to outperform earlier models.",
    "In 2013, Mikolov et al. proposed to learn word vectors from large corpora.",
    "李明等人提出了基于深度学习的文本分类方法。",
)
OWN = (
    "In this section we describe our own method.",
    "We thank the reader for the patience.",
    "我们在本节介绍自己的方法。",
    "The remainder of this chapter is structured as follows.",
)


@pytest.mark.parametrize("sentence", NEEDY)
def test_what_others_did_needs_a_citation(sentence: str) -> None:
    (likely,) = worthiness_model().probabilities([Passage(sentence, "Before.", "After.", TITLE)])
    assert likely >= THRESHOLD


@pytest.mark.parametrize("sentence", OWN)
def test_what_the_writer_does_needs_none(sentence: str) -> None:
    (likely,) = worthiness_model().probabilities([Passage(sentence, "Before.", "After.", TITLE)])
    assert likely < THRESHOLD / 2


def text_of(sentences: Sequence[str]) -> list[Passage]:
    around = zip(("", *sentences), sentences, (*sentences[1:], ""), strict=False)
    return [Passage(text, before, after, TITLE, 0.1) for before, text, after in around]


def test_a_sentence_is_as_likely_whether_or_not_others_are_asked_about() -> None:
    passages = text_of([*NEEDY[:2], *OWN[:2]] * 10)
    everything = worthiness_model().probabilities(passages)
    wanted = np.arange(len(passages)) == 21
    some = worthiness_model().probabilities(passages, wanted)
    assert some[21] == everything[21] and not np.array_equal(some, everything)
    assert worthiness_model().probabilities([]).shape == (0,)


JAPANESE = "これについては多くの研究がある。"
MIXED = text_of([NEEDY[0], OWN[0], OWN[1], OWN[3], NEEDY[2], OWN[2], JAPANESE])
LIKELY = np.array([0.0, -4.0, -4.0, -4.0, 0.0, -4.0, 0.0])


def test_what_the_trees_do_not_rule_out_is_read_by_the_encoder_that_knows_its_words() -> None:
    assert np.flatnonzero(worth_reading(MIXED, LIKELY, "")).tolist() == [0, 1, 3]
    assert np.flatnonzero(worth_reading(MIXED, LIKELY, CHINESE)).tolist() == [4, 5]
    trees = WorthinessModel(shipped_model(MODEL))
    both, alone = worthiness_model().probabilities(MIXED), trees.probabilities(MIXED)
    assert both[0] != alone[0] and both[4] != alone[4] and both[6] == alone[6]


@pytest.mark.parametrize(
    ("sentences", "loaded"),
    [
        (NEEDY[:2], {OTHERS_MODEL}),
        (NEEDY[2:], {CHINESE_MODEL}),
        (NEEDY, {OTHERS_MODEL, CHINESE_MODEL}),
    ],
)
def test_an_encoder_is_loaded_when_there_is_something_for_it_to_read(
    monkeypatch: pytest.MonkeyPatch, sentences: Sequence[str], loaded: set[str]
) -> None:
    opened: list[str] = []

    def located(folder: Path, *where: Any) -> Path:  # noqa: ANN401 - handed on
        opened.append(folder.name)
        return description.located(folder, *where)

    monkeypatch.setattr(worthiness_encoder, "located", located)
    model = worthiness_model.__wrapped__()
    for _ in range(2):
        model.probabilities(text_of(sentences))
    assert sorted(opened) == sorted(loaded)


def test_what_is_exempt_needs_no_citation() -> None:
    text = f"# One\n\n{NEEDY[0]} {NEEDY[1]}\n\n# Acknowledgements\n\n{NEEDY[0]}\n"
    manuscript = parse(text, "markdown")
    first, second, thanks = worthiness_of(manuscript, Document((manuscript,)))
    assert min(first, second) > THRESHOLD and thanks == 0
    with pytest.raises(Cancelled):
        worthiness_of(manuscript, Document((manuscript,)), cancelled=lambda: True)


def test_a_neighbour_that_is_not_there_is_missing_and_not_empty() -> None:
    matrix = gather([Passage("A word.", next="Another.")], [(0.5, np.nan, 1.0)], [np.nan])
    row = dict(zip(FEATURES, matrix[0].tolist(), strict=True))
    assert np.isnan(row["tokens_previous"]) and row["tokens_next"] > 0
    assert np.isnan(row["cited_share"]) and np.isnan(row["section_words"])


def test_cues_are_read_off_a_sentence() -> None:
    row = dict(zip(CUES, cues("In 2013 Ma et al. (BERT) gained 5 %:"), strict=True))
    assert all(row[name] for name in ("people", "year", "number", "percent", "short_form", "colon"))
    assert not any(row[name] for name in ("chinese", "quotation", "open_end"))


def test_the_share_elsewhere_says_nothing_of_a_draft_that_cites_nothing_yet() -> None:
    assert share_elsewhere(0, 500) is None
    assert share_elsewhere(3, 10) is None
    assert share_elsewhere(5, 50) == 0.1


def test_a_passage_has_its_neighbours_within_the_section_and_the_share_of_the_others() -> None:
    filler = " ".join(f"Filler number {number} [@a]." for number in range(25))
    text = f"# One\n\nFirst here. Second here.\n\n# Two\n\n{filler}\n"
    manuscript = parse(text, "markdown")
    first, second, third, *_ = passages_of(manuscript, Document((manuscript,)))
    assert (first.previous, first.sentence, first.next) == ("", "First here.", "Second here.")
    assert (second.next, second.section_title, second.cited_share) == ("", "One", 1.0)
    assert (third.previous, third.cited_share) == ("", None)


def test_a_broken_model_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(RankerError, match="cannot be read"):
        WorthinessModel(tmp_path)
    folder = tmp_path / "model"
    shutil.copytree(shipped_model(MODEL), folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"features": ["x"]}), encoding="utf-8")
    with pytest.raises(RankerError, match="trained for other features"):
        WorthinessModel(folder)
