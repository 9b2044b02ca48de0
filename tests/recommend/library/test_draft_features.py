"""What the draft's other markers say about its papers."""

import numpy as np
import pytest

from cite_lsp.encode import Encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.manuscript import Context, Mention
from cite_lsp.recommend.base.encoders import Encoders
from cite_lsp.recommend.library.cited_rows import cited_rows
from cite_lsp.recommend.library.draft_features import DraftFeatures, encode_mentions, read_habits
from cite_lsp.recommend.query.query import read_query
from tests.recommend.two_sides import TwoSides

ROWS = {"a": 0, "b": 1, "c": 2, "d": 3}


def mention(keys: str, order: int, text: str = "", section: str = "s1") -> Mention:
    return Mention(tuple(keys), text, "", order, section)


def context(mentions: list[Mention], order: int, left: str = "", given: str = "") -> Context:
    return Context(
        left=left,
        right="",
        marker_cited=tuple(given),
        mentions=tuple(mentions),
        order=order,
        section="s1",
    )


def habits_of(
    place: Context, encoder: CachedEncoder | None = None, query_encoder: Encoder | None = None
) -> DraftFeatures:
    own = [ROWS[key] for key in place.marker_cited if key in ROWS]
    cited = cited_rows(place.mentions, ROWS)
    return read_habits(place, read_query(place), cited, own, 4, Encoders(encoder, query_encoder))


def test_the_marker_that_reads_alike_is_the_witness() -> None:
    mentions = [
        mention("a", 0, "tidal marshes keep pace with the sea"),
        mention("b", 1, "attention replaces recurrence in translation"),
    ]
    place = context(mentions, 2, left="recurrence gives way to attention")
    habits = habits_of(place)
    assert habits.alike[1] > habits.alike[0] == 0
    assert habits.most_similar[1] == 1 and habits.alike_rank[1] == 1


LEFT_OF_TIDES = TwoSides(lambda text: text.startswith("tides"))
"""A query encoder that reads only what stands left of the marker."""


def test_places_are_compared_where_the_query_encoder_puts_them() -> None:
    place = context([mention("a", 0, "tides rise"), mention("b", 1, "gulls nest")], 2, left="tides")
    assert np.isnan(habits_of(place).placed_alike).all()
    habits = habits_of(place, None, LEFT_OF_TIDES)
    assert habits.placed_alike.tolist() == [1, 0, 0, 0]


def test_a_writer_waits_for_a_few_new_markers_and_not_for_a_whole_draft(
    encoder: CachedEncoder,
) -> None:
    many = [mention("a", place, f"in the year {place} tides rose") for place in range(40)]
    place = context([*many, mention("b", 40, "the tides rose again")], 41, left="the tides rose")
    assert habits_of(place, encoder).alike_meaning[1] == 0  # not encoded yet
    encode_mentions(place.mentions, "", Encoders(encoder, encoder))
    known = habits_of(place, encoder, encoder)
    assert known.alike_meaning[1] > known.alike_meaning[0] > 0.3
    assert known.placed_alike[1] > 0.3


def test_times_are_counted_in_the_draft_and_in_the_section() -> None:
    mentions = [mention("a", 0), mention("a", 1, section="s2"), mention("ab", 2)]
    habits = habits_of(context(mentions, 3))
    assert habits.times.tolist() == [3, 1, 0, 0]
    assert habits.section_times.tolist() == [2, 1, 0, 0]


def test_nearness_differs_before_and_after() -> None:
    mentions = [mention("a", 0), mention("b", 3), mention("c", 6)]
    habits = habits_of(context(mentions, 4))
    assert habits.before.tolist() == pytest.approx([0.25, 1.0, 0, 0])
    assert habits.after.tolist() == pytest.approx([0, 0, 0.5, 0])


def test_the_first_marker_behind_a_bare_sentence_is_no_earlier_one() -> None:
    mentions = [mention("a", 0), mention("b", 1), mention("c", 2)]
    habits = habits_of(context(mentions, 1))  # the sentence stands between the first two
    assert habits.before.tolist() == pytest.approx([1.0, 0, 0, 0])
    assert habits.after.tolist() == pytest.approx([0, 1.0, 0.5, 0])
    assert habits.lately[0] == pytest.approx(habits.lately[1])
    assert habits.lately[1] > habits.lately[2]


