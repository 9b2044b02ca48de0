"""The model that ships orders the candidates of a corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.encode.encoder import TokenStates
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.base.ranker import TREES, Ranker, RankerError
from cite_lsp.recommend.corpus import reranker
from cite_lsp.recommend.corpus.candidates import Retrieval
from cite_lsp.recommend.corpus.features import CORPUS_FEATURES, FEATURE_PLACE, EncodedQuery
from cite_lsp.recommend.corpus.late_interaction import LateStage
from cite_lsp.recommend.corpus.ranking import probabilities
from cite_lsp.recommend.corpus.recommender import CorpusRecommender
from cite_lsp.recommend.corpus.reranker import SecondStage, shipped_second_stage
from cite_lsp.recommend.evidence import corpus_precedents
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.evidence.draft_versions import DraftVersions
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.query import encoder_input
from cite_lsp.recommend.query.encoder_input import shipped_query_encoder
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.build import build_corpus
from tests.recommend.evidence.test_draft_precedents import draft
from tests.recommend.shores import (
    CONTEXT,
    SECTION,
    TopicEncoder,
    encoded_query,
    many_papers,
    many_precedents,
)

PAPERS = many_papers()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    return build_corpus(tmp_path_factory.mktemp("corpus") / "shores", PAPERS, TopicEncoder())


@pytest.fixture(scope="module")
def precedents() -> Precedents:
    return many_precedents(PAPERS, TopicEncoder())


def stump(name: str) -> dict[str, object]:
    """Return the dump of one tree that prefers what has more than 0.5 of a feature."""
    split = {
        "split_feature": FEATURE_PLACE[name],
        "threshold": 0.5,
        "decision_type": "<=",
        "missing_type": "NaN",
        "default_left": True,
        "left_child": {"leaf_index": 0, "leaf_value": 0.0},
        "right_child": {"leaf_index": 1, "leaf_value": 1.0},
    }
    return {"tree_info": [{"tree_structure": split}]}


def forget_what_ships() -> None:
    reranker._shipped_ranker.cache_clear()
    corpus_precedents._open_precedents.cache_clear()


@pytest.fixture
def shipped(
    tmp_path: Path, precedents: Precedents, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A folder that stands for the model that ships; its tree goes by `in_section`."""
    pytest.importorskip("onnx", reason="needs the train extra")
    from cite_lsp.train.rankers.trees import save_onnx

    folder = tmp_path / "corpus-ranker"
    save_onnx(stump("in_section"), list(CORPUS_FEATURES), folder / TREES)
    config = {
        "features": CORPUS_FEATURES,
        "temperature": 0.5,
        "checkpoint": precedents.checkpoint,
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    precedents.save(folder / "precedents.safetensors.zst")
    for module in (reranker, corpus_precedents):
        monkeypatch.setattr(module, "shipped_model", lambda name: tmp_path / name)
    monkeypatch.setattr(reranker, "shipped_query_encoder", TopicEncoder)
    forget_what_ships()
    yield folder
    forget_what_ships()


def test_what_ships_ranks_a_corpus_of_its_encoder(corpus: CorpusIndex, shipped: Path) -> None:
    stage = shipped_second_stage(corpus)
    assert isinstance(stage, SecondStage)
    rows, matrix = stage.retrieval.gather(encoded_query(), section=SECTION)
    scores = probabilities(stage.logits(CONTEXT, rows, matrix))
    assert scores.sum() == pytest.approx(1, abs=1e-5)
    best = rows[np.argsort(-scores)[: len(SECTION)]]
    assert set(best.tolist()) == set(SECTION)


def test_versions_of_a_draft_are_one_precedent_which_none_of_them_hears(
    corpus: CorpusIndex, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafts = [draft(20), draft(20, root=Path("before.tex"))]
    drafts.append(draft(30, title="x", root=Path("x.tex")))
    stage = shipped_second_stage(corpus, DraftVersions(drafts))
    assert stage is not None
    left_out: list[int] = []

    def gather(*given: object, without: int, **more: object) -> tuple[None, None]:
        left_out.append(without)
        return None, None

    monkeypatch.setattr(stage.retrieval, "gather", gather)
    for root in ("draft.tex", "before.tex", "x.tex", "y.tex"):
        stage.find(CONTEXT, TopicEncoder(), draft=Path(root))
    first = left_out[0]
    assert first >= 0 and left_out == [first, first, first + 1, -1]


class TellingEncoder(TopicEncoder):
    """Tells how it reads: one word."""

    def reading(self, text: str) -> TokenStates:
        return TokenStates(np.array([1]), np.zeros((1, self.dimensions), dtype=np.float32))


class ByNumber:
    """Scores a title by the number at its end: the others are worse."""

    def scores(self, reading: TokenStates, titles: Sequence[str]) -> NDArray[np.float32]:
        return np.array([float(title.split()[-1]) for title in titles], dtype=np.float32)


def late_stage(first: int, temperature: float = 1.0) -> LateStage:
    return LateStage(ByNumber(), first, 0.1, temperature)  # type: ignore[arg-type]


def rank_with_late_interaction(
    corpus: CorpusIndex, shipped: Path, late: LateStage | None, encoder: TopicEncoder
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    ranker = Ranker(shipped, CORPUS_FEATURES, recipe="corpus-ranker")
    retrieval = Retrieval(corpus, link_precedents(corpus, many_precedents(PAPERS, TopicEncoder())))
    stage = SecondStage(retrieval, ranker, encoder, late=late)
    rows, matrix = stage.find(CONTEXT, encoder, section=SECTION)
    return rows, probabilities(stage.logits(CONTEXT, rows, matrix))


def test_late_interaction_tells_the_first_papers_apart(corpus: CorpusIndex, shipped: Path) -> None:
    rows, before = rank_with_late_interaction(corpus, shipped, None, TellingEncoder())
    _, after = rank_with_late_interaction(corpus, shipped, late_stage(2), TellingEncoder())
    first = np.argsort(-before, kind="stable")[:2]
    assert before[first[0]] == pytest.approx(before[first[1]])  # the tree finds them alike
    numbers = [int(corpus.title(int(row)).split()[-1]) for row in rows[first]]
    apart = np.log(after[first[0]]) - np.log(after[first[1]])
    assert numbers[0] != numbers[1] and apart * (numbers[0] - numbers[1]) > 0
    others = np.setdiff1d(np.arange(len(rows)), first)
    assert np.ptp(np.log(after[others]) - np.log(before[others])) < 1e-4


def test_what_is_compared_has_a_temperature_of_its_own(corpus: CorpusIndex, shipped: Path) -> None:
    _, sharp = rank_with_late_interaction(corpus, shipped, late_stage(30), TellingEncoder())
    _, mild = rank_with_late_interaction(corpus, shipped, late_stage(30, 2.0), TellingEncoder())
    assert np.ptp(np.log(sharp)) == pytest.approx(2 * np.ptp(np.log(mild)), rel=1e-4)


def test_without_a_query_encoder_that_tells_how_it_reads_the_trees_decide(
    corpus: CorpusIndex, shipped: Path
) -> None:
    _, before = rank_with_late_interaction(corpus, shipped, None, TopicEncoder())
    _, after = rank_with_late_interaction(corpus, shipped, late_stage(30), TopicEncoder())
    assert before.tolist() == after.tolist()


def test_no_candidates_are_no_matter_to_late_interaction(
    corpus: CorpusIndex, shipped: Path
) -> None:
    stage = SecondStage(
        Retrieval(corpus),
        Ranker(shipped, CORPUS_FEATURES, recipe="corpus-ranker"),
        TellingEncoder(),
        late=late_stage(30),
    )
    nothing = np.zeros((0, len(CORPUS_FEATURES)), dtype=np.float32)
    assert probabilities(stage.logits(CONTEXT, np.zeros(0, dtype=np.int64), nothing)).shape == (0,)


def test_the_default_ranks_by_what_ships(corpus: CorpusIndex, shipped: Path) -> None:
    recommender = CorpusRecommender(corpus, TopicEncoder())
    recommender.prepare()
    candidates = recommender.rank(CONTEXT, cited=SECTION, limit=5)
    assert {candidate.row for candidate in candidates[:3]} == set(SECTION) and len(candidates) == 5
    assert [candidate.score for candidate in candidates] == sorted(
        (candidate.score for candidate in candidates), reverse=True
    )
    assert all(candidate.citations >= 0 for candidate in candidates)


def test_the_default_may_be_bounded_too(corpus: CorpusIndex, shipped: Path) -> None:
    allowed = corpus.years <= 2000
    candidates = CorpusRecommender(corpus, TopicEncoder()).rank(
        CONTEXT, allowed=allowed, cited=SECTION
    )
    assert candidates and all(allowed[candidate.row] for candidate in candidates)
    nothing = np.zeros(len(corpus), dtype=bool)
    assert CorpusRecommender(corpus, TopicEncoder()).rank(CONTEXT, allowed=nothing) == []


def test_a_draft_without_a_year_is_written_now(
    corpus: CorpusIndex, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    years = []
    gather = Retrieval.gather

    def remember(self: Retrieval, query: EncodedQuery, **more: object) -> object:
        years.append(query.year)
        return gather(self, query, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Retrieval, "gather", remember)
    recommender = CorpusRecommender(corpus, TopicEncoder())
    recommender.rank(CONTEXT)
    recommender.rank(Context(left="A tide", right=""))
    assert years[0] == 2005 and years[1] is not None and years[1] > 2024


def test_who_cites_a_paper_is_a_reason_for_it(corpus: CorpusIndex, shipped: Path) -> None:
    recommender = CorpusRecommender(corpus, TopicEncoder())
    ranked = {candidate.row: candidate for candidate in recommender.rank(CONTEXT)}
    with_reason = 0
    for row, candidate in ranked.items():
        (explained,) = recommender.reasons.explained([candidate], CONTEXT)
        reasons = {reason.kind: reason for reason in explained.reasons}
        assert ("cited-by" in reasons) == (candidate.citations >= 3)
        if "cited-by" in reasons:
            with_reason += 1
            assert reasons["cited-by"].value == pytest.approx(candidate.citations)
        assert row == candidate.row
    assert 0 < with_reason < len(ranked)


def test_a_corpus_of_another_encoder_is_ranked_as_fused(tmp_path: Path, shipped: Path) -> None:
    other = TopicEncoder("topics-2")
    corpus = build_corpus(tmp_path / "other", PAPERS, other)
    assert shipped_second_stage(corpus) is None
    default, fused = (
        CorpusRecommender(corpus, other, system=system).rank(CONTEXT, cited=SECTION)
        for system in ("default", "fused")
    )
    assert [(candidate.row, candidate.score) for candidate in default] == [
        (candidate.row, candidate.score) for candidate in fused
    ]
    assert all(np.isnan(candidate.citations) for candidate in default)


def test_an_encoder_that_did_not_embed_the_corpus_does_not_rank_it_by_what_is_learned(
    corpus: CorpusIndex, shipped: Path
) -> None:
    candidates = CorpusRecommender(corpus, TopicEncoder("topics-2")).rank(CONTEXT)
    fused = CorpusRecommender(corpus, TopicEncoder("topics-2"), system="fused").rank(CONTEXT)
    assert [candidate.row for candidate in candidates] == [candidate.row for candidate in fused]
    assert candidates[0].score == fused[0].score


@pytest.mark.parametrize("name", ["precedents.safetensors.zst", TREES])
def test_a_broken_file_of_what_ships_is_one_clear_error(
    corpus: CorpusIndex, shipped: Path, name: str
) -> None:
    (shipped / name).write_bytes(b"not this")
    with pytest.raises(RankerError, match=r"cannot be read.*reinstall cite-lsp") as caught:
        shipped_second_stage(corpus)
    assert str(shipped) in str(caught.value)


def test_a_query_encoder_that_is_not_there_is_one_clear_error(
    corpus: CorpusIndex, shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reranker, "shipped_query_encoder", shipped_query_encoder)
    monkeypatch.setattr(encoder_input, "shipped_model", lambda name: shipped / name)
    with pytest.raises(RankerError, match="query-encoder"):
        shipped_second_stage(corpus)


def test_the_model_of_this_version_reads_the_features_of_this_version() -> None:
    folder = shipped_model("corpus-ranker")
    if not folder.is_dir():
        pytest.skip("model_zoo/corpus-ranker is not here")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    precedents = Precedents.open(folder / "precedents.safetensors.zst")
    ranker = Ranker(folder, CORPUS_FEATURES, recipe="corpus-ranker")
    width = precedents.arrays["vectors"].shape[1]
    assert shipped_query_encoder().dimensions == width
    assert config["query_encoder"] == shipped_query_encoder().fingerprint
    assert config["checkpoint"] == precedents.checkpoint
    assert config["precedents"]["papers"] == len(precedents)
    assert (np.diff(precedents.papers.astype(np.int64)) != 0).all()
    rng = np.random.default_rng(1)
    matrix = rng.random((8, len(CORPUS_FEATURES)), dtype=np.float32)
    matrix[:, FEATURE_PLACE["profile"]] = np.nan
    scores = ranker.score(matrix)
    assert np.isfinite(scores).all() and len(set(scores.tolist())) > 1


def test_the_only_paper_of_a_corpus_is_not_likely_for_being_alone(tmp_path: Path) -> None:
    encoder = CachedEncoder(load_encoder(), on_disk=False)
    paper = Paper("t", "The Growth of Tidal Marshes", "Sediment settles between reeds.", year=2001)
    corpus = build_corpus(tmp_path / "one", [paper], encoder)
    recommender = CorpusRecommender(corpus, encoder)
    sentences = (
        "Tidal marshes grow where sediment settles between the reeds.",
        "Older word vectors had nothing to say about a missing term.",
    )
    scores = [
        {
            recommendation.paper.id: recommendation.score
            for recommendation in recommender.recommend(Context(said, "", said))
        }.get("t", 0.0)
        for said in sentences
    ]
    assert scores[1] < 0.02 < 0.1 < scores[0]
