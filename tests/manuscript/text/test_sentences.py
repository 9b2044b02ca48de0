"""Where sentences end and what their plain text is."""

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.text import paragraphs as reading
from cite_lsp.manuscript.text.sentences import sentence_spans
from tests.manuscript.lone_file import context_of


def sentences(text: str, markup: str = "latex") -> list[str]:
    manuscript = parse(text, markup)
    for sentence in manuscript.sentences:
        assert 0 <= sentence.start < sentence.end <= len(text)
    return [sentence.text for sentence in manuscript.sentences]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("See e.g. Smith et al. and Fig. 3, cf. Eq. 4. Then.",
         ["See e.g. Smith et al. and Fig. 3, cf. Eq. 4.", "Then."]),
        ("By J. R. Smith and Dr. Jones vs. us. Next.",
         ["By J. R. Smith and Dr. Jones vs. us.", "Next."]),
        ("It was shown by Li et al. The rest follows.",
         ["It was shown by Li et al.", "The rest follows."]),
        ("It is 3.14 and v2.0 here. Yes.", ["It is 3.14 and v2.0 here.", "Yes."]),
        ("It says “so.” Then it ends.", ["It says “so.”", "Then it ends."]),
        ("“It is so.” (see Doe 2020, pp. 13f.) Next. (Roe et al., 2019).",
         ["“It is so.” (see Doe 2020, pp. 13f.)", "Next. (Roe et al., 2019)."]),
        ("Il dit (Doe 2020, p. 3 et suiv. ; Roe 2019) cela. Puis.",
         ["Il dit (Doe 2020, p. 3 et suiv.; Roe 2019) cela.", "Puis."]),
        ("It is so. (Data of 2020 say it, too.) Next.",
         ["It is so.", "(Data of 2020 say it, too.)", "Next."]),
        ("So. iPhones sell", ["So. iPhones sell"]),
        ("One\n\nTwo", ["One", "Two"]),
        ("\\section{Head}\nBody.", ["Body."]),
        ("\\begin{itemize}\\item one \\item[x] two\\end{itemize}", ["one", "two"]),
        ("方法有效。结果好！真的吗？是；对", ["方法有效。", "结果好！", "真的吗？", "是；", "对"]),
        ("甲（张三，2020；李四，2019）如此；乙（如丙；如丁）。",
         ["甲（张三，2020；李四，2019）如此；", "乙（如丙；如丁）。"]),
        ("（1）甲；（2）乙；3）丙（丁）；4）戊。",
         ["（1）甲；", "（2）乙；", "3）丙（丁）；", "4）戊。"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("二つある．文字も？そう．", ["二つある．", "文字も？", "そう．"]),
        ("手法である.次に示す.または v2.の話.", ["手法である.", "次に示す.", "または v2.の話."]),
        ("「よい。」と述べた。「そう。」という。「よい。」ところで次。",
         ["「よい。」と述べた。", "「そう。」という。", "「よい。」", "ところで次。"]),
        ("約３．１４と 0．5．以下同様．", ["約３．１４と 0．5．以下同様．"]),
        ("1．方法有效．2．结果好．", ["1．方法有效．", "2．结果好．"]),
        ("Smith et al．は Fig．3 で示した．次．", ["Smith et al．は Fig．3 で示した．", "次．"]),
        ("手法はA．次．", ["手法はA．", "次．"]),
        ("它有 95． 很好．", ["它有 95．", "很好．"]),
        ("采用方法.我们发现", ["采用方法.", "我们发现"]),
        ("见Fig. 1和Eq. (2)。由表及Fig. S1可知。",
         ["见Fig. 1和Eq. (2)。", "由表及Fig. S1可知。"]),
        ("采用方案A. 然后，用No. 其他", ["采用方案A.", "然后，用No.", "其他"]),
        ("用了 PyTorch 1.0 版本", ["用了 PyTorch 1.0 版本"]),
        ("由J. R. Smith和K. Doe提出。Y. LeCun等认为。",
         ["由J. R. Smith和K. Doe提出。", "Y. LeCun等认为。"]),
        ("采用方案A. BERT更好", ["采用方案A.", "BERT更好"]),
        ("他说……然后走了。", ["他说……然后走了。"]),
        ("图像、语音……等模态很多…而且有x=1,……,n。", ["图像、语音……等模态很多…而且有x=1,……,n。"]),
        ("如“甲……乙”所示。“甲……”是引文。", ["如“甲……乙”所示。", "“甲……”是引文。"]),
        ("这很难……但是有解。方法很多……。本文用其一……",
         ["这很难……", "但是有解。", "方法很多……。", "本文用其一……"]),
        ("难……\\cite{a}因此重要", ["难……", "因此重要"]),
        ("见《为什么？》一书。他问：“为什么？”他不知道。",
         ["见《为什么？》一书。", "他问：“为什么？”", "他不知道。"]),
        ("“是什么？”“为什么？”等问题、“好！”的说法与“如何？”这一问题。",
         ["“是什么？”“为什么？”等问题、“好！”的说法与“如何？”这一问题。"]),
        ("读《Is it?》可知。“Why?”是问题。", ["读《Is it?》可知。", "“Why?”是问题。"]),
    ],
)  # fmt: skip
def test_sentences_end_where_they_should(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "\\begin{frame}[fragile]{A title of the frame}\nIt works.\n\\end{frame}",
        "\\begin{frame}<1>{A title\n  on two lines}{Below it}\nIt works.\n\\end{frame}",
        "\\begin{frame}\n\\frametitle{The \\emph{first} frame}\nIt works.\n\\end{frame}",
        "\\begin{block}<2->{A title of the block}\nIt works.\n\\end{block}",
        "\\begin{block}{A title of the block}<2->\nIt works.\n\\end{block}",
        "\\begin{frame}\n{\\small It works.}\n\\end{frame}",
        "\\only<2-| handout:0>{It \\alert<3>{works}.}",
        "\\begin{itemize}\n\\item<1-> It works.\n\\end{itemize}",
    ],
)
def test_titles_and_overlays_of_slides_are_no_prose(text: str) -> None:
    assert sentences(text) == ["It works."]


