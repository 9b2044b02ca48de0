"""A copy or another version of a draft is not another draft: it teaches nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cite_lsp.recommend.evidence.draft_versions import is_version, versions
from cite_lsp.recommend.evidence.drafts_store import OtherDrafts
from tests.recommend.evidence.test_drafts_store import BEFORE, citing, keys, recommender, write

SENTENCES = [
    ("Whoever counts the colonies twice a year needs patience above all", "Nesting"),
    ("The ground below the nests grows slowly under the reeds", "Marshes"),
    ("Of the eggs that are laid in spring a third is lost to foxes", "Foxes"),
    ("Storms in late summer drown the nests nearest to the water", "Storms"),
    ("Rings on the legs tell how far the young birds travel", "Rings"),
    ("In winter most of them follow the fishing boats south", "Boats"),
]
OTHERS = [
    (f"Quite another remark, the {n}th of its kind, on topic {n}", w)
    for n, (_, w) in enumerate(SENTENCES)
]
TITLE = "Counting Gulls on the Shore"


def test_a_draft_under_the_same_telling_title_is_a_version_however_rewritten() -> None:
    draft = citing(*SENTENCES, title=TITLE)
    assert is_version(draft, citing(*OTHERS, title="Counting gulls, on the shore"))
    assert is_version(citing(*SENTENCES, title="main"), citing(*OTHERS, title=TITLE), TITLE)
    assert not is_version(draft, citing(*OTHERS, title="Counting Terns on the Shore"))


def test_under_a_title_that_many_have_some_sentences_have_to_be_the_same() -> None:
    draft = citing(*SENTENCES, title="Lab Report")
    assert not is_version(draft, citing(*OTHERS, title="Lab Report"))
    more = [*SENTENCES[:4], *((text + " again", title) for text, title in OTHERS)]
    assert is_version(citing(*SENTENCES, *OTHERS, title="x"), citing(*more, title="X"))


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (SENTENCES, True),  # a copy under another title
        ([*SENTENCES[:4], *OTHERS[:2]], True),  # some of it rewritten
        ([(f"{text} too", title) for text, title in SENTENCES], True),  # all of it edited lightly
        (SENTENCES[:4], True),  # it was shorter then
        ([*SENTENCES[:3], *OTHERS], False),  # another draft that says some things again
        (SENTENCES[:1], False),
        (OTHERS, False),
    ],
)
def test_under_another_title_most_of_the_sentences_have_to_be_the_same(
    sentences: list[tuple[str, str]], expected: bool
) -> None:
    draft, other = citing(*SENTENCES, title="One"), citing(*sentences, title="Other")
    assert is_version(draft, other) == is_version(other, draft) == expected


def test_a_short_note_and_its_copy_are_versions() -> None:
    note = citing(*SENTENCES[:2], title="note")
    assert is_version(note, citing(*SENTENCES[:2], title="copy"))
    assert not is_version(note, citing(*SENTENCES[:1], title="copy"))


def test_a_chinese_title_of_two_words_is_that_of_many_and_a_longer_one_is_not() -> None:
    for title, expected in (("实验报告", False), ("海鸥繁殖习性的长期观测研究", True)):
        same = is_version(citing(*SENTENCES, title=title), citing(*OTHERS, title=title))
        assert same == expected


def test_versions_of_a_version_are_versions_of_the_same_draft() -> None:
    drafts = [
        citing(*SENTENCES, title="First Notes on Gulls"),
        citing(*OTHERS, title="Something Else"),
        citing(*SENTENCES, title=TITLE),
        citing(("A new start", "Rings"), title=TITLE),
    ]
    assert versions(drafts) == [0, 1, 0, 0]


def copies(desk: Path) -> list[Path]:
    """A renamed file, a copied folder, and a version in another folder under another title."""
    (desk / "v2").mkdir()
    shutil.copy(desk / "papers.bib", desk / "v2" / "papers.bib")
    return [
        write(desk, "renamed.tex", BEFORE),
        write(desk / "v2", "before.tex", BEFORE),
        write(desk / "v2", "other.tex", BEFORE.replace("Birds of the Shore", "On Birds")),
    ]


def test_no_copy_of_a_draft_teaches_it(desk: Path) -> None:
    others = OtherDrafts()
    before = write(desk, "before.tex", BEFORE)
    recommender(others).prepare(before)
    for copy in copies(desk):
        recommender(others).prepare(copy)
        assert others.beside(copy, "Birds of the Shore") is None, copy
        others.forget(copy)


def test_a_version_without_its_citations_is_not_taught_them_by_the_one_with(desk: Path) -> None:
    others = OtherDrafts()
    now = write(desk, "now.tex", BEFORE.replace(r"\cite{gulls}", r"\cite{}"))
    alone = keys(recommender(), now)
    recommender(others).prepare(write(desk, "before.tex", BEFORE))
    assert keys(recommender(others), now) == alone
    titled = write(desk, "titled.tex", now.read_text().replace("Birds of the Shore", "Other Notes"))
    assert keys(recommender(others), titled)[0] == "gulls"


def test_a_draft_that_gets_the_title_of_another_is_a_version_from_then_on(desk: Path) -> None:
    others = OtherDrafts()
    recommender(others).prepare(write(desk, "before.tex", BEFORE))
    now = write(desk, "now.tex", r"\title{Notes} Much else \cite{patience}. \bibliography{papers}")
    recommender(others).prepare(now)
    assert others.beside(now, "Notes") is not None
    assert others.beside(now, "Birds of the Shore") is None
