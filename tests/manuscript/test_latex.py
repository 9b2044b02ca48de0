r"""What counts as a citation, a section, a file in LaTeX."""

import pytest

from cite_lsp.manuscript import parse
from tests.manuscript.cited import markers


def keys(text: str) -> list[str]:
    return [key.text for marker in markers(text, "latex") for key in marker.keys]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\cite{a}", ["a"]),
        (r"\citep[see][p. 3]{a, b}", ["a", "b"]),
        (r"\Citet*{a}", ["a"]),
        (r"\parencite [see] {a}", ["a"]),
        (r"\textCite{a}", ["a"]),
        (r"\cite[a]{b}", ["b"]),
        (r"\cite[see [sic] {x]}][p.~3]{b}", ["b"]),
        (r"\autocites(pre)(post)[1]{a}[2][3]{b}", ["a", "b"]),
        (r"\parencites{a}{b,c}", ["a", "b", "c"]),
        (r"\footcite{a}\footcitetext[1]{b}\fullcite{c}\footfullcite{d}", ["a", "b", "c", "d"]),
        (r"\citeauthor{a} \citeyearpar{b} \citetitle{c}", ["a", "b", "c"]),
        (r"\citeA<see>[p. 2]{a} \shortciteNP{b}", ["a", "b"]),
        (r"\textcquote[12]{a}{said so} \blockcquote{b}{and so}", ["a", "b"]),
        (r"\foreigntextcquote{german}[3]{a}{Wort}", ["a"]),
        (r"\begin{displaycquote}[1]{a}quoted\end{displaycquote}", ["a"]),
        (r"\volcite{2}[3]{a} \Volcite[x]{1}{b}", ["a", "b"]),
        (r"\volcites{1}[2]{a}{3}[4]{b}", ["a", "b"]),
        (r"\citefield{a}{title} and \citename{b}[x]{author}", ["a", "b"]),
        (r"\bibentry{a} \newcite{b} \mycitecommand{c}", ["a", "b", "c"]),
        (r"\nocite{*, a}", ["a"]),
        (r"\cite{a2001,*b2002, *c}", ["a2001", "b2002", "c"]),
        (r"\cite{a, *[{see, e.g., }][{, p. 3}]b2002, *c}", ["a", "b2002", "c"]),
        ("\\cite{\n  a,\n  b % why: it, is\n  , c\n}", ["a", "b", "c"]),
        ("\\cite{a, % old, keys\n b}", ["a", "b"]),
        (r"\cite{DBLP:books/lib/Knuth86a, Müller+2020, 王2021, a.b-c_d}",
         ["DBLP:books/lib/Knuth86a", "Müller+2020", "王2021", "a.b-c_d"]),
        (r"5\% of \cite{a}", ["a"]),
        (r"\iffalse \cite{b} \else \cite{a} \fi", ["a"]),
        (r"\if0\blind \cite{a}\fi \ifnum1=1 \cite{b}\fi \if11\cite{c}\fi", ["a", "b", "c"]),
        (r"\iftrue \cite{a} \iffalse x \else \cite{b} \fi \else \cite{x} \fi", ["a", "b"]),
        (r"\\\cite{a}", ["a"]),
        (r"\footnote{See \cite{a}.}", ["a"]),
        (r"\begin{tabular}{l}\cite{a}\end{tabular}", ["a"]),
        (r"\caption{From \cite{a}}", ["a"]),
    ],
)  # fmt: skip
def test_keys_of_every_citing_command_are_found(text: str, expected: list[str]) -> None:
    assert keys(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        r"% \cite{a}",
        "\\\\% \\cite{a}",
        r"\verb|\cite{a}| and \verb*+\cite{a}+",
        r"\lstinline[language=TeX]{\cite{a}}",
        "\\begin{verbatim}\n\\cite{a}\n\\end{verbatim}",
        "\\begin{lstlisting}[x]\n\\cite{a}\n\\end{lstlisting}",
        "\\begin{minted}{tex}\n\\cite{a}\n\\end{minted}",
        "\\begin{comment}\n\\cite{a}\n\\end{comment}",
        r"\iffalse \cite{a} \fi",
        r"\iffalse See \figref{f} \cite{a} \fi",
        r"\newcommand{\eat}[1]{} \eat{As \cite{a} says.}",
        "\\long\\def\\eat#1{ % nothing\n} \\eat{One.\n\nTwo \\cite{a}.}",
        r"\newcommand\eat[2][]{\relax} \eat[now]{\cite{a}}",
        r"\NewDocumentCommand{\eat}{+m}{} \eat{\cite{a}}",
        r"\let\eat=\@gobbletwo \eat{\cite{a}}{\cite{b}}",
        r"\newcommand{\oldcite}[1]{} \oldcite{a}",
        "\\excludecomment{answer}\n\\begin{answer}\n\\cite{a}\n\\end{answer}",
        r"\iffalse \ifdraft x \else y \fi \ifbool{a}{b}{c} $\iff$ \cite{a} \fi",
        r"\iffalse \ifdefined\x \fi \ifdefempty{a}{b}{c} \cite{a} \fi",
        "\\if0\n\\cite{a}\n\\fi",
        r"\if 0 \ifx\a\b \cite{a}\fi \cite{b}\fi",
        r"\if01\cite{a}\fi \ifnum0=1 \cite{b}\fi \ifnum1<0\cite{c}\fi",
        r"\iftrue x \else \cite{a} \fi",
        "<<plot, echo=FALSE>>=\nx$y %in% '{' # \\cite{a}\n@ %def\n",
        r"\newcommand{\x}[1]{\cite{#1}}",
        r"\newcommand*\x[2][see]{\citep[#1]{#2}}",
        r"\def\x#1{\cite{#1}}",
        r"\NewDocumentCommand{\x}{m}{\cite{#1}}",
        r"\DeclareCiteCommand{\x}{\usebibmacro{prenote}}{\usebibmacro{cite}}{}{}",
        r"\citestyle{nature} \setcitestyle{numbers} \bibliographystyle{plain}",
        r"\AtEveryCite{\color{blue}} \AtEveryCitekey{\clearfield{url}}",
        r"\newcites{web}{Web sources} \citetext{private communication}",
        r"\excited{particles}",
        r"\newcommand{\citeneeded}[1]{[#1]} \citeneeded{who}",
        r"\cite and \cite",
        "\\begin{document}\\end{document}\\cite{a}",
        r"\url{http://x/\cite{a}}",
    ],
)
def test_what_does_not_cite_is_no_marker(text: str) -> None:
    assert markers(text, "latex") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\newcommand{\ct}[1]{(\cite{#1})} \ct{a}", ["a"]),
        (r"\newcommand{\on}[2]{#1 (see \citep[p.~3]{#2})} \on{word}{a}", ["a"]),
        (r"\newcommand{\see}[2][see]{\citep[#1]{#2}} \see[cf.]{a} \see{b}", ["a", "b"]),
        (r"\DeclareRobustCommand*{\ct}[1]{\cite{#1}} \ct{a,b}", ["a", "b"]),
        (r"\def\ct#1{\cite{#1}} \ct{a}", ["a"]),
        (r"\NewDocumentCommand\ct{O{} m}{\cite[#1]{#2}} \ct[x]{a}", ["a"]),
        (r"\newcommand{\ct}{\citep} \ct[see]{a}", ["a"]),
        (r"\let\ct=\citet \ct{a}", ["a"]),
        (r"\newcommand{\ct}[1]{\cite{#1}}\newcommand{\cts}[1]{\ct{#1}} \cts{a}", ["a"]),
        (r"\DeclareCiteCommand{\ct}{}{}{}{} \ct{a}", ["a"]),
    ],
)
def test_commands_that_the_draft_defines_cite_if_they_pass_keys_on(
    text: str, expected: list[str]
) -> None:
    assert keys(text) == expected


def test_a_comma_that_lacks_between_lines_of_keys_ends_no_list() -> None:
    (marker,) = markers("by \\cite{a,\n  b\n  c,\n  d}", "latex")
    assert marker.closed
    assert [key.text for key in marker.keys] == ["a", "b\n  c", "d"]


def test_commands_defined_in_another_file_can_be_given() -> None:
    preamble = parse(r"\newcommand{\ct}[1]{\cite{#1}}", "latex")
    chapter = parse(r"See \ct{a}.", "latex", preamble.cite_commands)
    assert [marker.command for marker in chapter.markers] == ["ct"]


def test_a_marker_encloses_its_whole_command() -> None:
    text = r"As \citep*[see][p. 3]{a,b} and \autocites{c}[4]{d}."
    assert [text[m.start : m.end] for m in markers(text, "latex")] == [
        r"\citep*[see][p. 3]{a,b}",
        r"\autocites{c}[4]{d}",
    ]
    assert [m.command for m in markers(text, "latex")] == ["citep*", "autocites"]


def test_an_empty_command_is_a_marker_without_keys() -> None:
    (marker,) = markers(r"as \cite{} says", "latex")
    assert (marker.keys, marker.closed) == ((), True)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("by \\cite{att tra\nThen more prose. Even {braces}.", "\\cite{att tra"),
        ("by \\cite{att\nand then {\\em more} prose}", "\\cite{att"),
        ("\\footnote{by \\cite{a, att\nand so it goes on.}", "\\cite{a, att"),
        ("by \\cite{a,\n\nNew paragraph}", "\\cite{a,"),
        ("by \\cite{att \\emph{x}", "\\cite{att "),
        ("by \\cite{", "\\cite{"),
        ("by \\autocites{a}{b", "\\autocites{a}{b"),
    ],
)
def test_an_unterminated_command_does_not_swallow_what_follows(text: str, seen: str) -> None:
    (marker,) = markers(text, "latex")
    assert not marker.closed
    assert text[marker.start : marker.end] == seen


