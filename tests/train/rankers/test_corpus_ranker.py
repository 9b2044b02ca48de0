"""Recipe `corpus-ranker`: from contexts to precedents and trees that rank a corpus."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

from cite_lsp.corpus.citing_sentences import CitingSentence
from cite_lsp.corpus.contexts import LabelledContext, context_from_record
from cite_lsp.corpus.edges import Edge
from cite_lsp.encode import Vectors
from cite_lsp.paper import Paper, surname
from cite_lsp.recommend.base.ranker import TREES, Ranker
from cite_lsp.recommend.corpus import reranker
from cite_lsp.recommend.corpus.candidates import Retrieval
from cite_lsp.recommend.corpus.features import (
    CORPUS_FEATURES,
    FEATURE_PLACE,
    PRECEDENT_FEATURES,
    EncodedQuery,
)
from cite_lsp.recommend.corpus.recommender import CorpusRecommender
from cite_lsp.recommend.evidence import corpus_precedents
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.storage.array_folder import places_in
from cite_lsp.train.rankers import corpus_ranker
from cite_lsp.train.rankers.corpus_ranker import Encoders, Material, PlacedContext
from cite_lsp.train.rankers.groups import Groups, compute_groups
from cite_lsp.train.rankers.learned_precedents import make_precedents
from cite_lsp.train.rankers.trees import write_card
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.report import TrainingError
from tests.stand_in_encoders import WORDS, WordEncoder

ORIGIN = Origin("made-up shores", "cite-lsp train x", "a.py")
WRITTEN = {
    "precedents.safetensors.zst",
    TREES,
    "config.json",
    "README.md",
}


PAPERS = {
    f"p{number}": Paper(
        f"p{number}",
        f"The {word} and the {other}",
        f"On {word}.",
        (f"Ada {other}",),
        1990 + number % 20,
    )
    for number, (word, other) in enumerate(
        (word, other) for word in WORDS for other in WORDS if word < other
    )
}


def made_up(documents: int, seed: int) -> list[LabelledContext]:
    """Return the markers of documents that cite papers by words of their titles."""
    rng = random.Random(seed)
    rows = []
    for number in range(documents):
        cited = rng.sample(sorted(PAPERS), 10)
        title = f"A {rng.choice(WORDS)} year"
        for place, name in enumerate(cited):
            words = PAPERS[name].title.lower().split()
            record = {
                "context_id": f"{seed}-{number}-{place}",
                "citing_id": f"{seed}-{number}",
                "citing_title": title,
                "left": f"It was shown for {words[1]} near",
                "right": f"{words[4]} in spring.",
                "section_title": "Shores",
                "cited": [name],
                "cited_abs": [name],
                "section_cited": [other for other in cited if other != name],
                "section_cited_before": cited[:place],
                "year": 2012,
                "source": "open" if number % 2 else "closed",
            }
            rows.append(context_from_record(record))
    return rows


LEARN, CHECK = made_up(12, seed=1), made_up(5, seed=2)
EDGES = [Edge("1-0", "p3"), Edge("elsewhere", "p4"), Edge("elsewhere", "unknown")]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    folder = tmp_path_factory.mktemp("corpus") / "shores"
    return build_corpus(folder, PAPERS.values(), WordEncoder())


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("lightgbm", "onnx", "torch"):
        pytest.importorskip(package, reason="needs the train extra")
    settings = {"min_data_in_leaf": 5, "num_threads": 1, "num_leaves": 7, "max_bin": 31}
    parameters = {**corpus_ranker.RANKER.parameters, **settings}
    fewer = evolve(corpus_ranker.RANKER, parameters=parameters, rounds=12)
    monkeypatch.setattr(corpus_ranker, "RANKER", fewer)
    monkeypatch.setattr("cite_lsp.train.rankers.groups.WRITTEN_AT_ONCE", 25)


@frozen
class Allowed:
    """Who may be recommended: all. Counts the questions, and breaks off after some if told to."""

    corpus: CorpusIndex
    queried: list[str]
    most: int | None = None

    def __call__(self, row: LabelledContext) -> np.ndarray:
        if self.most is not None and len(self.queried) >= self.most:
            raise KeyboardInterrupt
        self.queried.append(row.context_id)
        return np.ones(len(self.corpus), dtype=bool)


def held_out(rows: Sequence[LabelledContext]) -> dict[str, Vectors]:
    vectors = WordEncoder().encode([query_text(row.context) for row in rows])
    return {row.context_id: vector for row, vector in zip(rows, vectors, strict=True)}


def train(
    corpus: CorpusIndex,
    out: Path,
    allowed: Allowed | None = None,
    rows: Sequence[LabelledContext] = LEARN,
    **more: Any,  # noqa: ANN401 - handed on
) -> dict[str, Any]:
    own = {name: more.pop(name) for name in ("quoted", "sentences") if name in more}
    return corpus_ranker.train(
        Material(rows, CHECK, EDGES, allowed or Allowed(corpus, []), **own),
        corpus,
        Encoders(WordEncoder(), WordEncoder(), held_out(rows)),
        out,
        **more,
    )


def test_what_is_trained_is_what_the_product_ranks_with(
    corpus: CorpusIndex, tmp_path: Path, few_trees: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "corpus-ranker"
    stages: list[tuple[str, int, int]] = []
    config = train(corpus, out, progress=lambda *stage: stages.append(stage))
    write_card(corpus_ranker.CARD, out, ORIGIN, config, "contexts", gains=10)

    assert {path.name for path in out.iterdir() if path.is_file()} == WRITTEN
    written = json.loads((out / "config.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(config))
    assert tuple(written["features"]) == CORPUS_FEATURES
    assert (written["train_groups"], written["dev_groups"]) == (len(LEARN), len(CHECK))
    assert written["checkpoint"] == "words-1" and written["papers"] == len(PAPERS)
    assert 1 <= written["trees"] <= 12 and 0.1 <= written["temperature"] <= 10
    assert sum(written["gain"].values()) == pytest.approx(1, abs=0.01)
    assert written["dev"]["hit@1"] > 0.5  # the words of the title stand in the sentence
    assert ("train contexts", len(LEARN), len(LEARN)) in stages
    assert stages[-1] == ("dev contexts", len(CHECK), len(CHECK))

    precedents = Precedents.open(out / "precedents.safetensors.zst")
    assert len(precedents.documents) == 13 == written["precedents"]["documents"]
    assert precedents.contexts == len(LEARN)
    Ranker(out, CORPUS_FEATURES, recipe="corpus-ranker")

    for module in (reranker, corpus_precedents):
        monkeypatch.setattr(module, "shipped_model", lambda name: tmp_path / name)
    monkeypatch.setattr(reranker, "shipped_query_encoder", WordEncoder)
    recommender = CorpusRecommender(corpus, WordEncoder())
    hits = []
    for row in CHECK:
        cited = [corpus.row_of[name] for name in row.context.section_cited_before]
        ranked = recommender.rank(row.context, cited=cited)
        hits.append(corpus.paper(ranked[0].row).id in row.cited)
        assert np.isfinite(ranked[0].citations)  # what is learned has ranked it
    assert np.mean(hits) > 0.5


def test_the_card_tells_what_was_made_of_what(
    corpus: CorpusIndex, tmp_path: Path, few_trees: None
) -> None:
    config = train(corpus, tmp_path)
    write_card(corpus_ranker.CARD, tmp_path, ORIGIN, config, "contexts", gains=10)
    card = (tmp_path / "README.md").read_text(encoding="utf-8")
    for said in ("made-up shores", "`cite-lsp train x`", "seed 13", "| held out |", "120 citation"):
        assert said in card
    for name in WRITTEN - {"README.md"}:
        assert f"| `{name}` | {(tmp_path / name).stat().st_size:,} |" in card


@pytest.mark.parametrize("most", [0, 60, 140])  # before, amid learning, amid checking
def test_an_interrupted_training_goes_on_to_the_same_end(
    corpus: CorpusIndex,
    tmp_path: Path,
    few_trees: None,
    most: int,
) -> None:
    with pytest.raises(KeyboardInterrupt):
        train(corpus, tmp_path / "broken", Allowed(corpus, [], most))
    again = Allowed(corpus, [])
    resumed = train(corpus, tmp_path / "broken", again)
    written = most // 25 * 25 if most < len(LEARN) else len(LEARN)
    assert again.queried == [row.context_id for row in (*LEARN, *CHECK)][written:]
    assert resumed == train(corpus, tmp_path / "whole")
    for name in WRITTEN - {"README.md"}:
        assert (tmp_path / "broken" / name).read_bytes() == (
            tmp_path / "whole" / name
        ).read_bytes(), name


def test_words_that_may_not_be_quoted_are_not_stored(
    corpus: CorpusIndex, tmp_path: Path, few_trees: None
) -> None:
    config = train(corpus, tmp_path, quoted=lambda row: row.source == "open")
    precedents = Precedents.open(tmp_path / "precedents.safetensors.zst")
    assert precedents.contexts == len(LEARN) // 2 == config["precedents"]["contexts"]
    assert len(precedents.documents) == 13  # who cites whom is known of all


def test_sentences_of_other_documents_are_quoted_too(
    corpus: CorpusIndex, tmp_path: Path, few_trees: None
) -> None:
    paper = PAPERS["p3"]
    marker = f"({surname(paper.authors[0])}, {paper.year})"
    sentences = [
        CitingSentence("elsewhere", ("p3",), f"Salt fog, as was seen {marker}, lies low."),
        CitingSentence("nowhere", ("p3",), f"Fog comes {marker} with gulls."),
        CitingSentence(LEARN[0].citing_id, ("p3",), f"It was read already {marker}."),
        CitingSentence(CHECK[0].citing_id, ("p3",), f"It will be asked {marker}."),
    ]
    config = train(corpus, tmp_path, quoted=lambda row: False, sentences=sentences)
    assert config["precedents"]["contexts"] == 2
    precedents = Precedents.open(tmp_path / "precedents.safetensors.zst")
    assert len(precedents.documents) == 14  # the first is known by an edge already
    place = int(places_in(precedents.papers, np.array([title_key(paper)], np.uint64))[0])
    query = WordEncoder().encode(["salt fog"])[0]
    witness = precedents.evidence(query, "salt fog")
    assert witness.contexts[place] == 2 and witness.alike_words[place] > 0
    assert witness.alike[place] > 0.9  # where the query encoder puts the sentence


def test_contexts_that_cite_none_of_the_papers_are_an_error(
    corpus: CorpusIndex, tmp_path: Path, few_trees: None
) -> None:
    strangers = [evolve(row, cited=("x",), cited_abs=("x",)) for row in LEARN]
    with pytest.raises(TrainingError, match="check that ids are the same"):
        train(corpus, tmp_path, rows=strangers)


def test_a_missing_package_is_reported_before_the_work_begins(
    corpus: CorpusIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "lightgbm", None)
    with pytest.raises(TrainingError, match=r"needs lightgbm .*run `.*\[train\]"):
        train(corpus, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def precedents_of(
    rows: Sequence[LabelledContext], papers: dict[str, Paper]
) -> tuple[Precedents, dict[str, int]]:
    return make_precedents(rows, EDGES, papers, held_out(rows), quoting=rows, checkpoint="words-1")


def test_precedents_know_documents_by_their_paper_or_their_title() -> None:
    paper = Paper("1-0", "Another title", "", ("Ada Moor",), 1999)
    precedents, numbers = precedents_of(LEARN, PAPERS | {"1-0": paper})
    assert set(numbers) == {row.citing_id for row in LEARN} | {"elsewhere"}
    keys = precedents.documents.tolist()
    assert keys[numbers["1-0"]] == title_key(paper)
    title = next(row.context.title for row in LEARN if row.citing_id == "1-1")
    assert keys[numbers["1-1"]] == title_key(Paper("", title))
    assert keys[numbers["elsewhere"]] == 0
    assert precedents.years.tolist() == [2012] * 12 + [0]


def test_precedents_hold_what_contexts_and_edges_cite() -> None:
    precedents, numbers = precedents_of(LEARN, PAPERS)
    cited = {row.citing_id: set[str]() for row in LEARN} | {"elsewhere": {"p4"}}
    for row in LEARN:
        cited[row.citing_id].update(row.cited)
    cited["1-0"].add("p3")
    starts = precedents.arrays["cites_starts"]
    for name, number in numbers.items():
        places = precedents.arrays["cites"][starts[number] : starts[number + 1]]
        cited_papers = sorted(precedents.papers[places].tolist())
        assert cited_papers == sorted(title_key(PAPERS[paper]) for paper in cited[name])


def test_precedents_lie_where_encoders_put_them_that_had_not_seen_them() -> None:
    rng = np.random.default_rng(1)
    places = {row.context_id: rng.normal(size=len(WORDS)).astype(np.float32) for row in LEARN}
    quoting = [row for row in LEARN if row.source == "open"]
    gathered, _ = make_precedents(LEARN, [], PAPERS, places, quoting=quoting, checkpoint="words-1")
    expected = np.stack([places[row.context_id] for row in quoting])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    lying = np.asarray(gathered.arrays["vectors"], np.float32) / 127
    np.testing.assert_allclose(lying, expected, atol=5e-3)


def test_a_context_that_the_query_encoder_was_not_trained_with_is_an_error(
    corpus: CorpusIndex, tmp_path: Path, few_trees: None
) -> None:
    known = held_out(LEARN[3:])
    with pytest.raises(TrainingError, match=r"context 1-0-0 and 2 others.*same --contexts"):
        corpus_ranker.train(
            Material(LEARN, CHECK, EDGES, Allowed(corpus, [])),
            corpus,
            Encoders(WordEncoder(), WordEncoder(), known),
            tmp_path,
        )


def test_what_is_learned_from_is_placed_by_encoders_that_had_not_seen_it(
    corpus: CorpusIndex, tmp_path: Path, few_trees: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Vectors | None] = {}
    gather = Retrieval.gather

    def remember(self: Retrieval, query: EncodedQuery, **more: Any) -> Any:  # noqa: ANN401
        seen[f"{query.windows.near} {query.year} {len(seen)}"] = query.vector
        return gather(self, query, **more)

    monkeypatch.setattr(Retrieval, "gather", remember)
    train(corpus, tmp_path)
    expected = [*held_out(LEARN).values(), *held_out(CHECK).values()]
    for placed, wanted in zip(seen.values(), expected, strict=True):
        np.testing.assert_array_equal(placed, wanted)


def groups(corpus: CorpusIndex, out: Path, *, learning: bool, seed: int = 13) -> Groups:
    precedents, numbers = precedents_of(LEARN, PAPERS)
    placed = held_out(LEARN)
    titles = WordEncoder().encode([row.context.title for row in LEARN])
    tasks = [
        PlacedContext(row, placed[row.context_id], title, numbers[row.citing_id])
        for row, title in zip(LEARN, titles, strict=True)
    ]
    retrieval = Retrieval(corpus, link_precedents(corpus, precedents))
    return compute_groups(
        tasks,
        partial(corpus_ranker.group_of, retrieval, Allowed(corpus, []), seed, learning),
        len(CORPUS_FEATURES),
        out,
        lambda done, total: None,
    )


def test_every_group_has_an_answer_and_something_to_tell_it_from(
    corpus: CorpusIndex, tmp_path: Path
) -> None:
    gathered = groups(corpus, tmp_path, learning=True)
    assert gathered.sizes.sum() == len(gathered.features) == len(gathered.relevance)
    for part in np.split(gathered.relevance, np.cumsum(gathered.sizes)[:-1]):
        assert 0 < part.sum() < len(part)


def test_all_that_a_context_finds_is_learned_from(corpus: CorpusIndex, tmp_path: Path) -> None:
    """The trees are asked about all candidates: none of them may be new to them."""
    checked = groups(corpus, tmp_path, learning=False)
    precedents, numbers = precedents_of(LEARN, PAPERS)
    retrieval = Retrieval(corpus, link_precedents(corpus, precedents))
    for number, row in enumerate(LEARN[:15]):
        title = WordEncoder().encode([row.context.title])[0]
        query = EncodedQuery(
            read_query(row.context), row.year, held_out([row])[row.context_id], title
        )
        section = [corpus.row_of[name] for name in row.context.section_cited_before]
        document = numbers[row.citing_id]
        _, matrix = retrieval.gather(query, section=section, without=document)
        start = int(checked.sizes[:number].sum())
        features = checked.features[start : start + checked.sizes[number]]
        np.testing.assert_array_equal(features, matrix)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_some_contexts_are_learned_from_without_precedents_and_none_checked_so(
    corpus: CorpusIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    monkeypatch.setattr(corpus_ranker, "WITHOUT_PRECEDENTS", share)
    for learning in (True, False):
        gathered = groups(corpus, tmp_path / str(learning), learning=learning)
        for name in PRECEDENT_FEATURES:
            missing = np.isnan(gathered.features[:, FEATURE_PLACE[name]])
            assert missing.all() == missing.any() == (learning and share == 1.0)


def test_sections_are_seen_empty_as_far_as_written_and_whole(
    corpus: CorpusIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {"none": [0] * 10, "before": list(range(10)), "all": [9] * 10}
    for protocol, sizes in expected.items():
        monkeypatch.setattr(corpus_ranker, "PROTOCOLS", {protocol: 1.0})
        gathered = groups(corpus, tmp_path / protocol, learning=True)
        firsts = np.concatenate([[0], np.cumsum(gathered.sizes)[:-1]])
        cited = gathered.features[firsts, FEATURE_PLACE["section_papers"]]
        assert cited.tolist() == sizes * 12
