"""Whatever is in the buffer, parsing it gives a manuscript whose ranges make sense."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cite_lsp.manuscript import Manuscript, parse
from cite_lsp.manuscript.draft.document import mentions_of
from cite_lsp.manuscript.draft.sites import site_at
from tests.manuscript.lone_file import context_at

LATEX = r"""% !TeX root = main.tex
\documentclass[main.tex]{subfiles}
\newcommand{\ct}[2][x]{\cite[#1]{#2}} \def\q#1{\citep{#1}}
\title{On \emph{Öde} \thanks{x}} \bibliography{a,b} \addbibresource[x]{c.bib}
\begin{document}
\begin{abstract} We show~\cite{a}. \end{abstract}
\section[s]{Long \cite{h}}
Text \citep[see][p. 3]{vas, % comment, x
 dev} more.\footnote{A note \ct[p]{n}.}
\autocites(a)(b)[1]{c}[2]{d} 中文。\cite{e}后文；$x_1$ \[ y \]
\verb|\cite{no}| \begin{verbatim} \cite{no} \end{verbatim} \url{http://a%b}
\begin{itemize} \item one \cite{i} \item two \end{itemize} \textcquote[1]{q}{words}
\input{a} \import{b/}{c} \caption{Cap~\cite{k}} \cite{att tra
\begin{thebibliography}{1} \bibitem[x]{bi} Text. \end{thebibliography} \iffalse x \fi
\begin{equation} a \end{equation} \begin{tabular}{l} \cite{t} \end{tabular} \nocite{*}
\end{document} after \cite{z}
"""
MARKDOWN = """---
title: "T *x*"
bibliography: [a.bib, 'b.bib']
nocite: '@x'
date: 2020-01-01
---
# One {#a}

Text [see @a; -@{b c}, p. 3] and @d:e/f [p. 4; @g].[^1] `@no` $x@y$ me@x.org <http://a@b> \\@ref(x)

[^1]: Note [@n] ^[inline @i] ![img [@j]](x@y.png) {cite:p}`k,l` :cite:`m`

Two
===

- item 中文[@王]。后文

    @in

    ```{r, x="@no"}
    @no
    ```

<!-- @no --> | a | \\citep[x]{o} | {{< include p.qmd >}} :::

    @code

[x]: http://y/@z
[@] @ [@
"""
TYPST = """#import "x.typ": y
#show: paper.with(title: [T *x*], abstract: [We @a.], bibliography: bibliography("a.bib"))
= One <one>
Text @b[p. 3; x] and #cite(<c>, form: "prose") #cite(label("d/e")).#footnote[Note @n and #emph[x].]
// @no
/* @no */ `@no` $x@y$ me@x.org \\@no #figure(image("z"), caption: [Cap @k.]) <fig:z> @fig:z
#let f(x) = { cite(<g>) ; [in @m] }
- item 中文@王。后文

```py
@no
```
== Two
#link("http://x")[by @l] *bold* #include "b.typ"
#bibliography(("a.bib", "b.yml")) #cite(<att more
"""
ORG = """#+title: T /x/
#+bibliography: a.bib
* TODO One :tag:
:PROPERTIES:
:X: @no
:END:
By [cite:@a;@b] and [cite/t:see @c p. 3; and @d].[fn:1] cite:k,l [[cite:&m]] [[citep:see &n;&o][x]]
=cite:no= \\citep[x]{p} [[http://x/@y][link]] me@x.org [fn::inline [cite:@i]]
# [cite:@no]
#+begin_src py
[cite:@no]
#+end_src
- item 中文[cite:@王]。后文
| a | [cite:@t] |
#+caption: Cap [cite:@cap]
** Two
[cite/n:@z] bibliography:z.bib [cite:@att more
#+include: "b.org"

[fn:1] Note [cite:@fn].
"""
DRAFTS = [(LATEX, "latex"), (MARKDOWN, "markdown"), (TYPST, "typst"), (ORG, "org")]
FRAGMENTS = st.sampled_from(
    [*(LATEX + MARKDOWN + TYPST + ORG).split(" "), "{", "}", "[", "]", "\\", "%", "\n", "\n\n", "@",
     "`", "```",
     "$", "$$", "\0", "\ue000", "\ue001", "\u2028", "\r\n", "—", "\\cite{", "[@", "---\n", "\t",
     "    ", "^[", "(", "<", "<!--", "\\begin{", "\\footnote{", "\\newcommand{",
     "#", "#cite(<", "#f[", "#{", "[cite:@", "cite:", "#+", "/*", "😀", "é"]
)  # fmt: skip
ANY_TEXT = st.one_of(
    st.text(max_size=80),
    st.lists(FRAGMENTS, max_size=30).map("".join),
    st.lists(FRAGMENTS, max_size=30).map(" ".join),
)


def check(manuscript: Manuscript) -> None:
    text, length = manuscript.text, len(manuscript.text)
    behind = 0
    for marker in manuscript.markers:
        assert behind <= marker.start < marker.end <= length
        behind = marker.end
        position = marker.start
        for key in marker.keys:
            assert position <= key.start < key.end <= marker.end
            assert text[key.start : key.end] == key.text == key.text.strip()
            position = key.end
        assert all(marker.start <= a <= b <= marker.end for a, b in marker.lists)
    assert "".join(text[s.start : s.end] for s in manuscript.sections) == text
    assert all(s.start <= s.body <= s.end for s in manuscript.sections)
    for declaration in manuscript.declarations:
        assert 0 <= declaration.start <= declaration.end <= length
    for included in manuscript.inputs:
        assert 0 <= included.start <= included.end <= length
    for item in manuscript.items:
        assert 0 <= item.start < item.key.start < item.key.end <= item.end <= length
    starts = [sentence.start for sentence in manuscript.sentences]
    assert len(mentions_of(manuscript)) <= len(manuscript.markers)
    for sentence in manuscript.sentences:
        assert 0 <= sentence.start < sentence.end <= length
        assert not {"\ue000", "\ue001"} & set(sentence.text)
        assert all(sentence.start <= marker.start < sentence.end for marker in sentence.markers)
    assert len(set(starts)) == len(starts)


def check_at(manuscript: Manuscript, offset: int) -> None:
    site = site_at(manuscript, offset)
    if site:
        assert site.start <= site.cursor == offset <= site.end <= len(manuscript.text)
        assert site.typed == manuscript.text[site.start : site.cursor]
        if not site.marker.closed and site.marker.lists:
            assert site.end == offset
    sentence = manuscript.sentence_at(offset)
    assert sentence is None or sentence in manuscript.sentences
    section = manuscript.section_at(offset)
    assert section.start <= offset <= section.end
    context = context_at(manuscript, offset)
    assert len(context.left.split()) <= 51 and len(context.right.split()) <= 51
    manuscript.prose(offset // 2, offset)


@pytest.mark.parametrize(("text", "markup"), DRAFTS)
def test_every_offset_of_a_draft_has_an_answer(text: str, markup: str) -> None:
    manuscript = parse(text, markup)
    check(manuscript)
    for offset in range(len(text) + 1):
        check_at(manuscript, offset)


BROKEN_LINES = [
    ("潮滩在淤泥沉积之处\n生长\\cite{a}，如第\n\\ref{b}节所述。", "latex"),
    ("For $t\n  = \\frac{1}{2}$ it\nholds \\cite{a}.", "latex"),
    ("潮滩在淤泥沉积之处\n生长 [@a]，\n这里也是。", "markdown"),
    ("# One #\n\n“In information,\\\nwe starve” [@a].", "markdown"),
    ("潮滩在淤泥沉积之处\n生长 @a ，\n这里也是。", "typst"),
    ("* 潮滩\n潮滩在淤泥沉积之处\n生长 [cite:@a]。", "org"),
    *(
        ("Gulls nest on cliffs [citation\nneeded]. More.", markup)
        for markup in ("latex", "markdown", "typst", "org")
    ),
]


@pytest.mark.parametrize(("text", "markup"), [*DRAFTS, *BROKEN_LINES])
def test_line_ends_of_windows_make_no_difference(text: str, markup: str) -> None:
    unix, windows = parse(text, markup), parse(text.replace("\n", "\r\n"), markup)
    check(windows)
    assert [s.text for s in windows.sentences] == [s.text for s in unix.sentences]
    assert [[k.text for k in m.keys] for m in windows.markers] == [
        [k.text for k in m.keys] for m in unix.markers
    ]
    assert [s.title for s in windows.sections] == [s.title for s in unix.sections]
    assert windows.title == unix.title and windows.abstract == unix.abstract
    assert [(m.left, m.right) for m in mentions_of(windows)] == [
        (m.left, m.right) for m in mentions_of(unix)
    ]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_draft_cut_anywhere_is_still_read(data: st.DataObject) -> None:
    text, markup = data.draw(st.sampled_from(DRAFTS))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    cut = data.draw(st.sampled_from([text[:end], text[start:], text[:start] + text[end:]]))
    manuscript = parse(cut, markup)
    check(manuscript)
    check_at(manuscript, data.draw(st.integers(0, len(cut))))


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT, st.sampled_from([markup for _, markup in DRAFTS]), st.floats(0, 1))
@example("\\title{\\footnote\n{0", "latex", 0.0)  # a note that goes on behind an unclosed title
@example("#CITE(<@0", "typst", 0.875)  # a sign in a list that nothing closes
def test_any_text_at_all_is_read(text: str, markup: str, share: float) -> None:
    manuscript = parse(text, markup)
    check(manuscript)
    check_at(manuscript, round(share * len(text)))
