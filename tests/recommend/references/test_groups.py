"""Papers by topic, and the names of the topics."""

from __future__ import annotations

import numpy as np

from cite_lsp.paper import Paper
from cite_lsp.recommend.references.groups import group, group_names, topics, word_vectors

GULLS = ["Nesting of the Herring Gull", "Herring Gull Colonies", "Diet of the Herring Gull"]
MARSHES = ["Silt in Tidal Marshes", "Tidal Marshes and Storms", "Growth of Tidal Marshes"]


def papers(*titles: str) -> list[Paper]:
    return [Paper(title, title) for title in titles]


def test_papers_of_one_topic_are_one_group_and_the_first_paper_s_group_is_first() -> None:
    mixed = papers(GULLS[0], MARSHES[0], MARSHES[1], GULLS[1], GULLS[2], MARSHES[2])
    assert group(word_vectors(mixed)) == [[0, 3, 4], [1, 2, 5]]


def test_few_papers_are_one_group_and_none_are_none() -> None:
    assert group(word_vectors(papers(GULLS[0], MARSHES[0]))) == [[0, 1]]
    assert group(np.zeros((0, 3), dtype=np.float32)) == []


def test_a_group_is_named_by_what_its_titles_share_and_others_lack() -> None:
    first, second = group_names([papers(*GULLS), papers(*MARSHES)])
    assert first.startswith("Herring gull") and second.startswith("Tidal marshes")


def test_names_differ_and_words_that_tell_no_topic_name_none() -> None:
    silt = papers("A New Approach to Silt", "Another Approach to Silt")
    names = group_names([silt, silt, papers("A New Approach", "Another Approach")])
    assert len(set(names)) == 3 and names[0] == "Silt" and names[2] == ""


def test_papers_that_share_nothing_with_others_come_last_together() -> None:
    mixed = papers("Fog", *GULLS, "Salt", *MARSHES)
    *named, others = topics(mixed, word_vectors(mixed))
    assert [places for _, places in named] == [[1, 2, 3], [5, 6, 7]]
    assert others == ("Other papers", [0, 4])
    assert topics(mixed[:1], word_vectors(mixed[:1])) == [("Papers", [0])]


def test_a_chinese_group_has_a_chinese_name() -> None:
    (name,) = group_names([papers("潮汐沼泽的泥沙沉积", "潮汐沼泽的生长")])
    assert "潮汐" in name or "沼泽" in name


def test_small_words_of_other_languages_name_no_group() -> None:
    (name,) = group_names([papers("Les mots et les choses", "Les cadres sociaux de la mémoire")])
    assert name == ""
