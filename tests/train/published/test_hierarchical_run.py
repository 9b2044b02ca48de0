"""Recipe `mp-bert4cr` without a head: what it writes, what it learns, how its result is used."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.cli import main
from cite_lsp.encode import EncoderError, load_encoder
from cite_lsp.encode.checkpoints import verify
from cite_lsp.encode.kinds.hierarchical import HierarchicalEncoder
from tests.train.encoder_task import card_figures, write_task

pytestmark = [pytest.mark.torch, pytest.mark.slow, pytest.mark.usefixtures("with_torch")]
TEXTS = ["Neural paper retrieval. A word of a sentence.", "", "Graph"]


def command(folder: Path, base: Path, out: Path, *more: object) -> list[str]:
    paths = write_task(folder)
    words = ["train", "mp-bert4cr", "--papers", paths["papers"], "--contexts", paths["train"]]
    words += ["--dev", paths["dev"], "--base", base, "--out", out, "--batch", 4, *more]
    return [str(word) for word in words]


def test_the_recipe_writes_an_encoder_that_is_better_loads_and_is_evaluated(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "mine"
    more = ("--epochs", 6, "--negatives", 3, "--learning-rate", 0.003, "--patience", 9)
    assert main(command(tmp_path, tiny_checkpoint, out, *more)) == 0
    assert "| trained" in capsys.readouterr().out
    assert verify(out) == []
    dev = card_figures(out)
    assert dev["trained"]["mrr@10"] > dev["base"]["mrr@10"]
    assert dev["trained, as written"]["mrr@10"] == pytest.approx(dev["trained"]["mrr@10"], abs=0.02)
    card = (out / "README.md").read_text()
    assert "loss mpt" in card and "seed 13" in card and str(tmp_path) not in card
    encoder = load_encoder(str(out))
    assert isinstance(encoder, HierarchicalEncoder)
    lengths = np.linalg.norm(encoder.encode(TEXTS), axis=1)
    assert np.allclose(lengths, [1, 0, 1], atol=1e-5)
    files = ("--papers", tmp_path / "papers.jsonl", "--contexts", tmp_path / "dev.jsonl")
    words = ("eval", "local", "--system", "mp-bert4cr", "--encoder", out, "--json", *files)
    assert main([str(word) for word in words]) == 0
    assert json.loads(capsys.readouterr().out)["figures"]["all"]["contexts"] == 8
    (out / "document.safetensors").write_bytes(b"")
    with pytest.raises(EncoderError, match=r"document\.safetensors: cannot be read"):
        load_encoder(str(out))


@pytest.mark.parametrize("loss", ["triplet", "mpt-src", "mpt-tgt"])
def test_it_learns_by_one_loss_alone(loss: str, tiny_checkpoint: Path, tmp_path: Path) -> None:
    out = tmp_path / loss
    arguments = command(tmp_path, tiny_checkpoint, out, "--epochs", 1, "--loss", loss)
    assert main(arguments) == 0
    card = (out / "README.md").read_text()
    assert f"loss {loss}" in card
    singles = sum(bool(json.loads(line).get("cited")) for line in (tmp_path / "train.jsonl").open())
    steps = int(card.partition("- **Trained** ")[2].partition(" steps")[0])
    assert (steps > singles // 4) is (loss == "triplet")


def test_above_a_frozen_encoder_only_the_document_encoder_learns_and_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "above"
    more = ("--epochs", 3, "--negatives", 3, "--patience", 9, "--frozen")
    assert main(command(tmp_path, Path("default"), out, *more)) == 0
    capsys.readouterr()
    assert verify(out) == [] and not (out / "sentences").exists()
    dev = card_figures(out)
    assert dev["trained"]["mrr@10"] > dev["base"]["mrr@10"]
    assert dev["trained, as written"]["mrr@10"] == pytest.approx(dev["trained"]["mrr@10"], abs=0.02)
    assert "which stays as it is" in (out / "README.md").read_text()
    encoder = load_encoder(str(out))
    assert isinstance(encoder, HierarchicalEncoder)
    lengths = np.linalg.norm(encoder.encode(TEXTS), axis=1)
    assert np.allclose(lengths, [1, 0, 1], atol=1e-5)
    files = ("--papers", tmp_path / "papers.jsonl", "--contexts", tmp_path / "dev.jsonl")
    words = ("eval", "local", "--system", "mp-bert4cr", "--encoder", out, "--json", *files)
    assert main([str(word) for word in words]) == 0
    assert json.loads(capsys.readouterr().out)["figures"]["all"]["contexts"] == 8
    config = json.loads((out / "config.json").read_text())
    (out / "config.json").write_text(json.dumps(config | {"base_checkpoint": "0123456789abcdef"}))
    with pytest.raises(EncoderError, match="other weights of all-MiniLM-L6-v2"):
        load_encoder(str(out))


def test_papers_that_no_context_cites_are_one_line(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = command(tmp_path, tiny_checkpoint, tmp_path / "mine")
    train = tmp_path / "train.jsonl"
    rows = [json.loads(line) | {"cited": ["x"]} for line in train.read_text().splitlines()]
    train.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(arguments) == 1
    assert "check that both name papers by the same ids" in capsys.readouterr().err
