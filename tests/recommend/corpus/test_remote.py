"""Remote corpora in recommendations: ranked as on disk, never waited for longer than agreed."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cite_lsp.encode.encoder import Encoder
from cite_lsp.library import Library, parse_bibliography
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus import recommender, reranker_zh
from cite_lsp.recommend.corpus import remote as remote_corpus
from cite_lsp.recommend.corpus.candidates import Retrieval
from cite_lsp.recommend.corpus.features import EncodedQuery
from cite_lsp.recommend.corpus.features_zh import BILINGUAL_PLACE
from cite_lsp.recommend.corpus.keys import CorpusKeys
from cite_lsp.recommend.corpus.merge import CorpusMerger, CorpusQuery
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.recommend.corpus.remote import RemoteCorpus
from cite_lsp.recommend.corpus.remote_candidates import RemoteRetrieval, find_precedents
from cite_lsp.recommend.corpus.reranker import CorpusModels
from cite_lsp.recommend.corpus.reranker_zh import BilingualRetrieval, BilingualStage
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.query.encoder_input import query_text
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.search.milvus.corpus import MilvusCorpus
from cite_lsp.search.milvus.schema import paper_number
from cite_lsp.search.remote.address import RemoteAccess, RemoteAddress, RemoteError, read_address
from cite_lsp.search.remote.circuit_breaker import CircuitBreaker
from cite_lsp.search.remote.fetched_corpus import FetchedCorpus
from cite_lsp.translate.lexicon import Lexicon
from cite_lsp.translate.translator import DictionaryTranslator
from tests.recommend.shores import TOPICS, TopicEncoder, many_papers, many_precedents
from tests.search.milvus_corpus import SECONDS, on_disk, opened, written

pytest.importorskip("pymilvus", reason="needs the milvus extra")
pytest.importorskip("milvus_lite", reason="needs Milvus Lite")

PAPERS = many_papers()
SECTION = [PAPERS[row] for row in (3, 17, 30)]
CONTEXT = Context(
    left="Of the tide and the marsh", right="a study tells.", title="A gull study", year=2005
)
OTHER = Context(left="Walking the dune", right="is a gull study.", title="Reed", year=2011)
LIBRARY = Library(
    (
        parse_bibliography(
            "@article{a, title={Own}, author={Moor, Ann}, year=1999}\n", Path("a.bib")
        ),
    )
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> RemoteAddress:
    folder = tmp_path_factory.mktemp("milvus")
    address = read_address(f"milvus+file://{folder}/papers.db/shores")
    written(address, folder, PAPERS)
    return address


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    folder = tmp_path_factory.mktemp("corpus") / "shores"
    return on_disk(folder, PAPERS)


@pytest.fixture
def remote(address: RemoteAddress) -> RemoteCorpus:
    corpus = reaching(address)
    corpus.prepare()
    assert corpus.ready
    return corpus


def reaching(
    address: RemoteAddress, *, wait: float = SECONDS, breaker: CircuitBreaker | None = None
) -> RemoteCorpus:
    return RemoteCorpus(address, RemoteAccess(), fitting, wait=wait, breaker=breaker)


def fitting(name: str, checkpoint: str) -> Encoder:
    return TopicEncoder(checkpoint)


def ids(recommendations: Sequence[Any]) -> list[str]:
    return [recommendation.paper.id for recommendation in recommendations]


def test_features_of_fetched_papers_are_those_that_they_have_on_disk(
    address: RemoteAddress, local: CorpusIndex
) -> None:
    corpus, encoder = opened(address), TopicEncoder()
    precedents = many_precedents(PAPERS, encoder)
    query = read_query(CONTEXT)
    placed, title = encoder.encode([query_text(CONTEXT), CONTEXT.title])
    encoded = EncodedQuery(query, CONTEXT.year, placed, title)
    rows = [local.row_of[paper.id] for paper in SECTION]
    on_disk = Retrieval(local, link_precedents(local, precedents))
    expected_rows, expected = on_disk.gather(encoded, section=rows)
    with ThreadPoolExecutor(2) as executor:
        known = find_precedents(corpus, precedents, timeout=SECONDS)
        learned = CorpusModels(None, encoder, precedents)  # type: ignore[arg-type]  # asked for no scores
        retrieval = RemoteRetrieval(corpus, encoder, learned, known, executor, SECONDS)
        everything = [paper_number(paper.id) for paper in PAPERS]
        fetched = FetchedCorpus(
            corpus.manifest, corpus.fetch(everything, timeout=SECONDS), corpus.statistics
        )
        stage = retrieval.stage(fetched)
        assert stage is not None
        section = fetched.rows([paper_number(paper.id) for paper in SECTION])
        there, features = stage.retrieval.gather(encoded, section=section)
    row_of = {fetched.paper(row).id: place for place, row in enumerate(there)}
    assert set(row_of) == {local.paper(row).id for row in expected_rows}
    places = [row_of[local.paper(row).id] for row in expected_rows]
    np.testing.assert_allclose(features[places], expected, rtol=2e-3, atol=2e-3)
    corpus.close()


def test_what_the_context_is_about_comes_first_with_reasons(remote: RemoteCorpus) -> None:
    recommendations = remote.recommend(CONTEXT, "", limit=10, cited=SECTION)
    assert len(recommendations) == 10
    assert {recommendation.corpus for recommendation in recommendations} == {"shores"}
    best = recommendations[0].paper
    assert "tide" in best.title or "marsh" in best.title
    assert any(reason.kind == "sentence" for reason in recommendations[0].reasons)


def test_chinese_contexts_are_searched_by_what_they_mean_and_ranked_by_their_own_trees(
    address: RemoteAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Nearest:
        """Stands for the trees."""

        checkpoint = "topics-1"

        def logits(self, matrix: np.ndarray) -> np.ndarray:
            return matrix[:, BILINGUAL_PLACE["translated_near"]]

    nearest: Any = Nearest()
    corpus, encoder = opened(address), TopicEncoder()
    translator = DictionaryTranslator(Lexicon({"沙丘": "dune\t1000"}, frozenset(), "small"))
    monkeypatch.setattr(reranker_zh, "shipped_translator", lambda: translator)
    monkeypatch.setattr(reranker_zh, "shipped_chinese_query_encoder", TopicEncoder)
    monkeypatch.setattr(
        recommender,
        "shipped_bilingual_stage",
        lambda view: BilingualStage(BilingualRetrieval(view, translator, encoder), nearest),
    )
    precedents = many_precedents(PAPERS, encoder)
    context = Context(left="关于沙丘", right="的研究。", language="zh")
    with ThreadPoolExecutor(2) as executor:
        known = find_precedents(corpus, precedents, timeout=SECONDS)
        learned = CorpusModels(None, encoder, precedents)  # type: ignore[arg-type]  # asked for no scores
        retrieval = RemoteRetrieval(corpus, encoder, learned, known, executor, SECONDS)
        ranked = retrieval.rank(context, [])
    best = [ranked.corpus.paper(candidate.row).title for candidate in ranked.candidates[:5]]
    assert all(set(title.split()) & set(TOPICS) == {"dune"} for title in best[:1])
    assert all("dune" in title for title in best)
    corpus.close()


def test_an_encoder_that_does_not_fit_leaves_the_words(address: RemoteAddress) -> None:
    remote = RemoteCorpus(address, RemoteAccess(), lambda name, checkpoint: None, wait=SECONDS)
    remote.prepare()
    recommendations = remote.recommend(CONTEXT, "", limit=5)
    assert recommendations
    assert all(
        reason.kind != "sentence"
        for recommendation in recommendations
        for reason in recommendation.reasons
    )


def test_typed_words_narrow_the_list_and_find_more(remote: RemoteCorpus) -> None:
    recommendations = remote.recommend(CONTEXT, "gul", limit=60)
    assert recommendations
    assert all("gull" in recommendation.paper.title for recommendation in recommendations)
    assert ids(remote.recommend(CONTEXT, "study 7", limit=60))[0] == "p7"


def test_a_pasted_number_finds_its_paper_alone(tmp_path: Path) -> None:
    address = read_address(f"milvus+file://{tmp_path}/papers.db/shores")
    named = Paper("n", "A name of its own", "", ("Moor, Ann",), 2001, doi="10.1000/Tide.1")
    written(address, tmp_path, [*PAPERS, named])
    corpus = reaching(address)
    corpus.prepare()
    for typed in ("10.1000/tide.1", "https://doi.org/10.1000/tide.1"):
        assert ids(corpus.recommend(CONTEXT, typed, limit=10)) == ["n"]
    assert [paper.id for paper in corpus.with_words("doi:10.1000/tide.1")] == ["n"]
    assert not corpus.recommend(CONTEXT, "10.1000/tide.2", limit=10)


def test_words_find_papers_the_newest_first(remote: RemoteCorpus) -> None:
    papers = remote.with_words("tide study")
    assert papers
    assert all("tide" in paper.title for paper in papers)
    years = [paper.year or 0 for paper in papers]
    assert years == sorted(years, reverse=True)


def test_only_numbers_and_weights_leave_the_machine(
    address: RemoteAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pymilvus import MilvusClient

    sent: list[str] = []
    for name in ("search", "query"):
        original = getattr(MilvusClient, name)

        def recorded(self: object, *a: object, original: Any = original, **o: object) -> object:  # noqa: ANN401
            sent.append(f"{a} {o}")
            return original(self, *a, **o)

        monkeypatch.setattr(MilvusClient, name, recorded)
    secret = Context(left="Our unpublished tide finding", right="at Ystad", title="Confidential")
    remote = reaching(address)
    remote.prepare()
    assert remote.recommend(secret, "tide", limit=5, cited=SECTION)
    sent_text = " ".join(sent).lower()
    assert "vector" in sent_text
    for word in ("unpublished", "finding", "ystad", "confidential"):
        assert word not in sent_text


def test_a_late_answer_is_there_for_the_next_letter(
    remote: RemoteCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, answered = threading.Event(), threading.Event()
    fetch = MilvusCorpus.fetch

    def slow(self: MilvusCorpus, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        gate.wait(SECONDS)
        result = fetch(self, *arguments, **options)
        answered.set()
        return result

    monkeypatch.setattr(MilvusCorpus, "fetch", slow)
    monkeypatch.setattr(remote, "_wait", 0.01)
    assert remote.recommend(OTHER, "", limit=5) == ()
    gate.set()
    assert answered.wait(SECONDS)
    monkeypatch.setattr(remote, "_wait", SECONDS)
    assert len(remote.recommend(OTHER, "", limit=5)) == 5


def test_papers_with_the_typed_words_are_there_where_the_ranking_is_late(
    remote: RemoteCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = remote.with_words("tide study", 5)
    gate, nearest = threading.Event(), MilvusCorpus.nearest

    def slow(self: MilvusCorpus, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        gate.wait(SECONDS)
        return nearest(self, *arguments, **options)

    monkeypatch.setattr(MilvusCorpus, "nearest", slow)
    monkeypatch.setattr(remote, "_wait", 0.5)
    context = Context(left="A marsh that no list has ranked yet", right="")
    recommendations = remote.recommend(context, "tide study", limit=5)
    gate.set()
    assert [recommendation.paper for recommendation in recommendations] == expected


def test_a_query_is_sent_once(remote: RemoteCorpus, monkeypatch: pytest.MonkeyPatch) -> None:
    first = remote.recommend(OTHER, "", limit=5)
    monkeypatch.setattr(MilvusCorpus, "nearest", failing)
    assert remote.recommend(OTHER, "", limit=5) == first


def test_after_failures_nobody_asks_until_the_pause_is_over(
    address: RemoteAddress, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [0.0]
    breaker = CircuitBreaker(failures=2, first_pause=10, clock=lambda: now[0])
    remote = reaching(address, breaker=breaker)
    remote.prepare()
    with monkeypatch.context() as patch:
        patch.setattr(MilvusCorpus, "nearest", failing)
        for number in range(4):
            context = Context(left=f"Tide number {number}", right="")
            assert remote.recommend(context, "", limit=5) == ()
    assert not breaker.closed
    assert len([line for line in caplog.messages if "offered meanwhile" in line]) == 1
    assert remote.recommend(CONTEXT, "", limit=5) == ()
    now[0] = 10.0
    remote.begin(CONTEXT, ())  # the one attempt; nobody waits for how it ends
    for future in list(remote._pending.values()):
        future.result(SECONDS)
    assert breaker.closed
    assert len(remote.recommend(CONTEXT, "", limit=5)) == 5


def test_a_look_at_a_new_build_that_is_answered_ends_the_pause(
    address: RemoteAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    breaker = CircuitBreaker(failures=1, first_pause=10, clock=lambda: now[0])
    remote = reaching(address, breaker=breaker)
    remote.prepare()
    breaker.failed()
    now[0] = 10.0
    monkeypatch.setattr(remote_corpus, "_SECONDS_BETWEEN_CHECKS", 0.0)
    remote.prepare()  # the one attempt; it finds nothing new
    assert breaker.closed


def test_an_opening_that_fails_in_any_way_is_reported_once_and_waits_for_the_pause(
    address: RemoteAddress, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fitted, closed = [], []

    def broken(name: str, checkpoint: str) -> Encoder:
        fitted.append(name)
        raise MemoryError("no room for the encoder")

    monkeypatch.setattr(MilvusCorpus, "close", lambda self: closed.append(self))
    breaker = CircuitBreaker(failures=1, first_pause=10, clock=lambda: 0.0)
    remote = RemoteCorpus(address, RemoteAccess(), broken, wait=SECONDS, breaker=breaker)
    for _ in range(3):
        remote.prepare()
    assert len(fitted) == len(closed) == 1
    warnings = [line for line in caplog.messages if "offered meanwhile" in line]
    assert len(warnings) == 1 and "no room for the encoder" in warnings[0]


def test_a_query_from_before_a_new_build_is_answered(
    remote: RemoteCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, asking, nearest = threading.Event(), threading.Event(), MilvusCorpus.nearest
    closed = threading.Event()

    def slow(self: MilvusCorpus, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        asking.set()
        gate.wait(SECONDS)
        assert not closed.is_set()
        return nearest(self, *arguments, **options)

    monkeypatch.setattr(MilvusCorpus, "nearest", slow)
    monkeypatch.setattr(MilvusCorpus, "changed", lambda self, timeout: True)
    monkeypatch.setattr(MilvusCorpus, "close", lambda self: closed.set())
    monkeypatch.setattr(remote_corpus, "_SECONDS_BETWEEN_CHECKS", 0.0)
    before = remote._open
    context = Context(left="A marsh that was asked about just before", right="")
    _, question = remote._request_ranking(context, ())
    assert question is not None and asking.wait(SECONDS)
    monkeypatch.setattr(remote, "_wait", 0.01)
    ends = time.monotonic() + SECONDS
    while remote._open is before and time.monotonic() < ends:
        remote.prepare()
    assert not closed.wait(0.2)
    gate.set()
    assert question.result(SECONDS) is not None
    assert closed.wait(SECONDS)
    monkeypatch.setattr(remote, "_wait", SECONDS)
    _, again = remote._request_ranking(context, ())
    assert again is not None  # what the build before said is not taken for what this one says


def failing(self: MilvusCorpus, *arguments: object, **options: object) -> object:
    raise RemoteError("milvus: the server does not answer")


@pytest.fixture
def silent_server() -> Iterator[RemoteAddress]:
    """A server that takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield read_address(f"milvus+http://127.0.0.1:{server.getsockname()[1]}/shores")