@pytest.mark.parametrize(
    "text",
    [
        "> [!note] A title of it\n> It works.\n",
        "> [!TIP]-\n>\n> It works.\n",
        "- [ ] It works.\n",
        "1. [x] It works.\n",
    ],
)
def test_titles_of_callouts_and_boxes_of_tasks_are_no_prose(text: str) -> None:
    assert sentences(text, "markdown") == ["It works."]


def test_a_citation_in_the_title_of_a_frame_is_one() -> None:
    (marker,) = parse(r"\begin{frame}{As \cite{a} says}It works.\end{frame}", "latex").markers
    assert [key.text for key in marker.keys] == ["a"]


def test_a_note_behind_the_full_stop_says_nothing_of_the_next_sentence() -> None:
    text = "精度提高了。\\footnote{见附录。}发现问题是第一步。"
    first, second, _ = parse(text, "latex").sentences
    assert text[first.start : first.end] == "精度提高了。\\footnote{见附录。}"
    assert second.text == "发现问题是第一步。"


@pytest.mark.parametrize(
    ("text", "markup", "expected"),
    [
        ("One.\\cite{a} Two.", "latex", ["a", ""]),
        ("One~\\cite{a}. Two.", "latex", ["a", ""]),
        ("One. \\citet{a} shows two.", "latex", ["", "a"]),
        ("One.\n\\cite{a}", "latex", ["a"]),
        ("``One.'' (\\cite{a}) Two.", "latex", ["a", ""]),
        ("``One.'' (see \\cite{a,b}, p. 3) Two.", "latex", ["a,b", ""]),
        ("One. (\\cite{a} says two.) Three.", "latex", ["", "a", ""]),
        ("> One.\n> -- @a\n\nTwo.", "markdown", ["a", ""]),
        ("“一。”（见 [@a]）二。", "markdown", ["a", ""]),
        ("一。（参见文献~\\cite{a}；\\cite{b}）二。", "latex", ["a,b", ""]),
        ("一（\\cite{a}；\\cite{b}）。二。", "latex", ["a,b", ""]),
        ("一。（由\\cite{a}提出）二。", "latex", ["", "a"]),
        ("一。\\cite{a}二。", "latex", ["a", ""]),
        ("一\\cite{a}。二。", "latex", ["a", ""]),
        ("一．\\cite{a}二．", "latex", ["a", ""]),
        ("図1．\\cite{a}二．", "latex", ["a", ""]),
        ("One.[@a] Two.", "markdown", ["a", ""]),
        ("One. [@a] Two.", "markdown", ["a", ""]),
        ("One. @a shows two.", "markdown", ["", "a"]),
        ("一。[@a]二。", "markdown", ["a", ""]),
        ("One.\\footnote{See \\cite{a}.} Two.", "latex", ["a", "", "a"]),
        ("One.\\footnote<2->{See \\cite{a}.} Two.", "latex", ["a", "", "a"]),
        ("One.\\pagenote{See \\cite{a}.} Two.", "latex", ["a", "", "a"]),
        ("One.\\bibnote[b]{See \\cite{a}.} Two.", "latex", ["a", "", "a"]),
        ("One.\\tablefootnote{See \\cite{a}.} Two.", "latex", ["a", "", "a"]),
        ("一。\\citet{a}在书中说了二。", "latex", ["", "a"]),
        ("一.\\textcite{a}对二做了综述.", "latex", ["", "a"]),
        ("“一。”\\citeauthor*{a}等人说了二。", "latex", ["", "a"]),
        ("一。\\citet{a}。", "latex", ["a"]),
        ("一。\\cite{a}\\cite{b}认为二。\\cite{c}三。", "latex", ["", "a,b,c", ""]),
        ("一。\\cite{a}等人说了二。\\cite{b}等式三成立。", "latex", ["", "a,b", ""]),
        ("一。@a 在书中说了二。", "markdown", ["", "a"]),
        ("一。[cite/t:@a]在书中说了二。", "org", ["", "a"]),
        ("一。[cite:@a]二。", "org", ["a", ""]),
        ('一。#cite(<a>, form: "prose")在书中说了二。#cite(<b>)三。', "typst", ["", "a,b", ""]),
        ("One. \\citet{a} Two.", "latex", ["a", ""]),
        ("One.\\onlinecite{a} Two.", "latex", ["a", ""]),
        ("One.\\citet{a} \\citet{b} shows two.", "latex", ["a", "b"]),
    ],
)
def test_a_marker_behind_the_full_stop_belongs_to_the_sentence_before(
    text: str, markup: str, expected: list[str]
) -> None:
    parsed = parse(text, markup).sentences
    assert [
        ",".join(key.text for marker in sentence.markers for key in marker.keys)
        for sentence in parsed
    ] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It \\emph{really} is \\textbf{so \\emph{very} good}.", "It really is so very good."),
        ("See~this -- and ``that'' --- now.", "See this – and “that” — now."),
        ("G\\\"odel, Erd\\H{o}s, na\\\"{\\i}ve, Fran\\c{c}ois, \\v{S}koda, stra\\ss e.",
         "Gödel, Erdős, naïve, François, Škoda, straße."),
        ("<<Крачки \"--- птицы>>, писал он.", "«Крачки — птицы», писал он."),
        ("Er ruft \\glqq so\\grqq{} und \\flqq nein\\frqq. Gut.", "Er ruft „so“ und «nein»."),
        ("\\DJ or\\dj e dit \\og oui\\fg{} ici.", "Đorđe dit «oui» ici."),
        ("\\og Oui, c'est vrai.\\fg{} Puis non.", "« Oui, c'est vrai.»"),
        ("\"Deep nets\"---all of them.", "\"Deep nets\"—all of them."),
        ("About 5\\% of R\\&D.", "About 5% of R&D."),
        ("The $k$-means in $O(n^2)$ for $\\alpha$.", "The k-means in O(n2) for α."),
        ("A $\\int_0^1 f(x) g(x) h(x) dx + \\sum_{i} a_i b_i c_i$ b.", "A b."),
        ("So: \\[ x = y. \\]", "So."),
        ("So \\[ x = y \\] holds.", "So holds."),
        ("So\n\\begin{align}\nx = y\n\n\\end{align}\nholds.", "So holds."),
        ("In Figure~\\ref{f} (\\autoref{x}) we see.", "In Figure we see."),
        ("In \\Secref{s}, \\cpageref*{x} and \\zcref[S]{y} we \\hyperref[x]{see it}.",
         "In, and we see it."),
        ("About ($\\$$) or $\\$5$, $5\\%$ of $\\alpha x$.", "About ($) or $5, 5% of αx."),
        ("At \\SIrange{50}{200}{\\MHz} or \\numrange[x=y]{1}{2}.", "At 50–200 or 1–2."),
        ("The speed $v$\\nomenclature[v]{$v$}{Speed of it.} is \\rotatebox{90}{high}.",
         "The speed v is high."),
        ("\\begin{columns}\\column{0.5\\textwidth}It works.\\end{columns}", "It works."),
        ("In \\fontfamily{ptm}\\selectfont words\\lstinputlisting[a=b]{x.py}.", "In words."),
        ("Red \\textcolor{red}{is} \\href{http://x}{linked}.", "Red is linked."),
        ("Works\\footnote{Or not.} fine.", "Works fine."),
        ("A word% and a comment\n s here.", "A words here."),
        ("It works (see \\cite{a}).", "It works."),
        ("``It works.'' --- \\cite{a}", "“It works.”"),
        ("It works \\cite{a}, \\cite{b} and \\cite{c}.", "It works."),
        ("It works [\\cite{a}], truly.", "It works, truly."),
        ("It works (for a review see \\cite{a,b}; \\cite{c}) well.", "It works well."),
        ("Work \\cite{a}--\\cite{c}, \\cite{e} shows it.", "Work shows it."),
        ("Both (A \\cite{a} and B \\cite{b}) work.", "Both (A and B) work."),
        ("方法\\cite{a}有效（见\\cite{b}）。", "方法有效。"),
        ("方法很\n好。", "方法很好。"),
    ],
)  # fmt: skip
def test_plain_text_of_latex_has_words_but_no_markup(text: str, expected: str) -> None:
    assert sentences(text)[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It *really* is __so__ ~~not~~ `good`.", "It really is so not good."),
        ("snake_case stays, 2 \\* 3 too.", "snake_case stays, 2 * 3 too."),
        ("A [link](http://x.org) and [ref][1].", "A link and ref."),
        ("It works.[^1]", "It works."),
        ("Works^[or [not] so] fine.", "Works fine."),
        ("It works [@a; see @b].", "It works."),
        ("As @a [p. 3] said.", "As said."),
        ("See <b>this</b>&nbsp;one <!-- no --> here.", "See this one here."),
        ("![Alt text](x.png){width=5}", "Alt text"),
        ("See [link @a](http://b.c) here.", "See link here."),
        ("The $k$-means costs $5 or $6.", "The k-means costs $5 or $6."),
        ("方法[@a]有效。", "方法有效。"),
        ("> quoted\n> text.", "quoted text."),
        ("> (1) Agree\\\n> (2) Disagree\\\n\nText.", "Agree"),
        ("It costs $\\$$ here.", "It costs $ here."),
    ],
)
def test_plain_text_of_markdown_has_words_but_no_markup(text: str, expected: str) -> None:
    assert sentences(text, "markdown")[0] == expected


