"""How others cite a paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.corpus.citations import CitationContext, PaperCitations
from cite_lsp.manuscript.text.sentences import MARKER_SIGN
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import CitedElsewhere, CitedFor
from cite_lsp.recommend.evidence.cited_elsewhere import (
    LONGEST,
    cited_elsewhere,
    citing_sentence,
    shown_sentence,
)
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from tests.recommend.shores import TopicEncoder
from tests.search.in_memory_sources import InMemorySources

TIDE = Paper("tide", "The tide and its causes", authors=("Ada Moor",), year=1990, doi="10.1000/t")
STORM = Paper("storm", "A storm on the marsh", authors=("Eo Wind",), year=2005)
BIRDS = Paper("birds", "Birds of the dune", authors=("Cy Vogel",), year=2000)
CITATIONS = [
    PaperCitations(
        "id storm",
        ("id tide",),
        (
            CitationContext(
                "Rain falls. What a marsh takes from a tide", "was measured. More follows."
            ),
            CitationContext("See", "."),
        ),
    ),
    PaperCitations(
        "id birds",
        ("id tide",),
        (CitationContext("Every gull knows when the ebb begins", ". So do we."),),
    ),
]


@pytest.fixture
def shores(tmp_path: Path) -> CorpusIndex:
    return InMemorySources(all=[TIDE, STORM, BIRDS, *CITATIONS]).index(tmp_path / "shores", "all")


def cited_place(
    index: CorpusIndex, sentence: str, title: str = "", encoder: TopicEncoder | None = None
) -> CitedElsewhere | None:
    return cited_elsewhere({"wet": index}, TIDE, (), CitedFor(sentence, title), encoder)


def test_the_sentence_is_the_one_nearest_to_the_writers(shores: CorpusIndex) -> None:
    cited = cited_place(shores, "The marsh takes silt.")
    assert cited is not None and (cited.paper.title, cited.corpus) == (STORM.title, "wet")
    assert cited.sentence == "What a marsh takes from a tide […] was measured."
    cited = cited_place(shores, "Gulls know the ebb.")
    assert cited is not None and cited.paper.title == BIRDS.title
    assert cited.sentence == "Every gull knows when the ebb begins […]."


def test_an_encoder_compares_by_meaning(shores: CorpusIndex) -> None:
    wanted = "What was measured when a gull takes from a gull"  # shares words with the other
    cited = cited_place(shores, wanted, encoder=TopicEncoder())
    assert cited is not None and cited.paper.title == BIRDS.title
    cited = cited_place(shores, wanted)
    assert cited is not None and cited.paper.title == STORM.title


def test_the_draft_itself_is_none_of_the_others(shores: CorpusIndex) -> None:
    cited = cited_place(shores, "The marsh takes silt.", title="A Storm on the Marsh")
    assert cited is not None and cited.paper.title == BIRDS.title


def test_without_a_sentence_the_newest_paper_is_quoted(shores: CorpusIndex) -> None:
    cited = cited_place(shores, "", encoder=TopicEncoder())
    assert cited is not None and cited.paper.title == STORM.title


def test_a_paper_is_known_by_its_number_too(shores: CorpusIndex) -> None:
    other = Paper("x", "Another title")
    assert cited_elsewhere({"wet": shores}, other, ("10.1000/t",), CitedFor(), None) is not None
    assert cited_elsewhere({"wet": shores}, other, (), CitedFor(), None) is None


def test_what_nobody_cites_or_no_corpus_has_is_not_quoted(shores: CorpusIndex) -> None:
    assert cited_elsewhere({"wet": shores}, STORM, (), CitedFor(), None) is None
    assert cited_elsewhere({}, TIDE, (), CitedFor(), None) is None


def test_a_corpus_without_contexts_quotes_nothing(tmp_path: Path) -> None:
    bare = [PaperCitations(cites.citing, cites.cited) for cites in CITATIONS]
    index = InMemorySources(all=[TIDE, STORM, BIRDS, *bare]).index(tmp_path / "bare", "all")
    assert cited_place(index, "The marsh takes silt.") is None


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (CitationContext("One. Two and three", "and four. Five."), "Two and three @ and four."),
        (CitationContext("One. The <i>last</i> word", "."), "The last word @."),
        (CitationContext("A passage. Of two."), "A passage. Of two."),
        (CitationContext("前一句。潮汐的研究", "很多。后一句。"), "潮汐的研究 @很多。"),
    ],
)
def test_the_sentence_of_the_marker_is_cut_out(words: CitationContext, sentence: str) -> None:
    expected = sentence.replace("@很", "@ 很").replace("@", MARKER_SIGN)
    assert citing_sentence(words).replace(" ", "") == expected.replace(" ", "")


def test_a_long_sentence_is_cut_around_the_marker() -> None:
    long = f"{'left ' * 200}{MARKER_SIGN}{' right' * 200}"
    shown = shown_sentence(long)
    assert len(shown) <= LONGEST + 5
    assert shown.startswith("…left ") and shown.endswith(" right…") and " […] " in shown
    assert shown_sentence("one " * 200).endswith(" one…")
    assert len(shown_sentence("x" * 2000)) <= LONGEST + 5


def test_what_misleads_a_terminal_is_marked() -> None:
    assert "\x1b" not in shown_sentence("Red \x1b[31m alarm\nnext")
