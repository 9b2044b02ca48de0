"""What a marker, or a bare sentence, says about the citation wanted there."""

import pytest

from cite_lsp.manuscript import Document, parse
from cite_lsp.manuscript.draft.document import mentions_of
from tests.manuscript.lone_file import context_at, context_of

DRAFT = r"""\title{The Draft}
\begin{document}
\begin{abstract}What it is about.\end{abstract}
\section{One}
Alpha beta~\cite{a}. Gamma delta~\cite{b,c}. Epsilon zeta.
\subsection{Under one}
Eta \citet{a} theta. Iota kappa~\cite{d}.
\section{Two}
Lambda~\cite{e}, mu.\nocite{n}
\end{document}
"""


def test_a_marker_has_its_words_and_sentences_and_no_trace_of_itself() -> None:
    manuscript = parse(DRAFT, "latex")
    context = context_at(manuscript, DRAFT.index(r"\cite{b,c}") + 6)
    assert (context.left, context.right) == ("Alpha beta. Gamma delta", ". Epsilon zeta.")
    assert (context.previous, context.sentence, context.next) == (
        "Alpha beta.",
        "Gamma delta.",
        "Epsilon zeta.",
    )
    assert context.marker_cited == ("b", "c")
    assert (context.section_title, context.title) == ("One", "The Draft")
    assert (context.abstract, context.language) == ("What it is about.", "en")
    assert [mention.keys for mention in context.mentions] == [("a",), ("a",), ("d",), ("e",)]
    assert context.order == 1


def test_words_stop_at_the_subsection_but_cited_papers_at_the_section() -> None:
    manuscript = parse(DRAFT, "latex")
    context = context_of(manuscript, manuscript.markers[3])
    assert (context.left, context.right) == ("Eta theta. Iota kappa", ".")
    assert (context.previous, context.next) == ("Eta theta.", "")
    assert context.section_title == "Under one"
    assert context.section_cited == ("a", "b", "c")
    assert context.section_cited_before == ("a", "b", "c")


def test_own_keys_count_as_cited_in_the_section_only_if_another_marker_cites_them() -> None:
    manuscript = parse(DRAFT, "latex")
    first, second = (context_of(manuscript, marker) for marker in manuscript.markers[:2])
    assert first.section_cited == ("b", "c", "a", "d")
    assert first.section_cited_before == ()
    assert second.section_cited == ("a", "d")


def test_a_bare_sentence_is_a_context_too() -> None:
    manuscript = parse(DRAFT, "latex")
    context = context_at(manuscript, DRAFT.index("Epsilon") + 3)
    assert context.left == "Alpha beta. Gamma delta. Epsilon zeta."
    assert context.sentence == "Epsilon zeta."
    assert context.marker_cited == ()
    assert context.section_cited == ("a", "b", "c", "d")
    assert context.section_cited_before == ("a", "b", "c")
    assert len(context.mentions) == 5


def test_fifty_words_on_either_side() -> None:
    words = " ".join(f"w{number}" for number in range(120))
    context = context_at(parse(f"{words} \\cite{{a}} {words}", "latex"), len(words) + 4)
    assert context.left.split() == words.split()[-50:]
    assert context.right.split() == words.split()[:50]


def test_a_hundred_han_characters_count_as_fifty_words() -> None:
    text = "甲乙丙丁戊己庚辛壬癸" * 30
    context = context_at(parse(f"{text}[@a]{text}", "markdown"), len(text) + 2)
    assert (context.left, context.right) == (text[:100], text[:100])
    assert context.language == "zh"


def test_a_footnote_is_read_after_what_it_annotates_and_passed_over_elsewhere() -> None:
    text = "One two.\\footnote{Three \\cite{a} four.} Five \\cite{b}."
    manuscript = parse(text, "latex")
    inside, outside = (context_of(manuscript, marker) for marker in manuscript.markers)
    assert (inside.left, inside.right) == ("One two. Three", "four. Five.")
    assert inside.sentence == "Three four."
    assert (outside.left, outside.sentence) == ("One two. Five", "Five.")


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("markdown", "# A\n\nAuk. One[^1] so. Five [@b].\n\n# B\n\n[^1]: Three [@a] four.\n"),
        ("org", "* A\n\nAuk. One[fn:1] so. Five [cite:@b].\n\n* B\n\n[fn:1] Three [cite:@a] four."),
    ],
)  # fmt: skip
def test_a_footnote_that_stands_apart_is_read_where_it_is_referred_to(
    format: str, text: str
) -> None:
    context = context_at(parse(text, format), text.rindex("@") + 1)
    assert (context.left, context.right) == ("Auk. One Three", "four. so. Five.")
    assert (context.sentence, context.sentence_before) == ("Three four.", "Three")
    assert (context.previous, context.next) == ("One so.", "Five.")
    assert (context.section_title, context.section_cited) == ("A", ("b",))


def test_a_key_that_is_begun_in_a_footnote_that_stands_apart_has_the_words_of_the_text() -> None:
    text = "One[^1] so.\n\nFive.\n\n[^1]: Three @\n"
    context = context_at(parse(text, "markdown"), text.index("@") + 1)
    assert (context.left, context.right) == ("One Three", "so. Five.")


