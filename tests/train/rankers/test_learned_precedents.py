"""Citing sentences as contexts: cut at the marker of the paper, each once."""

from __future__ import annotations

from cite_lsp.corpus.citing_sentences import CitingSentence
from cite_lsp.paper import Paper
from cite_lsp.train.rankers.learned_precedents import contexts_of_sentences

PAPERS = {
    "moor": Paper("moor", "Tides", authors=("Ada Moor", "Bo Fen"), year=2001),
    "lee": Paper("lee", "Waves", authors=("Lee, Cy",), year=2003),
    "none": Paper("none", "Of nobody", year=2003),
    "here": Paper("here", "A survey of shores", authors=("Di Reed",), year=2010),
}
SENTENCE = "Tides (Moor and Fen, 2001) and waves (Lee, 2003) rise."


def test_each_paper_of_a_sentence_has_its_own_place() -> None:
    contexts = contexts_of_sentences([CitingSentence("here", ("moor", "lee"), SENTENCE)], PAPERS)
    assert [
        (context.cited, context.context.left, context.context.right) for context in contexts
    ] == [
        (("moor",), "Tides", "and waves rise."),
        (("lee",), "Tides and waves", "rise."),
    ]
    assert {(context.citing_id, context.context.title, context.year) for context in contexts} == {
        ("here", "A survey of shores", 2010)
    }
    assert len({context.context_id for context in contexts}) == 2


def test_a_sentence_counts_once_for_a_document() -> None:
    again = [CitingSentence(name, ("lee",), SENTENCE) for name in ("here", "here", "there")]
    contexts = contexts_of_sentences(again, PAPERS)
    assert [(context.citing_id, context.context.title) for context in contexts] == [
        ("here", "A survey of shores"),
        ("there", ""),
    ]


def test_what_cannot_be_placed_is_left_out() -> None:
    sentences = [
        CitingSentence("here", ("unknown",), SENTENCE),
        CitingSentence("here", ("none",), SENTENCE),
        CitingSentence("here", ("moor",), "Waves (Lee, 2003) rise."),
        CitingSentence("here", ("moor",), "(Moor and Fen, 2001)"),
        CitingSentence("learned", ("moor",), SENTENCE),
    ]
    assert contexts_of_sentences(sentences, PAPERS, without={"learned"}) == []