def test_sections_have_levels_titles_and_ranges() -> None:
    text = (
        "Before.\n\\part{P}\n\\chapter*{C}\n\\section[short]{The \\emph{long} one\\label{x}}\n"
        "Text.\n\\subsection{S\\footnote{note}}\n\\paragraph{Run in}\nEnd.\n\\minisec{Small}\n"
    )
    manuscript = parse(text, "latex")
    assert [(section.level, section.title) for section in manuscript.sections] == [
        (0, ""),
        (1, "P"),
        (2, "C"),
        (3, "The long one"),
        (4, "S"),
        (6, "Run in"),
        (7, "Small"),
    ]
    assert "".join(text[s.start : s.end] for s in manuscript.sections) == text
    assert text[manuscript.sections[3].body :].startswith("\nText.")
    assert manuscript.section_at(text.index("End")).title == "Run in"


def test_title_abstract_and_year_are_read() -> None:
    manuscript = parse(
        r"""\title{On \textbf{Things} \& G\"odel\thanks{Money}} \date{May 3, 2021}
        \begin{document}\begin{abstract}We show it~\cite{a}.\end{abstract}\end{document}""",
        "latex",
    )
    assert manuscript.title == "On Things & Gödel"
    assert manuscript.abstract == "We show it."
    assert manuscript.year == 2021
    assert parse(r"\abstract{Short.}", "latex").abstract == "Short."


