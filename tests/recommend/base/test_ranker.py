"""The learned second stage, loaded from a folder."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.ranker import TREES, Ranker, RankerError, softmax
from cite_lsp.recommend.library.features import FEATURES


def test_what_weighs_little_is_no_answer_for_being_alone() -> None:
    logits = np.array([-8.0, 1.0], dtype=np.float32)
    assert softmax(logits[:1]).tolist() == [1.0]
    assert softmax(logits[:1], rest=2.5)[0] == pytest.approx(np.exp(-10.5))
    assert softmax(logits, rest=2.5).sum() == pytest.approx(np.exp(-1.5), rel=1e-3)
    many = np.array([3.0, 1.0, 2.0], dtype=np.float32)
    assert softmax(many, rest=2.5).tolist() == pytest.approx(softmax(many).tolist())


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(shipped_model("library-ranker"), tmp_path / "ranker"))


def test_a_ranker_of_other_features_is_refused(copy: Path) -> None:
    config = json.loads((copy / "config.json").read_text(encoding="utf-8"))
    config["features"] = config["features"][:-1]
    (copy / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(RankerError, match=r"other features.*`cite-lsp train library-ranker`"):
        Ranker(copy, FEATURES, recipe="library-ranker")


@pytest.mark.parametrize("broken", [TREES, "config.json"])
def test_a_broken_file_is_named(copy: Path, broken: str) -> None:
    (copy / broken).write_bytes(b"not this")
    with pytest.raises(RankerError, match="cannot be read"):
        Ranker(copy, FEATURES, recipe="library-ranker")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(RankerError, match="nowhere"):
        Ranker(tmp_path / "nowhere", FEATURES, recipe="library-ranker")