@pytest.mark.parametrize(
    "length",
    [
        *(r"\vskip 0.3in", r"\vskip -.5\baselineskip", r"\hskip 1em plus 1fil minus 2pt"),
        *(r"\kern-0.2em", r"\parindent=0pt", r"\rule{\linewidth}{0.4pt}"),
        r"\resizebox{3cm}{!}{}",
    ],
)
def test_lengths_are_no_words(length: str) -> None:
    assert sentences(f"Gulls nest. {length} Terns do, too.") == ["Gulls nest.", "Terns do, too."]


def test_a_sentence_covers_its_source() -> None:
    text = "One is here.\nThe \\emph{second} one~\\cite{a}.\nThree."
    manuscript = parse(text, "latex")
    second = manuscript.sentences[1]
    assert text[second.start : second.end] == "The \\emph{second} one~\\cite{a}."
    assert manuscript.sentence_at(text.index("second")) == second
    assert manuscript.sentence_at(text.index("\\cite") + 3) == second


def test_tables_listings_and_the_preamble_are_no_prose() -> None:
    text = (
        "\\documentclass{article}\n\\newcommand{\\x}{Not this. }\n\\begin{document}\nProse.\n"
        "\\begin{tabular}{l}cell. & Cell.\\\\\\end{tabular}\n"
        "\\begin{lstlisting}\ncode. Code\n\\end{lstlisting}\n"
        "\\begin{alltt}\ncode. Code\n\\end{alltt}\n\\end{document}\nAfter."
    )
    assert sentences(text) == ["Prose."]
    assert sentences("Prose.\n\n| a | b. C |\n|---|---|\n\n```\ncode\n```\n", "markdown") == [
        "Prose."
    ]


