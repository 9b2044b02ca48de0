"""MP-BERT4CR: the text at the citation and the titles above it decide."""

from __future__ import annotations

from cite_lsp.manuscript import Context
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.published.mp_bert4cr import MpBert4Cr
from tests.recommend.shores import TopicEncoder

PAPERS = [Paper("gull", "Gull"), Paper("both", "Tide marsh"), Paper("tide", "Tide")]


def order(context: Context, **more: object) -> list[str]:
    pool = Pool(PAPERS)
    pool.embed(TopicEncoder())
    papers = LibraryPapers(pool)
    ranked = MpBert4Cr().rank(context, papers, TopicEncoder(), limit=2, **more)  # type: ignore[arg-type]
    assert [reason.value for paper in ranked for reason in paper.reasons] == [
        paper.score for paper in ranked
    ]
    return [PAPERS[paper.row].id for paper in ranked]


def test_the_nearest_to_the_text_come_first() -> None:
    assert order(Context(left="the tide", right="")) == ["tide", "both"]


def test_the_titles_of_draft_and_section_count() -> None:
    titled = Context(left="the tide", right="", section_title="Marsh")
    assert order(titled) == ["both", "tide"]


def test_what_the_section_cites_does_not() -> None:
    assert order(Context(left="the tide", right=""), cited=[0]) == ["tide", "both"]
