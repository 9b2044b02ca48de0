"""Captions, abstracts, thanks and theorems are left alone; so is what is hardly a sentence."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.lint.exempt import is_exempt
from tests.growth import LINEAR, growth

LATEX = r"""\documentclass{article}
\begin{document}
\begin{abstract}We do a certain new thing.\end{abstract}
\section{Intro}
Deep nets win at many tasks. See below.
\begin{figure}\caption[short]{A caption {of} two sentences. This is the second.}\end{figure}
This one comes behind the caption. 深度网络有效。
\begin{theorem}Let all of them be even.\end{theorem}
And this behind the theorem.
\section*{Acknowledgements}
We thank all our good friends.
\end{document}
"""


def left(text: str, format: str) -> list[str]:
    manuscript = parse(text, format)
    return [
        sentence.text for sentence in manuscript.sentences if not is_exempt(manuscript, sentence)
    ]


def test_of_latex_the_running_text_is_left() -> None:
    assert left(LATEX, "latex") == [
        "Deep nets win at many tasks.",
        "This one comes behind the caption.",
        "深度网络有效。",
        "And this behind the theorem.",
    ]


def test_a_rare_chinese_character_is_a_word_as_others_are() -> None:
    assert left("此外，㶲分析模型提供的信息有参考价值。", "latex") == [
        "此外，㶲分析模型提供的信息有参考价值。"
    ]


def test_chinese_behind_a_word_in_latin_letters_has_words_of_its_own() -> None:
    assert left("ResNet解决了深层网络的退化问题。", "latex") == ["ResNet解决了深层网络的退化问题。"]
    assert left("见BERT。", "latex") == []


def test_captions_in_options_are_left_out() -> None:
    text = (
        "\\section{Birds}\nGulls have been shown to nest here.\n"
        "\\begin{lstlisting}[caption={[Short]A caption of some listing, with {more}.},label=a]\n"
        "x\n\\end{lstlisting}\n"
        "\\begin{lstlisting}[caption=A caption of one more listing,label=a]\nx\n\\end{lstlisting}\n"
        "\\begin{tcolorbox}[title={The title of some box here}]\n"
        "Terns have been shown to nest here.\n"
        "\\end{tcolorbox}\n\\figcaption{The caption of a figure here.}\n"
    )
    manuscript = parse(text, "latex")
    assert [
        sentence.text for sentence in manuscript.sentences if not is_exempt(manuscript, sentence)
    ] == ["Gulls have been shown to nest here.", "Terns have been shown to nest here."]


def test_of_captions_in_two_languages_both_are_left_out() -> None:
    text = (
        "\\begin{figure}\\bicaption[short]{深度网络确实有效}{% twice\n"
        "Nets of all depths are seen.}\\end{figure}\nDeep nets win at many tasks."
    )
    assert left(text, "latex") == ["Deep nets win at many tasks."]


def test_what_publishers_ask_for_beside_the_text_and_notes_of_speakers_are_left_out() -> None:
    text = (
        "\\authornote{Both authors contributed equally here.}\n\\begin{document}\n"
        "\\begin{IEEEkeywords}\nbirds, colonies, islands, cliffs, nests\n\\end{IEEEkeywords}\n"
        "Gulls nest on steep cliffs.\n"
        "\\note<2>[item]{Say more of the nests of gulls.}\n"
        "\\begin{credits}\n\\subsubsection{\\ackname} This study was funded by a trust.\n"
        "\\end{credits}\n\\begin{IEEEbiography}[{\\includegraphics{a}}]{Ann Smith} studied birds "
        "at the university.\n\\end{IEEEbiography}\nThey are known for it.\n\n"
        "\\bio{a}\nAnn Smith studied birds on islands.\n\\endbio\n\nGulls do come back."
    )
    assert left(text, "latex") == [
        "Gulls nest on steep cliffs.",
        "They are known for it.",
        "Gulls do come back.",
    ]


def test_so_are_the_notes_of_speakers_in_slides_of_quarto_and_of_org() -> None:
    text = "Gulls nest on steep cliffs.\n\n::: {.notes}\nSay more of the nests of gulls.\n:::\n"
    assert left(text, "markdown") == ["Gulls nest on steep cliffs."]
    text = "Gulls nest on steep cliffs.\n#+begin_notes\nSay more of the nests.\n#+end_notes\n"
    assert left(text, "org") == ["Gulls nest on steep cliffs."]


def test_of_markdown_captions_are_left_out() -> None:
    text = (
        "# Birds\n\n![A caption of a certain picture](a.png)\n\n"
        "Table: A caption of the table.\n\n(ref:map) A caption of the map.\n\n"
        "\\begin{table}\n\\caption{One more caption of gulls.}\n\\end{table}\n\n"
        "Gulls nest on steep cliffs.\n\n"
        "# Acknowledgments\n\nWe thank all our friends.\n"
    )
    assert left(text, "markdown") == ["Gulls nest on steep cliffs."]


@pytest.mark.parametrize(
    "caption",
    [
        "**Figure 1:** Gulls are often\nseen there.",
        "**Table 2.1**. Gulls are often seen there.",
        "Fig. 3. Gulls are often seen there.",
        "![](a.png)\n*Figure 4: Gulls are often seen there.*",
        "图1：海鸥在悬崖上筑巢的示意图。",
    ],
)
def test_of_markdown_captions_that_are_paragraphs_are_left_out(caption: str) -> None:
    text = (
        f"Seen by all in\nFigure 1. Gulls nest on cliffs.\n\n{caption}\n\nFigure 1 shows it all.\n"
    )
    seen = ["Seen by all in Figure 1.", "Gulls nest on cliffs.", "Figure 1 shows it all."]
    assert left(text, "markdown") == seen


def test_many_tables_of_html_that_are_not_closed_are_read_in_no_time() -> None:
    def tables(count: int) -> str:
        return "<table> It is seen by all.\n\n" * count

    assert left(tables(20), "markdown")
    assert growth(tables, lambda text: left(text, "markdown"), 1_500) < LINEAR


def test_of_markdown_a_caption_on_several_lines_is_left_out() -> None:
    text = (
        "![A gull on its nest.\nThe gull [is said] to be old.](a.png)\n\n"
        "![](b.png)\nIt is seen by all.\n\n![Open\n\nTerns are seen by all.\n"
    )
    assert left(text, "markdown") == ["It is seen by all.", "Terns are seen by all."]


def test_of_markdown_tables_of_html_are_left_out() -> None:
    text = "<table>\n<tr><td>Gulls are often seen there</td></tr>\n</table>\n\nIt is seen by all.\n"
    assert left(text, "markdown") == ["It is seen by all."]


def test_of_markdown_divisions_with_statements_and_figures_are_left_out() -> None:
    text = (
        "# Birds\n\n::: {#thm-gull .big}\nEvery gull is a sea bird.\n\n:::: {.note}\n"
        "Told inside of the theorem.\n::::\n:::\n\n::: {.callout-note}\nGulls nest on steep cliffs."
        "\n:::\n\n::: {#fig-gulls}\n\nSome gulls in their nests."
        '\n:::\n\n```{theorem, name="Gull"}\nEvery gull is a sea bird.\n```\n\n'
        ":::{figure-md} a\n![](a.png)\n\nThe figure shows more gulls.\n:::\n\n"
        ":::{figure} gull.png\nThe figure shows some gulls.\n:::\n\n<figure>\n"
        "<figcaption>Gulls are seen from above.</figcaption>\n</figure>\n\n::: proof\n"
        "It follows from what was said.\n:::\n\nThey are known for it.\n"
    )
    assert left(text, "markdown") == ["Gulls nest on steep cliffs.", "They are known for it."]


def test_of_typst_captions_cells_and_statements_are_left_out() -> None:
    text = (
        "#show: article.with(\n  title: [Of terns and other birds],\n"
        "  abstract: [We do a certain new thing.],\n)\n"
        "#todo[Find a source for this claim.]\n"
        "#set page(header: [Of all the birds at sea], footer: context [Seen by all of us])\n"
        "#show: thesis.with(affiliations: ([The old school of many birds],))\n"
        "#abstract[We do another thing, too.]\n= Birds\nGulls nest on steep cliffs.\n\n"
        '#figure(\n  image("a.png"),\n  caption: [A caption [of gulls] in words.],\n)\n\n'
        "#figure(table(columns: 2, [A cell of many words], [Another (one) like it here]))\n\n"
        "#figure(x, caption: flex-caption([A caption of words.], [A shorter one of them.]))\n\n"
        "#figure(x, caption: text(size: 9pt)[A caption in a small size.])\n\n"
        '#theorem("Gull")[Every gull is a sea bird.]\n#proof[It follows from what was said.]\n\n'
        "They are known for it.\n"
    )
    assert left(text, "typst") == ["Gulls nest on steep cliffs.", "They are known for it."]


def test_of_org_captions_tables_and_statements_are_left_out() -> None:
    text = (
        "#+BEGIN_ABSTRACT\nWe do a certain new thing.\n#+END_ABSTRACT\n\n* Birds\n"
        "Gulls nest on steep cliffs.\n\n#+CAPTION: A caption of certain gulls.\n[[./gulls.png]]\n\n"
        "| a cell of many words | another cell of them |\n\n#+begin_theorem\n"
        "Every gull is a sea bird.\n#+end_theorem\n\nThey are known for it.\n"
    )
    assert left(text, "org") == ["Gulls nest on steep cliffs.", "They are known for it."]


def test_of_org_what_is_not_exported_is_left_out() -> None:
    text = (
        "* Birds\nGulls nest on steep cliffs.\n** TODO COMMENT Ideas\nWrite more of the gulls.\n"
        + "| a cell of many words |\n\n" * 5
        + "Look up their nests again.\n*** Part of it\nRead all of the books.\n"
        "** Fish\nThey are known for it.\n* Notes :old:noexport:\nBuy more paper this week.\n"
    )
    assert left(text, "org") == ["Gulls nest on steep cliffs.", "They are known for it."]


def test_of_org_what_is_exported_is_read_though_other_drafts_do_not_export_its_tag() -> None:
    text = (
        "#+exclude_tags: secret\n* Birds\nGulls nest on steep cliffs.\n"
        "* Fish :noexport:\nThey are known for it.\n* Ideas :secret:\nBuy more paper this week.\n"
        "* The tag :noexport: in Org\nTerns nest on flat islands.\n"
    )
    assert left(text, "org") == [
        "Gulls nest on steep cliffs.",
        "They are known for it.",
        "Terns nest on flat islands.",
    ]


def test_a_caption_that_is_never_closed_hides_nothing() -> None:
    assert left("\\caption{Begun and\n\nGulls nest on steep cliffs.", "latex") == [
        "Gulls nest on steep cliffs."
    ]


def test_of_markdown_directives_between_backticks_figures_are_left_out() -> None:
    text = (
        "````{note}\nGulls nest on steep cliffs.\n```python\nx\n```\n"
        "They are known for it.\n````\n\n"
        "```{figure} a.png\nThe caption is about many gulls.\n```\n\nTerns breed on flat beaches.\n"
    )
    assert left(text, "markdown") == [
        "Gulls nest on steep cliffs.",
        "They are known for it.",
        "Terns breed on flat beaches.",
    ]


def test_the_thanks_of_an_acm_article_are_left_out() -> None:
    text = (
        "\\begin{acks}\nWe thank all our good friends.\n\\end{acks}\nTerns nest on sandy coasts.\n"
    )
    assert left(text, "latex") == ["Terns nest on sandy coasts."]


@pytest.mark.parametrize("name", ["zusammenfassung", "resumen", "resumo", "riassunto", "ozet"])
def test_abstracts_in_other_languages_are_known_and_left_out(name: str) -> None:
    text = f"\\begin{{{name}}}Gulls nest on steep cliffs.\\end{{{name}}}\nGulls eat lots of fish."
    assert left(text, "latex") == ["Gulls eat lots of fish."]
    assert parse(text, "latex").abstract == "Gulls nest on steep cliffs."


@pytest.mark.parametrize(
    "name",
    [
        *("thanks", "publications", "achievements", "projects", "patents", "resume", "denotation"),
        *("englishabstract", "chineseabstract", "abstractEng", "nomenclature", "acronym"),
    ],
)
def test_the_environments_of_theses_for_what_stands_around_the_text_are_left_out(name: str) -> None:
    text = (
        f"\\begin{{{name}}}{{999}}\n\\item All of our gulls were counted twice.\n\\end{{{name}}}\n"
        "Terns nest on sandy coasts.\n"
    )
    assert left(text, "latex") == ["Terns nest on sandy coasts."]


def test_so_are_those_of_markdown() -> None:
    text = "# Kurzfassung\n\nGulls nest on steep cliffs.\n\n# Teil\n\nGulls eat lots of fish.\n"
    assert left(text, "markdown") == ["Gulls eat lots of fish."]
    assert parse(text, "markdown").abstract == "Gulls nest on steep cliffs."


@pytest.mark.parametrize(
    "command",
    [
        "abstract",  # Springer Nature
        *("supplementary", "funding", "acknowledgments", "conflictsofinterest"),  # MDPI
        *("informedconsent", "institutionalreview", "dataavailability", "authorcontributions"),
        *("codedataavailability", "competinginterests", "financialsupport"),  # Copernicus
        *("significancestatement", "acknow", "acks", "facilities"),  # PNAS, JMLR, AAS
        "abbreviations{Abbreviations}",
    ],
)
def test_the_commands_of_publishers_for_what_stands_around_the_text_are_left_out(
    command: str,
) -> None:
    text = f"Gulls nest on cliffs here.\n\\{command}{{All of our gulls were counted twice.}}\n"
    assert left(text, "latex") == ["Gulls nest on cliffs here."]


@pytest.mark.parametrize("environment", ["comments", "resolution", "notation"])
def test_what_theses_have_around_the_text_is_left_out(environment: str) -> None:
    around = f"\\begin{{{environment}}}\n论文选题有重要意义。\n\\end{{{environment}}}\n"
    assert left(f"海鸥在悬崖上筑巢。\n{around}", "latex") == ["海鸥在悬崖上筑巢。"]


def test_so_is_what_theses_in_typst_have() -> None:
    text = (
        '#abstract(keywords: ("海鸥", "悬崖"))[\n本文研究海鸥的巢穴。\n]\n'
        '#abstract-en(keywords: ("gulls",))[We do a certain new thing.]\n'
        "#notation[\n/ DFT: 密度泛函理论的缩写\n]\n= 绪论\n海鸥在悬崖上筑巢。\n"
    )
    assert left(text, "typst") == ["海鸥在悬崖上筑巢。"]


OF_JOURNALS_AND_UNIVERSITIES = [
    *("CRediT authorship contribution statement", "Declaration of competing interest"),
    "Declaration of generative AI and AI-assisted technologies in the writing process",
    *("Acknowledgments and Disclosure of Funding", "Acknowledgements.", "8 Acknowledgments"),
    *("Availability of data and materials", "Data and code availability"),
    *("Authors’ contributions", "AI usage disclosure", "TODO"),
    *("Conflict of Interest Statement", "Conflicts of interest/Competing interests"),
    *("Ethics approval and consent to participate", "Consent for publication"),
    *("List of Publications", "Research Publications", "Publications arising from this thesis"),
    *("Curriculum Vitae", "List of Abbreviations", "Contribution Outputs", "Research outputs"),
    *("Publications and presentations", "List of original papers", "List of original publications"),
]
IN_OTHER_LANGUAGES = [
    *(
        "发表论文",
        "致　谢",
        "誌謝",
        "攻读博士学位期间发表的学术论文",
        "学位论文原创性声明",
        "作者简介",
    ),
    *("个人简历、在学期间完成的相关学术成果", "作者攻读博士学位期间参加的科研项目"),
    *("作者简历及攻读学位期间发表的学术论文与研究成果", "学位论文版权使用授权书"),
    *("主要符号对照表", "符号与缩略语说明", "英文缩略词表", "作者贡献", "利益冲突声明"),
    *("Danksagung", "Eidesstattliche Erklärung", "Schlüsselwörter", "Lebenslauf"),
    *("Eigene Veröffentlichungen", "Remerciements", "Mots-clés", "Schlagwörter"),
    *(
        "Agradecimientos",
        "Palabras clave",
        "Riassunto",
        "Abstrakt",
        "Özet",
        "Anahtar kelimeler",
        "Tóm tắt",
    ),
    *("Благодарности", "Список использованной литературы", "謝辞", "キーワード", "초록"),
]


@pytest.mark.parametrize("title", [*OF_JOURNALS_AND_UNIVERSITIES, *IN_OTHER_LANGUAGES])
def test_what_journals_and_universities_have_sections_for_is_left_out(title: str) -> None:
    text = f"# {title}\n\nMany terns were counted twice.\n\n# More\n\nGulls nest on steep cliffs.\n"
    assert left(text, "markdown") == ["Gulls nest on steep cliffs."]


@pytest.mark.parametrize(
    "title",
    [
        *("Funding of research in Europe", "Conflicts of interest in medicine"),
        *("Abstract data types", "Disclosure of earnings by firms", "Publications as data"),
        *("Declaration of variables", "Summary", "Contributions", "Nomenclature", "Copyright"),
        *("Outputs", "Outputs of the model", "Papers", "Selected papers on gulls"),
        *("Informed consent", "声明式编程", "在学术论文中的应用", "符号执行", "作者身份识别"),
    ],
)
def test_sections_on_such_things_are_not(title: str) -> None:
    text = f"# {title}\n\nMany terns were counted twice.\n"
    assert left(text, "markdown") == ["Many terns were counted twice."]


def test_what_is_part_of_such_a_section_is_left_out_but_what_an_abstract_is_above_is_not() -> None:
    text = (
        "# Abstract\n\nWe do a certain new thing.\n\n"
        "## Introduction\n\nGulls nest on steep cliffs.\n\n"
        "# List of publications\n\n## Journals\n\nMiller, The Nests of all Gulls.\n\n"
        "# More\n\nTerns nest on sandy coasts.\n"
    )
    assert left(text, "markdown") == ["Gulls nest on steep cliffs.", "Terns nest on sandy coasts."]


@pytest.mark.parametrize(
    "bookmark",
    [
        r"\phantomsection\addcontentsline{toc}{chapter}{\tocEntry{Abstract}}",
        r"\pdfbookmark[1]{Acknowledgments}{thanks}",
    ],
)
def test_a_thesis_may_have_a_bookmark_in_place_of_the_heading(bookmark: str) -> None:
    text = (
        f"{bookmark}\nWe do a certain new thing.\n\\chapter{{Birds}}\nGulls nest on steep cliffs."
    )
    assert left(text, "latex") == ["Gulls nest on steep cliffs."]
    assert len(left(f"% {text}", "latex")) == 2


def test_the_front_of_an_article_of_elsevier_is_left_out() -> None:
    text = (
        "\\begin{highlights}\n\\item Gulls are counted from above.\n\\end{highlights}\n"
        "\\begin{graphicalabstract}\nA picture of many gulls.\n\\end{graphicalabstract}\n"
        "\\tnotetext[t1]{This work was supported by a trust for gulls.}\n\\ead{ann@gulls.org}\n"
        "\\cortext[cor1]{Corresponding author at the first address.}\n"
        "\\fntext[fn1]{Both authors counted as many gulls.}\n\\ead[url]{www.gulls.org}\n"
        "Gulls nest on steep cliffs."
    )
    assert left(text, "latex") == ["Gulls nest on steep cliffs."]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("\\textbf{Acknowledgements.} We thank all\nof our good friends.", "latex"),
        ("\\noindent {\\bf Data availability}: We share the data\nof all islands.", "latex"),
        ("\\textbf{Author contributions}\n\nAll authors counted\nmany of the gulls.", "latex"),
        ("**Acknowledgements.** We thank all\nof our good friends.", "markdown"),
        ("**Abstract**\n\nWe do a certain\nnew thing here.", "markdown"),
        ("*Funding:* A trust has paid\nfor all of it.", "typst"),
        ("*Keywords:* gulls, terns, nests, islands, cliffs", "org"),
        ("**摘要**：本文研究海鸥，\n很有意义。", "markdown"),
        ("摘要：本文研究海鸥，很有意义。", "markdown"),
        ("【关键词】海鸥；悬崖；巢穴研究；燕鸥", "markdown"),
        ("\\noindent{\\heiti 摘\\quad 要：}本文研究海鸥。", "latex"),
        ("\\textbf{关键词}：海鸥；悬崖；巢穴研究；燕鸥", "latex"),
        ("图 1  海鸥巢穴的示意图", "markdown"),
        ("- [ ] Ask Ann about the nests.\n- [x] Send the figures to Bob today.", "markdown"),
    ],
)
def test_paragraphs_with_such_titles_in_bold_type_are_left_out(text: str, format: str) -> None:
    around = f"Gulls nest on cliffs here.\n\n{text}\n\nTerns nest on sandy coasts.\n"
    assert left(around, format) == ["Gulls nest on cliffs here.", "Terns nest on sandy coasts."]


def test_other_words_in_bold_type_and_what_follows_a_heading_are_not() -> None:
    text = (
        "\\textbf{Gulls.} They nest on steep cliffs.\n\n\\textbf{Highlights}\n\n"
        "\\section{Birds}\nTerns nest on sandy coasts.\n"
    )
    assert left(text, "latex") == ["They nest on steep cliffs.", "Terns nest on sandy coasts."]


def test_a_per_cent_sign_that_is_printed_begins_no_comment_before_a_command() -> None:
    text = (
        "\\newcommand{\\pc}{\\%}\\begin{document}\nA title of many words.\n"
        "\\newcommand{\\all}{100\\%}\\maketitle\n\nGulls nest on steep cliffs.\n\n"
        "Terns need 9\\% of it. \\acknowledgments\nWe thank all of our friends.\n"
    )
    assert left(text, "latex") == ["Gulls nest on steep cliffs.", "Terns need 9% of it."]


@pytest.mark.parametrize(
    "slide",
    [r"\begin{frame}[t]{Acknowledgements}", "\\begin{frame}\n\\frametitle<1>{Data availability}"],
)
def test_slides_with_such_titles_are_left_out(slide: str) -> None:
    text = (
        f"{slide}\nWe thank all of our friends.\n\\end{{frame}}\n"
        "\\begin{frame}{Gulls}\nGulls nest on steep cliffs.\n\\end{frame}\n"
    )
    assert left(text, "latex") == ["Gulls nest on steep cliffs."]


def test_a_remark_at_the_head_of_a_paragraph_exempts_no_more_than_itself() -> None:
    text = "\\todo{Is it really so?} Nets of all depths are seen.\n\\todo[inline]{Say more of it.}"
    assert left(text, "latex") == ["Nets of all depths are seen."]


@pytest.mark.parametrize(
    "definition",
    [
        r"\newtheorem{theo}{Theorem}[section]",
        r"\newtheorem*{theo}{Main Theorem}",
        r"\newtheorem{theo}[other]{Definición}",
        r"\spnewtheorem{theo}{Satz}{\bfseries}{\itshape}",
        r"\newtheorem{theo}{定理}",
        r"\declaretheorem[style=plain, name=Theorem]{theo}",
    ],
)
def test_theorems_have_environments_of_the_drafts_own(definition: str) -> None:
    text = (
        f"{definition}\n\\newtheorem{{bsp}}{{Beispiel}}\n\\begin{{document}}\n"
        "\\begin{theo}[of cliffs] Gulls of all kinds nest on cliffs.\\end{theo}\n"
        "\\begin{bsp}Terns nest on sandy coasts.\\end{bsp}\n\\end{document}"
    )
    assert left(text, "latex") == ["Terns nest on sandy coasts."]


@pytest.mark.parametrize(
    "command", ["\\acknowledgments\n\n", "\\ack ", "\\acknowledgements % so\n"]
)
def test_thanks_may_be_begun_by_a_command_without_braces(command: str) -> None:
    text = (
        f"Gulls nest on steep cliffs.\n\n{command}We thank all our good friends.\n"
        "\\appendix\n\\section{Of terns}\nTerns nest on sandy coasts.\n"
    )
    assert left(text, "latex") == ["Gulls nest on steep cliffs.", "Terns nest on sandy coasts."]
    defined = f"\\newcommand\\ack\n{{Thanks}} {text}"
    assert left(defined, "latex")[:1] == ["Gulls nest on steep cliffs."]
