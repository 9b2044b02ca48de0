"""A Markdown, Typst or Org draft after an edit reads as from scratch, though little is scanned."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.incremental import reread
from cite_lsp.manuscript.markdown.scan import scan_markdown
from cite_lsp.manuscript.org.scan import scan_org
from cite_lsp.manuscript.typst.scan import scan_typst
from tests.manuscript.draft.test_edited_part import read, sample

SCANS = {"markdown": scan_markdown, "typst": scan_typst, "org": scan_org}
SHARED = r"""a . (REF) [?] } { [ ] ( ) " < > ·· § §§ ··§ ····indented $ $$ $x$ \[ \] \cite{a,
\footnote{A
\citep[see][p.·3]{a,·b} \begin{equation} \end{equation} a·|·b§--|-- |·a·|·b·|"""
PIECES = {
    "markdown": r"""#·A ##·B·{#sec:b} #·Abstract --- === ~~~ ``` ··· ```{r,·fig.cap='As·@key'}
```{note} @a
```{figure}·a§---§name:·fig-a§--- :::{note}§:name:·fig-b :::{note} <!-- --> <div </div>
<script> - %%
</script> [@key] @key·[p.·3] [@a;·@b] [^1] [^1]:·A§§····more ^[A·note.] -·item -·item§§····more 1.·x
2)·y (@)·x (@a)·x >·quote >·``` !!!·note ····code§§····more {%·cite·a·b·%} {%·raw·%} {%·endraw·%}
{cite:p}`a` {cite:p}`a {#fig:one} @fig-one `x` ---··----§a····b§§c····d -----§·a··b§---·---§·a··b
:·Caption Table:·C (target)= \iffalse \fi {--x --} [a](http://doi.org/10.1000/x) ---§title:·x§---
---§title:·x %·remark !include·a.md \label{x} \begin{comment} \end{comment}""",
    "typst": r"""=·A ==·B·<sec:b> @key @key[p.·3] @fig-one #footnote[A #footnote[A·@z.]
#cite(<a>) #{
#cite(<a> #figure(§·caption:·[A·@b],§)·<fig> #let·f(x)·=·[#x·@y] #c("a",·"b") #set·text("a /* */ #[
#let·c(k,·l)·=·[·#l·#label(k)] #show:·conf.with(§·title:·[T],§) #include·"a.typ" //·c ` ``` $·x x·$
<label> title:·"A abstract:·[A date:·2020 key:·"a",·short:·"b" -·item #h(1em) #text(red)[x][y]
#quote(attribution:·<a>)[q] https://a.b/c #metadata( #label("x")""",
    "org": r"""*·A **·B·:noexport: **·COMMENT·x ***************·task·:noexport: ***************·END
#+begin_src #+end_src #+begin_quote #+end_quote #+begin_abstract #+end_abstract #+title:·T #·comment
#+caption:·C·[cite:@c] #+exclude_tags:·foo *·A·:foo: #+include:·"a.org" :LOGBOOK: :END: -·item =x=
[cite:@a;@b] [cite:@a cite:a,b [[cite:a][see [fn::·A·[cite:@z].] [fn:1]·Def§§more :·code #+title:·U
\begin{comment} \end{comment} #+begin_export·latex§\cite{x}§#+end_export #+latex:·\def\x{y}""",
}
PLAIN = "Some words by Doe and others."


def pieces(format: str) -> st.SearchStrategy[str]:
    written = f"{SHARED} {PIECES[format]}".split()
    return st.sampled_from([each.replace("·", " ").replace("§", "\n") for each in written])


def edits(format: str) -> st.SearchStrategy[list[tuple[float, int, str]]]:
    edit = st.tuples(st.floats(0, 1), st.sampled_from([0, 0, 0, 1, 2, 30]), pieces(format))
    return st.lists(edit, min_size=1, max_size=4)


@pytest.mark.parametrize("format", PIECES)
@given(data=st.data())
def test_any_edits_read_as_from_scratch(format: str, data: st.DataObject) -> None:
    paragraph = st.one_of(pieces(format), st.just(PLAIN), st.just(f"{PLAIN}\n\n{PLAIN}"))
    text = "\n\n".join(data.draw(st.lists(paragraph, max_size=20)))
    manuscript = parse(text, format)
    for where, deleted, typed in data.draw(edits(format)):
        place = round(where * len(text))
        text = text[:place] + typed + text[place + deleted :]
        manuscript = parse(text, format, before=manuscript)
        assert read(manuscript) == read(parse(text, format))


@pytest.mark.parametrize(
    "typed", ["x", "[@a", "[cite:@a", "(REF)", "\n\n", "", ". A", "#footnote[x]"]
)
@pytest.mark.parametrize("format", PIECES)
def test_of_a_draft_in_order_only_the_paragraphs_around_are_scanned(
    format: str, typed: str
) -> None:
    before = sample(format)
    place = before.index("Sentence 30") + len("Sentence")
    text, scan = before[:place] + typed + before[place + 1 :], SCANS[format]
    reading = reread(before, scan(before, {}), text, format, partial(scan, commands={}))
    assert reading and reading.layout == scan(text, {})
    scanned = text[reading.stretch.start : reading.stretch.end]
    assert "Sentence 29" in scanned and "key31" in scanned
    assert "key28" not in scanned and "key32" not in scanned


@pytest.mark.parametrize(
    ("format", "above", "old", "new", "below"),
    [
        ("markdown", "<!-- A", "x", "x -->", "[@a]"),
        ("markdown", "A `x` <b", "x", "x> [@a]", "[@b]"),
        ("markdown", "```{note}", "x", "```", "[@a]\n\n```"),
        ("markdown", "```\ncode", "x", "[@a]", "```"),
        ("markdown", "\\iffalse A", "x", "\\fi", "[@a]"),
        ("markdown", "- item", "    x", "    [@a]", "    [@b]"),
        ("markdown", "Words", "x", "- x", "    [@b]\n\nWords"),
        ("markdown", "[^1]: A", "x", "    x", "    [@b]\n\nWords"),
        ("markdown", "Words", "- x", "[^1]: x", "    a\n\n    b\n\nWords"),
        ("markdown", "(@a) An example", "x", "@a", "Words @a"),
        ("markdown", "Words @a", "x", "(@a) x", "Words @a"),
        ("markdown", "# Abstract\n\nA", "x", "y", "B"),
        ("markdown", "# Title", "x", "# Another", "B"),
        ("markdown", "Words @fig-one", "x", "![A](b.png){#fig-one}", "B"),
        ("markdown", "\\footnote{A", "x", "x }", "B"),
        ("markdown", "\\cite{a,", "x", "b}", "B"),
        ("markdown", "--- ----\na   b", "x", "--- ----", "B"),
        ("typst", "= Abstract\n\nA", "x", "y", "B"),
        ("typst", "/* A", "x", "*/ @a", "@b"),
        ("typst", "#[ A", "x", "[ @a ]", "] B"),
        ("typst", "#footnote[ A", "x", "] @a", "B"),
        ("typst", "#{ A", "x", "} @a", "B"),
        ("typst", "$ A", "x", "$ @a", "B"),
        ("typst", "A", "$x$ @a $y$", '$x#cite("$ @a $y$', '@b "z") $ @c $'),
        ("typst", "A", "$x$ @a $y$", "$x#f($ @a $y$", "@b ) $ @c $"),
        ("typst", "A", "$x$ @a $y$", '$x "$ @a $y$', '@b " $ @c $'),
        ("typst", "#set text(\n", "x", ")", "@a"),
        ("typst", '#include "A', "x", '"', "@a"),
        ("typst", "Words", "x", '#title("B", title: "A")', "@a"),
        ("typst", 'The title: "A', "x", 'y"', "@a"),
        ("typst", "A", "x", "#let foo(k) = cite(k)", "#foo(<a>)"),
        ("typst", "#let c(k) = [x #label(k)]", "x", '#c("a")', "@a"),
        ("org", "* Abstract\n\nA", "x", "y", "B"),
        ("org", "* A :noexport:", "x", "* B", "[cite:@a]"),
        ("org", "#+begin_src x", "x", "#+end_src", "[cite:@a]"),
        ("org", ":LOGBOOK:", "x", ":END:", "[cite:@a]"),
        ("org", "* A :foo:\n\nA [cite:@a]", "x", "#+exclude_tags: foo", "B"),
        ("org", "#+exclude_tags: foo", "x", "* A :foo:\n[cite:@a]", "* B"),
        ("org", "#+begin_abstract\nA", "x", "#+end_abstract", "B"),
        ("org", "\\begin{comment} A", "x", "\\end{comment}", "[cite:@a]"),
        ("org", "\\[ A", "x", "\\] [cite:@a]", "B"),
        ("org", "A", "x", "#+title: A", "#+title: B"),
        ("org", f"{'*' * 15} A :noexport:", "x", f"{'*' * 15} END", "[cite:@a]"),
    ],
)
def test_what_an_edit_changes_far_away_is_read_as_well(
    format: str, above: str, old: str, new: str, below: str
) -> None:
    filling = "Some words.\n\n" * 3
    for between in ("", filling):
        before, text = (
            f"{filling}{above}\n\n{between}{middle}\n\n{between}{below}\n\n{filling}"
            for middle in (old, new)
        )
        known = parse(before, format)
        assert read(parse(text, format, before=known)) == read(parse(text, format))
        back = parse(before, format, before=parse(text, format))
        assert read(back) == read(parse(before, format))