@pytest.mark.parametrize(("text", "markup"), [("`文。1`", "markdown"), ("$文。1$", "typst")])
def test_a_full_stop_in_code_or_a_formula_cuts_nothing_in_two(text: str, markup: str) -> None:
    (sentence,) = parse(text, markup).sentences
    assert (sentence.start, sentence.end, sentence.text) == (0, len(text), "文。 1")


def test_formulas_in_brackets_with_backslashes_are_read_as_those_between_dollars() -> None:
    text = (
        r"We take \(x_{1} + \alpha\) for all \(n. N\) \[ a = b. C = \frac{d}{e} \] of them. Then."
    )
    assert sentences(text) == ["We take x1+α for all n.N of them.", "Then."]


@pytest.mark.parametrize(
    ("markup", "cite"),
    [("latex", "\\cite{a%d}"), ("markdown", "[@a%d]"), ("typst", "@a%d"), ("org", "[cite:@a%d]")],
)
def test_an_edit_reads_only_the_paragraph_that_it_touches(
    markup: str, cite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts_read: list[str] = []
    spans = sentence_spans

    def noting(text: str) -> list[tuple[int, int]]:
        texts_read.append(text)
        return spans(text)

    monkeypatch.setattr(reading, "sentence_spans", noting)
    paragraphs = [f"Paragraph {n} of {markup} says {cite % n} this. And more." for n in range(50)]
    before = parse("\n\n".join(paragraphs), markup)
    assert len(before.sentences) == 100
    texts_read.clear()
    paragraphs[20] = paragraphs[20].replace("more", "a word more")
    after = parse("\n\n".join(paragraphs), markup)
    assert len(after.sentences) == 100
    assert len(texts_read) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Verfahren wie z. B. Matrixfaktorisierung bzw. Nachbarschaften gibt es i. d. R. Überall.",
        "Im 19. Jahrhundert, d. h. Lange vor dem 3. Mai 1919, galt u. a. Laplace als Begründer.",
        "Das zeigt Abb. 3 (vgl. Müller, S. 12 und Kap. 4) laut Prof. Weber für v. a. Nachrichten.",
        "Selon Mme. Curie, éd. Gallimard, l'art. 5 suffit.",
        "Según la Dra. López, p. ej. Madrid (véase la pág. 12) creció en el s. XIX.",
        "W pracy zob. Kowalski, rys. 2 i tzw. Model Isinga.",
        "В работе А. С. Пушкина, см. Иванов и др. Петров (рис. 3, т. е. Схема), в г. Москва так.",
        "Bkz. Yılmaz ve Doç. Kaya.",
        "In der 2. Phase, vom 3. Treffen an, gilt Gl. (3) aus Abschn. 2 i. Allg. Überall.",
        "Rossi e coll. (2016), cfr. sez. 3, ad es. Milano, e per es. Roma.",
        "Según García y cols. (2018) vale la ec. (3), y Silva e cols. (2019) véase seç. 2.",
        "Kowalski i in. (2019), por. rozdz. 2, oraz Novák a kol. (2014) tak.",
        "Иванов и соавт. (2018), Yılmaz ve ark. (2019), Nguyễn và cs. (2017).",
        "Lefèvre et coll. (2016), au IIe siècle av. J.-C., dvs. Rom.",
        "The code of J.R. Smith and e. g. Jones runs.",
        "Rund 5 Mio. Euro, 3 Mrd. Dollar und 2 Tsd. Franken kostet es.",
    ],
)  # fmt: skip
def test_abbreviations_of_other_languages_end_no_sentence(text: str) -> None:
    assert sentences(f"{text} Nächster Satz.") == [text, "Nächster Satz."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Es gibt Listen usw. Die Arbeit folgt.", ["Es gibt Listen usw.", "Die Arbeit folgt."]),
        ("Es kostet 5 Mio. Das gilt.", ["Es kostet 5 Mio.", "Das gilt."]),
        ("Programme von Meier u. a. Das gilt.", ["Programme von Meier u. a.", "Das gilt."]),
        ("Списки, схемы и т. д. Метод прост.", ["Списки, схемы и т. д.", "Метод прост."]),
        ("We look for k. (2) It is so. View y. (3) The rest. Type in. (4) It was the EC. 3 of.",
         ["We look for k.", "(2) It is so.", "View y.", "(3) The rest.", "Type in.",
          "(4) It was the EC.", "3 of."]),
        ("Wir sahen 2. Phasen folgen. Metoda i in. Ta praca.",
         ["Wir sahen 2.", "Phasen folgen.", "Metoda i in.", "Ta praca."]),
        ("It is in NP. We saw 19. Then v2.0.1. Done.",
         ["It is in NP.", "We saw 19.", "Then v2.0.1.", "Done."]),
        ("State of the art. Methods for all k. Results at 5 a.m. The rest.",
         ["State of the art.", "Methods for all k.", "Results at 5 a.m.", "The rest."]),
    ],
)  # fmt: skip
def test_what_only_looks_abbreviated_ends_a_sentence(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Er sagt: „So ist es.“ Dann geht er.", ["Er sagt: „So ist es.“", "Dann geht er."]),
        ("Er sagt: »So ist es.« Dann geht er.", ["Er sagt: »So ist es.«", "Dann geht er."]),
        ("Il dit : « C'est ainsi. » Puis il part.", ["Il dit: « C'est ainsi. »", "Puis il part."]),
        ("So. “Then” it ends.", ["So.", "“Then” it ends."]),
        ("So. »Dann« endet es.", ["So.", "»Dann« endet es."]),
    ],
)  # fmt: skip
def test_a_quotation_is_closed_with_its_sentence(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "leading",
    ["vgl.", "siehe auch", "s.", "z.\\,B.", "voir", "p.~ex.", "véase", "см. также", "zob.", "bkz."],
)
def test_a_bracket_that_only_leads_to_a_citation_is_no_text(leading: str) -> None:
    text = rf"Das Verfahren ({leading} \cite{{a}}; \cite{{b}}) gilt."
    assert sentences(text) == ["Das Verfahren gilt."]


