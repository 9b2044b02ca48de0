"""The published systems: every paper looked at, phase 2 over so many and no more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from numpy.typing import NDArray

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode import Vectors
from cite_lsp.evaluate.baselines.local_systems import (
    EncoderScore,
    Nearest,
    PublishedSystem,
    RankedPaper,
    by_cocitation,
    by_cosine,
    by_words,
    in_steps,
    installed,
    standardised,
)
from cite_lsp.evaluate.task_pool import pool_tfidf, pool_vectors
from cite_lsp.evaluate.tasks import local
from cite_lsp.evaluate.tasks.local import PROTOCOLS, Masking
from cite_lsp.evaluate.tasks.queries import QueryTask
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.evidence.corpus_precedents import link_precedents
from cite_lsp.recommend.evidence.precedent_arrays import CitingDocument
from cite_lsp.recommend.evidence.precedents import Precedents
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.paper_columns import title_key
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.search.vectors.precision import HalfVectors
from cite_lsp.search.words.tokens import tokenise

WORDS = ("tide", "gull", "marsh", "dune", "silt")
PAPERS = [
    Paper(f"p{n}", f"The {WORDS[n % 5]} {WORDS[(n + n // 5) % 5]}", f"About {WORDS[n // 3 % 5]}.")
    for n in range(12)
]


class WordEncoder:
    """One dimension a word; counts what it encodes."""

    dimensions = len(WORDS) + 1
    checkpoint = "words"

    def __init__(self, name: str = "words") -> None:
        self.name = self.fingerprint = name
        self.calls: list[int] = []

    @property
    def encoded(self) -> int:
        """How many texts it has encoded."""
        return sum(self.calls)

    def encode(self, texts: Sequence[str], **options: object) -> Vectors:
        self.calls.append(len(texts))
        rows = [[0.1, *(text.lower().count(word) for word in WORDS)] for text in texts]
        vectors = np.array(rows, dtype=np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    return build_corpus(tmp_path_factory.mktemp("c") / "pool", PAPERS, WordEncoder())


def query_of(text: str) -> Context:
    return Context(left=text, right="")


def cosines(text: str) -> Vectors:
    encoder = WordEncoder()
    papers = encoder.encode([encoder_text(paper) for paper in PAPERS])
    return np.asarray(papers @ encoder.encode([text])[0])


def test_phase_1_orders_the_allowed_papers_by_their_cosine_to_the_context(
    corpus: CorpusIndex,
) -> None:
    encoder = WordEncoder()
    system = PublishedSystem(corpus, EncoderScore(encoder, pool_vectors(corpus, encoder)))
    allowed = np.arange(12) % 2 == 0
    ranked_papers = system.rank(query_of("a gull in the marsh"), allowed=allowed, limit=4)
    expected = [row for row in np.argsort(-cosines("gull marsh"), kind="stable") if allowed[row]]
    assert [ranked.row for ranked in ranked_papers] == expected[:4]


@frozen
class OneByOne:
    """A system that encodes each context when it ranks for it."""

    corpus: CorpusIndex
    rank: Callable[..., Sequence[RankedPaper]]


@pytest.mark.parametrize("protocol", PROTOCOLS[:-1])
def test_contexts_are_encoded_together_and_ranked_as_one_by_one(
    corpus: CorpusIndex, protocol: Masking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "ENCODED_TOGETHER", 8)
    rows = [
        LabelledContext(
            context_id=f"c{number}",
            citing_id=f"d{number % 3}",
            context=query_of(f"{WORDS[number % 5]} {WORDS[number // 5 % 5]}"),
            cited=(f"p{number % 12}",),
            cited_abs=(f"p{number % 12}",) if number % 4 else (),
        )
        for number in range(20)
    ]
    encoder, alone = WordEncoder(), WordEncoder()
    vectors = pool_vectors(corpus, WordEncoder())
    together = PublishedSystem(corpus, EncoderScore(encoder, vectors))
    one_by_one = OneByOne(corpus, PublishedSystem(corpus, EncoderScore(alone, vectors)).rank)
    ranked = list(local.rank_contexts(rows, together, protocol=protocol))
    assert ranked == list(local.rank_contexts(rows, one_by_one, protocol=protocol))
    assert len(ranked) == 15 and alone.calls == [1] * 15
    assert len(encoder.calls) == 3, "batches of eight rows, those without a relevant paper left out"
    context = rows[1].context
    plain = EncoderScore(alone, vectors)(context)
    together.encode_ahead([row.context for row in rows])
    assert (EncoderScore(encoder, vectors)(context) == plain).all()


@pytest.mark.parametrize("number_type", [np.float16, np.float32])
def test_whoever_measures_leaves_the_vectors_of_the_pool_as_they_are(
    corpus: CorpusIndex, number_type: type[np.floating[Any]]
) -> None:
    vectors = np.full((len(PAPERS), 6), 3, dtype=number_type)
    EncoderScore(WordEncoder(), vectors)
    QueryTask(corpus, vectors, [], ()).figures(lambda texts: np.zeros((0, 6), np.float32))
    assert (vectors == 3).all()


def test_phase_2_orders_the_first_by_their_greatest_cosine_to_the_cited(
    corpus: CorpusIndex,
) -> None:
    encoder, reranker = WordEncoder(), WordEncoder("other")
    score = EncoderScore(encoder, pool_vectors(corpus, encoder))
    context = query_of("the gull")
    first = [ranked.row for ranked in PublishedSystem(corpus, score).rank(context)]
    vectors = by_cosine(pool_vectors(corpus, reranker))
    system = PublishedSystem(corpus, score, reranker=vectors, depth=5)
    cited = [first[1], 11]
    ranked_papers = [ranked.row for ranked in system.rank(context, cited=cited)]
    assert ranked_papers[5:] == first[5:]
    papers = WordEncoder().encode([encoder_text(paper) for paper in PAPERS])

    def nearest(row: int) -> float:
        return max(float(papers[row] @ papers[other]) for other in cited if other != row)

    assert ranked_papers[:5] == sorted(first[:5], key=lambda row: -round(nearest(row), 5))


def test_a_short_list_is_the_beginning_of_a_long_one(corpus: CorpusIndex) -> None:
    """Phase 2 orders as many candidates, however few are wanted."""
    encoder = WordEncoder()
    score = EncoderScore(encoder, pool_vectors(corpus, encoder))
    vectors = by_cosine(pool_vectors(corpus, encoder))
    system = PublishedSystem(corpus, score, reranker=vectors, depth=8)
    long = system.rank(query_of("the gull"), cited=[2, 5])
    assert system.rank(query_of("the gull"), cited=[2, 5], limit=3) == long[:3]
    assert {ranked.row for ranked in long[:3]} != {
        ranked.row for ranked in PublishedSystem(corpus, score).rank(query_of("the gull"), limit=3)
    }


@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_scores_fall_all_the_way_down(corpus: CorpusIndex, scale: float) -> None:
    """Whatever phase 1 counts in: BM25 is no cosine."""
    encoder = WordEncoder()
    cosine = EncoderScore(encoder, pool_vectors(corpus, encoder))
    vectors = by_cosine(pool_vectors(corpus, encoder))
    system = PublishedSystem(
        corpus, lambda context: scale * cosine(context), reranker=vectors, depth=4
    )
    scores = [ranked.score for ranked in system.rank(query_of("the gull and the silt"), cited=[2])]
    assert scores == sorted(scores, reverse=True) and len(scores) == 12


def test_phase_2_in_steps_leaves_papers_as_near_in_the_order_of_phase_1(
    corpus: CorpusIndex,
) -> None:
    near = {0: 0.31, 1: 0.49, 2: 0.52, 3: 0.88, 4: 0.29, 5: 0.11}
    first = [4, 0, 5, 2, 1, 3]
    place = np.array([first.index(row) if row in first else 99 for row in range(12)], np.float32)

    def nearest(rows: Sequence[int], cited: Sequence[int]) -> NDArray[np.float32]:
        return np.array([near[row] for row in rows], np.float32)

    def order(reranker: Nearest) -> list[int]:
        system = PublishedSystem(corpus, lambda context: -place, reranker=reranker, depth=6)
        return [ranked.row for ranked in system.rank(query_of("gulls"), cited=[7], limit=6)]

    assert order(nearest) == [3, 2, 1, 0, 4, 5]
    assert order(in_steps(nearest)) == [3, 2, 0, 1, 4, 5]  # .8, .6, .4 twice, .2 twice


def test_phase_2_can_be_added_instead(corpus: CorpusIndex) -> None:
    encoder = WordEncoder()
    score = EncoderScore(encoder, pool_vectors(corpus, encoder))
    vectors = by_cosine(pool_vectors(corpus, encoder))
    options: dict[str, Any] = {"reranker": vectors, "depth": 6}
    context, cited = query_of("the gull and the silt"), [2, 5]
    alone = PublishedSystem(corpus, score).rank(context)[:6]
    second = PublishedSystem(corpus, score, **options).rank(context, cited=cited)[:6]
    ranked_papers = PublishedSystem(corpus, score, added=True, **options).rank(
        context, cited=cited
    )[:6]
    both = [{ranked.row: ranked.score for ranked in each} for each in (alone, second)]
    rows = sorted(both[0])
    first, nearest = (np.array([each[row] for row in rows]) for each in both)
    total = standardised(first) + standardised(nearest)
    expected = dict(zip(rows, total.tolist(), strict=True))
    assert {ranked.row for ranked in ranked_papers} == set(rows)
    for ranked in ranked_papers:
        assert ranked.score == pytest.approx(expected[ranked.row], abs=1e-4)
    assert standardised(np.array([1, 3], dtype=np.float32)).tolist() == [-1, 1]
    assert not standardised(np.ones(3, dtype=np.float32)).any()


def test_phase_2_by_co_citation_orders_by_who_is_cited_beside_whom(corpus: CorpusIndex) -> None:
    keys = [title_key(paper) for paper in PAPERS]
    citing = [
        CitingDocument(1, 2020, (keys[2], keys[7])),
        CitingDocument(2, 2020, (keys[2], keys[7])),
        CitingDocument(3, 2020, (keys[2], keys[4])),
        CitingDocument(4, 2020, (keys[9], keys[5])),
    ]
    precedents = Precedents.build(citing, [], np.zeros((0, 6), np.float32), checkpoint="words")
    known = link_precedents(corpus, precedents)
    assert known is not None
    nearest = by_cocitation(precedents, known)(range(12), [2, 3])  # nobody is known to cite 3
    assert np.argsort(-nearest, kind="stable")[:2].tolist() == [7, 4]
    assert np.flatnonzero(nearest).tolist() == [4, 7]
    assert nearest[7] == pytest.approx(2 * nearest[4])
    assert not by_cocitation(precedents, known)(range(12), [3]).any()
    encoder = WordEncoder()
    system = PublishedSystem(
        corpus,
        EncoderScore(encoder, pool_vectors(corpus, encoder)),
        reranker=by_cocitation(precedents, known),
        depth=12,
    )
    assert [ranked.row for ranked in system.rank(query_of("dune"), cited=[2])][:2] == [7, 4]


def test_without_cited_papers_phase_2_changes_nothing(corpus: CorpusIndex) -> None:
    encoder = WordEncoder()
    score = EncoderScore(encoder, pool_vectors(corpus, encoder))
    with_2 = PublishedSystem(corpus, score, reranker=by_cosine(pool_vectors(corpus, encoder)))
    assert with_2.rank(query_of("dune")) == PublishedSystem(corpus, score).rank(query_of("dune"))


def test_where_nothing_may_be_ranked_nothing_is(corpus: CorpusIndex) -> None:
    encoder = WordEncoder()
    system = PublishedSystem(corpus, EncoderScore(encoder, pool_vectors(corpus, encoder)))
    assert system.rank(query_of("dune"), allowed=np.zeros(12, dtype=bool)) == []


def test_tfidf_orders_by_the_cosine_of_weighted_word_counts(corpus: CorpusIndex) -> None:
    system = PublishedSystem(corpus, by_words(pool_tfidf(corpus)))
    documents = [Counter(tokenise(encoder_text(paper))) for paper in PAPERS]
    having = Counter(word for document in documents for word in document)

    def weights(counted: Counter[str]) -> dict[str, float]:
        return {
            word: times * math.log1p((12 - having[word] + 0.5) / (having[word] + 0.5))
            for word, times in counted.items()
            if word in having
        }

    def cosine(first: dict[str, float], other: dict[str, float]) -> float:
        product = sum(value * other.get(word, 0.0) for word, value in first.items())
        return product / math.prod(math.hypot(*side.values()) for side in (first, other))

    query = weights(Counter(tokenise("a gull in the marsh, a gull")))
    expected = [cosine(query, weights(document)) for document in documents]
    ranked_papers = system.rank(query_of("a gull in the marsh, a gull"))
    ratios = [
        ranked.score / expected[ranked.row] for ranked in ranked_papers if expected[ranked.row] > 0
    ]
    assert np.ptp(ratios) / np.mean(ratios) < 1e-4  # the length of the query alone is left out


def test_vectors_of_another_encoder_are_computed_once_and_gone_on_with(
    corpus: CorpusIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cite_lsp.evaluate import task_pool

    monkeypatch.setattr(task_pool, "_BATCH", 5)
    broken = WordEncoder("third")

    def stop(what: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pool_vectors(corpus, broken, stop)
    again = WordEncoder("third")
    vectors = pool_vectors(corpus, again)
    assert (broken.encoded, again.encoded) == (5, 7)
    texts = [encoder_text(paper) for paper in PAPERS]
    assert np.allclose(vectors, WordEncoder().encode(texts), atol=1e-3)
    assert pool_vectors(corpus, again).shape == vectors.shape and again.encoded == 7


def test_two_that_want_the_same_vectors_at_a_time_compute_them_once(
    corpus: CorpusIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cite_lsp.evaluate import task_pool

    monkeypatch.setattr(task_pool, "_BATCH", 5)
    first, second = WordEncoder("two at a time"), WordEncoder("two at a time")
    others: list[Future[HalfVectors]] = []

    def meanwhile(what: str, done: int, total: int) -> None:
        if not others:
            others.append(executor.submit(pool_vectors, corpus, second))
            wait(others, timeout=0.5)  # time enough to write between two batches of the first

    with ThreadPoolExecutor(1) as executor:
        mine = pool_vectors(corpus, first, meanwhile)
        theirs = others[0].result()
    assert (first.encoded, second.encoded) == (12, 0)
    expected = WordEncoder().encode([encoder_text(paper) for paper in PAPERS])
    assert np.allclose(mine, expected, atol=1e-3) and np.array_equal(mine, theirs)


def test_the_encoder_that_indexed_the_pool_is_not_run_again(corpus: CorpusIndex) -> None:
    encoder = WordEncoder()
    pool_vectors(corpus, encoder)
    assert encoder.encoded == 0


def test_a_drawing_shows_every_system_in_both_charts(tmp_path: Path) -> None:
    from xml.etree import ElementTree

    from cite_lsp.evaluate.charts import draw_curves

    figures = {
        f"{metric}@{k}": k / 200 for metric in ("recall", "mrr") for k in (5, 10, 30, 50, 80)
    }
    drawing = draw_curves({"a < b": figures, "other": figures}, "Both & more")
    root = ElementTree.fromstring(drawing)
    lines = root.findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [5] * 4
    labels = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a < b", "other", "Recall@k", "MRR@k", "Both & more", "80"} <= set(labels)


def test_the_default_encoder_stands_in_for_a_checkpoint_that_is_not_installed() -> None:
    said: list[str] = []
    assert installed("tanaka-phase2", said.append) == "tanaka-phase2" and not said
    assert installed("nobody", said.append) == "default"
    assert "nobody" in said[0] and "stands in" in said[0]