@pytest.mark.parametrize(
    ("settings", "title"),
    [
        (
            "\\thusetup{\n  output = print,\n  title  = {长文本},\n  title* = {Long texts},\n}",
            "长文本",
        ),
        ("\\sjtusetup{\n  info = {\n    title = {长文本},\n  },\n}", "长文本"),
        ("\\hitsetup{\n  ctitlecover={长},\n  ctitle={长文本},\n}", "长文本"),
        ("\\thusetup{\n  % title = {模板},\n\n  keywords = {甲, 乙},\n}", ""),
        ("\\ctitle{长文本}\n\\etitle{Long texts}", "长文本"),
        ("\\titulo{Textos longos}", "Textos longos"),
        ("\\newcommand{\\titulo}{Textos longos}\n\\title{\\titulo}", "Textos longos"),
        ("\\hypersetup{pdftitle={Other}}", ""),
        ("\\Title{长文本}\\TitleCitation{长}", "长文本"),
        ("\\TITLE{长文本}\\RUNTITLE{长}", "长文本"),
        ("\\covertitle{长文本}", "长文本"),
        ("\\thesistitle{长文本}\\subtitle{又}", "长文本"),
        ("{\\Large\n\\textbf\\newline{长文本}\n}", "长文本"),
    ],
)
def test_settings_of_theses_say_their_title_and_are_no_prose(settings: str, title: str) -> None:
    manuscript = parse(f"{settings}\n正文在此。\n", "latex")
    assert manuscript.title == title
    assert [sentence.text for sentence in manuscript.sentences] == ["正文在此。"]


