"""A context in, the papers to cite out, best first, with reasons."""

from typing import Any

import numpy as np
import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.manuscript import Context, Mention
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library import recommender as module
from cite_lsp.recommend.library.recommender import SYSTEMS, Recommender
from cite_lsp.recommend.wording import describe

SENTENCE = Context(left="Models that only attend, without recurrence, translate better", right=".")


def keys(recommender: Recommender, context: Context, **more: Any) -> list[str]:  # noqa: ANN401 - handed on
    return [item.key for item in recommender.recommend(context, **more)]


def test_the_paper_that_the_sentence_speaks_of_comes_first(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    assert keys(Recommender(embedded, Encoders(encoder)), SENTENCE)[0] == "transformer"


def test_without_an_encoder_the_words_decide(pool: Pool) -> None:
    context = Context(left="Sediment lets tidal marshes grow", right=".")
    assert keys(Recommender(pool), context)[0] == "marsh"


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_ranks_the_whole_pool_once(
    embedded: Pool, encoder: CachedEncoder, system: module.System
) -> None:
    ranked = keys(Recommender(embedded, Encoders(encoder), system=system), SENTENCE)
    assert sorted(ranked) == sorted(embedded.names)


def test_file_order_is_the_order_of_the_library(embedded: Pool, encoder: CachedEncoder) -> None:
    recommender = Recommender(embedded, Encoders(encoder), system="file-order")
    assert keys(recommender, SENTENCE) == list(embedded.names)


def test_keys_already_in_the_marker_are_not_offered_again(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    context = Context(left=SENTENCE.left, right=".", marker_cited=("transformer",))
    assert "transformer" not in keys(Recommender(embedded, Encoders(encoder)), context)


def test_the_limit_holds_and_rows_restrict(embedded: Pool, encoder: CachedEncoder) -> None:
    recommender = Recommender(embedded, Encoders(encoder))
    assert len(recommender.recommend(SENTENCE, limit=2)) == 2
    assert [item.key for item in recommender.recommend(SENTENCE, rows=[4])] == ["gulls"]
    assert recommender.recommend(SENTENCE, rows=[]) == ()


def test_scores_fall_and_are_probabilities(embedded: Pool, encoder: CachedEncoder) -> None:
    scores = [item.score for item in Recommender(embedded, Encoders(encoder)).recommend(SENTENCE)]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(1, abs=1e-4)


def test_what_the_draft_cites_at_a_similar_place_ranks_higher(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    place = "the birds of the northern coast"
    plain = Context(left=f"{place} breed in spring", right=".", order=1, section="s")
    context = Context(
        left=plain.left,
        right=".",
        order=1,
        section="s",
        mentions=(Mention(("vectors",), f"{place} are many", "", 0, "s"),),
    )
    recommender = Recommender(embedded, Encoders(encoder))
    assert keys(recommender, context).index("vectors") < keys(recommender, plain).index("vectors")


def test_reasons_say_what_the_recommendation_leans_on(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    context = Context(
        left="As Byron showed, attention alone is enough for sequence transduction",
        right=".",
        section_cited=("vectors",),
        mentions=(Mention(("transformer",), "attention alone is enough", "", 0, "s"),),
        order=1,
        section="s",
    )
    best = Recommender(embedded, Encoders(encoder)).recommend(context)[0]
    assert best.key == "transformer"
    assert [reason.kind for reason in best.reasons][:3] == ["sentence", "named", "words"]
    line = describe(best)
    assert line.startswith("closest in your library to the text here; ")
    assert "its author is named" in line
    assert "cited once in this section" in line
    assert "“…attention alone is enough”" in line


def test_a_neighbour_in_the_file_is_a_reason_where_the_writer_files_so() -> None:
    pool = Pool([Paper(f"p{n}", f"Title {n}", "", (f"Author {n}",), 2000 + n) for n in range(90)])

    def reasons_for(cited: list[int]) -> list[str]:
        mentions = tuple(
            Mention((f"p{row}",), "", "", place, "s") for place, row in enumerate(cited)
        )
        context = Context(left="Here", right=".", mentions=mentions, order=len(mentions))
        recommendations = Recommender(pool).recommend(context, rows=[21])[0]
        return [
            describe(recommendations)
            for reason in recommendations.reasons
            if reason.kind == "filed"
        ]

    (line,) = reasons_for([*range(12), 20])
    assert "next to 20 2020 in your bibliography, which you cite nearby" in line
    assert not reasons_for([row * 37 % 90 for row in range(12)] + [20])
    assert not reasons_for([*range(13)])


def test_a_cancelled_question_is_not_answered(embedded: Pool, encoder: CachedEncoder) -> None:
    with pytest.raises(Cancelled):
        Recommender(embedded, Encoders(encoder)).recommend(SENTENCE, cancelled=lambda: True)


def test_of_a_large_pool_only_the_promising_papers_are_looked_at_closely(
    encoder: CachedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SECOND_STAGE", 40)
    dull = [Paper(f"p{number}", f"Report number {number} on pottery") for number in range(300)]
    wanted = Paper("wanted", "Attention without Recurrence for Translation")
    pool = Pool([*dull[:150], wanted, *dull[150:]])
    pool.embed(encoder)
    mentions = (Mention(("p299",), "an urn", "", 0, "s"),)
    context = Context(left=SENTENCE.left, right=".", mentions=mentions, order=1, section="s")
    ranking = Recommender(pool, Encoders(encoder)).rank(context)
    names = [pool.names[row] for row in ranking.rows]
    assert names[0] == "wanted"
    assert "p299" in names, "what the draft cites is always looked at"
    assert len(names) < 60


def test_an_empty_pool_recommends_nothing(encoder: CachedEncoder) -> None:
    pool = Pool([])
    pool.embed(encoder)
    assert Recommender(pool, Encoders(encoder)).recommend(SENTENCE) == ()
    assert Recommender(Pool([])).recommend(SENTENCE) == ()


def test_two_papers_of_one_name_do_not_confuse_the_rows(encoder: CachedEncoder) -> None:
    pool = Pool([Paper("same", "Tidal Marshes"), Paper("same", "Herring Gulls")])
    pool.embed(encoder)
    assert pool.row_of["same"] == 0
    ranking = Recommender(pool, Encoders(encoder)).rank(Context(left="gulls", right=""))
    assert np.unique(ranking.rows).tolist() == [0, 1]


def test_which_papers_are_called_closest_changes_with_the_sentence(
    embedded: Pool, encoder: CachedEncoder
) -> None:
    recommender = Recommender(embedded, Encoders(encoder))

    def closest(left: str, rows: list[int] | None = None) -> dict[str, int]:
        recommendations = recommender.recommend(Context(left=left, right="."), rows=rows)
        return {
            recommendation.key: reason.place
            for recommendation in recommendations
            for reason in recommendation.reasons
            if reason.kind == "sentence" and reason.place
        }

    attention = "Attention alone is enough for the transduction of sequences"
    words = "Words are represented by vectors learned from large corpora"
    assert closest(attention)["transformer"] == closest(words)["vectors"] == 1
    assert "vectors" not in closest(attention) and "transformer" not in closest(words)
    # What is typed leaves out papers, which remain closer for that.
    assert closest(attention, [embedded.row_of["vectors"]]) == {}