def test_a_paper_cited_elsewhere_beside_a_neighbour_keeps_its_company() -> None:
    # d stands beside a early on; a stands right before the place asked about.
    mentions = [mention("a", 0), mention("d", 1), mention("b", 10), mention("a", 20)]
    habits = habits_of(context(mentions, 21))
    assert habits.together[3] > 0
    assert habits.together[1] == 0


def test_companions_are_those_of_the_keys_in_the_marker() -> None:
    mentions = [mention("ab", 0), mention("c", 9)]
    habits = habits_of(context(mentions, 20, given="a"))
    assert habits.companions[1] == 1 and habits.companions[2] == 0


def test_keys_that_the_library_lacks_are_passed_over() -> None:
    habits = habits_of(context([mention("xz", 0)], 1))
    assert not np.any(habits.times)


def test_a_draft_without_markers_says_nothing() -> None:
    habits = habits_of(context([], 0))
    assert not np.any(habits.alike) and set(habits.most_similar) == {-1}


def test_recency_counts_the_papers_cited_since() -> None:
    mentions = [mention("a", 0), mention("b", 1), mention("bc", 2), mention("d", 9)]
    habits = habits_of(context(mentions, 5))
    assert habits.recency.tolist() == pytest.approx([1 / 3, 1, 1, 0])


def test_the_words_right_before_a_marker_bring_its_paper_back() -> None:
    mentions = [mention("a", 0, "and solved with Gurobi"), mention("b", 1, "a model of the sea")]
    habits = habits_of(context(mentions, 2, left="Every instance was run through Gurobi"))
    assert habits.lead_alike[0] > habits.lead_alike[1] == 0


def test_sentences_of_one_meaning_are_alike_without_sharing_a_word(encoder: CachedEncoder) -> None:
    mentions = [
        mention("a", 0, "Automatic translation between languages."),
        mention("b", 1, "Seabirds lay their eggs on cliffs."),
    ]
    place = context(mentions, 2, left="Machines that turn English into French")
    habits = habits_of(place, encoder)
    assert habits.alike_meaning[0] > habits.alike_meaning[1] + 0.2
    assert np.isnan(habits_of(place).alike_meaning).all()


def test_markers_vote_for_what_they_cite_and_the_nearest_has_most_to_say() -> None:
    place = context(
        [mention("ab", 0, "tides rise"), mention("c", 1, "gulls nest"), mention("z", 2, "sand")],
        3,
        left="tides",
    )
    votes = habits_of(place, None, LEFT_OF_TIDES).placed_votes
    assert votes[0] == votes[1] > 0.99 and 0 < votes[2] < 0.01 and votes[3] == 0
    assert np.isnan(habits_of(place).placed_votes).all()


def test_words_of_the_sentences_around_a_marker_count_too() -> None:
    left = "Tides rise twice a day. This was measured"
    mentions = [mention("a", 0, left), mention("b", 1, "Gulls nest on cliffs. This was measured")]
    habits = habits_of(context(mentions, 2, left="Tides rise twice a day. It is known"))
    assert habits.alike[0] == habits.alike[1] == 0  # the sentences share nothing
    assert habits.wide_alike[0] > habits.wide_alike[1] == 0


def test_what_was_cited_lately_and_often_fades_with_the_distance() -> None:
    mentions = [mention("a", 9), mention("b", 0), mention("c", 8), mention("c", 12)]
    habits = habits_of(context(mentions, 10))
    assert habits.lately[2] > habits.lately[0] > habits.lately[1] > habits.lately[3] == 0
    assert habits.lately_wide[1] / habits.lately_wide[0] > habits.lately[1] / habits.lately[0]


def test_what_followed_the_paper_cited_last_may_follow_it_again() -> None:
    mentions = [mention("a", 0), mention("b", 1), mention("c", 2), mention("a", 5)]
    habits = habits_of(context(mentions, 6))
    assert habits.follows.tolist() == [0, 1, 0, 0]
    assert not habits_of(context(mentions[1:], 0)).follows.any()  # nothing stands before
