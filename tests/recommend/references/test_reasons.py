"""Why a draft should cite a paper."""

from __future__ import annotations

import numpy as np

from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.base.recommendation import Reason
from cite_lsp.recommend.library.library_papers import LibraryPapers
from cite_lsp.recommend.references.citation_graph import CitationGraph
from cite_lsp.recommend.references.draft_text import DraftText, SectionPassage, query_of
from cite_lsp.recommend.references.evidence import FEATURES
from cite_lsp.recommend.references.ranker import RankedPapers
from cite_lsp.recommend.references.reasons import beside_cited, reasons_for
from tests.recommend.references.conftest import PAPERS, ROW
from tests.recommend.shores import TopicEncoder


def reasons(
    source: LibraryPapers,
    graph: CitationGraph | None,
    paper: str,
    text: DraftText,
    cited: tuple[str, ...] = (),
) -> dict[str, Reason]:
    query = query_of(text, TopicEncoder(), [ROW[name] for name in cited], graph)
    ranked = RankedPapers(
        np.array([ROW[paper]]),
        np.ones(1, dtype=np.float32),
        np.zeros((1, len(FEATURES)), dtype=np.float32),
        np.arange(3 if graph else 0),
        query,
    )
    given = reasons_for(0, ranked, source, graph, lambda row: PAPERS[row].authors[0])
    return {reason.kind: reason for reason in given}


def test_what_it_is_cited_together_with_is_named(
    source: LibraryPapers, graph: CitationGraph
) -> None:
    given = reasons(source, graph, "tide", DraftText("Any"), ("gull", "marsh"))
    assert given["cited-together"].papers == ("Bo Luz", "Cy Vogel")  # most often first
    assert given["cited-by-nearest"].words == ("3",)
    query = query_of(DraftText("Any"), None, [ROW["gull"], ROW["marsh"]], graph)
    assert beside_cited(ROW["tide"], query, graph) == [(ROW["marsh"], 2), (ROW["gull"], 1)]
    assert beside_cited(ROW["reed"], query, graph) == []


def test_what_cites_the_same_says_so(source: LibraryPapers, graph: CitationGraph) -> None:
    given = reasons(source, graph, "storm", DraftText("Any"), ("tide", "marsh"))
    assert given["cites-same"].value == 2.0 and "cited-together" not in given


def test_the_section_that_it_is_near_to_is_named_before_the_draft(source: LibraryPapers) -> None:
    text = DraftText("A gull", "", (SectionPassage("Sand", "dune"), SectionPassage("Sea", "tide")))
    assert reasons(source, None, "tide", text)["near-section"].words == ("Sea",)
    assert set(reasons(source, None, "gull", DraftText("A gull"))) == {"near-draft"}
    assert reasons(source, None, "reed", DraftText("A gull")) == {}


def test_the_nearest_papers_that_the_draft_cites_are_named(source: LibraryPapers) -> None:
    given = reasons(source, None, "survey", DraftText("Any"), ("reed", "tide", "marsh", "gull"))
    # It is on tide, marsh and gull: "marsh" has two of these, "reed" none.
    assert given["near-cited"].papers[0] == "Bo Luz"
    assert "Fa Rohr" not in given["near-cited"].papers
    assert "near-cited" not in reasons(source, None, "reed", DraftText("Any"), ("tide",))


def test_who_it_is_cited_together_with_says_more_than_what_it_is_similar_to(
    source: LibraryPapers, graph: CitationGraph
) -> None:
    given = reasons(source, graph, "tide", DraftText("Any"), ("gull", "marsh"))
    assert "near-cited" not in given


def test_words_that_a_section_shares_are_named_for_want_of_anything_else() -> None:
    text = DraftText(
        "Any",
        "",
        (
            SectionPassage("Sand", "A reed and its causes"),
            SectionPassage("Sea", "The tide has two causes"),
        ),
    )
    by_words = LibraryPapers(Pool(PAPERS))
    assert reasons(by_words, None, "tide", text)["section-words"].words == (
        "Sea",
        "tide",
        "causes",
    )
    assert reasons(by_words, None, "reed", text) == {}, "one word is no reason"


def test_where_the_text_is_near_its_words_are_not_listed(source: LibraryPapers) -> None:
    text = DraftText("Any", "", (SectionPassage("Sea", "The tide has two causes"),))
    assert set(reasons(source, None, "tide", text)) == {"near-section"}
