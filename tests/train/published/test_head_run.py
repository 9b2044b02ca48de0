"""Heads: what contexts are placed by, learned as a linear map of vectors that stay as they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.cli import main
from cite_lsp.encode import load_encoder
from cite_lsp.encode.checkpoints import verify
from tests.train.encoder_task import card_figures, write_task

pytestmark = pytest.mark.torch


@pytest.fixture(autouse=True)
def with_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="needs the torch extra")
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITE_LSP_DEVICE", "cpu")


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
    assert set(card_figures(out)) == {"base", "head"}
    card = (out / "README.md").read_text()
    assert f"by recipe `{recipe}`" in card and "negatives 3" in card
    assert "--head" in card and "40 papers" in card and str(tmp_path) not in card


def test_a_head_of_several_positives_is_queried_as_it_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "home" / "models" / "mp-bert4cr"
    assert main(command(tmp_path, "mp-bert4cr", out)) == 0
    assert "published/mp_bert4cr.py" in (out / "README.md").read_text()
    capsys.readouterr()
    words = ["eval", "local", "--system", "mp-bert4cr", "--json"]
    files = ["--papers", tmp_path / "papers.jsonl", "--contexts", tmp_path / "dev.jsonl"]
    assert main([*words, *map(str, files)]) == 0
    printed = capsys.readouterr()
    assert "stands in" not in printed.err
    assert set(json.loads(printed.out)["variants"]) == {"mp-bert4cr"}


def test_a_recipe_without_heads_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(command(tmp_path, "tanaka-phase2", tmp_path / "out"))
    assert "unrecognized arguments: --head" in capsys.readouterr().err


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
