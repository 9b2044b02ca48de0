r"""Where a key can be typed: ¦ is the cursor, what is marked ‹…› is what completion may replace."""

import pytest

from cite_lsp.manuscript import CitationSite, parse
from cite_lsp.manuscript.draft.sites import site_at


def site(text: str, markup: str) -> tuple[CitationSite | None, str]:
    cursor = text.index("¦")
    text = text.replace("¦", "")
    return site_at(parse(text, markup), cursor), text


@pytest.mark.parametrize(
    ("text", "typed", "replaced", "others"),
    [
        (r"\cite{¦}", "", "", ()),
        (r"\cite{¦", "", "", ()),
        (r"\cite{va¦}", "va", "va", ()),
        (r"\cite{va¦swani, b}", "va", "vaswani", ("b",)),
        (r"\citep[see][12]{a, ¦b}", "", "b", ("a",)),
        (r"\citep[see][12]{a,¦}", "", "", ("a",)),
        (r"\citep[see][12]{a,¦ b}", "", "", ("a", "b")),
        (r"\autocites{a}[3]{¦}", "", "", ("a",)),
        (r"\autocites{¦x}[3]{b}", "", "x", ("b",)),
        ("\\cite{\n  a,\n  att¦\n}", "att", "att", ("a",)),
        ("\\cite{a, % old\n  b¦\n}", "b", "b", ("a",)),
        ("\\cite{VSP+17., % first, and best\n  foo¦\n}", "foo", "foo", ("VSP+17.",)),
        ("\\cite{% first, second\n  fo¦o, % third, fourth\n b}", "fo", "foo", ("b",)),
        ("\\cite{fo¦o % and b, c\n  , b}", "fo", "foo", ("b",)),
        ("\\cite{a, % first, and best\n  ¦}", "", "", ("a",)),
        ("\\cite{a,¦ % first, and best\n}", "", "", ("a",)),
        ("\\cite{attention is¦ all}", "attention is", "attention is all", ()),
        ("\\cite{a, do¦e2020 mol, b}", "do", "doe2020", ("a", "b")),
        ("\\footnote{So \\cite{att¦ent is said.}", "att", "attent", ()),
        ("\\footnote{So \\cite{att¦ is said. But}", "att", "att", ()),
        ("\\footnote{So \\cite{att¦ is all}}", "att", "att is all", ()),
        ("\\cite{a, doe2020 m¦ol}", "doe2020 m", "doe2020 mol", ("a",)),
        ("by \\cite{attention tra¦\nMore prose.", "attention tra", "attention tra", ()),
        ("by \\cite{att¦ and the rest of the line", "att", "att", ()),
        ("by \\cite{a, att¦", "att", "att", ("a",)),
        ("by \\cite{a,\n  b, att¦. More prose", "att", "att", ("a", "b")),
        ("by \\cite{a,\natt¦ \\emph{more}", "att", "att", ("a",)),
        ("by \\cite{a,\n¦", "", "", ("a",)),
        ("by \\cite{a, \n  ¦\nMore prose.", "", "", ("a",)),
        ("by \\cite{a,\n¦\n\nMore prose.", "", "", ("a",)),
        ("by \\autocites{a}{b,\nc,\r\n¦\r\n", "", "", ("a", "b", "c")),
        ("by \\cite{\n  ¦\nMore prose.", "", "", ()),
        ("by \\cite{\r\n  at¦\r\nMore prose.", "at", "at", ()),
        ("by \\autocites{a}{%\n  at¦", "at", "at", ("a",)),
        (r"\textcquote[1]{¦}{quote}", "", "", ()),
        (r"\newcommand{\ct}[1]{\cite{#1}} \ct{x¦}", "x", "x", ()),
        (r"\nocite{x¦}", "x", "x", ()),
        (r"\nocite{*¦}", "*", "*", ()),
        (r"\cite{a,*¦}", "", "", ("a",)),
        (r"\cite{a, *b¦c, d}", "b", "bc", ("a", "d")),
        (r"\cite{a, b¦, *c}", "b", "b", ("a", "c")),
        (r"\cite{a, *[{see, e.g., }]b¦c}", "b", "bc", ("a",)),
        ("\\cite{\n  ¦\n}", "", "", ()),
        ("\\cite{\n  a, % first\n  b,\n  ¦\n}", "", "", ("a", "b")),
        ("\\cite{\n  a,\n  ¦\n  b\n}", "", "", ("a", "b")),
        (r"\cite{*[{see }][{, p. 3}]¦}", "", "", ()),
    ],
)
def test_inside_the_braces_of_a_latex_command(
    text: str, typed: str, replaced: str, others: tuple[str, ...]
) -> None:
    place, plain = site(text, "latex")
    assert place
    assert place.typed == typed == plain[place.start : place.cursor]
    assert plain[place.start : place.end] == replaced
    assert place.other_keys == others


