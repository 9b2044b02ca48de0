"""How others cited the papers of a library before counts where the library is ranked."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.corpus.citations import CitedIn, Cites
from cite_lsp.corpus.sources import Work
from cite_lsp.encode.cached import CachedEncoder
from cite_lsp.library import DiskReader
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.corpus.models import shipped_precedents
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.evidence import cited_before, cited_contexts, corpus_citations
from cite_lsp.recommend.evidence.cited_before import (
    SIGNS,
    USUAL,
    CitedBefore,
    Precedented,
    shipped_weights,
    title_keys,
)
from cite_lsp.recommend.evidence.cited_contexts import place_contexts
from cite_lsp.recommend.evidence.corpus_citations import with_own_references
from cite_lsp.recommend.evidence.precedent_arrays import CitingContext, CitingDocument
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.recommend.library.recommender import Recommender
from cite_lsp.recommend.query.encoder_input import query_text_at, shipped_query_encoder
from cite_lsp.recommend.query.query import Query, read_query
from cite_lsp.recommend.wording import describe
from cite_lsp.search.corpus.index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.corpus.view import CorpusView
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
    placed = shipped_query_encoder().encode(
        [query_text_at(f"{one.near} ", ".", "") for one in quoted]
    )
    return Precedents.build(documents, quoted, placed, checkpoint=checkpoint)


def signs_at(
    found: CitedBefore,
    context: Context,
    pool: Pool,
    *,
    placed: bool = True,
    times: tuple[float, ...] = (0.0,) * len(PAPERS),
) -> dict[str, dict[str, float]]:
    """Return the signs of each paper by their names."""
    where = shipped_query_encoder().encode(
        [query_text_at(context.left, context.right, context.title)]
    )[0]
    query: Query = read_query(context)
    matrix = found.signs(
        context, query, pool, where if placed else None, np.array(times, dtype=np.float32)
    )
    return {
        name: dict(zip(SIGNS, row.tolist(), strict=True))
        for name, row in zip(pool.names, matrix, strict=True)
    }


def test_a_paper_that_others_cite_at_such_a_place_has_signs_and_others_have_none(
    pool: Pool,
) -> None:
    known = precedents(
        (0, SAID, ("gulls",)), (1, "a parser is trained on trees", ("gulls", "parsing"))
    )
    found = CitedBefore(known, title_keys(pool.papers))
    assert len(found) == 2
    said = signs_at(found, Context(f"{SAID} ", ".", SAID), pool)
    gulls, parsing = said["gulls"], said["parsing"]
    assert gulls["alike"] == pytest.approx(1.0 - USUAL, abs=0.01)
    assert gulls["contexts"] == pytest.approx(math.log1p(2))
    assert parsing["contexts"] == pytest.approx(math.log1p(1))
    assert gulls["alike"] > parsing["alike"] + 0.3 and gulls["wording"] > parsing["wording"]
    assert gulls["sense"] == pytest.approx(
        (1 + math.exp((parsing["alike"] + USUAL - 1) / 0.1)) / math.sqrt(2 + 5), rel=0.06
    )
    for stranger in ("transformer", "marsh", "vectors"):
        assert not any(said[stranger].values())


def test_a_place_is_asked_for_anew_once_it_is_translated(pool: Pool) -> None:
    known, keys = precedents((0, SAID, ("gulls",))), title_keys(pool.papers)
    chinese = Context("春天的港口墙上", "。", "春天的港口墙上。", language="zh")
    translated = evolve(chinese, translation="on the ledges of the harbour wall in a wet spring")
    found = CitedBefore(known, keys)
    before = signs_at(found, chinese, pool)
    after = signs_at(found, translated, pool)
    assert after["gulls"]["wording"] > before["gulls"]["wording"]
    assert after == signs_at(CitedBefore(known, keys), translated, pool)


def test_what_the_draft_cites_already_is_not_new(pool: Pool) -> None:
    found = CitedBefore(precedents((0, SAID, ("gulls", "marsh"))), title_keys(pool.papers))
    times = tuple(float(name == "marsh") for name in pool.names)
    said = signs_at(found, Context(f"{SAID} ", ".", SAID), pool, times=times)
    assert said["gulls"]["alike_new"] == said["gulls"]["alike"] > 0
    assert said["marsh"]["alike_new"] == 0.0 < said["marsh"]["alike"]


def test_what_is_cited_beside_what_the_section_cites_is_known(pool: Pool) -> None:
    known = precedents((0, "", ("gulls", "marsh")), (1, "", ("parsing", "vectors")))
    found = CitedBefore(known, title_keys(pool.papers))
    said = signs_at(found, Context("Then ", ".", "Then .", section_cited=("gulls",)), pool)
    assert said["marsh"]["together"] == pytest.approx(
        math.log1p(1 / math.log(2 + 2)) / math.sqrt(1 + 5)
    )
    assert said["parsing"]["together"] == said["gulls"]["together"] == 0.0
    assert said["marsh"]["alike"] == said["marsh"]["contexts"] == 0.0


def test_without_an_encoder_words_and_company_still_count(pool: Pool) -> None:
    found = CitedBefore(precedents((0, SAID, ("gulls",))), title_keys(pool.papers))
    said = signs_at(found, Context(f"{SAID} ", ".", SAID), pool, placed=False)["gulls"]
    assert said["alike"] == said["alike_new"] == said["sense"] == 0.0
    assert said["wording"] > 0 and said["contexts"] > 0


def test_the_weights_of_the_signs_are_added_and_the_reason_is_told(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    found = CitedBefore(precedents((0, SAID, ("gulls",))), title_keys(embedded.papers))
    context = Context(f"{SAID} ", ".", SAID)
    query_encoder = shipped_query_encoder()
    plain = Recommender(embedded, encoder, query_encoder=query_encoder)
    asked = Recommender(embedded, encoder, query_encoder=query_encoder, before=found)
    without, with_it = (
        {one.key: one.score for one in each.recommend(context)} for each in (plain, asked)
    )
    odds = with_it["gulls"] / with_it["marsh"] / (without["gulls"] / without["marsh"])
    signs = np.array([*signs_at(found, context, embedded)["gulls"].values()])
    assert np.log(odds) == pytest.approx(float(signs @ shipped_weights()), abs=1e-3)
    assert odds > 2
    first = next(one for one in asked.recommend(context) if one.key == "gulls")
    assert "others cite it in similar passages" in describe(first)
    others = [one for one in asked.recommend(context) if one.key != "gulls"]
    assert not any("by others" in describe(one) for one in others)


def test_a_marker_asked_again_is_asked_with_what_others_say(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    found = CitedBefore(precedents((0, SAID, ("gulls",))), title_keys(embedded.papers))
    context = Context(f"{SAID} ", ".", SAID)
    query_encoder = shipped_query_encoder()
    asked = Recommender(embedded, encoder, query_encoder=query_encoder, before=found)
    seen = asked.observe(context, ["gulls"])
    ranking = asked.rank(context)
    assert seen.right[int(np.argmax(seen.logits))] == (
        embedded.names[int(ranking.rows[0])] == "gulls"
    )
    plain = Recommender(embedded, encoder, query_encoder=query_encoder).observe(context, ["gulls"])
    assert (seen.logits - plain.logits)[seen.right] > 0.5


def test_a_library_that_precedents_do_not_know_costs_nothing(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never() -> Precedents:
        raise AssertionError("read for nothing")

    monkeypatch.setattr(cited_before, "shipped_precedents", never)
    known = Precedented()
    known.renew(pool, "any", "any")
    assert known.of(pool) is None


def test_precedents_of_other_vectors_are_not_used(pool: Pool) -> None:
    shipped = shipped_precedents()
    assert title_key(BLEU) in shipped.papers
    for checkpoint, is_known in ((shipped.checkpoint, True), ("another", False)):
        some, known = Pool([BLEU, *PAPERS]), Precedented()
        known.renew(some, checkpoint, shipped_query_encoder().fingerprint)
        assert (known.of(some) is not None) == is_known


@pytest.fixture
def corpus(tmp_path: Path) -> CorpusIndex:
    """A corpus whose sources say in which words its papers cite two of the library."""
    citing = Paper("citing", "Ledges and Walls", year=2001)
    marsh, gulls = PAPERS[1], PAPERS[4]
    cites = Cites("id citing", (f"id {gulls.id}",), (CitedIn(SAID, "."),))
    and_more = Cites("id citing", (f"id {marsh.id}",), (CitedIn("mud settles", "."),))
    folder = tmp_path / "corpora" / "birds"
    records: list[Work] = [citing, marsh, gulls, cites, and_more]
    return update_corpus(folder, ["a"], lambda name: records, TopicEncoder())


def test_the_corpora_of_the_writer_say_how_their_papers_are_cited(
    pool: Pool, corpus: CorpusIndex
) -> None:
    placing = shipped_query_encoder()
    place_contexts(corpus, placing, lambda *step: None)
    known = Precedented()
    known.renew(pool, shipped_precedents().checkpoint, placing.fingerprint, [corpus])
    found = known.of(pool)
    assert found is not None and len(found) == 2
    said = signs_at(found, Context(f"{SAID} ", ".", SAID), pool)
    assert said["gulls"]["alike"] > 0.5 > said["marsh"]["alike"]
    assert not any(said["parsing"].values())
    known.renew(pool, shipped_precedents().checkpoint, placing.fingerprint, [corpus])
    assert known.of(pool) is found
    known.renew(pool, shipped_precedents().checkpoint, placing.fingerprint)
    assert known.of(pool) is None


def test_what_corpora_cite_is_read_once_for_all_libraries(
    pool: Pool, corpus: CorpusIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[CorpusView] = []

    def counted(precedents: Precedents, corpus: CorpusView, placed_by: str) -> Precedents:
        read.append(corpus)
        return with_own_references(precedents, corpus, placed_by)

    monkeypatch.setattr(cited_before, "with_own_references", counted)
    known, another = Precedented(), Pool([*PAPERS, Paper("new", "One More")])
    for one in (pool, another):
        known.renew(one, shipped_precedents().checkpoint, "any", [corpus])
        found = known.of(one)
        assert found is not None and len(found) == 2
    assert read == [corpus]


def test_libraries_take_what_the_ranking_of_a_corpus_has_put_together(
    pool: Pool, corpus: CorpusIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = shipped_precedents()
    with_own_references(shipped, corpus, "any")  # as its second stage does

    def never(*_: object) -> None:
        raise AssertionError("put together twice")

    monkeypatch.setattr(corpus_citations, "_put_together", never)
    known = Precedented()
    known.renew(pool, shipped.checkpoint, "any", [corpus])
    found = known.of(pool)
    assert found is not None and len(found) == 2


def test_a_corpus_with_damaged_references_is_left_out_and_told_of_once(
    pool: Pool, corpus: CorpusIndex, caplog: pytest.LogCaptureFixture
) -> None:
    placing, checkpoint = shipped_query_encoder(), shipped_precedents().checkpoint
    place_contexts(corpus, placing, lambda *step: None)
    assert corpus.references is not None
    (corpus.references.folder / cited_contexts.FILE).write_bytes(b"damaged")
    known = Precedented()
    for one in (pool, pool, Pool([*PAPERS, BLEU])):
        known.renew(one, checkpoint, placing.fingerprint, [corpus])
    assert [record.message for record in caplog.records] == [caplog.records[0].message]
    assert "how its papers are cited does not count" in caplog.text
    found = known.of(one)
    assert found is not None and len(found) == 1, "what ships counts all the same"


def test_a_draft_is_ranked_by_how_others_cited_its_library(desk: Path) -> None:
    with (desk / "papers.bib").open("a", encoding="utf-8") as file:
        file.write(
            f"\n@misc{{bleu, title = {{{BLEU.title}}}, author = {{K. Papineni}}, year = 2002}}\n"
        )
    draft = desk / "draft.tex"
    said = "The quality of the translations was measured automatically, as is usual with BLEU "
    draft.write_text(
        "\\documentclass{article}\\begin{document}\n"
        + said
        + "\\cite{}.\n\\bibliography{papers}\\end{document}\n",
        encoding="utf-8",
    )
    asked = DraftRecommender(read=DiskReader())
    asked.prepare(draft)
    completion = asked.complete(draft, draft.read_text(encoding="utf-8").index("{}.") + 1)
    assert completion is not None
    best = completion.recommendations[0]
    assert best.key == "bleu"
    assert "precedent" in {reason.kind for reason in best.reasons}
