"""Heads: what contexts are placed by, learned as a linear map of vectors that stay as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cite_lsp.cli import main
from cite_lsp.encode import load_encoder
from cite_lsp.encode.checkpoints import verify
from cite_lsp.train.encoders.heads import HeadSettings, fit
from cite_lsp.train.run.errors import TrainingError
from tests.train.encoder_task import write_task

pytestmark = pytest.mark.torch


@pytest.fixture(autouse=True)
def with_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="needs the torch extra")
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITE_LSP_DEVICE", "cpu")


def unit(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def hidden_pairs() -> tuple[np.ndarray, np.ndarray]:
    """Return vectors in which pairs agree in half of the dimensions, and triplets of them."""
    dice = np.random.default_rng(2)
    shared = dice.standard_normal((40, 8))
    noise = dice.standard_normal((2, 40, 8))
    vectors = np.concatenate([np.hstack([shared, noise[0]]), np.hstack([shared, noise[1]])])
    triplets = [
        [
            row,
            row + 40,
            *dice.choice([o for o in range(40, 80) if o != row + 40], 20, replace=False),
        ]
        for row in range(40)
    ]
    return unit(vectors), np.array(triplets, dtype=np.int64)


def share_right(vectors: np.ndarray, head: np.ndarray) -> float:
    made = unit(vectors @ head)
    return float(np.mean((made[:40] @ made[40:].T).argmax(axis=1) == np.arange(40)))


def test_a_head_learns_which_dimensions_tell_what_belongs_together() -> None:
    vectors, triplets = hidden_pairs()
    seen: list[float] = []

    def measure(head: np.ndarray) -> dict[str, float]:
        seen.append(share_right(vectors, head))
        return {"mrr@10": seen[-1]}

    settings = HeadSettings(epochs=30, batch=8, learning_rate=0.01, patience=30)
    head, result = fit(vectors, triplets, measure, settings)
    assert result.before["mrr@10"] < 0.6 < 0.8 < result.after["mrr@10"]
    assert share_right(vectors, head) == max(seen) == result.after["mrr@10"]


def test_a_head_that_only_gets_worse_stays_the_identity_and_the_run_ends() -> None:
    vectors, triplets = hidden_pairs()
    figures = iter(np.arange(1.0, 0.0, -0.01))
    head, result = fit(
        vectors, triplets, lambda head: {"mrr@10": next(figures)}, HeadSettings(patience=2)
    )
    assert (head == np.eye(16)).all() and result.best_step == 0
    assert result.before == result.after and result.steps == 2 * 1  # an epoch is one batch


def test_nothing_to_learn_from_is_one_clear_error() -> None:
    with pytest.raises(TrainingError, match="cite none of the papers"):
        fit(np.eye(4, dtype=np.float32), np.zeros((0, 9), np.int64), lambda _: {}, HeadSettings())


def command(folder: Path, recipe: str, out: Path, **more: Any) -> list[str]:  # noqa: ANN401
    paths = write_task(folder)
    words = ["train", recipe, "--head", "--papers", paths["papers"], "--contexts", paths["train"]]
    words += ["--dev", paths["dev"], "--out", out, "--epochs", 2, "--negatives", 3]
    for name, value in more.items():
        words += [f"--{name}", value]
    return [str(word) for word in words]


@pytest.mark.parametrize("recipe", ["tanaka-phase1", "mp-bert4cr"])
def test_the_command_writes_a_head_that_loads_with_its_card(
    recipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / recipe
    assert main(command(tmp_path, recipe, out, pool=40)) == 0
    assert "| head" in capsys.readouterr().out
    assert verify(out) == []
    assert load_encoder(str(out)).encode(["neural paper"]).shape == (1, 384)
    record = json.loads((out / "training.json").read_text())
    assert record["recipe"] == recipe and record["settings"]["negatives"] == 3
    assert set(record["dev"]) == {"base", "head"}
    card = (out / "README.md").read_text()
    assert "--head" in card and "40 papers" in card and str(tmp_path) not in card


def test_a_head_of_several_positives_is_queried_as_it_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "home" / "models" / "mp-bert4cr"
    parts = [word for part in ("positives", "contexts") for word in ("--ablate", part)]
    assert main([*command(tmp_path, "mp-bert4cr", out), *parts]) == 0
    card = (out / "README.md").read_text()
    assert "published/mp_bert4cr.py" in card and "--ablate positives --ablate contexts" in card
    capsys.readouterr()
    words = ["eval", "local", "--system", "mp-bert4cr", "--json"]
    files = ["--papers", tmp_path / "papers.jsonl", "--contexts", tmp_path / "dev.jsonl"]
    assert main([*words, *map(str, files)]) == 0
    printed = capsys.readouterr()
    assert "stands in" not in printed.err
    assert set(json.loads(printed.out)["variants"]) == {"mp-bert4cr"}


def test_the_loss_of_a_head_pairs_every_positive_with_every_negative() -> None:
    torch = pytest.importorskip("torch")
    from cite_lsp.train.encoders.heads import LENGTH, _loss

    made = torch.randn(3, 6, 4, generator=torch.Generator().manual_seed(1))
    rows = torch.nn.functional.normalize(made, dim=2)
    expected = [
        torch.relu(
            torch.linalg.vector_norm(row[0] - row[near])
            - torch.linalg.vector_norm(row[0] - row[far])
            + 1 / LENGTH
        )
        for row in rows
        for near in (1, 2)
        for far in (3, 4, 5)
    ]
    assert float(_loss(made, 2)) == pytest.approx(float(sum(expected) / len(expected)), rel=1e-5)


def test_a_recipe_without_heads_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command(tmp_path, "tanaka-phase2", tmp_path / "out")) == 2
    assert "--head: tanaka-phase2 does not take it" in capsys.readouterr().err


def test_a_head_is_not_chosen_by_contexts_that_ask_for_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = command(tmp_path, "tanaka-phase1", tmp_path / "out")
    dev = tmp_path / "dev.jsonl"
    rows = [json.loads(line) for line in dev.read_text().splitlines()]
    dev.write_text("".join(json.dumps(row | {"cited_abs": ["x"]}) + "\n" for row in rows))
    assert main(words) == 1
    assert "nothing says when to stop" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