@pytest.mark.parametrize(
    "text",
    [
        r"\ci¦te{a}",
        r"\citep[s¦ee]{a}",
        r"\cite{a}¦ more",
        r"\cite{a} mo¦re",
        r"% \cite{¦}",
        r"\verb|\cite{¦}|",
        "\\begin{lstlisting}\n\\cite{¦}\n\\end{lstlisting}",
        r"\newcommand{\x}[1]{\cite{#1¦}}",
        "\\cite{a, % wh¦y\n b}",
        "\\cite{a, % first, and be¦st\n b}",
        "\\cite{a, % first,¦\n b}",
        "\\cite{att\n¦More prose.",
        "\\cite{att,\nMore¦ prose.",
        "\\cite{att,\n¦ More prose.",
        "\\cite{att,\n\n¦",
        "\\cite{att\n¦",
        "\\cite{\n\n¦",
        "\\cite{\n¦More prose.",
        "\\cite{\nMore prose ¦",
        "\\emph{\n¦",
        "\\cite{att}, so,\n¦",
        "by \\cite{att and so on,\n¦\n",
        "% \\cite{att,\n¦",
        r"\emph{¦}",
        r"\cite{a, *[{see, e¦.g., }]bc}",
    ],
)
def test_nowhere_else_in_latex(text: str) -> None:
    assert site(text, "latex")[0] is None