def test_settings_in_an_abstract_are_no_part_of_it() -> None:
    text = "\\begin{abstract}\n本文很长。\n\\thusetup{keywords = {甲, 乙}}\n\\end{abstract}\n"
    manuscript = parse(text, "latex")
    assert manuscript.abstract == "本文很长。"
    assert [sentence.text for sentence in manuscript.sentences] == ["本文很长。"]


@pytest.mark.parametrize(
    "abstract",
    [
        "\\abstract[Summary]{Gulls bring rain.}",
        "\\ABSTRACT{Gulls bring rain.}",
        "\\section*{Abstract}\nGulls bring rain.\n",
        "\\chapter*{Abstract}\nGulls bring rain.\n",
        "\\abstract\n % context (optional)\n {}\n % aims\n {Gulls}\n % results\n {bring rain.}\n",
    ],
)
def test_abstracts_are_read_as_classes_have_them(abstract: str) -> None:
    text = f"\\begin{{document}}{abstract}\n\\section{{Nests}} Text.\\section{{Summary}} No more."
    manuscript = parse(text, "latex")
    assert manuscript.abstract == "Gulls bring rain."
    assert "Text." in [sentence.text for sentence in manuscript.sentences]


def test_headings_of_copernicus_say_their_title_themselves() -> None:
    text = "\\introduction\nGulls nest.\n\\conclusions[Summary and outlook]\nThey did.\n"
    manuscript = parse(text, "latex")
    titles = [section.title for section in manuscript.sections if section.level]
    assert titles == ["Introduction", "Summary and outlook"]
    assert [sentence.text for sentence in manuscript.sentences] == ["Gulls nest.", "They did."]


@pytest.mark.parametrize(
    "heading",
    [
        "\\chapter[绪论]{绪论}[Introduction]",
        "\\chapter{绪论}{Introduction}",
        "\\BiChapter{绪论}{Introduction}",
    ],
)
def test_the_english_title_behind_a_chinese_one_is_no_prose(heading: str) -> None:
    manuscript = parse(f"{heading}\n正文在此。\n", "latex")
    assert [section.title for section in manuscript.sections] == ["绪论"]
    assert [sentence.text for sentence in manuscript.sentences] == ["正文在此。"]


def test_bibliographies_are_declared_one_by_one() -> None:
    text = (
        "\\bibliography{refs, more/b}\n\\addbibresource[label=x]{a.bib}\n\\nobibliography{c}\n"
        "% \\bibliography{no}\n\\bibliographystyle{plain}"
    )
    declarations = parse(text, "latex").declarations
    assert [declaration.path for declaration in declarations] == ["refs", "more/b", "a.bib", "c"]
    assert all(text[d.start : d.end] == d.path for d in declarations)


def test_bibliographies_of_topics_are_declared() -> None:
    text = (
        "\\newcites{prim, web}{Primary sources,Web pages}\n% \\newcites{no}{No}\n\\citeprim{k}"
        "\\bibliographystyleprim{plain}\\bibliographyprim{prim}\n\\bibliographyweb{a,b}\n"
        "\\bibliographyno{no}\\bibliographyname{x}"
    )
    manuscript = parse(text, "latex")
    assert [declaration.path for declaration in manuscript.declarations] == ["prim", "a", "b"]
    again = parse("\\bibliographyprim{c}", "latex", manuscript.cite_commands)
    assert [declaration.path for declaration in again.declarations] == ["c"], (
        "the preamble may be another file"
    )


def test_reference_sections_declare_bibliographies() -> None:
    text = (
        "\\begin{refsection}[ch1.bib, more/b.bib]\nText.\\end{refsection}\n"
        "\\newrefsection[ch2.bib]\n\\newrefsection Prose.\n\\begin{refsection}[label]\n"
        "[no.bib]\\end{refsection}"
    )
    declarations = parse(text, "latex").declarations
    assert [declaration.path for declaration in declarations] == [
        "ch1.bib",
        "more/b.bib",
        "ch2.bib",
    ]
    assert all(
        text[declaration.start : declaration.end] == declaration.path
        for declaration in declarations
    )
    assert "ch2" not in parse(text, "latex").prose(0, len(text))


