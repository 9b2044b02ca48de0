"""Recipe `query-encoder`: contexts learn to lie near the papers that they cite, which stay put."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.cli import main
from cite_lsp.corpus.contexts import LabelledContext, read_contexts
from cite_lsp.encode import load_encoder
from cite_lsp.encode.checkpoints import verify
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.train.encoders import query_folds
from cite_lsp.train.encoders.batch_learning import Settings
from cite_lsp.train.encoders.encoder_run import load_model
from cite_lsp.train.encoders.query_folds import (
    MAX_TOKENS,
    EncodedPapers,
    Pair,
    StartingModel,
    fold_of,
    read_held_out,
)
from cite_lsp.train.rankers.encoders import HeldOutQueries
from cite_lsp.train.run.report import TrainingError
from tests.train.encoder_task import write_task

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("with_torch")]
QUICK = Settings(epochs=1, batch=8, learning_rate=1e-3, random_papers=20)


def contexts(folder: Path) -> list[LabelledContext]:
    return list(read_contexts(write_task(folder)["train"]))


def pool(width: int, count: int = 45) -> np.ndarray:
    vectors = np.random.default_rng(5).standard_normal((count, width)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def train(
    rows: Sequence[LabelledContext],
    base: Path,
    out: Path,
    settings: Settings = QUICK,
    names: Sequence[str] | None = None,
    **more: Any,  # noqa: ANN401 - handed on
) -> Any:  # noqa: ANN401 - a model
    width = load_encoder(str(base), device="cpu").dimensions
    row_of = {name: row for row, name in enumerate(names or [f"p{n}" for n in range(45)])}
    start = StartingModel(partial(load_model, base, MAX_TOKENS), query_text)
    papers = EncodedPapers(row_of, pool(width))
    return query_folds.train_folds(rows, papers, start, out, settings, **more)


def test_what_follows_the_first_separator_is_the_second_segment() -> None:
    import torch

    from cite_lsp.train.run.encoding import segments

    ids = torch.tensor([[1, 7, 2, 8, 2, 0], [1, 7, 7, 2, 0, 0]])
    assert segments(ids, 2).tolist() == [[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1]]


def test_texts_come_to_lie_near_the_papers_of_their_pairs(tiny_checkpoint: Path) -> None:
    from cite_lsp.train.encoders.encoder_run import load_model
    from cite_lsp.train.run.encoding import encode_segments

    model = load_model(tiny_checkpoint, 64)
    width = int(model.get_embedding_dimension() or 0)
    papers, texts = pool(width, 6), [f"{word} of it [SEP] paper" for word in ("neural", "tree")]
    pairs = [Pair(number % 2, number % 2, frozenset({number % 2})) for number in range(16)]

    def nearness() -> float:
        return float(np.sum(encode_segments(model)(texts) * papers[:2]))

    before = nearness()
    words = {
        name: weights.detach().clone()
        for name, weights in model.named_parameters()
        if ".embeddings." in name
    }
    settings = Settings(epochs=30, batch=8, learning_rate=1e-2, random_papers=8)
    query_folds.fit(model, pairs, texts, papers, settings)
    assert nearness() > before + 0.5
    assert words  # and they have not moved
    for name, weights in model.named_parameters():
        assert name not in words or (weights == words[name]).all()


def test_a_fold_is_that_of_the_document_and_no_fold_is_empty() -> None:
    folds = [fold_of(f"document {number}") for number in range(40)]
    assert set(folds) == {0, 1}
    assert folds == [fold_of(f"document {number}") for number in range(40)]


def test_no_context_is_placed_by_an_encoder_that_saw_its_document(
    tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = contexts(tmp_path)
    learned: list[set[str]] = []
    encoded: list[set[str]] = []

    def remember(model: object, pairs: Sequence[Pair], *_: object) -> None:
        learned.append({rows[pair.context].citing_id for pair in pairs})

    texts = {query_text(row.context): row.citing_id for row in rows}

    def placing(model: Any) -> Any:  # noqa: ANN401
        def place(given: Sequence[str]) -> np.ndarray:
            encoded.append({texts[text] for text in given})
            return np.zeros((len(given), int(model.get_embedding_dimension())), np.float32)

        return place

    monkeypatch.setattr(query_folds, "fit", remember)
    monkeypatch.setattr(query_folds, "encode_segments", placing)
    train(rows, tiny_checkpoint, tmp_path / "out")
    *folds, whole = learned
    everyone = {row.citing_id for row in rows}
    assert whole == everyone == set().union(*encoded) and len(folds) == len(encoded) == 2
    for theirs, held_out in zip(folds, encoded, strict=True):
        assert theirs and held_out and not theirs & held_out
    held_out_vectors = read_held_out(tmp_path / "out" / "held-out.safetensors")
    assert list(held_out_vectors) == [row.context_id for row in rows]


def test_a_run_broken_off_keeps_the_encoders_that_are_done(
    tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, out = contexts(tmp_path), tmp_path / "out"
    fit = query_folds.fit
    fitted: list[Any] = []

    def break_off(*given: Any) -> None:  # noqa: ANN401
        if len(fitted) == 1:
            raise KeyboardInterrupt
        fitted.append(len(given[1]))
        fit(*given)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(query_folds, "fit", break_off)
        train(rows, tiny_checkpoint, out)
    stages: list[str] = []
    resumed = train(rows, tiny_checkpoint, out, progress=lambda stage, *_: stages.append(stage))
    assert "fold 1 of 2" not in stages  # it was done before
    whole = train(rows, tiny_checkpoint, tmp_path / "whole")
    for weights, other in zip(resumed.parameters(), whole.parameters(), strict=True):
        assert (weights == other).all()
    first, again = (folder / "held-out.safetensors" for folder in (out, tmp_path / "whole"))
    assert first.read_bytes() == again.read_bytes()


def test_contexts_that_cite_none_of_the_papers_are_an_error(
    tiny_checkpoint: Path, tmp_path: Path
) -> None:
    rows = contexts(tmp_path)
    with pytest.raises(TrainingError, match="check that ids are the same"):
        train(rows, tiny_checkpoint, tmp_path / "out", names=["x"])


def test_contexts_of_one_document_are_too_few(tiny_checkpoint: Path, tmp_path: Path) -> None:
    rows = [evolve(row, citing_id="one") for row in contexts(tmp_path)]
    with pytest.raises(TrainingError, match="give contexts of more documents"):
        train(rows, tiny_checkpoint, tmp_path / "out")


def test_held_out_vectors_that_are_not_there_are_one_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "held-out.safetensors"
    with pytest.raises(TrainingError, match="train a query-encoder first"):
        read_held_out(path)
    path.write_bytes(b"not this")
    with pytest.raises(TrainingError, match="cannot be read"):
        read_held_out(path)


def test_a_ranker_learns_from_contexts_placed_by_who_never_saw_them(
    tiny_checkpoint: Path, tmp_path: Path
) -> None:
    rows, out = contexts(tmp_path), tmp_path / "out"
    train(rows, tiny_checkpoint, out)
    shipped = load_encoder(str(tiny_checkpoint), device="cpu")
    queries = HeldOutQueries(out, shipped, rows)
    held_out = read_held_out(out / "held-out.safetensors")
    row = rows[0]
    placed = queries.of(row.citing_id).encode([query_text(row.context), "gulls nest [SEP]"])
    np.testing.assert_array_equal(placed[0], held_out[row.context_id])
    assert np.linalg.norm(placed[1]) == pytest.approx(1, abs=1e-3)
    assert len(queries.of(row.citing_id).encode([])) == 0
    other = queries.of("a document of somebody else").encode(["gulls nest"])
    np.testing.assert_allclose(other, shipped.encode(["gulls nest"]), atol=1e-3)
    for fold in (out / "checkpoints").glob("fold-*"):
        shutil.rmtree(fold)
    with pytest.raises(TrainingError, match="fold is not there; train a query encoder first"):
        HeldOutQueries(out, shipped, rows).of(row.citing_id).encode(["terns nest"])


@pytest.mark.slow
def test_the_command_writes_an_encoder_that_runs_everywhere_with_its_card(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths, out = write_task(tmp_path), tmp_path / "query-encoder"
    words = ["train", "query-encoder", "--papers", paths["papers"], "--contexts", paths["train"]]
    words += ["--dev", paths["dev"], "--edges", paths["edges"], "--base", tiny_checkpoint]
    words += ["--out", out, "--batch", 8, "--epochs", 1, "--learning-rate", 0.01]
    assert main([str(word) for word in words]) == 0
    printed = capsys.readouterr().out
    for said in ("| base", "| trained, int8", "unseen Recall@10"):
        assert said in printed
    assert verify(out) == []
    card = (out / "README.md").read_text()
    assert "epochs 1" in card
    assert "cite-lsp train query-encoder" in card and str(tmp_path) not in card
    # The graph reads two segments as the training did.
    from cite_lsp.train.encoders.encoder_run import load_model
    from cite_lsp.train.run.encoding import encode_segments

    model = load_model(out / "checkpoints" / "whole", 128)
    texts = ["neural of a [MASK] with paper [SEP] a tree", "tree [MASK] [SEP]"]
    cosines = np.sum(
        load_encoder(str(out), device="cpu").encode(texts) * encode_segments(model)(texts), axis=1
    )
    assert cosines.min() > 0.97
