"""What the draft's other markers say about its papers."""

import numpy as np
import pytest

from cite_lsp.manuscript import Context, Mention
from cite_lsp.recommend.habits import likeness, read_habits

ROWS = {"a": 0, "b": 1, "c": 2, "d": 3}


def mention(keys: str, order: int, text: str = "", section: str = "s1") -> Mention:
    return Mention(tuple(keys), text, "", order, section)


def context(mentions: list[Mention], order: int, **more: object) -> Context:
    return Context(left="", right="", mentions=tuple(mentions), order=order, section="s1", **more)


def test_the_marker_that_reads_alike_is_the_witness() -> None:
    mentions = [
        mention("a", 0, "tidal marshes keep pace with the sea"),
        mention("b", 1, "attention replaces recurrence in translation"),
    ]
    habits = read_habits(context(mentions, 2), "recurrence gives way to attention", ROWS, 4)
    assert habits.alike[1] > habits.alike[0] == 0
    assert habits.witness[1] == 1 and habits.alike_rank[1] == 1


def test_likeness_is_one_for_the_same_words_and_nought_for_others() -> None:
    same, other = likeness(
        "attention in translation",
        [mention("a", 0, "attention in translation"), mention("b", 1, "gulls nest on cliffs")],
    )
    assert same == pytest.approx(1.0, abs=1e-5) and other == 0


def test_rare_words_weigh_more_than_words_that_every_marker_has() -> None:
    mentions = [
        mention("a", 0, "model attention"),
        mention("b", 1, "model gulls"),
        mention("c", 2, "model marshes"),
        mention("d", 3, "model vectors"),
    ]
    rare, common, *_ = likeness("model attention", mentions)
    assert rare > 2 * common > 0


def test_times_are_counted_in_the_draft_and_in_the_section() -> None:
    mentions = [mention("a", 0), mention("a", 1, section="s2"), mention("ab", 2)]
    habits = read_habits(context(mentions, 3), "", ROWS, 4)
    assert habits.times.tolist() == [3, 1, 0, 0]
    assert habits.section_times.tolist() == [2, 1, 0, 0]


def test_nearness_is_told_apart_before_and_after() -> None:
    mentions = [mention("a", 0), mention("b", 3), mention("c", 6)]
    habits = read_habits(context(mentions, 4), "", ROWS, 4)
    assert habits.before.tolist() == pytest.approx([0.25, 1.0, 0, 0])
    assert habits.after.tolist() == pytest.approx([0, 0, 0.5, 0])


def test_a_paper_cited_elsewhere_beside_a_neighbour_keeps_its_company() -> None:
    # d stands beside a early on; a stands right before the place asked about.
    mentions = [mention("a", 0), mention("d", 1), mention("b", 10), mention("a", 20)]
    habits = read_habits(context(mentions, 21), "", ROWS, 4)
    assert habits.together[3] > 0
    assert habits.together[1] == 0


def test_companions_are_those_of_the_keys_in_the_marker() -> None:
    mentions = [mention("ab", 0), mention("c", 9)]
    habits = read_habits(context(mentions, 20, marker_cited=("a",)), "", ROWS, 4)
    assert habits.companions[1] == 1 and habits.companions[2] == 0


def test_keys_that_the_library_lacks_are_passed_over() -> None:
    habits = read_habits(context([mention("xz", 0)], 1), "", ROWS, 4)
    assert not np.any(habits.times)


def test_a_draft_without_markers_says_nothing() -> None:
    habits = read_habits(context([], 0), "anything", ROWS, 4)
    assert not np.any(habits.alike) and set(habits.witness) == {-1}
