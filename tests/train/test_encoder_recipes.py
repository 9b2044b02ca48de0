"""The encoder recipes from end to end: what they write, what a kill costs, what is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cite_lsp.cli import main
from cite_lsp.encode import load_encoder
from cite_lsp.encode.checkpoints import verify
from tests.train.encoder_task import write_task

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.torch, pytest.mark.slow]


@pytest.fixture(autouse=True)
def with_the_trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("accelerate", "datasets"):
        pytest.importorskip(package, reason="needs the train extra")
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITE_LSP_DEVICE", "cpu")


def command(recipe: str, base: Path, folder: Path, out: Path, *more: object) -> list[str]:
    paths = write_task(folder)
    words = ["train", recipe, "--papers", paths["papers"], "--contexts", paths["train"], "--dev"]
    words += [paths["dev"], "--base", base, "--out", out, "--batch", "8"]
    return [str(word) for word in (*words, *more)]


@pytest.mark.parametrize("recipe", ["tanaka-phase1", "tanaka-phase2"])
def test_a_recipe_writes_an_encoder_for_both_runtimes_with_its_card(
    recipe: str, tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mine"
    more = ("--epochs", 3, "--negatives", 1, "--learning-rate", 0.01)
    arguments = command(recipe, tiny_checkpoint, tmp_path, out, *more)
    assert main(arguments) == 0
    printed = capsys.readouterr()
    assert "| trained" in printed.out and "mrr@10" in printed.out
    assert "training" in printed.err
    assert verify(out) == []
    on_onnx = load_encoder(str(out), device="cpu")
    original = load_encoder(str(out / "torch"), device="cpu")
    assert on_onnx.checkpoint == original.checkpoint
    texts = ["neural paper retrieval", "a word of a sentence"]
    assert np.sum(on_onnx.encode(texts) * original.encode(texts), axis=1).min() > 0.97
    base = load_encoder(str(tiny_checkpoint), device="cpu")
    assert not np.allclose(base.encode(texts), original.encode(texts), atol=1e-4)
    record = json.loads((out / "training.json").read_text())
    assert record["recipe"] == recipe
    assert set(record["dev"]) == {"base", "trained", "trained, int8"}
    card = (out / "README.md").read_text()
    assert f"cite-lsp train {recipe}" in card and "seed 13" in card
    assert str(tmp_path) not in card
    assert not (out / "checkpoints").exists()


def test_a_killed_run_goes_on_where_it_was_and_ends_as_if_nothing_had_happened(
    tiny_checkpoint: Path, tmp_path: Path
) -> None:
    more = ("--epochs", "4", "--patience", "100", "--learning-rate", "0.001")
    broken, whole = tmp_path / "broken" / "mine", tmp_path / "whole" / "mine"
    arguments = command("tanaka-phase1", tiny_checkpoint, tmp_path, broken, *more)
    program = [sys.executable, "-m", "cite_lsp", *arguments]
    running = subprocess.Popen(
        program, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL
    )
    try:
        first = _wait_for(broken / "checkpoints", running)
        running.send_signal(signal.SIGKILL)
    finally:
        running.kill()
        running.wait()
    assert not (broken / "model.onnx").exists()
    (broken / "checkpoints" / "checkpoint-9999").mkdir()  # half written when the kill came
    assert main(arguments) == 0
    record = json.loads((broken / "training.json").read_text())
    assert record["run"]["steps"] > record["run"]["resumed_from"] >= first
    assert main(command("tanaka-phase1", tiny_checkpoint, tmp_path, whole, *more)) == 0
    texts = ["neural paper retrieval", "a word of a sentence"]
    vectors = [
        load_encoder(str(out / "torch"), device="cpu").encode(texts) for out in (broken, whole)
    ]
    assert np.allclose(vectors[0], vectors[1], atol=1e-5)


def _wait_for(checkpoints: Path, running: subprocess.Popen[Any]) -> int:
    """Wait for a checkpoint that is whole; return its step."""
    for _ in range(1200):
        for state in checkpoints.glob("checkpoint-*/trainer_state.json"):
            return int(state.parent.name.rpartition("-")[2])
        assert running.poll() is None, "ended before its first checkpoint"
        time.sleep(0.1)
    raise AssertionError("no checkpoint in two minutes")


def test_checkpoints_of_another_training_are_refused(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mine"
    (out / "checkpoints" / "checkpoint-1").mkdir(parents=True)
    (out / "checkpoints" / "run.json").write_text("{}")
    assert main(command("tanaka-phase1", tiny_checkpoint, tmp_path, out)) == 1
    assert "holds checkpoints of a training with other data" in capsys.readouterr().err


def test_papers_that_no_context_cites_are_one_line(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = command("tanaka-phase1", tiny_checkpoint, tmp_path, tmp_path / "mine")
    others = tmp_path / "others.jsonl"
    others.write_text('{"id": "x", "title": "Word", "abstract": "A word."}\n')
    arguments[arguments.index("--papers") + 1] = str(others)
    assert main(arguments) == 1
    assert "check that both name papers by the same ids" in capsys.readouterr().err


def test_a_base_that_is_nowhere_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command("tanaka-phase1", Path("nobody/nothing"), tmp_path, tmp_path / "m")) == 1
    assert "nobody/nothing: no such model on this machine" in capsys.readouterr().err


def test_the_loss_of_many_negatives_is_that_of_their_triplets(tiny_checkpoint: Path) -> None:
    torch = pytest.importorskip("torch")
    from cite_lsp.train.encoders.encoder_run import load_model
    from cite_lsp.train.encoders.losses import triplets

    loss: Any = triplets(load_model(tiny_checkpoint, 16))
    rng = torch.Generator().manual_seed(1)
    anchor, positive, *negatives = (torch.randn(4, 8, generator=rng) for _ in range(5))
    measured = loss.compute_loss_from_embeddings([anchor, positive, *negatives], None)

    def distance(a: Any, b: Any) -> Any:  # noqa: ANN401 - tensors
        return torch.linalg.vector_norm(a - b, dim=1)

    expected = [
        torch.relu(distance(anchor, positive) - distance(anchor, negative) + 1).mean()
        for negative in negatives
    ]
    assert float(measured) == pytest.approx(float(sum(expected) / 3), rel=1e-5)


@pytest.mark.parametrize("supported", ["_is_amx_tile_supported", "_is_avx512_bf16_supported"])
def test_a_cpu_computes_in_bfloat16_where_it_has_instructions_for_it(
    supported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    from cite_lsp.train.run.encoding import computes_bfloat16

    for name in ("_is_amx_tile_supported", "_is_avx512_bf16_supported"):
        monkeypatch.setattr(torch.cpu, name, lambda: False)
    assert not computes_bfloat16("cpu")
    monkeypatch.setattr(torch.cpu, supported, lambda: True)
    assert computes_bfloat16("cpu")


def test_while_distances_are_learned_vectors_keep_their_lengths(tiny_checkpoint: Path) -> None:
    from sentence_transformers.sentence_transformer.modules import Normalize

    from cite_lsp.train.encoders.encoder_run import load_model
    from cite_lsp.train.encoders.losses import of_their_own_length

    model = load_model(tiny_checkpoint, 16)
    model.append(Normalize())

    def length() -> float:
        return float(np.linalg.norm(model.encode("neural paper", show_progress_bar=False)))

    assert length() == pytest.approx(1, abs=1e-5)
    with pytest.raises(RuntimeError), of_their_own_length(model):
        assert abs(length() - 1) > 0.1
        raise RuntimeError
    assert length() == pytest.approx(1, abs=1e-5)
