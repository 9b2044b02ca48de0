"""The encoder of windows that ships: what it says of sentences, and of broken folders."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.encode.encoder import Cancelled, EncoderError
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.missing.passages import Passage
from cite_lsp.recommend.missing.window_reader import MODEL, WindowReader

TEXT = (
    "Word vectors were first learned by Mikolov and colleagues from large corpora.",
    "Later studies have shown that context improves them.",
    "We describe the structure of this paper.",
    "Section 2 has our notation.",
)


@pytest.fixture(scope="module")
def reader() -> WindowReader:
    return WindowReader(shipped_model(MODEL))


def section(texts: tuple[str, ...] = TEXT, title: str = "Introduction") -> list[Passage]:
    return [
        Passage(text, before, after, title)
        for before, text, after in zip(("", *texts), texts, (*texts[1:], ""), strict=False)
    ]


def test_what_others_did_has_the_higher_logits(reader: WindowReader) -> None:
    logits = reader.logits(section())
    assert logits.shape == (4,) and logits[:2].min() > logits[2:].max()


def test_a_sentence_is_read_with_those_around_it(reader: WindowReader) -> None:
    together = reader.logits(section())
    alone = reader.logits(section(TEXT[:1]))
    assert together[0] != alone[0]


def test_what_was_read_before_stays_what_it_was(reader: WindowReader) -> None:
    first = reader.logits(section())
    reader.logits(section(TEXT[2:], "Outline"))
    np.testing.assert_array_equal(reader.logits(section()), first)
    assert reader.logits([]).shape == (0,)


def test_reading_can_be_called_off(reader: WindowReader) -> None:
    with pytest.raises(Cancelled):
        reader.logits(section(), cancelled=lambda: True)


def test_a_broken_folder_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match="cannot be read as the description"):
        WindowReader(tmp_path)
    folder = tmp_path / "model"
    shutil.copytree(shipped_model(MODEL), folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    other = config | {"kind": "static"}
    (folder / "config.json").write_text(json.dumps(other), encoding="utf-8")
    with pytest.raises(EncoderError, match="kind 'static'"):
        WindowReader(folder)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "model.onnx.zst").write_bytes(b"no graph")
    with pytest.raises(EncoderError, match="cannot be loaded"):
        WindowReader(folder)