@pytest.mark.parametrize(
    ("text", "command", "typed", "replaced", "others"),
    [
        ("[@¦", "[@]", "", "", ()),
        ("[@¦]", "[@]", "", "", ()),
        ("[see @a; @¦]", "[@]", "", "", ("a",)),
        ("[see @a; @b¦c, p. 3]", "[@]", "b", "bc", ("a",)),
        ("[@a; -@¦", "[@]", "", "", ("a",)),
        ("[see @a, p. 3; @b; @d¦ and so", "@", "d", "d", ("a", "b")),
        ("[@a] and [@¦", "[@]", "", "", ()),
        ("By -@¦", "@", "", "", ()),
        ("@¦", "@", "", "", ()),
        ("By @¦ and", "@", "", "", ()),
        ("By @va¦swani and", "@", "va", "vaswani", ()),
        ("[@O'Br¦]", "[@]", "O'Br", "O'Br", ()),
        ("[@a; @D’¦]", "[@]", "D’", "D’", ("a",)),
        ("[see @Ng-O'Ne¦il2020, p. 3]", "[@]", "Ng-O'Ne", "Ng-O'Neil2020", ()),
        ("[@children's pl¦]", "[@]", "children's pl", "children's pl", ()),
        ("[@Peat in D’A¦]", "[@]", "Peat in D’A", "Peat in D’A", ()),
        ("By @O’Br¦", "@", "O’Br", "O’Br", ()),
        ("By @{odd k¦ey}", "@", "odd k", "odd key", ()),
        ("(@va¦)", "@", "va", "va", ()),
        ("见[@va¦]", "[@]", "va", "va", ()),
        ("[see ¦]", "[@]", "", "", ()),
        ("[See ¦]", "[@]", "", "", ()),
        ("[vgl. auch z. B. ¦]", "[@]", "", "", ()),
        ("[@a, ¦]", "[@]", "", "", ("a",)),
        ("[@a, p. 3;¦]", "[@]", "", "", ("a",)),
        ("[@a; see, e.g., ¦; @b]", "[@]", "", "", ("a", "b")),
        ("[@va 20¦17]", "[@]", "va 20", "va 2017", ()),
        ("[@va et al. 2017¦]", "[@]", "va et al. 2017", "va et al. 2017", ()),
        ("[@va et al., Roe 2017¦]", "[@]", "va et al., Roe 2017", "va et al., Roe 2017", ()),
        ("So [see @a; -@va ¦]", "[@]", "va ", "va ", ("a",)),
        ("\\citep{va¦}", "citep", "va", "va", ()),
        ("{cite:p}`a,b¦`", "{cite:p}", "b", "b", ("a",)),
        ("{cite:p}`a; b¦c`", "{cite:p}", "b", "bc", ("a",)),
        ("{cite:p}`{see, e.g.}a{p. 3},b¦`", "{cite:p}", "b", "b", ("a",)),
        ("{cite:p}`{see}b¦{p. 3}`", "{cite:p}", "b", "b", ()),
        ("By {cite:p}`a,b¦ and {cite:p}`c` more.", "{cite:p}", "b", "b", ("a",)),
        ("By {cite:p}`b¦ and `code`.", "{cite:p}", "b", "b", ()),
        ("By {cite:p}`¦\n\nMore `code`.", "{cite:p}", "", "", ()),
        (":cite:`¦`", ":cite:", "", "", ()),
        ("如 @va¦所示，", "@", "va", "va", ()),
        ("如 @¦所示，", "@", "", "", ()),
        ("@kim¦2020에 따르면", "@", "kim", "kim2020", ()),
        ("例如，@va¦", "@", "va", "va", ()),
        ("见：@va¦。", "@", "va", "va", ()),
        ("| BERT |@va¦|", "@", "va", "va", ()),
        ("„@va¦“", "@", "va", "va", ()),
        ("« …@va¦ »", "@", "va", "va", ()),
        ("_@va¦swani shows_", "@", "va", "vaswani", ()),
        ("~~@va¦~~", "@", "va", "va", ()),
        ("By @a [@¦]", "[@]", "", "", ("a",)),
        ("By @a [@b; @va¦]", "[@]", "va", "va", ("a", "b")),
        ("<td>@va¦</td>", "@", "va", "va", ()),
        ('```{r, fig.cap="As [@va¦] has it."}\nx\n```\n', "[@]", "va", "va", ()),
        ('```{r, fig.cap="As [@a; @v¦a] has it."}\nx\n```\n', "[@]", "v", "va", ("a",)),
        ("```{r}\n#| fig-cap: |\n#|   It is so\n#|   by @v¦\nx\n```\n", "@", "v", "v", ()),
        ('```{r}\n#| fig-cap:\n#|   - "So @v¦"\nx\n```\n', "@", "v", "v", ()),
        ('```{r}\nkable(x[1], caption = "As @v¦a has it")\n```\n', "@", "v", "va", ()),
        ("```{r}\nkbl(x,\n  caption='See [@a; @v¦]')\n```\n", "[@]", "v", "v", ("a",)),
        ("---\nabstract: As @v¦a has it.\n---\n", "@", "v", "va", ()),
        ('```{python}\n#| fig-cap: "As @va¦"\nx\n```\n', "@", "va", "va", ()),
        ("---\nnocite: |\n  @a, @va¦\n---\n", "nocite", "va", "va", ("a",)),
        ("---\nnocite: '@¦'\n---\n", "@", "", "", ()),
        ("---\nabstract: |\n  So it is.\n\n  As [@va¦] has it.\n---\n", "[@]", "va", "va", ()),
        ('+++\nabstract = """\nSo.\nAs [@va¦] has it."""\n+++\n', "[@]", "va", "va", ()),
    ],
)
def test_behind_an_at_sign_in_markdown(
    text: str, command: str, typed: str, replaced: str, others: tuple[str, ...]
) -> None:
    place, plain = site(text, "markdown")
    assert place
    assert place.marker.command == command
    assert place.typed == typed == plain[place.start : place.cursor]
    assert plain[place.start : place.end] == replaced
    assert place.other_keys == others


@pytest.mark.parametrize(
    "text",
    [
        "me@ex¦ample.org",
        "<me@ex¦ample.org>",
        "https://x.org/@na¦me",
        "`@co¦de`",
        '```{r}\nlabs(caption = "@na¦me")\n```\n',
        '```{r}\nkable(caption = "As", x@sl¦ot)\n```\n',
        "```\n@co¦de\n```",
        "```{r, fig.width=5}\n#| label: @co¦de\n```",
        "```{r}\n#| fig-cap: |\n#|   It is so\n#| label: by @v¦\nx\n```\n",
        "---\nauthor: @na¦me\n---\n",
        '+++\nabstract = """\nSo."""\nauthor = "@na¦me"\n+++\n',
        "<!-- @co¦mment -->",
        "It is ‘by @doe’¦ so",
        "As @doe's¦ idea",
        "By @doe2020's i¦dea",
        "A.\n\n% @¦\nB.",
        "\\@ref(fi¦g)",
        "@va 20¦17",
        "[@va, p. ¦3]",
        "[@va, p. ¦]",
        "[@va, see ¦]",
        "- [ ¦]",
        "- [x ¦]: a",
        "[see ¦; so",
        "![see ¦](a.png)",
        "[see ¦](a.md)",
        "[see ¦]: a.md",
        "^[see ¦]",
        "`[see ¦]`",
        "[@a] or @va 20¦17",
        "\\@¦",
        "plain te¦xt",
        "snake_@va¦",
        "[@a] te¦xt",
    ],
)
def test_nowhere_else_in_markdown(text: str) -> None:
    assert site(text, "markdown")[0] is None


