"""Late interaction: words of a context compared with the words of titles."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.encode.encoder import TokenStates
from cite_lsp.manuscript import Context
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.corpus import late_interaction
from cite_lsp.recommend.corpus.late_interaction import (
    MARKER_CLASS,
    MODEL,
    NO_TOKEN,
    TITLE_CLASS,
    TITLE_TOKENS,
    LateStage,
    SpecialTokens,
    distance_classes,
    open_late_stage,
    shipped_late_stage,
    shipped_words,
    title_tokens,
)
from cite_lsp.recommend.query.encoder_input import query_text, shipped_query_encoder

SIGNS = SpecialTokens(here=7, border=8, start=9)
CONTEXT = Context(
    left="Words that are cut into pieces by byte pair encoding",
    right="are translated by a network with attention.",
    title="Translating rare words",
)
TITLES = [
    "Neural Machine Translation of Rare Words with Subword Units",
    "A Survey of Tidal Marshes in Northern Europe",
    "Byte Pair Encoding is Suboptimal for Language Model Pretraining",
    "Photosynthesis under Stress",
]


@pytest.fixture(scope="module")
def stage() -> LateStage:
    result = shipped_late_stage(shipped_query_encoder().fingerprint)
    assert result is not None
    return result


@pytest.fixture(scope="module")
def reading() -> TokenStates:
    result = shipped_query_encoder().reading(query_text(CONTEXT))
    assert result is not None
    return result


def test_tokens_are_distinguished_by_their_distance_from_the_marker() -> None:
    tokens = np.array([9, 1, 1, 1, 1, 7, 1, 1, 8, 2, 2, 8])
    places = distance_classes(tokens, SIGNS).tolist()
    assert places == [2, 2, 1, 1, 0, MARKER_CLASS, 6, 7, 7, *[TITLE_CLASS] * 3]
    far = distance_classes(np.array([*[1] * 200, 7]), SIGNS)
    assert far[0] == 5 and far[199] == 0


def test_a_text_without_marker_or_border_has_places_too() -> None:
    assert distance_classes(np.array([9, 1, 1]), SIGNS).tolist() == [MARKER_CLASS, 6, 7]


def test_titles_are_rows_of_tokens_filled_up_and_cut() -> None:
    words = shipped_words()
    tokens = title_tokens(["Tidal marshes", "", "reed " * 50], words)
    assert tokens.shape == (3, TITLE_TOKENS)
    assert (tokens[1] == NO_TOKEN).all() and (tokens[2] != NO_TOKEN).all()
    short = title_tokens(["Tidal marshes", ""], words)
    assert short[0].tolist() == words.tokens(["Tidal marshes"])[0]
    assert title_tokens([], words).shape == (0, 0)


def test_titles_that_share_the_words_of_a_context_score_higher(
    stage: LateStage, reading: TokenStates
) -> None:
    scores = stage.interaction.scores(reading, TITLES)
    assert scores.dtype == np.float32 and np.isfinite(scores).all()
    assert min(scores[0], scores[2]) > max(scores[1], scores[3]) + 1


def test_a_title_scores_the_same_in_whatever_company(
    stage: LateStage, reading: TokenStates
) -> None:
    scores = stage.interaction.scores(reading, TITLES)
    for title, score in zip(TITLES, scores, strict=True):
        assert stage.interaction.scores(reading, [title])[0] == pytest.approx(score, abs=1e-4)


def test_titles_without_a_word_score_as_the_worst(stage: LateStage, reading: TokenStates) -> None:
    scores = stage.interaction.scores(reading, [*TITLES, "", "  "])
    assert scores[4] == scores[5] == scores[:4].min()
    assert stage.interaction.scores(reading, ["", ""]).tolist() == [0, 0]
    assert stage.interaction.scores(reading, []).shape == (0,)


def test_what_is_added_is_nothing_in_the_mean(stage: LateStage, reading: TokenStates) -> None:
    scores = stage.interaction.scores(reading, TITLES)
    added = stage.added(reading, TITLES)
    assert added == pytest.approx(stage.weight * (scores - scores.mean()), abs=1e-5)
    assert added.mean() == pytest.approx(0, abs=1e-5) and stage.weight > 0


def test_a_query_encoder_that_it_was_not_taught_with_has_no_stage() -> None:
    assert shipped_late_stage("another-encoder") is None


def test_words_that_it_was_not_taught_with_have_no_stage(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / MODEL
    shutil.copytree(shipped_model(MODEL), folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    own = shipped_query_encoder().fingerprint
    words = shipped_words()
    monkeypatch.setattr(late_interaction, "shipped_words", lambda: words)
    monkeypatch.setattr(late_interaction, "shipped_model", lambda name: tmp_path / name)
    assert shipped_late_stage.__wrapped__(own) is not None
    (folder / "config.json").write_text(json.dumps(config | {"words": "other"}), encoding="utf-8")
    assert shipped_late_stage.__wrapped__(own) is None


def test_before_it_is_taught_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(late_interaction, "shipped_model", lambda name: tmp_path / name)
    assert shipped_late_stage.__wrapped__(shipped_query_encoder().fingerprint) is None


@pytest.mark.parametrize("name", ["config.json", "model.onnx"])
@pytest.mark.parametrize("damage", ["broken", "gone"])
def test_a_damaged_stage_is_one_clear_error(tmp_path: Path, name: str, damage: str) -> None:
    folder = tmp_path / MODEL
    shutil.copytree(shipped_model(MODEL), folder)
    if damage == "gone":
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(b"[]")
    with pytest.raises(RankerError, match="reinstall cite-lsp") as caught:
        open_late_stage(folder, shipped_words())
    assert str(folder) in str(caught.value) and "\n" not in str(caught.value)


def test_a_stage_without_a_weight_is_one_clear_error(tmp_path: Path) -> None:
    folder = tmp_path / MODEL
    shutil.copytree(shipped_model(MODEL), folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    del config["weight"]
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(RankerError, match="'weight'"):
        open_late_stage(folder, shipped_words())


def test_what_ships_was_taught_with_what_ships() -> None:
    config = json.loads((shipped_model(MODEL) / "config.json").read_text(encoding="utf-8"))
    assert config["query_encoder"] == shipped_query_encoder().fingerprint
    assert config["words"] == shipped_words().fingerprint
