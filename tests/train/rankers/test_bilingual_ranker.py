"""The recipe of the trees for Chinese contexts: what it learns from, and that it learns."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.ranker import Ranker
from cite_lsp.recommend.corpus.features_zh import BILINGUAL_FEATURES, BILINGUAL_PLACE
from cite_lsp.recommend.corpus.reranker_zh import BilingualRetrieval, BilingualStage
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.train.rankers import bilingual_ranker as recipe
from cite_lsp.train.rankers.trees import write_card
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.job import ContextSplit
from cite_lsp.translate.translator import DictionaryTranslator
from tests.recommend.corpus.test_reranker_zh import LEXICON, MEANING, BothLanguages

NAMES = ("Darwin", "Doodson", "Lee", "Tinbergen", "Goodfellow", "Pond", "Ekman", "Munk")


def papers() -> list[Paper]:
    rng = random.Random(4)
    return [
        Paper(
            f"p{number}",
            f"A study {number} of the {' and the '.join(rng.sample(sorted(MEANING.values()), 2))}",
            authors=(f"{rng.choice(NAMES)}, A.",),
            year=1990 + number % 30,
        )
        for number in range(80)
    ]


def contexts(count: int, seed: int) -> list[LabelledContext]:
    """Return contexts that name the author and the year of the paper that they cite."""
    rng, rows = random.Random(seed), []
    for number in range(count):
        paper = rng.choice(papers())
        said = [chinese for chinese, english in MEANING.items() if english in paper.title]
        left = f"{paper.authors[0].split(',')[0]}等人（{paper.year}）研究了{'和'.join(said)}"
        context = Context(left=left, right="。", language="zh", section_cited=("p1", "p2"))
        rows.append(
            LabelledContext(f"c{seed}-{number}", f"d{number % 9}", context, (paper.id,), ())
        )
    return rows


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    return build_corpus(tmp_path_factory.mktemp("corpus") / "shores", papers(), BothLanguages())


def test_what_is_learned_ranks_held_out_contexts(corpus: CorpusIndex, tmp_path: Path) -> None:
    pytest.importorskip("lightgbm")
    pytest.importorskip("onnx")
    translator, out = DictionaryTranslator(LEXICON), tmp_path / "bilingual-ranker"
    config = recipe.train(
        ContextSplit(contexts(240, 1), contexts(60, 2)),
        corpus,
        recipe.FeatureModels(BothLanguages(), translator),
        out,
    )
    assert config["dev"]["mrr"] > 0.9  # names and years tell nearly all
    assert json.loads((out / "config.json").read_text()) == config
    assert not (out / "checkpoints").exists()

    stage = BilingualStage(
        BilingualRetrieval(corpus, translator),
        Ranker(out, BILINGUAL_FEATURES, recipe="bilingual-ranker"),
    )
    row = contexts(1, 3)[0]
    ranked = stage.rank(row.context, BothLanguages(), limit=len(corpus))
    assert corpus.paper(ranked[0].row).id == row.cited[0]
    assert sum(paper.score for paper in ranked) == pytest.approx(1, abs=1e-5)

    origin = Origin("shores", "cite-lsp train bilingual-ranker", "a.py")
    write_card(recipe.CARD, out, origin, config, "contexts", gains=10)
    card = (out / "README.md").read_text()
    assert "240 contexts" in card and "| held out |" in card


def test_the_relevant_and_the_best_of_each_order_are_learned_from() -> None:
    matrix = np.random.default_rng(1).random((900, len(BILINGUAL_FEATURES)), dtype=np.float32)
    labels = np.zeros(900, dtype=np.int8)
    labels[[5, 700]] = 1
    chosen = recipe.sample_candidates(matrix, labels, random.Random(1))
    assert {5, 700} <= set(chosen.tolist())
    for name in recipe.HARD_ORDERS:
        assert int(matrix[:, BILINGUAL_PLACE[name]].argmax()) in chosen
    assert len(chosen) <= recipe.NEGATIVES_HARD + recipe.NEGATIVES_RANDOM + 2
    again = recipe.sample_candidates(matrix, labels, random.Random(1))
    np.testing.assert_array_equal(chosen, again)