def test_a_silent_server_costs_no_paper_of_this_machine(
    silent_server: RemoteAddress, tmp_path: Path
) -> None:
    build_corpus(tmp_path / "here", PAPERS[:10], TopicEncoder())
    names = ["here", f"milvus+{silent_server.uri}/shores"]
    corpora = Corpora(names, root=tmp_path, load_encoder=TopicEncoder, wait=0.01)
    merger = CorpusMerger(corpora, CorpusKeys(corpora))
    merger.prepare(LIBRARY, [], TopicEncoder())
    recommendations = merger.join(CorpusQuery(LIBRARY, Path("d.tex"), CONTEXT), (), limit=5)
    assert len(recommendations) == 5
    assert {recommendation.corpus for recommendation in recommendations} == {"here"}
    assert corpora.names() == ("here",)


def test_papers_of_both_machines_stand_in_one_list_each_once(
    address: RemoteAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    build_corpus(tmp_path / "here", PAPERS[:20], TopicEncoder())
    names = ["*", f"milvus+file://{address.uri}/shores"]
    corpora = Corpora(names, root=tmp_path, load_encoder=TopicEncoder, wait=SECONDS)
    merger = CorpusMerger(corpora, CorpusKeys(corpora))
    merger.prepare(LIBRARY, [], TopicEncoder())
    assert corpora.names() == ("here", "shores")
    recommendations = merger.join(CorpusQuery(LIBRARY, Path("d.tex"), CONTEXT), (), limit=40)
    assert {recommendation.corpus for recommendation in recommendations} == {"here", "shores"}
    assert (
        len({title_key(recommendation.paper) for recommendation in recommendations})
        == len(recommendations)
        == 40
    )
    named = merger.search("study 45", [LIBRARY], 5)
    assert [(paper.paper.id, paper.corpus, paper.line) for paper in named] == [("p45", "shores", 0)]
    assert PAPERS[45].title in named[0].path.read_text(encoding="utf-8")
    assert len(merger.search("study", [LIBRARY], 5)) == 5
    assert len(list(named[0].path.parent.iterdir())) == 1  # only what is shown is written


def test_an_address_that_is_none_is_reported_and_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    corpora = Corpora(["milvus+https://host"], root=tmp_path, load_encoder=TopicEncoder)
    corpora.prepare(None)
    assert corpora.remote() == ()
    assert "names no collection" in caplog.text


def test_the_pause_between_looks_at_a_new_build_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = read_address(f"milvus+file://{tmp_path}/papers.db/shores")
    written(address, tmp_path, [Paper("t1", "Tide tables of the north")])
    remote = reaching(address)
    remote.prepare()
    assert ids(remote.recommend(CONTEXT, "", limit=5)) == ["t1"]
    written(address, tmp_path, [Paper("t2", "Tide tables of the south")])
    monkeypatch.setattr(remote_corpus, "_SECONDS_BETWEEN_CHECKS", 0.0)
    remote.prepare()
    monkeypatch.undo()
    assert set(ids(remote.recommend(CONTEXT, "", limit=5))) == {"t1", "t2"}


def counting_closings(monkeypatch: pytest.MonkeyPatch) -> list[MilvusCorpus]:
    """Return a list that the connections are noted in that are closed from now on."""
    closed: list[MilvusCorpus] = []
    close = MilvusCorpus.close

    def noting(corpus: MilvusCorpus) -> None:
        closed.append(corpus)
        close(corpus)

    monkeypatch.setattr(MilvusCorpus, "close", noting)
    return closed


def test_a_closed_corpus_lets_go_of_the_server_and_answers_nothing(
    address: RemoteAddress, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    closed, corpus = counting_closings(monkeypatch), reaching(address)
    corpus.prepare()
    assert corpus.ready and corpus.recommend(CONTEXT, "", limit=5)
    corpus.close()
    corpus.close()
    assert len(closed) == 1
    corpus.prepare()
    assert not corpus.ready
    assert corpus.recommend(OTHER, "tide", limit=5) == () and corpus.with_words("tide") == []
    assert not caplog.records


def test_a_corpus_that_is_reached_after_it_was_closed_is_let_go_of(
    address: RemoteAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, corpus = counting_closings(monkeypatch), reaching(address, wait=0.0)
    reached, release = threading.Event(), threading.Event()
    open_corpus = MilvusCorpus.open

    def slowly(there: RemoteAddress, access: RemoteAccess, *, timeout: float) -> MilvusCorpus:
        reached.set()
        release.wait(60)
        return open_corpus(there, access, timeout=timeout)

    monkeypatch.setattr(MilvusCorpus, "open", slowly)
    corpus.prepare()
    assert reached.wait(60)
    corpus.close()
    release.set()
    opening = corpus._opening
    assert opening is not None
    opening.result(60)
    assert len(closed) == 1 and not corpus.ready
