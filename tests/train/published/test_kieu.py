"""Recipe `kieu`: what it learns from, and that it comes out as an encoder."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.cli import main
from cite_lsp.encode import load_encoder
from tests.train.encoder_task import write_task

pytestmark = [pytest.mark.torch, pytest.mark.slow, pytest.mark.usefixtures("with_torch")]


@pytest.fixture
def arguments(tiny_checkpoint: Path, tmp_path: Path) -> list[str]:
    """A training on lists of references, without --out."""
    paths, rng = write_task(tmp_path), random.Random(4)
    for split, papers in (("train", range(30)), ("dev", range(30, 40))):
        rows = [
            {
                "citing_id": f"p{number}",
                "year": 2001,
                "refs": [f"p{number % 5 + 5 * place}" for place in rng.sample(range(6), 3)],
            }
            for number in papers
        ]
        paths[split].write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["train", "kieu", "--papers", paths["papers"], "--contexts", paths["train"]]
    words += ["--dev", paths["dev"], "--base", tiny_checkpoint, "--batch", "8", "--epochs", "2"]
    return [str(word) for word in (*words, "--learning-rate", "0.01")]


def test_papers_shift_towards_what_they_cite(
    arguments: list[str], tiny_checkpoint: Path, tmp_path: Path
) -> None:
    out = tmp_path / "kieu"
    assert main([*arguments, "--out", str(out)]) == 0
    texts = ["neural paper retrieval", "a word of a sentence"]
    base = load_encoder(str(tiny_checkpoint), device="cpu").encode(texts)
    trained = load_encoder(str(out / "torch"), device="cpu").encode(texts)
    assert not np.allclose(base, trained, atol=1e-4)
    card = (out / "README.md").read_text()
    assert "by recipe `kieu`" in card and "negatives 1" in card and "--epochs 2" in card
    # The 90 citations of the 30 lists, but for papers that cite themselves.
    assert 60 < int(card.partition(" examples")[0].rpartition(" ")[2]) < 90


def test_the_papers_that_development_asks_with_are_no_answers(
    arguments: list[str], tmp_path: Path
) -> None:
    from argparse import ArgumentParser

    from cite_lsp.cli.train_command import add_arguments
    from cite_lsp.train.published import kieu
    from cite_lsp.train.run.card import Origin
    from cite_lsp.train.run.job import Job

    parser = ArgumentParser()
    add_arguments(parser)
    options = parser.parse_args([*arguments[1:], "--out", str(tmp_path / "out")])
    origin = Origin("made up", "cite-lsp train kieu", "a.py")
    data, _ = kieu.read_graph(Job(options, origin, lambda what, done, total: None, pytest.fail))
    queries = {row.citing_id for row in data.dev}
    assert len(queries) == 10 and not queries & set(data.papers)
    assert {row.context.title for row in data.dev} and "p3" in data.papers
    assert any(not paper.abstract for paper in data.papers.values())
