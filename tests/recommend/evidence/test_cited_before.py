"""How others cited the papers of a library before counts where the library is ranked."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.corpus.citations import CitationContext, PaperCitations, SourceItem
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.evidence import cited_before, corpus_citations
from cite_lsp.recommend.evidence.cited_before import (
    FEATURES,
    CitedBefore,
    CitedBeforeCache,
    shipped_weights,
    title_keys,
)
from cite_lsp.recommend.evidence.corpus_citations import encode_contexts, with_own_references
from cite_lsp.recommend.evidence.corpus_precedents import shipped_precedents
from cite_lsp.recommend.evidence.other_drafts import USUAL_COSINE
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext, CitingDocument
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.library.citation_history import DraftHistory
from cite_lsp.recommend.library.recommender import Recommender
from cite_lsp.recommend.query.encoder_input import query_text_at, shipped_query_encoder
from cite_lsp.recommend.query.query import Query, read_query
from cite_lsp.recommend.wording import describe
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.corpus.view import CorpusView
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.update import update_corpus
from tests.recommend.conftest import PAPERS
from tests.recommend.shores import TopicEncoder

SAID = "what nests on the ledges of the harbour wall in a wet spring"
KEY = {paper.id: title_key(paper) for paper in PAPERS}
BLEU = Paper(
    "bleu",
    "Bleu: a Method for Automatic Evaluation of Machine Translation",
    authors=("Kishore Papineni",),
)


def precedents(*contexts: tuple[int, str, tuple[str, ...]], checkpoint: str = "") -> Precedents:
    """Return what documents 0, 1, … cite: in which words, and which papers of the library."""
    count = max(number for number, *_ in contexts) + 1
    cited: list[list[int]] = [[] for _ in range(count)]
    for number, _, names in contexts:
        cited[number] += [KEY[name] for name in names]
    documents = [
        CitingDocument(title_key(Paper("", f"Document {number}")), 2000, tuple(dict.fromkeys(keys)))
        for number, keys in enumerate(cited)
    ]
    quoted = [
        CitingContext(number, text, tuple(KEY[name] for name in names))
        for number, text, names in contexts
        if text
    ]
    encoded = shipped_query_encoder().encode(
        [query_text_at(f"{paper.near} ", ".", "") for paper in quoted]
    )
    return Precedents.build(documents, quoted, encoded, checkpoint=checkpoint)


def features_of(
    evidence: CitedBefore,
    context: Context,
    pool: Pool,
    *,
    encoded: bool = True,
    times: tuple[float, ...] = (0.0,) * len(PAPERS),
) -> dict[str, dict[str, float]]:
    """Return the features of each paper by their names."""
    query_vector = shipped_query_encoder().encode(
        [query_text_at(context.left, context.right, context.title)]
    )[0]
    query: Query = read_query(context)
    matrix = evidence.features(
        context, query, pool, query_vector if encoded else None, np.array(times, dtype=np.float32)
    )
    return {
        name: dict(zip(FEATURES, row.tolist(), strict=True))
        for name, row in zip(pool.names, matrix, strict=True)
    }


def test_a_paper_that_others_cite_at_such_a_place_has_features_and_others_have_none(
    pool: Pool,
) -> None:
    known = precedents(
        (0, SAID, ("gulls",)), (1, "a parser is trained on trees", ("gulls", "parsing"))
    )
    evidence = CitedBefore(known, title_keys(pool.papers))
    assert len(evidence) == 2
    features = features_of(evidence, Context(f"{SAID} ", ".", SAID), pool)
    gulls, parsing = features["gulls"], features["parsing"]
    assert gulls["alike"] == pytest.approx(1.0 - USUAL_COSINE, abs=0.01)
    assert gulls["contexts"] == pytest.approx(math.log1p(2))
    assert parsing["contexts"] == pytest.approx(math.log1p(1))
    assert gulls["alike"] > parsing["alike"] + 0.3 and gulls["wording"] > parsing["wording"]
    assert gulls["sense"] == pytest.approx(
        (1 + math.exp((parsing["alike"] + USUAL_COSINE - 1) / 0.1)) / math.sqrt(2 + 5), rel=0.06
    )
    for stranger in ("transformer", "marsh", "vectors"):
        assert not any(features[stranger].values())


def test_a_place_is_looked_up_anew_once_it_is_translated(pool: Pool) -> None:
    known, keys = precedents((0, SAID, ("gulls",))), title_keys(pool.papers)
    chinese = Context("春天的港口墙上", "。", "春天的港口墙上。", language="zh")
    translated = evolve(chinese, translation="on the ledges of the harbour wall in a wet spring")
    evidence = CitedBefore(known, keys)
    before = features_of(evidence, chinese, pool)
    after = features_of(evidence, translated, pool)
    assert after["gulls"]["wording"] > before["gulls"]["wording"]
    assert after == features_of(CitedBefore(known, keys), translated, pool)


def test_what_the_draft_cites_already_is_not_new(pool: Pool) -> None:
    evidence = CitedBefore(precedents((0, SAID, ("gulls", "marsh"))), title_keys(pool.papers))
    times = tuple(float(name == "marsh") for name in pool.names)
    features = features_of(evidence, Context(f"{SAID} ", ".", SAID), pool, times=times)
    assert features["gulls"]["alike_new"] == features["gulls"]["alike"] > 0
    assert features["marsh"]["alike_new"] == 0.0 < features["marsh"]["alike"]


def test_what_is_cited_beside_what_the_section_cites_is_known(pool: Pool) -> None:
    known = precedents((0, "", ("gulls", "marsh")), (1, "", ("parsing", "vectors")))
    evidence = CitedBefore(known, title_keys(pool.papers))
    features = features_of(
        evidence, Context("Then ", ".", "Then .", section_cited=("gulls",)), pool
    )
    assert features["marsh"]["together"] == pytest.approx(
        math.log1p(1 / math.log(2 + 2)) / math.sqrt(1 + 5)
    )
    assert features["parsing"]["together"] == features["gulls"]["together"] == 0.0
    assert features["marsh"]["alike"] == features["marsh"]["contexts"] == 0.0


def test_without_an_encoder_words_and_company_still_count(pool: Pool) -> None:
    evidence = CitedBefore(precedents((0, SAID, ("gulls",))), title_keys(pool.papers))
    features = features_of(evidence, Context(f"{SAID} ", ".", SAID), pool, encoded=False)["gulls"]
    assert features["alike"] == features["alike_new"] == features["sense"] == 0.0
    assert features["wording"] > 0 and features["contexts"] > 0


def test_the_weights_of_the_features_are_added_and_the_reason_is_given(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    evidence = CitedBefore(precedents((0, SAID, ("gulls",))), title_keys(embedded.papers))
    context = Context(f"{SAID} ", ".", SAID)
    query_encoder = shipped_query_encoder()
    plain = Recommender(embedded, Encoders(encoder, query_encoder))
    recommender = Recommender(
        embedded,
        Encoders(encoder, query_encoder, query_encoder),
        history=DraftHistory(cited_before=evidence),
    )
    without, with_it = (
        {paper.key: paper.score for paper in each.recommend(context)}
        for each in (plain, recommender)
    )
    odds = with_it["gulls"] / with_it["marsh"] / (without["gulls"] / without["marsh"])
    features = np.array([*features_of(evidence, context, embedded)["gulls"].values()])
    assert np.log(odds) == pytest.approx(float(features @ shipped_weights()), abs=1e-3)
    assert odds > 2
    first = next(paper for paper in recommender.recommend(context) if paper.key == "gulls")
    assert "others cite it in similar passages" in describe(first)
    others = [paper for paper in recommender.recommend(context) if paper.key != "gulls"]
    assert not any("by others" in describe(paper) for paper in others)


def test_a_marker_is_observed_with_what_others_cite(embedded: Pool, encoder: CachedEncoder) -> None:
    evidence = CitedBefore(precedents((0, SAID, ("gulls",))), title_keys(embedded.papers))
    context = Context(f"{SAID} ", ".", SAID)
    query_encoder = shipped_query_encoder()
    recommender = Recommender(
        embedded,
        Encoders(encoder, query_encoder, query_encoder),
        history=DraftHistory(cited_before=evidence),
    )
    seen = recommender.observe(context, ["gulls"])
    ranking = recommender.rank(context)
    assert seen.right[int(np.argmax(seen.logits))] == (
        embedded.names[int(ranking.rows[0])] == "gulls"
    )
    plain = Recommender(embedded, Encoders(encoder, query_encoder)).observe(context, ["gulls"])
    assert (seen.logits - plain.logits)[seen.right] > 0.5


def test_a_library_that_precedents_do_not_know_costs_nothing(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never() -> Precedents:
        raise AssertionError("read for nothing")

    monkeypatch.setattr(cited_before, "shipped_precedents", never)
    cache = CitedBeforeCache()
    cache.update(pool, "any", "any")
    assert cache.of(pool) is None


def test_precedents_of_other_vectors_are_not_used(pool: Pool) -> None:
    shipped = shipped_precedents()
    assert title_key(BLEU) in shipped.papers
    for checkpoint, is_known in ((shipped.checkpoint, True), ("another", False)):
        some, cache = Pool([BLEU, *PAPERS]), CitedBeforeCache()
        cache.update(some, checkpoint, shipped_query_encoder().fingerprint)
        assert (cache.of(some) is not None) == is_known


@pytest.fixture
def corpus(tmp_path: Path) -> CorpusIndex:
    """A corpus whose sources say in which words its papers cite two of the library."""
    citing = Paper("citing", "Ledges and Walls", year=2001)
    marsh, gulls = PAPERS[1], PAPERS[4]
    cites = PaperCitations("id citing", (f"id {gulls.id}",), (CitationContext(SAID, "."),))
    and_more = PaperCitations(
        "id citing", (f"id {marsh.id}",), (CitationContext("mud settles", "."),)
    )
    folder = tmp_path / "corpora" / "birds"
    records: list[SourceItem] = [citing, marsh, gulls, cites, and_more]
    return update_corpus(folder, Sources(["a"], lambda name: records), TopicEncoder())


def test_the_corpora_of_the_writer_say_how_their_papers_are_cited(
    pool: Pool, corpus: CorpusIndex
) -> None:
    placing = shipped_query_encoder()
    encode_contexts(corpus, placing, lambda *step: None)
    cache = CitedBeforeCache()
    cache.update(pool, shipped_precedents().checkpoint, placing.fingerprint, [corpus])
    evidence = cache.of(pool)
    assert evidence is not None and len(evidence) == 2
    features = features_of(evidence, Context(f"{SAID} ", ".", SAID), pool)
    assert features["gulls"]["alike"] > 0.5 > features["marsh"]["alike"]
    assert not any(features["parsing"].values())
    cache.update(pool, shipped_precedents().checkpoint, placing.fingerprint, [corpus])
    assert cache.of(pool) is evidence
    cache.update(pool, shipped_precedents().checkpoint, placing.fingerprint)
    assert cache.of(pool) is None


def test_what_corpora_cite_is_read_once_for_all_libraries(
    pool: Pool, corpus: CorpusIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[CorpusView] = []

    def counted(precedents: Precedents, corpus: CorpusView, encoder_fingerprint: str) -> Precedents:
        read.append(corpus)
        return with_own_references(precedents, corpus, encoder_fingerprint)

    monkeypatch.setattr(cited_before, "with_own_references", counted)
    cache, another = CitedBeforeCache(), Pool([*PAPERS, Paper("new", "One More")])
    for library in (pool, another):
        cache.update(library, shipped_precedents().checkpoint, "any", [corpus])
        evidence = cache.of(library)
        assert evidence is not None and len(evidence) == 2
    assert read == [corpus]


def test_libraries_take_what_the_ranking_of_a_corpus_has_put_together(
    pool: Pool, corpus: CorpusIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = shipped_precedents()
    with_own_references(shipped, corpus, "any")  # as its second stage does

    def never(*_: object) -> None:
        raise AssertionError("put together twice")

    monkeypatch.setattr(corpus_citations, "_extend", never)
    cache = CitedBeforeCache()
    cache.update(pool, shipped.checkpoint, "any", [corpus])
    evidence = cache.of(pool)
    assert evidence is not None and len(evidence) == 2


def test_a_corpus_with_damaged_references_is_left_out_and_logged_once(
    pool: Pool, corpus: CorpusIndex, caplog: pytest.LogCaptureFixture
) -> None:
    placing, checkpoint = shipped_query_encoder(), shipped_precedents().checkpoint
    encode_contexts(corpus, placing, lambda *step: None)
    assert corpus.references is not None
    (corpus.references.folder / corpus_citations.FILE).write_bytes(b"damaged")
    cache = CitedBeforeCache()
    for library in (pool, pool, Pool([*PAPERS, BLEU])):
        cache.update(library, checkpoint, placing.fingerprint, [corpus])
    assert [record.message for record in caplog.records] == [caplog.records[0].message]
    assert "how its papers are cited does not count" in caplog.text
    evidence = cache.of(library)
    assert evidence is not None and len(evidence) == 1, "what ships counts all the same"


def test_a_draft_is_ranked_by_how_others_cited_its_library(desk: Path) -> None:
    with (desk / "papers.bib").open("a", encoding="utf-8") as file:
        file.write(
            f"\n@misc{{bleu, title = {{{BLEU.title}}}, author = {{K. Papineni}}, year = 2002}}\n"
        )
    draft = desk / "draft.tex"
    features = "The quality of the translations was measured automatically, as is usual with BLEU "
    draft.write_text(
        "\\documentclass{article}\\begin{document}\n"
        + features
        + "\\cite{}.\n\\bibliography{papers}\\end{document}\n",
        encoding="utf-8",
    )
    recommender = DraftRecommender(DraftReader(FilesOnDisk().read))
    recommender.prepare(draft)
    completion = recommender.complete(
        recommender.draft(draft), draft.read_text(encoding="utf-8").index("{}.") + 1
    )
    assert completion is not None
    best = completion.recommendations[0]
    assert best.key == "bleu"
    assert "precedent" in {reason.kind for reason in best.reasons}
