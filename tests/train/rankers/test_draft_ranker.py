"""Recipe `draft-ranker`: from real drafts to a model that the product loads."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.cli import main
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.ranker import Ranker
from cite_lsp.recommend.library.features import FEATURE_INDEX, FEATURES
from cite_lsp.train.rankers import draft_ranker
from cite_lsp.train.rankers.groups import Groups
from cite_lsp.train.run.report import TrainingError

BIBLIOGRAPHY = "\n".join(
    f"@article{{{name}, title = {{The {name} of the shore}}, author = {{Moor, Ada}}, year = 2001}}"
    for name in ("tide", "marsh", "gull", "dune")
)
SENTENCES = r"""The tide rises \cite{tide}. In the marsh it is slow \cite{marsh}.
Every gull nests \cite{gull}. The tide falls again \cite{tide}.
All of them \cite{tide,marsh,gull,dune}. Unknown \cite{reed}.
"""


def draft(folder: Path, name: str) -> list[Path]:
    (folder / name).mkdir()
    (folder / name / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    main = folder / name / "main.tex"
    main.write_text(f"{SENTENCES}\\bibliography{{refs}}\n", encoding="utf-8")
    return [main]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    return tmp_path


def ignored(done: int, total: int) -> None:
    """Nobody looks at the progress."""


def test_each_marker_is_seen_in_place_and_writing_forward(folder: Path) -> None:
    drafts = {"shores": draft(folder, "shores")}
    groups = draft_ranker.make_groups(
        drafts, folder / "parts", seed=1, learning=False, progress=ignored
    )
    assert groups.sizes.tolist() == [4] * 8  # not where all there is is cited, or nothing known
    cited = groups.relevance.reshape(8, 4).argmax(axis=1)
    assert cited.tolist() == [0, 0, 1, 1, 2, 2, 0, 0]
    times = groups.features[:, FEATURE_INDEX["times"]].reshape(8, 4)[:, 0]
    assert times.tolist() == [2, 0, 3, 1, 3, 1, 2, 1]
    assert not np.isnan(groups.features[:, FEATURE_INDEX["near_title"]]).any()


def test_learning_sees_some_markers_without_encoders(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_ranker, "WITHOUT_ENCODER", 1.0)
    drafts = {"shores": draft(folder, "shores")}
    groups = draft_ranker.make_groups(
        drafts, folder / "parts", seed=1, learning=True, progress=ignored
    )
    assert np.isnan(groups.features[:, FEATURE_INDEX["near_title"]]).all()


def test_a_draft_weighs_the_root_of_its_markers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = {name: draft(folder, name) for name in ("long", "short")}
    short = drafts["short"][0]
    short.write_text(short.read_text(encoding="utf-8").replace(r"\cite{gull}", ""))
    short.write_text(short.read_text(encoding="utf-8").replace(r"\cite{tide}", ""))
    groups = draft_ranker.make_groups(
        drafts, folder / "parts", seed=1, learning=False, progress=ignored
    )
    assert groups.weights is not None
    by_group = groups.weights[np.cumsum(groups.sizes) - 1]
    assert by_group.tolist() == pytest.approx([8**-0.5] * 8 + [2**-0.5] * 2)


def test_an_interrupted_run_goes_on_from_its_parts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = {"shores": draft(folder, "shores")}
    first = draft_ranker.make_groups(
        drafts, folder / "parts", seed=1, learning=True, progress=ignored
    )
    monkeypatch.delattr(draft_ranker, "pool_features")
    again = draft_ranker.make_groups(
        drafts, folder / "parts", seed=1, learning=True, progress=ignored
    )
    np.testing.assert_array_equal(first.features, again.features)


def test_drafts_that_cite_nothing_of_their_own_are_an_error(folder: Path) -> None:
    files = draft(folder, "shores")
    files[0].write_text("Nothing.", encoding="utf-8")
    with pytest.raises(TrainingError, match="no draft cites an entry of its own bibliography"):
        draft_ranker.make_groups(
            {"shores": files}, folder / "parts", seed=1, learning=True, progress=ignored
        )


def made_up(groups: int, seed: int) -> Groups:
    """Return groups in which the paper that is right has the greatest `near_words`."""
    rng = np.random.default_rng(seed)
    features = rng.random((groups * 10, len(FEATURES)), dtype=np.float32)
    near = features[:, FEATURE_INDEX["near_words"]].reshape(groups, 10)
    relevance = (near == near.max(axis=1, keepdims=True)).astype(np.int8).ravel()
    weights = np.ones(len(relevance), dtype=np.float32)
    return Groups(features, relevance, np.full(groups, 10), weights)


def test_a_trained_model_scores_by_both_and_is_one_that_the_product_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lightgbm", reason="needs the train extra")
    pytest.importorskip("onnx", reason="needs the train extra")
    settings = {"min_data_in_leaf": 20, "num_threads": 1, "num_leaves": 7}
    parameters = {**draft_ranker.RANKER.parameters, **settings}
    ranker = evolve(draft_ranker.RANKER, parameters=parameters)
    monkeypatch.setattr(draft_ranker, "RANKER", ranker)
    base = Path(shutil.copytree(shipped_model("library-ranker"), tmp_path / "base"))
    held_out = made_up(40, seed=2)
    config = draft_ranker.train(
        made_up(200, seed=1), held_out, base, tmp_path / "new", {"query_encoder": "own"}, seed=13
    )
    assert config["dev"]["hit@1"] > 0.8  # what the drafts taught, and not the base
    known = json.loads((base / "config.json").read_text(encoding="utf-8"))
    assert config["checkpoint"] == known["checkpoint"] and config["trees"] > known["trees"]
    assert config["query_encoder"] == "own"
    before, after = (
        Ranker(path, FEATURES, recipe="library-ranker").score(held_out.features)
        for path in (base, tmp_path / "new")
    )
    written = json.loads((tmp_path / "new" / "config.json").read_text(encoding="utf-8"))
    assert written == config
    assert not np.allclose(after, before)


def test_a_base_is_not_overwritten_by_what_is_trained_from_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("lightgbm", reason="needs the train extra")
    pytest.importorskip("onnx", reason="needs the train extra")
    draft(folder, "one")
    base = shutil.copytree(shipped_model("library-ranker"), folder / "base")
    words = ["train", "draft-ranker", "--manuscripts", folder / "one", "--base", base]
    assert main([str(word) for word in (*words, "--out", base)]) == 2
    assert "--out: would overwrite --base" in capsys.readouterr().err