@pytest.mark.parametrize("markup", ["markdown", "typst"])
@pytest.mark.parametrize(
    ("text", "typed", "replaced"),
    [
        ("As @Doe et al¦", "Doe et al", "Doe et al"),
        ("(@Doe et al.¦)", "Doe et al.", "Doe et al."),
        ("As @Doe et al. ¦", "Doe et al. ", "Doe et al. "),
        ("As @O'Neil-Doe et al., 20¦20a say", "O'Neil-Doe et al., 20", "O'Neil-Doe et al., 2020a"),
        ("As @doe et al. (2020¦) say", "doe et al. (2020", "doe et al. (2020)"),
    ],
)
def test_a_work_is_written_out_behind_a_sign(
    text: str, typed: str, replaced: str, markup: str
) -> None:
    place, plain = site(text, markup)
    assert place is not None and place.several_words and place.marker.command == "@"
    assert (place.typed, plain[place.start : place.end]) == (typed, replaced)


@pytest.mark.parametrize("markup", ["markdown", "typst", "org"])
@pytest.mark.parametrize(
    "text",
    [
        "As @Doe et¦",
        "As @Doe et al. s¦ay",
        "As @Doe et al. 2020 ¦",
        "As @Doe and Roe¦",
        "`@Doe et al. 20¦`",
        "me@doe et al¦",
        "\\@Doe et al¦",
    ],
)
def test_and_no_prose_is(text: str, markup: str) -> None:
    assert site(text, markup)[0] is None


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("So [cite:see ¦]", ()),
        ("So [cite/t:e.g. ¦;@b]", ("b",)),
        ("So [cite:@a, ¦]", ("a",)),
        ("So [cite:@a;see ¦]", ("a",)),
        ("So cite:&¦", ()),
        ("So cite:&a;&¦", ("a",)),
    ],
)
def test_where_nothing_is_typed_in_a_marker_of_org(text: str, others: tuple[str, ...]) -> None:
    place, _ = site(text, "org")
    assert place
    assert (place.start, place.end) == (text.index("¦"), text.index("¦"))
    assert place.other_keys == others


@pytest.mark.parametrize("text", ["By @¦[cite:@a]", "By\n &¦[[cite:&a]]", "By te¦xt [cite:@a]"])
def test_nowhere_else_in_org(text: str) -> None:
    assert site(text, "org")[0] is None


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("[@{doi}¦]", "markdown"),
        ("As @{doi}¦ says", "markdown"),
        ("As @{doi}¦", "typst"),
        ("[cite:@{doi}¦]", "org"),
        ("\\cite{{doi}¦}", "latex"),
    ],
)
@pytest.mark.parametrize(
    "doi",
    [
        "10.1016/S0140-6736(20)30183-5",
        "https://doi.org/10.1002/(SICI)1(98)17:1<2::A>3.0",
        "https://openreview.net/forum?id=a_Bc-D",
    ],
)
def test_a_doi_or_an_address_is_pasted_where_a_key_belongs(
    text: str, markup: str, doi: str
) -> None:
    place, plain = site(text.replace("{doi}", doi), markup)
    assert place is not None
    assert place.typed == plain[place.start : place.end] == doi


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("As @doe [¦", ""),
        ("As @doe [¦ it is", ""),
        ("As @doe [¦]", ""),
        ("As @doe [see also ¦] it is", ""),
        ("As @doe [see Roe, 2¦]", "Roe, 2"),
    ],
)
def test_another_work_is_proposed_in_a_bracket_behind_a_citation_in_the_text(
    text: str, typed: str
) -> None:
    place, _ = site(text, "markdown")
    assert place is not None and place.guessed
    assert (place.typed, place.marker.command, place.other_keys) == (typed, "[@]", ("doe",))


@pytest.mark.parametrize(
    "text", ["a@doe.org [¦]", "So [¦]", "@doe [so it ¦](a.html)", "@doe [33]¦"]
)
def test_none_is_in_other_brackets(text: str) -> None:
    assert site(text, "markdown")[0] is None
