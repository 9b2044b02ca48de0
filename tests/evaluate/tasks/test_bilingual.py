"""Task `bilingual`: how contexts are dealt out, what is counted, and what the baselines compare."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.evaluate.baselines.bilingual_systems import (
    BASELINES,
    by_cosine,
    by_likelihood,
    by_references,
    open_baseline,
    open_blsrec,
)
from cite_lsp.evaluate.tasks.bilingual import recall_curve, split_by_context
from cite_lsp.evaluate.tasks.local import RankedContext, rank_contexts, slice_figures
from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.ranker import RankerError
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.train.lexicon.reference_words import translated_references
from cite_lsp.translate.lexicon import Lexicon
from cite_lsp.translate.translator import DictionaryTranslator
from tests.recommend.bilingual import PAPERS, SENSES, bags, contexts
from tests.recommend.published.test_blsrec import model
from tests.stand_in_encoders import WordEncoder


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> CorpusIndex:
    return build_corpus(tmp_path_factory.mktemp("pool"), PAPERS, WordEncoder())


def test_by_context_every_context_falls_into_one_of_three_parts_by_the_seed_alone() -> None:
    rows = contexts(50)
    learn, check, test = split_by_context(rows)
    assert (len(learn), len(check), len(test)) == (40, 5, 5)
    names = [row.context_id for part in (learn, check, test) for row in part]
    assert sorted(names) == sorted(row.context_id for row in rows)
    assert split_by_context(rows) == (learn, check, test)
    assert split_by_context(rows, seed=14) != (learn, check, test)


def test_the_recall_curve_rises_where_a_cited_paper_stands() -> None:
    results = [
        RankedContext("1", ("a", "b", "c"), ("b", "x"), False, None),
        RankedContext("2", ("a",), ("a",), False, None),
    ]
    curve = recall_curve(results)
    assert len(curve) == 100
    assert curve[:3] == [0.5, 0.75, 0.75] and curve[-1] == 0.75
    assert slice_figures(results, (1, 100))["all"]["recall@100"] == 0.75


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_finds_what_the_lexicon_connects(pool: CorpusIndex, name: str) -> None:
    translator = DictionaryTranslator(Lexicon(SENSES))
    learned = translated_references(contexts(4), bags())
    (system,) = open_baseline(name, pool, bags(), translator, learned).values()
    results = list(rank_contexts(contexts(4), system, relevant="cited"))
    assert [result.ranking[0] for result in results] == [result.relevant[0] for result in results]
    assert all(sorted(result.ranking) == sorted(pool.row_of) for result in results)


def test_the_cosine_is_1_for_the_same_words(tmp_path: Path) -> None:
    papers = [Paper("same", "gull nest"), Paper("part", "gull tide")]
    pool = build_corpus(tmp_path, papers, WordEncoder())
    scores = by_cosine(pool, bags(), "english", "english")(Context("gull nest", ""))
    assert scores[0] == pytest.approx(1.0)
    assert 0 < scores[1] < 1


def test_the_likelihood_is_that_of_the_definition(tmp_path: Path) -> None:
    papers = [Paper("a", "gull bbb"), Paper("b", "bbb ccc ccc ccc")]
    pool = build_corpus(tmp_path, papers, WordEncoder())
    scores = by_likelihood(pool, bags())(Context("bbb bbb ccc", ""))
    translated = [bags().of_paper(paper, "chinese") for paper in pool.papers]
    shares = [
        {word: count / sum(bag.values()) for word, count in bag.items()} for bag in translated
    ]
    expected = []
    for share in shares:
        total = 0.0
        for word, times in (("bbb", 2), ("ccc", 1)):
            whole = sum(share.get(word, 0) for share in shares) / 2
            total += times * np.log((0.7 * share.get(word, 0) + 0.3 * whole) / (0.3 * whole))
        expected.append(total)
    assert scores == pytest.approx(expected, rel=1e-5)


def test_a_reference_is_found_by_the_words_that_stood_beside_it_and_no_other_is(
    pool: CorpusIndex,
) -> None:
    rows = contexts(4)
    cited = {name for row in rows[:2] for name in row.cited}
    score = by_references(pool, bags(), translated_references(rows[:2], bags()))
    for row in rows[:2]:
        scores = score(row.context)
        assert pool.papers[int(scores.argmax())].id in row.cited
        assert {pool.papers[int(place)].id for place in np.flatnonzero(scores)} <= cited
    assert not score(Context("zzz", "")).any()


def test_trained_models_are_measured_under_their_own_name_alone(
    pool: CorpusIndex, tmp_path: Path
) -> None:
    model(2, bags()).save(tmp_path / "two")
    systems = open_blsrec("blsrec-2", pool, bags(), {"blsrec-2": tmp_path / "two"})
    (result,) = rank_contexts(contexts(1), systems["blsrec-2"], relevant="cited")
    assert sorted(result.ranking) == sorted(pool.row_of)
    with pytest.raises(RankerError, match="holds BLSRec 2; measure it as blsrec-2"):
        open_blsrec("blsrec-1", pool, bags(), {"blsrec-1": tmp_path / "two"})