def test_the_shorthands_of_german_are_the_letters_they_print() -> None:
    text = 'Die "`Monte"=Carlo"=Methode"\' l"auft f"ur gro"se Daten"-mengen.'
    assert sentences(text) == ["Die „Monte-Carlo-Methode“ läuft für große Datenmengen."]
    assert sentences('A "quoted" word and a 5"-disk.') == ['A "quoted" word and a 5"-disk.']
    text = 'A "deep learning"-based view of "cat"s, ("open"=closed), r,"(x)"\' and "x"\'.'
    assert sentences(text) == [text]
    assert sentences('"Ahnlich f"ur gro"se "Anderungen.') == ['"Ahnlich für große "Anderungen.']


def test_no_blank_stands_where_a_citation_parted_a_word_of_japanese_or_korean() -> None:
    assert sentences("協調フィルタリング\\cite{a}は代表的な\n手法である。") == [
        "協調フィルタリングは代表的な手法である。"
    ]
    assert sentences(r"협업 필터링\cite{a}은 방법이다.") == ["협업 필터링은 방법이다."]


def test_a_number_at_the_start_of_a_line_of_prose_begins_no_list() -> None:
    text = (
        "Er kam am\n3. Mai.\n\n1. One\n   more\n2. Two\n\n4. Four\n5. Five\n\nList:\n1. One\n2. Two"
    )
    assert sentences(text, "markdown") == [
        "Er kam am 3. Mai.", "One more", "Two", "Four", "Five", "List:", "One", "Two",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "block", ["```\ncode\n```", "| a |\n|---|\n| 1 |", "Title\n=====", "::: note"]
)
def test_a_list_goes_on_below_code_and_the_like(block: str) -> None:
    text = f"Do this:\n\n{block}\n2. Then that.\n3. Then this."
    assert sentences(text, "markdown") == ["Do this:", "Then that.", "Then this."]