def test_files_read_in_are_listed() -> None:
    text = (
        "\\input{a} \\include{b/c}\n\\input d.tex\n\\import{e/}{f}\\subimport{g}{h}\n"
        "%\\input{no}\n\\subfile{i}\n\\includestandalone[width=2cm]{j}"
    )
    inclusions = parse(text, "latex").inputs
    assert [inclusion.path for inclusion in inclusions] == [
        "a",
        "b/c",
        "d.tex",
        "e/f",
        "g/h",
        "i",
        "j",
    ]
    assert text[inclusions[0].start : inclusions[0].end] == "a"


def test_the_main_file_is_named_by_a_comment_or_by_subfiles() -> None:
    assert parse("% !TeX root = ../main.tex\n", "latex").layout.root == "../main.tex"
    assert parse("\\documentclass[../main.tex]{subfiles}", "latex").layout.root == "../main.tex"
    assert parse("\\documentclass[a4paper]{article}", "latex").layout.root == ""


def test_bibitems_of_the_draft_are_read() -> None:
    text = (
        "\\begin{thebibliography}{9}\n\\bibitem[A(1999)]{a} A. Author. \\emph{Title}. 1999.\n"
        "\\bibitem{b:2}\nSecond.\n\\end{thebibliography}"
    )
    items = parse(text, "latex").items
    assert [(item.key.text, item.text) for item in items] == [
        ("a", "A. Author. Title. 1999."),
        ("b:2", "Second."),
    ]
    assert [text[item.key.start : item.key.end] for item in items] == ["a", "b:2"]
    assert not parse(text, "latex").sentences


def test_an_expression_of_r_is_no_prose_and_its_percent_signs_begin_no_comment() -> None:
    text = r"""\section{All \Sexpr{n} nests}
Of \Sexpr{sum(x %in% y)} nests \Sexpr{sprintf("%d", k)} failed \cite{a}. So they did.
"""
    manuscript = parse(text, "latex")
    assert [section.title for section in manuscript.sections] == ["All nests"]
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Of nests failed.",
        "So they did.",
    ]
    assert [key.text for marker in manuscript.markers for key in marker.keys] == ["a"]


@pytest.mark.parametrize(("characters", "read"), [(400, []), (401, ["a"])])
def test_an_expression_of_r_is_looked_for_so_far_and_no_farther(
    characters: int, read: list[str]
) -> None:
    """Of thousands that are never closed, each would be looked for to the end of the line."""
    code = r"\cite{a".rjust(characters)
    manuscript = parse(rf"Of \Sexpr{{{code}}} nests.", "latex")
    assert [key.text for marker in manuscript.markers for key in marker.keys] == read


@pytest.mark.parametrize(
    "command",
    [
        r"\addcontentsline{toc}{chapter}{\protect\numberline{}Gulls and terns}",
        r"\pdfbookmark[1]{Gulls and terns}{gulls}",
        r"\markright{Gulls and terns}",
        r"\setstretch{1.15}",
        r"\enlargethispage{2cm}",
        r"\pagenumbering{arabic}",
        r"\counterwithin{figure}{chapter}",
        r"\definecolor{gull}{rgb}{0.1,0.2,0.3}",
        r"\setbeamercolor{title}{fg=white}",
        r"\linebreak[4]",
    ],
)
def test_arguments_of_layout_commands_are_no_prose(command: str) -> None:
    draft = parse(f"\\chapter{{Birds}}\n{command}\nGulls nest on cliffs.\n", "latex")
    assert [sentence.text for sentence in draft.sentences] == ["Gulls nest on cliffs."]