def test_sentences_of_a_footnote_that_stands_apart_are_between_those_of_the_text() -> None:
    text = "One[^1]. Two.\n\nThree.\n\n[^1]: Four @a. Five @b.\n"
    manuscript = parse(text, "markdown")
    first, second = (context_of(manuscript, marker) for marker in manuscript.markers)
    assert (first.previous, first.next) == ("One.", "Five.")
    assert (second.previous, second.next) == ("Four.", "Two.")


def test_a_footnote_that_nothing_refers_to_is_read_where_it_stands() -> None:
    text = "One.\n\n[^1]: Three @a four.\n"
    context = context_at(parse(text, "markdown"), text.index("@"))
    assert (context.left, context.right) == ("One. Three", "four.")


def test_an_unterminated_command_leaves_the_rest_of_its_line_to_the_context() -> None:
    text = "We use \\cite{att and it works well.\nReally."
    context = context_at(parse(text, "latex"), text.index("att") + 3)
    assert (context.left, context.right) == ("We use", "and it works well. Really.")
    assert context.sentence == "We use and it works well."


def test_a_bare_at_sign_is_the_place_of_the_citation() -> None:
    text = "We use [see @] and it works. More by @b."
    context = context_at(parse(text, "markdown"), text.index("@") + 1)
    assert context.right == "and it works. More by."
    assert context.section_cited == ("b",)


def test_an_open_bracket_leaves_no_debris_in_the_words() -> None:
    text = "It works (see \\cite{a}). Next (e.g., \\cite{b})."
    manuscript = parse(text, "latex")
    contexts = [context_of(manuscript, marker) for marker in manuscript.markers]
    assert [(context.left, context.right) for context in contexts] == [
        ("It works", ". Next."),
        ("It works. Next", "."),
    ]


def test_the_other_files_of_the_draft_lend_mentions_title_and_abstract() -> None:
    main = parse(DRAFT, "latex")
    chapter = parse("\\section{Three}\nNu~\\cite{a}. Xi~\\cite{f}.", "latex")
    marker = chapter.markers[1]
    alone = context_of(chapter, marker)
    together = context_of(chapter, marker, Document.of(main, chapter))
    assert (alone.title, together.title) == ("", "The Draft")
    assert together.abstract == "What it is about."
    assert (alone.order, together.order) == (1, 6)
    assert [mention.order for mention in together.mentions] == [0, 1, 2, 3, 4, 5]
    assert together.section_cited == ("a",)
    assert {m.section for m in together.mentions if m.order == 5} == {together.section}
    assert not {m.section for m in together.mentions[:5]} & {together.section}


def test_text_under_a_chapter_forms_a_group_of_its_own() -> None:
    text = "\\chapter{C}\nA \\cite{a}.\n\\section{S}\nB \\cite{b}.\n\\subsection{T}\nC \\cite{c}."
    manuscript = parse(text, "latex")
    assert [context_of(manuscript, m).section_cited for m in manuscript.markers] == [
        (),
        ("c",),
        ("b",),
    ]


def test_in_markdown_the_second_level_groups_if_the_first_has_one_heading() -> None:
    text = "# T\n\n@a\n\n## One\n\n@b\n\n### Deep\n\n@c\n\n## Two\n\n@d\n"
    manuscript = parse(text, "markdown")
    assert [context_of(manuscript, m).section_cited for m in manuscript.markers] == [
        (),
        ("c",),
        ("b",),
        (),
    ]


def test_nocite_is_neither_a_mention_nor_cited_in_the_section() -> None:
    manuscript = parse(DRAFT, "latex")
    last = context_of(manuscript, manuscript.markers[4])
    assert last.section_cited == ()
    assert all("n" not in mention.keys for mention in mentions_of(manuscript))


def test_a_place_without_prose_has_a_context_all_the_same() -> None:
    for markup in ("latex", "markdown"):
        context = context_at(parse("", markup), 0)
        assert (context.left, context.right, context.sentence) == ("", "", "")


def test_the_sign_behind_a_marker_stays_and_says_whether_the_sentence_goes_on() -> None:
    text = "Parsing \\cite{a}, tagging \\cite{b}. 分析方法\\cite{c}。另一种方法。"
    manuscript = parse(text, "latex")
    rights = [context_of(manuscript, marker).right for marker in manuscript.markers]
    assert [right[0] for right in rights] == [",", ".", "。"]


def test_japanese_counts_as_chinese_but_its_messages_are_in_english() -> None:
    japanese = "協調フィルタリングは推薦の代表的な手法であり、行列分解によって因子を求める [@a]。"
    chinese = "协同过滤是推荐系统的代表性方法，它通过矩阵分解得到用户和商品的潜在因子 [@a]。"
    for text, language in ((japanese, "en"), (chinese, "zh")):
        manuscript = parse(text, "markdown")
        context = context_of(manuscript, manuscript.markers[0])
        assert (context.language, manuscript.language) == ("zh", "zh")
        assert (context.message_language, manuscript.message_language) == (language, language)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"The gulls~\cite{a}(and terns) nest.", "The gulls (and terns) nest."),
        (r"They call~\cite{a}“home” a cliff.", "They call “home” a cliff."),
        (r"The gulls \cite{a}, and terns, nest.", "The gulls, and terns, nest."),
    ],
)
def test_what_stands_around_a_marker_closes_up_without_it(text: str, expected: str) -> None:
    assert parse(text, "latex").prose(0, len(text)) == expected
