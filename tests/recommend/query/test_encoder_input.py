"""What a context asks the query encoder with, and who reads it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.encode import load_encoder
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.query.encoder_input import (
    HERE,
    chinese_query_text,
    query_text_at,
    shipped_chinese_query_encoder,
)

LEFT = "近年来，卷积神经网络在大规模图像分类任务中取得了突破"
PAPERS = (
    "ImageNet classification with deep convolutional neural networks",
    "A field guide to the seabirds of the North Atlantic",
    "Statistical mechanics of cellular automata",
    "Consensus in the presence of partial synchrony",
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))


def test_a_chinese_place_asks_with_what_stands_next_to_its_marker_as_it_stands() -> None:
    asking = chinese_query_text("前言。" * 60 + LEFT, "，并被广泛采用。" * 20)
    assert asking.startswith("前言") and f"{LEFT} [MASK] ，并被" in asking
    assert len(asking) == 80 + 30 + len(" [MASK]  [SEP]")
    assert asking.endswith("[SEP]")


def test_in_a_library_it_asks_word_by_word_in_english() -> None:
    asking = query_text_at(LEFT, "。", "图像分类综述")
    assert "image classification task" in asking and f" {HERE} " in asking
    english = query_text_at("We follow deep residual learning", "here.", "On tides")
    assert english == "We follow deep residual learning [MASK] here. [SEP] On tides"


def test_a_chinese_sentence_lies_nearest_to_the_english_paper_that_it_cites() -> None:
    papers = load_encoder().encode(PAPERS)
    placed = shipped_chinese_query_encoder().encode([chinese_query_text(LEFT, "。")])[0]
    assert int(np.argmax(papers @ placed)) == 0


def test_the_trees_for_chinese_learned_from_where_this_encoder_places_contexts() -> None:
    config = json.loads((shipped_model("bilingual-ranker") / "config.json").read_text())
    assert config["query_encoder"] == shipped_chinese_query_encoder().fingerprint