def test_an_escaped_blank_of_pandoc_is_a_blank() -> None:
    text = "See e.g.\\ Smith et al.\\ [@a] in Fig.\\ 3. Then."
    assert sentences(text, "markdown") == ["See e.g. Smith et al. in Fig. 3.", "Then."]


def test_the_numbers_of_signs_and_sizes_are_no_words() -> None:
    assert sentences(r"\zihao{5}\ding{172}方法有效\cite{a}。") == ["方法有效。"]
    assert sentences(r"{\CJKfamily{hei}黑体}方法有效。") == ["黑体方法有效。"]


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("It is\n\\begin{equation}\nx = y.\\label{a}\n\\end{equation}\nNext one.", "latex"),
        ("It is\n\\begin{align}\\begin{split}\nx = y.\n\\end{split}\n\\end{align}\nNext one.",
         "latex"),
        ("It is\n\\begin{align}\nx = y. % so\n\\tag{1}\n\\label{a}\n\\end{align}\nNext one.",
         "latex"),
        ("It is\n\\[ x = y. \\]\nNext one.", "latex"),
        ("It is\n$$ x = y. $$\nNext one.", "markdown"),
        ("It is $ x = y. $ Next one.", "typst"),
        ("It is\n\\[ x = y. \\]\nNext one.", "org"),
    ],
)  # fmt: skip
def test_a_displayed_formula_may_end_a_sentence(text: str, markup: str) -> None:
    assert sentences(text, markup) == ["It is.", "Next one."]


