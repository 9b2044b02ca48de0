"""Task `local`: who is a candidate, what the section is known to cite, and what is averaged."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext, context_from_record
from cite_lsp.encode import Vectors
from cite_lsp.evaluate.tasks.local import (
    Masking,
    RankedContext,
    candidates,
    citing_sections,
    positive_figures,
    rank_contexts,
    ranked_rows,
    sample_per_section,
    slice_figures,
    slice_intervals,
)
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus.ranking import Candidate
from cite_lsp.recommend.corpus.recommender import CorpusRecommender
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.build import build_corpus

PAPERS = [
    Paper("older", "Tide tables", "About tides.", year=2001),
    Paper("same-year", "Tide gauges", "About gauges.", year=2010),
    Paper("newer", "Tide satellites", "About satellites.", year=2011),
    Paper("dateless", "Tide lore", "About lore."),
    Paper("bare", "Tide poems", year=1990),
    Paper("citing", "The tide paper itself", "It cites the others.", year=2010),
]


class FlatEncoder:
    name, dimensions, fingerprint, checkpoint = "flat", 2, "flat-1", "flat"

    def encode(self, texts: list[str], **options: object) -> Vectors:
        return np.tile(np.array([1, 0], dtype=np.float32), (len(texts), 1))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    return build_corpus(tmp_path_factory.mktemp("c") / "pool", PAPERS, FlatEncoder())  # type: ignore[arg-type]


def row(**fields: Any) -> LabelledContext:  # noqa: ANN401 - JSON
    record = {
        "context_id": "c1",
        "citing_id": "citing",
        "year": 2010,
        "left": "Nobody doubts the tide",
        "right": ".",
        "cited": ["older", "bare"],
        "cited_abs": ["older"],
    }
    return context_from_record(record | fields)


def allowed(corpus: CorpusIndex, context: LabelledContext, relevant: str = "cited_abs") -> set[str]:
    flags = candidates(corpus, context, relevant)  # type: ignore[arg-type]
    return {corpus.paper(int(number)).id for number in np.flatnonzero(flags)}


def test_newer_papers_the_citing_one_and_those_without_abstract_are_no_candidates(
    corpus: CorpusIndex,
) -> None:
    assert allowed(corpus, row()) == {"older", "same-year", "dateless"}


def test_with_all_papers_relevant_those_without_abstract_are_candidates(
    corpus: CorpusIndex,
) -> None:
    assert allowed(corpus, row(), "cited") == {"older", "same-year", "dateless", "bare"}


def test_a_document_without_year_may_cite_anything_but_itself(corpus: CorpusIndex) -> None:
    everything = {"older", "same-year", "newer", "dateless"}
    assert allowed(corpus, row(year=None)) == everything
    assert allowed(corpus, row(year=None, citing_id="other")) == everything | {"citing"}


@pytest.mark.parametrize("system", ["bm25", "minilm", "default"])
def test_the_rankings_hold_candidates_alone(corpus: CorpusIndex, system: Any) -> None:  # noqa: ANN401
    recommender = CorpusRecommender(corpus, FlatEncoder(), system=system)  # type: ignore[arg-type]
    (result,) = rank_contexts([row()], recommender)
    assert set(result.ranking) == {"older", "same-year", "dateless"}
    assert result.relevant == ("older",)


class Listener(CorpusRecommender):
    """Notes what it is asked instead of ranking."""

    def __init__(self, corpus: CorpusIndex) -> None:
        super().__init__(corpus, None)
        self.calls: list[tuple[Context, list[int]]] = []
        self.allowed: list[NDArray[np.bool_]] = []

    def rank(self, context: Context, **options: Any) -> list[Candidate]:  # noqa: ANN401
        allowed: NDArray[np.bool_] = options["allowed"]
        assert allowed.shape == (len(self.corpus),)
        self.calls.append((context, list(options["cited"])))
        self.allowed.append(allowed)
        return []


@pytest.mark.parametrize(
    ("protocol", "known"),
    [("cold", []), ("section", ["older"]), ("full", ["older", "dateless"])],
)
def test_the_protocol_says_which_papers_of_the_section_are_known(
    corpus: CorpusIndex, protocol: Masking, known: list[str]
) -> None:
    listener = Listener(corpus)
    labelled = row(section_cited=["older", "dateless", "gone"], section_cited_before=["older"])
    list(rank_contexts([labelled], listener, protocol=protocol))
    ((context, cited),) = listener.calls
    assert [corpus.paper(number).id for number in cited] == known
    assert [name for name in context.section_cited if name != "gone"] == known


def test_contexts_without_a_relevant_paper_are_left_out_but_counted_as_done(
    corpus: CorpusIndex,
) -> None:
    rows = [row(), row(context_id="c2", cited_abs=[]), row(context_id="c3", cited=[])]
    done: list[int] = []
    results = list(rank_contexts(rows, Listener(corpus), progress=done.append))
    assert [result.context_id for result in results] == ["c1", "c3"]
    assert sum(done) == 3
    results = list(rank_contexts(rows, Listener(corpus), relevant="cited"))
    assert [(result.context_id, result.relevant) for result in results] == [
        ("c1", ("older", "bare")),
        ("c2", ("older", "bare")),
    ]


def test_figures_are_averaged_over_all_the_unseen_and_related_work(corpus: CorpusIndex) -> None:
    recommender = CorpusRecommender(corpus, None, system="bm25")
    rows = [
        row(context_id="seen", left="tide tables", related=True),
        row(context_id="unseen", left="tide gauges", cited_abs=["same-year"]),
        row(context_id="lost", left="tide", cited_abs=["newer"]),
    ]
    results = list(rank_contexts(rows, recommender, seen={"older", "newer"}))
    figures = slice_figures(results)
    assert [(name, part["contexts"]) for name, part in figures.items()] == [
        ("all", 3),
        ("unseen", 1),
        ("related", 1),
    ]
    assert figures["all"]["mrr@10"] == round(2 / 3, 4)
    assert figures["unseen"]["mrr@10"] == 1.0
    assert set(slice_figures(list(rank_contexts(rows[1:], recommender)))) == {"all"}
    assert set(slice_figures(list(rank_contexts(rows[:1], recommender)))) == {"all"}  # nothing else


def related_row(number: int, section: str, *cited: str, **fields: Any) -> LabelledContext:  # noqa: ANN401 - JSON
    record = {
        "context_id": f"{section} {number}",
        "section_title": section,
        "related": True,
        "cited": list(cited),
        "cited_abs": list(cited),
        "section_cited": ["dateless"],
    }
    return row(**record | fields)


def test_as_published_one_marker_of_each_related_work_section_is_masked() -> None:
    rows = [
        related_row(1, "Related work", "older"),
        related_row(2, "Related work", "same-year"),
        related_row(1, "Alone", "older", "same-year", section_cited=[]),
        related_row(1, "One paper", "older"),
        related_row(1, "Introduction", "older", "same-year", related=False),
        related_row(1, "Background", "older", "dateless"),
    ]
    chosen = sample_per_section(rows)
    assert [row.context.section_title for row in chosen] == ["Related work", "Background"]
    assert all(row in rows for row in chosen)
    assert sample_per_section(rows) == chosen


def test_the_published_protocol_knows_all_other_papers_of_the_section(corpus: CorpusIndex) -> None:
    listener = Listener(corpus)
    rows = [related_row(1, "Background", "older", "same-year", section_cited=["dateless", "newer"])]
    (result,) = rank_contexts(rows, listener, protocol="related-work")
    assert result.related
    ((_, cited),) = listener.calls
    assert [corpus.paper(number).id for number in cited] == ["dateless", "newer"]


def test_masked_papers_are_cited_nowhere_else_and_what_is_known_is_no_candidate(
    corpus: CorpusIndex,
) -> None:
    listener = Listener(corpus)
    rows = [related_row(1, "Background", "older", section_cited=["dateless", "older"])]
    list(rank_contexts(rows, listener, protocol="masked"))
    ((context, cited),), (allowed,) = listener.calls, listener.allowed
    assert [corpus.paper(number).id for number in cited] == ["dateless"]
    assert context.section_cited == ("dateless",)
    assert allowed[corpus.row_of["older"]] and not allowed[corpus.row_of["dateless"]]
    assert rows[0].context.section_cited == ("dateless", "older")


def test_intervals_hold_the_figures_and_narrow_with_agreement(corpus: CorpusIndex) -> None:
    recommender = CorpusRecommender(corpus, None, system="bm25")
    rows = [
        row(context_id="found", left="tide tables"),
        row(context_id="lost", cited_abs=["newer"]),
    ]
    results = list(rank_contexts(rows, recommender))
    low, high = slice_intervals(results)["all"]["recall@10"]
    assert low < slice_figures(results)["all"]["recall@10"] < high
    assert slice_intervals(results[:1])["all"]["recall@10"] == [1.0, 1.0]


def test_a_pool_is_indexed_once_and_made_again_when_it_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cite_lsp.evaluate.task_pool import open_pool

    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    papers = tmp_path / "papers.jsonl"
    papers.write_text(
        '{"id": "a", "title": "Tide tables"}\n{"id": 7}\n{"id": "a", "title": "Other"}\n'
        '{"id": "b", "title": "Tide tables"}\n'
    )
    messages: list[str] = []
    stages: list[str] = []
    pool = open_pool(
        papers, stage=lambda what, done, total: stages.append(what), report=messages.append
    )
    # By id alone: the same title under two ids is two answers to the task.
    assert [pool.paper(row).title for row in range(len(pool))] == ["Tide tables", "Tide tables"]
    assert len(messages) == 1 and f"{papers}:2: " in messages[0]
    stages.clear()
    open_pool(papers, stage=lambda what, done, total: stages.append(what))
    assert stages == []
    next(pool.folder.glob("version-*/starts.npy")).write_bytes(b"")
    assert len(open_pool(papers)) == 2
    papers.write_text('{"id": "c", "title": "Another pool"}\n')
    assert len(open_pool(papers)) == 1


def test_two_that_open_a_new_pool_at_a_time_build_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cite_lsp.evaluate.task_pool import open_pool

    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    papers = tmp_path / "papers.jsonl"
    papers.write_text('{"id": "a", "title": "Tide tables"}\n{"id": "b", "title": "Gulls"}\n')
    others: list[Future[CorpusIndex]] = []
    theirs: list[str] = []

    def second() -> CorpusIndex:
        return open_pool(papers, stage=lambda what, done, total: theirs.append(what))

    def meanwhile(what: str, done: int, total: int) -> None:
        if not others:
            others.append(executor.submit(second))
            wait(others, timeout=2)

    with ThreadPoolExecutor(1) as executor:
        mine = open_pool(papers, stage=meanwhile)
        other = others[0].result()
    assert theirs == [] and other.records == mine.records
    assert [other.paper(row).title for row in range(len(other))] == ["Tide tables", "Gulls"]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("count", [0, 1, 7, 80, 400, 900])
def test_of_rows_that_score_the_same_the_first_ones_are_best(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, 500).astype(np.float32)
    allowed = rng.random(500) < 0.8
    in_order = [row for row in np.argsort(-scores, kind="stable").tolist() if allowed[row]]
    assert ranked_rows(scores, count, allowed).tolist() == in_order[:count]
    assert (
        ranked_rows(scores, count).tolist() == np.argsort(-scores, kind="stable")[:count].tolist()
    )
    assert not len(ranked_rows(scores, count, np.zeros(500, dtype=bool)))


def ranked(ranking: str, relevant: str) -> RankedContext:
    return RankedContext("c", tuple(ranking), tuple(relevant), related=False, unseen=None)


RESULTS = [
    ranked("ax", "a"),
    ranked("xb", "b"),
    ranked("axb", "ab"),  # often cited together
    ranked("axx", "ac"),  # once
    ranked("xxx", "cd"),  # never
]


def test_contexts_of_one_paper_and_of_several_have_figures_of_their_own() -> None:
    figures = positive_figures(RESULTS)
    assert list(figures) == ["one", "one or more", "two or more"]
    assert figures["one"] == {"contexts": 2, "recall@10": 1.0, "map@10": 0.75}
    several = {"contexts": 3, "recall@10": 0.5, "map@10": round((5 / 6 + 1 / 2) / 3, 4)}
    assert figures["two or more"] == several
    assert figures["one or more"]["recall@10"] == 0.7
    assert list(positive_figures(RESULTS[:1])) == ["one", "one or more"]


def test_papers_that_sections_cite_together_once_at_most_are_a_rare_pair() -> None:
    cited = [("d1", "I", "ab"), ("d1", "II", "a"), ("d1", "II", "b"), ("d2", "I", "abc")]
    rows = [
        context_from_record(
            {"context_id": "c", "citing_id": document, "section_title": title, "cited": list(names)}
        )
        for document, title, names in cited
    ]
    figures = positive_figures(RESULTS, citing_sections(rows))
    assert figures["two or more, rare"]["contexts"] == 2
    assert figures["two or more, frequent"]["recall@10"] == 1.0
