"""The writer's own drafts as precedents of a corpus."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.manuscript import Context
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.recommend.corpus.reranker import SecondStage
from cite_lsp.recommend.evidence.corpus_citations import with_own_references
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.evidence.draft_versions import with_drafts
from cite_lsp.recommend.evidence.other_drafts import CitingDraft
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext, CitingDocument
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.update import update_corpus
from cite_lsp.search.vectors.precision import encoded
from cite_lsp.search.words.hashes import long_hash
from cite_lsp.search.words.tokens import tokenise
from tests.recommend.shores import TopicEncoder, many_papers, many_precedents

PAPERS = many_papers()
SAID = ("the gull and the tide in fog", "a dune of salt")


def draft(*cited: int, said: tuple[str, ...] = SAID, **more: object) -> CitingDraft:
    """Return a draft that cites one of some papers at each of its places."""
    encoder = TopicEncoder()
    values = {
        "title": "A draft on gulls",
        "papers": tuple(PAPERS[number] for number in cited),
        "cites": tuple(np.array([number]) for number in range(len(cited))),
        "words": (),
        "vectors": encoder.encode(said),
        "encoder_fingerprint": encoder.fingerprint,
        "near": tuple(
            np.array([long_hash(word) for word in tokenise(text)], dtype=np.uint64) for text in said
        ),
        "root": Path("draft.tex"),
        "year": 2004,
    }
    return CitingDraft(**{**values, **more})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    folder = tmp_path_factory.mktemp("corpus") / "shores"
    return update_corpus(folder, Sources(["a"], lambda name: PAPERS), TopicEncoder())


@pytest.fixture(scope="module")
def shipped() -> Precedents:
    return many_precedents(PAPERS, TopicEncoder())


def said_by(precedents: Precedents, said: str, **more: object) -> dict[int, dict[str, float]]:
    """Return what is said for each paper, by its title key."""
    placed = TopicEncoder().encode([said])[0]
    evidence = precedents.evidence(placed, said, **more)  # type: ignore[arg-type]
    names = ("alike", "alike_words", "contexts", "citations", "profile")
    return {
        int(key): {name: float(getattr(evidence, name)[place]) for name in names}
        for place, key in enumerate(precedents.papers)
    }


def test_drafts_count_as_documents_that_were_there_from_the_beginning(
    shipped: Precedents,
) -> None:
    joined = with_drafts(shipped, [draft(20, 41)], "topics-1")
    keys = [title_key(PAPERS[number]) for number in (20, 41)]
    assert len(joined.documents) == len(shipped.documents) + 1
    assert joined.contexts == shipped.contexts + 2
    before, after = (said_by(precedents, "gull tide fog") for precedents in (shipped, joined))
    features = after[keys[0]]
    nothing = dict.fromkeys(features, 0.0)
    assert features["citations"] == before.get(keys[0], nothing)["citations"] + 1
    assert features["contexts"] == before.get(keys[0], nothing)["contexts"] + 1
    assert features["alike"] > 0.99 and features["alike_words"] > 0
    for key, said in before.items():
        if key not in keys:
            assert after[key] == pytest.approx(said), key


def test_words_weigh_as_they_do_among_all_contexts() -> None:
    encoder = TopicEncoder()
    said = ["gull fog", "tide salt", "dune reed fog", "marsh"]
    documents = [CitingDocument(number, 2000, (number + 10,)) for number in range(4)]
    contexts = [CitingContext(number, text, (number + 10,)) for number, text in enumerate(said)]
    placed = encoder.encode(said)
    base = Precedents.build(documents, contexts, placed, checkpoint="topics-1")
    more = [
        evolve(context, document=0, near=[long_hash(word) for word in tokenise(str(context.near))])
        for context in contexts[:1]
    ]
    joined = base.joined([CitingDocument(9, 2000, (10,))], more, placed[:1])
    once, twice = said_by(base, "fog gull"), said_by(joined, "fog gull")
    assert twice[10]["alike_words"] == pytest.approx(once[10]["alike_words"])
    assert twice[10]["contexts"] == 2


def test_a_draft_is_not_its_own_witness(shipped: Precedents) -> None:
    joined = with_drafts(shipped, [draft(20, 41)], "topics-1")
    before = said_by(shipped, "gull tide fog")
    own = len(shipped.documents)
    after = said_by(joined, "gull tide fog", without=own)
    for key, said in before.items():
        assert after[key] == pytest.approx(said, abs=1e-5)
    assert (
        after[title_key(PAPERS[41])].get("contexts", 0)
        == before.get(title_key(PAPERS[41]), {"contexts": 0})["contexts"]
    )


def test_of_places_put_by_another_encoder_it_is_known_whom_they_cite(shipped: Precedents) -> None:
    joined = with_drafts(shipped, [draft(20, 41, encoder_fingerprint="topics-0")], "topics-1")
    assert joined.contexts == shipped.contexts
    key = title_key(PAPERS[20])
    before, after = (said_by(precedents, "gull") for precedents in (shipped, joined))
    assert after[key]["citations"] == before.get(key, {"citations": 0})["citations"] + 1


def test_beside_a_corpus_with_references_of_its_own(shipped: Precedents) -> None:
    extended = shipped.extended(
        np.array([5], dtype=np.uint64),
        np.array([2000], dtype=np.int32),
        np.array([0, 2]),
        np.array([title_key(PAPERS[50]), 77], dtype=np.uint64),
    )
    joined = with_drafts(extended, [draft(50, 41)], "topics-1")
    key = title_key(PAPERS[50])
    assert (
        said_by(joined, "gull")[key]["citations"] == said_by(extended, "gull")[key]["citations"] + 1
    )
    assert joined.contexts == shipped.contexts + 2


def test_the_draft_title_makes_it_a_document_on_a_subject(
    corpus: CorpusIndex, shipped: Precedents
) -> None:
    precedents = with_own_references(shipped, corpus)
    joined = with_drafts(precedents, [draft(20, 41)], "topics-1")
    titles = TopicEncoder().encode(["A draft on gulls"])
    known, plain = link_precedents(corpus, joined, titles), link_precedents(corpus, joined)
    assert known is not None and plain is not None
    assert known.titles[-1].tolist() == encoded(titles, "i8")[0].tolist()
    assert known.titles[-1].any() and not plain.titles[-1].any()
    assert (known.titles[:-1] == plain.titles[:-1]).all()


def test_a_stage_leaves_out_the_draft_that_asks(
    corpus: CorpusIndex, shipped: Precedents, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents_left_out: list[object] = []

    class Retrieval:
        def window_scores(self, query: object) -> None:
            return None

        def gather(self, *given: object, without: int, **more: object) -> tuple[None, None]:
            documents_left_out.append(without)
            return None, None

    encoder = TopicEncoder()
    stage = SecondStage(Retrieval(), None, encoder, {Path("a.tex"): 7})  # type: ignore[arg-type]
    for root in (Path("a.tex"), Path("b.tex"), None):
        stage.find(Context("", ""), encoder, draft=root)
    assert documents_left_out == [7, -1, -1]


def test_a_corpus_is_ranked_anew_when_there_are_other_drafts(tmp_path: Path) -> None:
    encoder = TopicEncoder()
    update_corpus(tmp_path / "shores", Sources(["a"], lambda name: PAPERS), encoder)
    corpora = Corpora(root=tmp_path, load_encoder=lambda name: encoder)
    drafts = (draft(20, 41),)
    recommenders = []
    for given in ((), (), drafts, drafts, (draft(20, 41),)):
        corpora.prepare(encoder, given)
        (corpus,) = corpora.opened()
        assert corpus.drafts is given
        recommenders.append(corpus.recommender)
    same = [recommender is other for recommender, other in itertools.pairwise(recommenders)]
    assert same == [True, False, True, False]
