"""Papers in words."""

from __future__ import annotations

from attrs import evolve
from lsprotocol.types import MarkupKind

from cite_lsp.library.annotations import Annotations
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.recommendation import CitedElsewhere, Recommendation
from cite_lsp.server.render import cards
from cite_lsp.server.render.cards import LONGEST_ABSTRACT, line
from cite_lsp.server.render.rows import row


def card(paper: Paper, markup: MarkupKind | None) -> str:
    described = cards.card(paper, markup)
    return described if isinstance(described, str) else described.value


def test_a_long_abstract_is_cut_at_a_word() -> None:
    paper = Paper("1", "T", abstract="word " * 1000)
    text = card(paper, MarkupKind.PlainText).split("\n\n")[1]
    assert len(text) <= LONGEST_ABSTRACT
    assert text.endswith("word…")


def test_markdown_in_a_title_is_shown_as_it_is_written() -> None:
    shown = card(Paper("1", "A* search in <b> x_1 for $1"), MarkupKind.Markdown)
    assert shown == r"**A\* search in \<b\> x\_1 for \$1**"
    assert card(Paper("1", "A* search"), MarkupKind.PlainText) == "A* search"


def test_latex_in_a_paper_is_shown_as_a_reader_sees_it() -> None:
    paper = Paper(
        "1", r"\emph{Decay} of $\Lambda \to p\pi$ for $5", r"At $\sqrt{s}$.", ("Ada Moor",)
    )
    title = "Decay of Λ → pπ for $5"
    assert line(paper) == f"Moor, {title}"
    assert line(Paper("1", paper.title)) == title
    assert card(paper, MarkupKind.PlainText) == f"{title}\n\nAda Moor\n\nAt √s."
    assert row(Recommendation(paper, 0.5, None, (), "arxiv"))["title"] == title


def test_what_is_missing_leaves_no_trace() -> None:
    assert card(Paper("1", "Title"), MarkupKind.Markdown) == "**Title**"
    assert card(Paper("1", ""), MarkupKind.Markdown) == ""
    assert line(Paper("1", "Title", year=2001)) == "Title 2001"


def test_a_client_that_names_no_markup_gets_a_string() -> None:
    assert cards.card(Paper("1", "A* search"), None) == "A* search"


def test_a_crowd_of_authors_is_counted() -> None:
    paper = Paper("1", "T", authors=tuple(f"Author {n}" for n in range(30)))
    assert "Author 11 and 18 more" in card(paper, MarkupKind.PlainText)


def test_that_a_paper_was_retracted_is_said_wherever_it_is_shown() -> None:
    paper = Paper("1", "Tides", authors=("Ada Moor",), year=2001, retracted=True)
    assert line(paper) == "Moor 2001, Tides (retracted)"
    assert card(paper, MarkupKind.Markdown).startswith("**Retracted**\n\n**Tides**")
    reference = cards.card(paper, MarkupKind.Markdown, reference="Moor, A. (2001). Tides.")
    assert not isinstance(reference, str)
    assert reference.value == "**Retracted**\n\nMoor, A. (2001). Tides."
    shown = row(Recommendation(paper, 0.5, None, (), "acl"))
    assert shown["reason"].startswith("retracted; from the corpus “acl”")


def test_a_card_for_a_chinese_draft_speaks_chinese() -> None:
    paper = Paper("p", "Title", authors=tuple("ABCDEFGHIJKLMN"), retracted=True)
    card = str(cards.card(paper, None, "与此处文字相符 0.71", language="zh"))
    assert "已撤稿" in card and "等 14 人" in card and "与此处文字相符 0.71" in card
    reason = row(Recommendation(paper, 0.5, None, (), "acl", language="zh"))["reason"]
    assert reason.startswith("已撤稿；来自语料库 acl")


def test_authors_who_are_not_named_are_mentioned() -> None:
    paper = Paper("1", "On tides", authors=("Ada Moor",), year=2012, more_authors=True)
    assert line(paper) == "Moor et al. 2012, On tides"
    assert "Ada Moor and others" in card(paper, MarkupKind.PlainText)
    assert "Ada Moor 等" in str(cards.card(paper, None, language="zh"))


def test_the_other_keys_of_a_work_are_named() -> None:
    item = Recommendation(Paper("1", "Tides"), 0.5, None, other_keys=("moor_2001", "moor01"))
    content = cards.recommended(item, MarkupKind.PlainText)
    assert not isinstance(content, str)
    assert content.value.endswith("\n\nThe same work: moor_2001, moor01")
    chinese = Recommendation(Paper("1", "Tides"), 0.5, None, other_keys=("moor01",), language="zh")
    assert "文献库中的同一文献：moor01" in str(cards.recommended(chinese, None))


def test_what_the_writer_noted_stands_before_the_abstract() -> None:
    paper = Paper("1", "Tides", "On tides.", keywords="not these")
    annotations = Annotations("salt; marsh", ("*Read*", "Lent"))
    notes = cards.annotated(annotations, "en")
    shown = cards.card(paper, MarkupKind.Markdown, "why", notes=notes)
    assert not isinstance(shown, str)
    assert shown.value.split("\n\n") == [
        "**Tides**",
        "Why",
        "Keywords: salt; marsh",
        r"Note: \*Read\*",
        "Note: Lent",
        "On tides.",
    ]
    plain = cards.card(paper, None, "", "zh", cards.annotated(annotations, "zh"))
    assert isinstance(plain, str) and "关键词：salt; marsh\n\n笔记：*Read*" in plain


def test_how_another_paper_cites_it_stands_behind_the_reasons_and_runs_nothing() -> None:
    citing = Paper("2", "A storm_surge", authors=("Eo Wind",), year=2005)
    elsewhere = CitedElsewhere("Tides [x](command:y) rise […].", citing, "wet")
    recommendation = Recommendation(Paper("1", "Tides"), 0.5, cited_elsewhere=elsewhere)
    shown = cards.recommended(recommendation, MarkupKind.Markdown)
    assert not isinstance(shown, str)
    assert shown.value.endswith(
        r"Cited elsewhere: “Tides \[x\](command:y) rise \[…\].” (Wind 2005, A storm\_surge)"
    )
    chinese = cards.recommended(evolve(recommendation, language="zh"), None)
    assert isinstance(chinese, str) and "他人引用：“Tides" in chinese


def test_where_nobody_is_known_to_cite_it_its_abstract_is_quoted() -> None:
    paper = Paper("1", "Tides", abstract="Tides rise. Storms take <all>. Dunes stay.")
    recommendation = Recommendation(paper, 0.5, abstract_sentence="Storms take <all>.")
    assert cards.quoted(recommendation) == ("From its abstract: “Storms take <all>.”",)
    assert cards.quoted(evolve(recommendation, language="zh")) == ("摘要：“Storms take <all>.”",)
    assert cards.quoted(Recommendation(paper, 0.5)) == ()
    shown = cards.recommended(recommendation, MarkupKind.Markdown)
    assert not isinstance(shown, str)
    assert shown.value.endswith("\n\nTides rise. **Storms take \\<all\\>.** Dunes stay.")
    assert str(cards.recommended(recommendation, None)).endswith(paper.abstract)
