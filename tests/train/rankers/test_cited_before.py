"""Recipe `cited-before`: how much it weighs how others cited the papers of a library."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.ranker import read_weights
from cite_lsp.recommend.evidence.cited_before import FEATURES
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext, CitingDocument
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.query.encoder_input import query_text_at, shipped_query_encoder
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.train.rankers import cited_before
from cite_lsp.train.rankers.encoders import DraftEncoders
from cite_lsp.train.rankers.evidence_weights import MarkerQuestion, figures, fit, write, write_card
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.report import TrainingError
from tests.train.rankers.test_other_drafts import THINGS, document

PAPERS = {
    f"p{number}": Paper(f"p{number}", f"Studies number {number}", year=2000) for number in range(30)
}
RNG = random.Random(7)
WORDS = {name: " ".join(RNG.sample(THINGS, 4)) for name in PAPERS}
"""In which words everybody cites each of the papers; their titles say nothing."""


def drafts(count: int) -> list[LabelledContext]:
    """Return documents that cite each paper in the words in which everybody does."""
    rows = []
    for number in range(count):
        names = RNG.sample(sorted(PAPERS), 10)
        rows += document(f"d{number}", "Ada", 2010, {name: WORDS[name] for name in names})
    return rows


def draft_encoders() -> DraftEncoders:
    encoder = CachedEncoder(load_encoder(), on_disk=False)
    return DraftEncoders(encoder, shipped_query_encoder())


@pytest.fixture(scope="module")
def precedents() -> Precedents:
    contexts = [
        CitingContext(0, f"{words} as it was found", (title_key(PAPERS[name]),))
        for name, words in WORDS.items()
    ]
    keys = tuple(title_key(paper) for paper in PAPERS.values())
    said = [query_text_at(f"{words} as it was found", ".", "") for words in WORDS.values()]
    placed = shipped_query_encoder().encode(said)
    return Precedents.build([CitingDocument(1, 2000, keys)], contexts, placed, checkpoint="any")


@pytest.fixture(scope="module")
def questions(precedents: Precedents) -> list[MarkerQuestion]:
    encoders = draft_encoders()
    return cited_before.rank_markers(
        drafts(8), encoders, papers=PAPERS, precedents=precedents, seed=13
    )


def test_where_everybody_cites_in_the_same_words_the_words_count(
    questions: list[MarkerQuestion],
) -> None:
    weights = fit(questions)
    named = dict(zip(FEATURES, weights, strict=True))
    assert named["wording"] > 0 < named["alike_new"]
    nothing, learned = (figures(questions, own) for own in (np.zeros_like(weights), weights))
    assert learned["mrr"] > nothing["mrr"] + 0.05
    assert learned["markers"] == len(questions) > 40


def test_what_is_written_is_what_the_product_reads(
    tmp_path: Path, questions: list[MarkerQuestion]
) -> None:
    config = write(tmp_path, cited_before.WEIGHTS, questions, questions, 13)
    assert read_weights(tmp_path, FEATURES) == pytest.approx(fit(questions), abs=1e-4)
    assert json.loads((tmp_path / "config.json").read_text(encoding="utf-8")) == config
    assert config["dev"]["cited at a known place"]["with"]["markers"] == len(questions)
    origin = Origin("made up", "cite-lsp train", "a.py")
    write_card(tmp_path, origin, config, cited_before.WEIGHTS)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert f"| alike_new | {config['weights']['alike_new']:.2f} |" in card
    assert "It holds 6 numbers" in card and "{" not in card


def test_without_questions_there_are_no_figures(
    tmp_path: Path, questions: list[MarkerQuestion]
) -> None:
    unknown = [
        evolve(question, seen=evolve(question.seen, columns=np.zeros_like(question.seen.columns)))
        for question in questions
    ]
    config = write(tmp_path, cited_before.WEIGHTS, questions, unknown, 13)
    assert list(config["dev"]) == ["all"]
    assert "NaN" not in (tmp_path / "config.json").read_text(encoding="utf-8")


def test_documents_that_make_no_library_are_one_clear_error(precedents: Precedents) -> None:
    encoders = draft_encoders()
    few = document("d", "Ada", 2010, {name: WORDS[name] for name in list(PAPERS)[:3]})
    with pytest.raises(TrainingError, match="no document cites 8 of the papers"):
        cited_before.rank_markers(few, encoders, papers=PAPERS, precedents=precedents, seed=13)
