"""The order of the papers that a draft lacks, and the model that makes it."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_text import DraftText
from cite_lsp.recommend.references.evidence import FEATURES
from cite_lsp.recommend.references.ranker import (
    MODEL,
    rank_missing,
    read_ranker,
    shipped_reference_ranker,
)
from tests.recommend.references.conftest import PAPERS, ROW
from tests.recommend.shores import TopicEncoder

TEXT = DraftText("Marsh and tide", year=2006)


def test_the_best_papers_come_first_without_those_cited(
    source: LibraryPapers, graph: CitationGraph
) -> None:
    cited = np.array([ROW["marsh"]])
    ranked = rank_missing(source, TEXT, cited, graph=graph, encoder=TopicEncoder())
    assert ROW["marsh"] not in ranked.rows and ranked.rows[0] == ROW["tide"]
    assert (np.diff(ranked.scores) <= 0).all() and 0 < ranked.scores[-1] < 1
    assert ranked.features.shape == (len(ranked.rows), len(FEATURES))
    assert ranked.feature("cited").tolist() == pytest.approx([np.log(2)] * len(ranked.rows))
    assert len(ranked.near) == 3


def test_no_more_papers_come_than_asked_for_and_allowed(source: LibraryPapers) -> None:
    rank = partial(rank_missing, source, TEXT, encoder=TopicEncoder())
    none: np.ndarray = np.zeros(0, dtype=np.int64)
    allowed = np.zeros(len(PAPERS), dtype=bool)
    allowed[[ROW["gull"], ROW["dune"], ROW["tide"]]] = True
    assert set(rank(none, allowed=allowed).rows) == set(np.flatnonzero(allowed))
    assert len(rank(none, limit=2).rows) == 2


def test_it_ends_when_it_is_cancelled(source: LibraryPapers) -> None:
    with pytest.raises(Cancelled):
        rank_missing(source, TEXT, np.zeros(0, dtype=np.int64), cancelled=lambda: True)


def test_probabilities_rise_with_the_score() -> None:
    ranker = shipped_reference_ranker()
    features = np.random.default_rng(1).random((50, len(FEATURES))).astype(np.float32)
    scores, probabilities = ranker.trees.score(features), ranker.probabilities(features)
    order = np.argsort(scores)
    assert (np.diff(probabilities[order]) >= 0).all() and np.ptp(probabilities) > 0


def test_a_model_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    with pytest.raises(RankerError, match="gone"):
        read_ranker(tmp_path / "gone")
    folder = tmp_path / MODEL
    shutil.copytree(shipped_model(MODEL), folder)
    config = json.loads((folder / "config.json").read_text())
    del config["slope"]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(RankerError, match="cannot be read.*slope"):
        read_ranker(folder)
    config["features"] = ["other"]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(RankerError, match="cite-lsp train reference-ranker"):
        read_ranker(folder)
