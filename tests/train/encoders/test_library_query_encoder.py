"""Recipe `library-query-encoder`: places come to lie near the entries that they cite."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.cli import main
from cite_lsp.encode.kinds.onnx import OnnxEncoder
from cite_lsp.train.encoders import library_query_encoder
from cite_lsp.train.encoders.batch_learning import Settings
from cite_lsp.train.encoders.encoder_run import load_model
from cite_lsp.train.encoders.library_query_encoder import (
    CitingPlace,
    LibraryVectors,
    figures,
    fit,
    query_encoder_of_fold,
)
from cite_lsp.train.run.encoding import encode_segments
from cite_lsp.train.run.report import TrainingError
from tests.conftest import WORDS
from tests.train.encoder_task import card_figures

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("with_torch")]


def library(count: int, width: int) -> LibraryVectors:
    vectors = np.random.default_rng(3).standard_normal((count, width)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return LibraryVectors(vectors, vectors)


def places(width: int) -> list[CitingPlace]:
    """Places of a library of six, each of which cites the entry of its word; half are forward."""
    entries = library(6, width)
    return [
        CitingPlace(
            f"{WORDS[row]} {other} [SEP] {WORDS[9]}", entries, np.array([row]), number % 2 == 0
        )
        for row in range(6)
        for number, other in enumerate(WORDS[6:10])
    ]


def test_places_come_to_lie_near_what_they_cite(tiny_checkpoint: Path) -> None:
    model = load_model(tiny_checkpoint, 48)
    learn = places(int(model.get_embedding_dimension() or 0))
    before = figures(learn, encode_segments(model))["mrr"]
    fit(model, learn, Settings(batch=8, learning_rate=3e-3), epochs=25)
    assert figures(learn, encode_segments(model))["mrr"] > max(before, 0.9)


def test_places_in_the_text_and_forward_are_measured_apart() -> None:
    entries = library(3, 8)
    first = CitingPlace("a", entries, np.array([0]), forward=False)
    both = [first, evolve(first, forward=True, cited=np.array([1, 2]))]

    def encode(texts: Sequence[str]) -> np.ndarray:
        return np.stack([entries.full[0]] * len(texts))

    measured = figures(both, encode)
    assert measured["hit@1"] == measured["mrr"] == 1
    assert measured["hit@1, forward"] == 0 and measured["mrr, forward"] == 0.5


def write_drafts(folder: Path, count: int) -> Path:
    for number in range(count):
        draft = folder / f"draft-{number}"
        draft.mkdir(parents=True)
        entries = "".join(
            f"@article{{{word}, title={{The {word} of gulls}}, year={{2001}}}}\n"
            for word in WORDS[:5]
        )
        (draft / "refs.bib").write_text(entries, encoding="utf-8")
        said = " ".join(f"They studied the {word} [@{word}]." for word in WORDS[:4])
        text = f"---\nbibliography: refs.bib\n---\n\n# Gulls\n\n{said}\n"
        (draft / "main.md").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.slow
def test_the_recipe_writes_an_encoder_and_those_of_the_folds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drafts, out = write_drafts(tmp_path / "drafts", 8), tmp_path / "model"
    monkeypatch.setattr(library_query_encoder, "LEARNED_FROM", 4)
    command = ["train", "library-query-encoder", "--manuscripts", drafts, "--out", out]
    command += ["--epochs", 1, "--batch", 4]
    assert main([str(word) for word in command]) == 0
    assert "trained, int8" in capsys.readouterr().out
    assert OnnxEncoder(out).encode(["They studied it [SEP] Gulls"]).shape == (1, 384)
    other = query_encoder_of_fold(out, "draft-0")
    assert other.parent == out / "folds" and OnnxEncoder(other).dimensions == 384
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "8 places of 2 other drafts" in card and str(tmp_path) not in card
    assert set(card_figures(out)) == {"query-encoder", "trained", "trained, int8"}


def test_without_encoders_of_folds_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="has no encoders of folds"):
        query_encoder_of_fold(tmp_path, "draft-0")


def test_drafts_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "library-query-encoder", "--out", str(tmp_path)]) == 2
    assert "name their folder: --manuscripts" in capsys.readouterr().err