@pytest.mark.parametrize("closing", [r"\right.", r"\right .", r"\Bigr.", r"\right. \label{a}"])
def test_a_bracket_that_is_not_drawn_ends_no_sentence(closing: str) -> None:
    formula = rf"\begin{{equation}} x = \left\{{ y {closing} \end{{equation}}"
    draft = parse(f"It is\n{formula}\nwhere y is two.", "latex")
    assert [sentence.text for sentence in draft.sentences] == ["It is where y is two."]


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("它为\n\\begin{equation}\nx = y。\\label{a}\n\\end{equation}\n其中二。", "latex"),
        ("它为：\\[ x = y\\text{。}\\]其中二。", "latex"),
        ("它为\n$$ x = y。 $$\n其中二。", "markdown"),
        ("它为$ x = y。 $其中二。", "typst"),
    ],
)
def test_one_may_end_a_chinese_sentence(text: str, markup: str) -> None:
    assert sentences(text, markup) == ["它为。", "其中二。"]


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("One.[^1]\n\n[^1]: Two\n\n    ```\n    a = b\n    ```\n\n    three\n    - four\n",
         "markdown"),
        ("One.[fn:1]\n\n[fn:1] Two\n#+begin_src\na = b\n#+end_src\nthree\n- four\n", "org"),
        ("One.\\footnote{Two\n\nthree \\begin{tikzpicture}a\\end{tikzpicture}"
         "\\begin{itemize}\\item four\\end{itemize}}", "latex"),
        ("One.#footnote[Two\n\nthree\n- four\n]", "typst"),
    ],
)  # fmt: skip
def test_notes_have_paragraphs_lists_and_code_too(text: str, markup: str) -> None:
    texts = [sentence.text for sentence in parse(text, markup).sentences]
    assert texts == ["One.", "Two", "three", "four"]


