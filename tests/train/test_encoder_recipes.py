"""The encoder recipes from end to end: what they write, what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.cli import main
from cite_lsp.encode import load_encoder
from cite_lsp.encode.checkpoints import verify
from tests.train.encoder_task import card_figures, write_task

pytestmark = [pytest.mark.torch, pytest.mark.slow, pytest.mark.usefixtures("with_torch")]


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
    assert set(card_figures(out)) == {"base", "trained", "trained, int8"}
    card = (out / "README.md").read_text()
    assert f"cite-lsp train {recipe}" in card and "seed 13" in card
    assert str(tmp_path) not in card
    assert not (out / "checkpoints").exists()


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
