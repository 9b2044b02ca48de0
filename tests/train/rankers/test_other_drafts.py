"""Recipe `other-drafts`: how much what a writer cited before weighs."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.corpus.contexts import LabelledContext, context_from_record
from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.ranker import read_weights
from cite_lsp.recommend.evidence.other_drafts import FEATURES
from cite_lsp.recommend.query.encoder_input import shipped_query_encoder
from cite_lsp.train.rankers import other_drafts
from cite_lsp.train.rankers.encoders import DraftEncoders
from cite_lsp.train.rankers.evidence_weights import (
    MarkerQuestion,
    figures,
    fit,
    with_feature,
    write,
    write_card,
)
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.report import TrainingError

THINGS = "tide marsh gull dune reed silt crab eel salt fog moor fen otter heron kelp bay".split()


def document(name: str, author: str, year: int, said: dict[str, str]) -> list[LabelledContext]:
    """Return a document that cites papers, each beside some words."""
    return [
        context_from_record(
            {
                "context_id": f"{name}-{place}",
                "citing_id": name,
                "citing_title": f"Notes {name}",
                "year": year,
                "left": f"{words} as it was found",
                "right": "before.",
                "cited": [cited],
                "section_title": "Shores",
            }
        )
        for place, (cited, words) in enumerate(said.items())
    ]


def draft_encoders() -> DraftEncoders:
    encoder = CachedEncoder(load_encoder(), on_disk=False)
    return DraftEncoders(encoder, shipped_query_encoder())


@pytest.fixture(scope="module")
def writers() -> tuple[list[LabelledContext], list[LabelledContext], dict[str, Paper]]:
    """Writers who cite in the same odd words what they cited in them before."""
    rng = random.Random(7)
    papers = {
        f"p{number}": Paper(f"p{number}", f"Studies number {number}", year=2000)
        for number in range(60)
    }
    before: list[LabelledContext] = []
    now: list[LabelledContext] = []
    for writer in range(6):
        names = rng.sample(sorted(papers), 12)
        words = {name: " ".join(rng.sample(THINGS, 4)) for name in names}
        for kind, rows, year, own in (("a", before, 2010, names), ("b", now, 2012, names[:9])):
            name = f"{kind}{writer}"
            papers[name] = Paper(
                name, f"Notes {name}", authors=(f"Writer{writer}, Ada",), year=year
            )
            rows += document(
                name, f"Writer{writer}, Ada", year, {name: words[name] for name in own}
            )
    return before, now, papers


@pytest.fixture(scope="module")
def questions(
    writers: tuple[list[LabelledContext], list[LabelledContext], dict[str, Paper]],
) -> list[MarkerQuestion]:
    before, now, papers = writers
    encoders = draft_encoders()
    return other_drafts.rank_markers(now, encoders, others=[*before, *now], papers=papers, seed=13)


def test_writers_who_repeat_themselves_teach_that_the_words_count(
    questions: list[MarkerQuestion],
) -> None:
    assert {question.draft for question in questions} == {f"b{number}" for number in range(6)}
    weights = dict(zip(FEATURES, fit(questions), strict=True))
    assert weights["alike"] > 1
    nothing, learned = (
        figures(questions, question) for question in (np.zeros(3, dtype=np.float32), fit(questions))
    )
    assert learned["mrr"] > nothing["mrr"] + 0.05
    assert len(with_feature(questions, FEATURES.index("cited"))) == len(questions)


def test_what_is_written_is_what_the_product_reads(
    tmp_path: Path, questions: list[MarkerQuestion]
) -> None:
    weights = fit(questions)
    config = write(tmp_path, other_drafts.WEIGHTS, questions, questions, 13)
    assert read_weights(tmp_path, FEATURES) == pytest.approx(weights, abs=1e-4)
    assert json.loads((tmp_path / "config.json").read_text(encoding="utf-8")) == config
    origin = Origin("made up", "cite-lsp train", "a.py")
    write_card(tmp_path, origin, config, other_drafts.WEIGHTS)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert f"| alike | {config['weights']['alike']:.2f} |" in card
    assert "cited in another draft" in card and "{" not in card


def test_later_documents_and_those_of_others_are_no_earlier_drafts(
    writers: tuple[list[LabelledContext], list[LabelledContext], dict[str, Paper]],
) -> None:
    before, now, papers = writers
    encoders = draft_encoders()
    with pytest.raises(TrainingError, match="no document has an earlier one"):
        other_drafts.rank_markers(before, encoders, others=[*before, *now], papers=papers, seed=1)


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("Byron, Ada", "byron a"),
        ("Ada Byron", "byron a"),
        ("Gödel", "godel"),
        ("A. Byron", "byron a"),
    ],
)
def test_one_writer_is_known_by_family_name_and_initial(name: str, author: str) -> None:
    rows = document("d", name, 2000, {"p": "words"})
    assert other_drafts.first_author(rows, {"d": Paper("d", "D", authors=(name,))}) == author
    assert other_drafts.first_author(rows, {}) is None