@pytest.mark.parametrize(
    "keywords",
    [
        "\\begin{keywords}\nauks, puffins\n\\end{keywords}",
        "\\begin{IEEEkeywords}\nauks, puffins\n\\end{IEEEkeywords}",
        "\\begin{keyword}[class=AMS]\nauks \\sep puffins\n\\end{keyword}",
        "\\begin{AMS}\n92D50, 92D40\n\\end{AMS}",
        "\\keywords{auks, puffins}",
        "\\Keywords{auks, puffins}",
        "\\keyword{auks; puffins} % of MDPI",
    ],
)
def test_keywords_are_no_prose_and_part_it(keywords: str) -> None:
    manuscript = parse(f"Gulls nest here\n{keywords}\nThey fly.", "latex")
    assert [sentence.text for sentence in manuscript.sentences] == ["Gulls nest here", "They fly."]
    assert manuscript.block_at(manuscript.text.index(keywords) + len(keywords) // 2) is None


def test_a_keyword_within_a_sentence_is_prose() -> None:
    manuscript = parse("Gulls\n\\keyword{nest} here, and \\keyword{fly}.", "latex")
    assert [sentence.text for sentence in manuscript.sentences] == ["Gulls nest here, and fly."]


def test_the_keywords_in_an_abstract_are_none_of_it() -> None:
    text = r"\begin{abstract}Gulls nest. \keywords{Gulls \and Nests.} They fly.\end{abstract}"
    assert parse(text, "latex").abstract == "Gulls nest. They fly."


def test_the_condition_of_a_choice_is_no_prose() -> None:
    draft = parse(r"\ifthenelse{\boolean{long}}{Gulls nest on cliffs.}{}", "latex")
    assert [sentence.text for sentence in draft.sentences] == ["Gulls nest on cliffs."]


def test_of_a_title_for_the_page_and_for_bookmarks_one_is_read() -> None:
    draft = parse(r"\section{Of \texorpdfstring{$\beta$}{beta} decay}", "latex")
    assert [section.title for section in draft.sections] == ["Of beta decay"]


def test_the_headings_behind_the_text_in_springers_class_are_headings() -> None:
    draft = parse("\\section{End}\nGulls nest.\n\\bmhead{Funding}\nA trust paid.\n", "latex")
    assert [section.title for section in draft.sections] == ["End", "Funding"]
    assert draft.sentences[-1].text == "A trust paid."


def test_what_acm_and_aps_ask_for_before_the_text_is_no_prose() -> None:
    text = r"""\begin{document}
\title{Of terns}
\author{A. Author} \orcid{0000-0001-0000-0001} \altaffiliation[Also at ]{Tern Institute, York.}
\preprint{APS/123-QED} \collaboration{The Tern Collaboration}
\begin{CCSXML}
<ccs2012><concept_desc>Birds~Terns</concept_desc></ccs2012>
\end{CCSXML}
\ccsdesc[500]{Birds~Terns} \received{20 February 2007} \pacs{71.10.-w}
\begin{figure}\caption{A tern.}\Description{A white bird that flies over water.}\end{figure}
\maketitle
Terns nest on coasts.
\end{document}
"""
    assert [sentence.text for sentence in parse(text, "latex").sentences] == [
        "A tern.",
        "Terns nest on coasts.",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (r"Ein \emph{API}\"=Aufruf und ein \emph{Netz}\"-Bau.".replace('\\"', '"'),
         "Ein API-Aufruf und ein NetzBau."),
        (r'The "\emph{deep}"-learning "\emph{x}".', 'The "deep"-learning "x".'),
        (r"A tern \includegraphics<1-2>[width=1cm]{tern} nests.", "A tern nests."),
        ("Terns nest.\n\\printbibliography[heading=none, title={All that we have read}]\n",
         "Terns nest."),
    ],
)  # fmt: skip
def test_shorthands_overlays_and_options_of_commands_are_no_text(text: str, sentence: str) -> None:
    assert [sentence.text for sentence in parse(text, "latex").sentences] == [sentence]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (r"\epigraph{Dare to know.}{I. Kant \cite{a}}" + "\nTerns nest.",
         ["Dare to know.", "I. Kant", "Terns nest."]),
        (r"\begin{epigraphs}\qitem{Dare to know}{Kant}\end{epigraphs} Terns nest.",
         ["Dare to know", "Kant", "Terns nest."]),
        (r"The \foreignquote{german}{Ding an sich} is hidden.", ["The Ding an sich is hidden."]),
        (r"Birds, \eg terns, and Doe \etal nest.", ["Birds, e.g. terns, and Doe et al. nest."]),
    ],
)  # fmt: skip
def test_mottos_foreign_quotations_and_macros_for_abbreviations_are_read(
    text: str, sentences: list[str]
) -> None:
    assert [sentence.text for sentence in parse(text, "latex").sentences] == sentences