def test_a_note_in_a_heading_is_prose() -> None:
    (note,) = parse("\\section{One\\footnote{Two \\emph{three}.}}", "latex").sentences
    assert note.text == "Two three."


@pytest.mark.parametrize("reference", ["\\Cref{f}", "\\autoref{f}", "\\figref{f}(a)"])
def test_a_reference_may_begin_a_sentence(reference: str) -> None:
    text = (
        f"It works ``well.''\n{reference} shows it (\\cref{{x}}). "
        f"{reference} and Fig. \\ref{{x}} do."
    )
    rest = "(a) " if "(a)" in reference else ""
    assert sentences(text) == ["It works “well.”", f"{rest}shows it.", f"{rest}and Fig. do."]


def test_a_marker_may_be_raised_by_a_formula() -> None:
    text = (
        "卷积网络成功$^{\\cite{a}}$。残差网络有效$^{[\\cite{b},\\cite{c}]}$。很好。\n\n"
        "Gulls nest.$^{\\cite{a}}$ Terns, too ${}^{\\textrm{\\cite{a}}}$. They are $x^2$."
    )
    read = parse(text, "latex")
    assert [(sentence.text, len(sentence.markers)) for sentence in read.sentences] == [
        *(("卷积网络成功。", 1), ("残差网络有效。", 2), ("很好。", 0)),
        *(("Gulls nest.", 1), ("Terns, too.", 1), ("They are x2.", 0)),
    ]
    assert context_of(read, read.markers[1]).left == "卷积网络成功。残差网络有效"
    assert context_of(read, read.markers[1]).right.startswith("。很好。")


def test_a_formula_may_begin_a_sentence() -> None:
    text = (
        "It is so. $k$-means is fast, i.e. $x$ and Eq. $y$. "
        "$\\ell_1$ norms do it, s.t. \\(z\\) is. "
        "$\\int f(x) g(x) h(x) dx + \\sum_{i} a_i b_i c_i$ is long. $X$ is not."
    )
    assert sentences(text) == [
        *("It is so.", "k-means is fast, i.e. x and Eq. y.", "ℓ1 norms do it, s.t. z is."),
        *("is long.", "X is not."),
    ]


@pytest.mark.parametrize("name", ["pmatrix", "cases", "array", "aligned"])
def test_an_environment_in_a_formula_parts_no_sentence(name: str) -> None:
    body = f"\\begin{{{name}}}{'{l}' if name == 'array' else ''} 1 & 2\\\\ 3 & 4 \\end{{{name}}}"
    text = f"Let $A = {body}$ be one and $B$ another. So\n$$\nA = {body}\n$$\nis regular."
    assert sentences(text) == ["Let be one and B another.", "So is regular."]


@pytest.mark.parametrize("name", ["enumerate*", "inparaenum"])
def test_a_list_in_a_sentence_parts_it_nowhere(name: str) -> None:
    items = f"\\begin{{{name}}}[(i)]\n\\item to nest,\n\\item[so] to sing, and\n\\item to fly\n"
    other = "\\begin{itemize}\\item one\\item two\\end{itemize}"
    text = f"Gulls are known {items}\\end{{{name}}}. So\n{other}"
    assert sentences(text) == ["Gulls are known to nest, to sing, and to fly.", "So", "one", "two"]
    assert sentences(f"Gulls {items}")[:2] == ["Gulls", "to nest,"]
