"""Recipe `worthiness-encoder`: sentences that cite are told from others by an exported graph."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.cli import main
from cite_lsp.recommend.missing.worthiness_encoder import WorthinessEncoder
from cite_lsp.train.data.labelled_sentences import read_sentences
from tests.conftest import WORDS

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("with_torch")]


def write_sentences(path: Path, documents: int) -> Path:
    """Sentences that cite where they begin with the first word, in sections of two."""
    rng = random.Random(4)
    rows = []
    for number in range(documents):
        for _ in range(4):
            cites = rng.random() < 0.4, rng.random() < 0.4
            texts = [
                f"{WORDS[0] if cited else WORDS[1]} {' '.join(rng.choices(WORDS[2:], k=3))}"
                for cited in cites
            ]
            for place, cited in enumerate(cites):
                rows.append(
                    {
                        "citing_id": f"{path.stem}{number}",
                        "section_title": WORDS[2],
                        "previous": texts[0] if place else "",
                        "sentence": texts[place],
                        "next": "" if place else texts[1],
                        "cited": cited,
                    }
                )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def command(base: Path, texts: Path, dev: Path, out: Path, *more: object) -> list[str]:
    words = ["train", "worthiness-encoder", "--contexts", texts, "--dev", dev, "--test", dev]
    words += ["--base", base, "--batch", 512, "--learning-rate", 0.02]
    return [str(word) for word in (*words, "--out", out, *more)]


def test_the_graph_tells_sentences_that_cite(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, dev = (write_sentences(tmp_path / f"{name}.jsonl", 60) for name in ("learn", "dev"))
    out = tmp_path / "model"
    assert main(command(tiny_checkpoint, texts, dev, out, "--epochs", 12)) == 0
    assert "test: 480 sentences" in capsys.readouterr().out
    rows = read_sentences([dev])
    logits = WorthinessEncoder(out).logits([row.passage for row in rows])
    assert np.mean((logits > np.median(logits)) == [row.cited for row in rows]) > 0.8
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "The lower 2\nlayers" in card and str(tmp_path) not in card


def test_it_begins_with_as_many_lower_layers_as_it_is_told(
    tiny_checkpoint: Path, tmp_path: Path
) -> None:
    texts, out = write_sentences(tmp_path / "learn.jsonl", 4), tmp_path / "model"
    more = ("--epochs", 1, "--layers", 1)
    assert main(command(tiny_checkpoint, texts, texts, out, *more)) == 0
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "The lower 1\nlayers" in card and "layers 1, epochs 1" in card and "--layers 1" in card


def write_windows(path: Path, documents: int) -> Path:
    """Chinese sentences around markers, which cite where they name what others have found."""
    rows = []
    for number in range(documents):
        others, own = f"已有研究提出了第{number}种聚类方法", f"本节给出第{number}个实验的设置"
        text = f"实验分为两个部分。{own}。{others}。其余内容见附录。"
        left, right = text[: text.index(others) + len(others)], f"。其余内容见附录。{own}。"
        rows.append(
            {
                "doc_id": f"{path.stem}{number}",
                "chapter_title": "实验",
                "left": left,
                "right": right,
                "sentence": others,
            }
        )
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.mark.slow
def test_from_a_base_that_reads_chinese_an_encoder_of_chinese_sentences_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, dev = (write_windows(tmp_path / f"{name}.jsonl", 40) for name in ("learn", "dev"))
    out = tmp_path / "model"
    words = ["train", "worthiness-encoder", "--base", "query-encoder-zh", "--contexts", texts]
    words += ["--dev", dev, "--batch", 256, "--epochs", 4, "--learning-rate", 1e-3, "--layers", 3]
    assert main([*map(str, words), "--out", str(out)]) == 0
    assert "development: " in capsys.readouterr().out
    rows = read_sentences([dev])
    logits = WorthinessEncoder(out).logits([row.passage for row in rows])
    cited = np.array([row.cited for row in rows])
    assert cited.any() and not cited.all()
    assert logits[cited].min() > logits[~cited].max()
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    assert (config["words"], config["base"]) == ("chinese", "query-encoder-zh")
    assert {path.name for path in out.iterdir()} == {"README.md", "config.json", "model.onnx.zst"}
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "those of `query-encoder-zh`" in card and "The lower 3\nlayers" in card


def test_what_no_document_is_known_of_as_a_whole_is_refused(
    tiny_checkpoint: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = tmp_path / "none.jsonl"
    texts.write_text("", encoding="utf-8")
    assert main(command(tiny_checkpoint, texts, texts, tmp_path / "model")) == 1
    assert "all of whose sentences are known" in capsys.readouterr().err
