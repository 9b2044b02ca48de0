"""What counts as a citation, a section, front matter in Markdown."""

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.draft.sites import site_at
from cite_lsp.manuscript.edit.placement import cites_everything
from tests.growth import LINEAR, growth
from tests.manuscript.cited import cited


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See [@a].", [("[@]", ["a"])]),
        ("[@a; see -@b, p. 3]", [("[@]", ["a", "b"])]),
        ("[-@a]", [("[@]", ["a"])]),
        ("[see [sic] @a, pp. 3-4; *also* @b]", [("[@]", ["a", "b"])]),
        ("As @a says", [("@", ["a"])]),
        ("@a [p. 3] says", [("@", ["a"])]),
        ("@a [p. 3; @b] says", [("@", ["a", "b"])]),
        ("@a [@b]", [("@", ["a"]), ("[@]", ["b"])]),
        ("@a [link](url)", [("@", ["a"])]),
        ("as -@a says", [("@", ["a"])]),
        ("@{https://x.org/y?z=1} and [@{a b}]", [("@", ["https://x.org/y?z=1"]), ("[@]", ["a b"])]),
        ("@DBLP:conf/nips/V17. @a_b-c: @x.",
         [("@", ["DBLP:conf/nips/V17"]), ("@", ["a_b-c"]), ("@", ["x"])]),
        ("(@a), “@b”", [("@", ["a"]), ("@", ["b"])]),
        ("见[@王2020；@b]。", [("[@]", ["王2020", "b"])]),
        ("over\ntwo [@a;\n@b] lines", [("[@]", ["a", "b"])]),
        ("[text with @a](http://x.org)", [("@", ["a"])]),
        ("![Caption by [@a]](x.png)", [("[@]", ["a"])]),
        ("Text.[^1]\n\n[^1]: By [@a].", [("[@]", ["a"])]),
        ("Text^[By @a and [@b].]", [("@", ["a"]), ("[@]", ["b"])]),
        ("- item [@a]\n\n    more [@b]\n", [("[@]", ["a"]), ("[@]", ["b"])]),
        ("> quoted @a", [("@", ["a"])]),
        ("| x | @a |\n|---|----|\n", [("@", ["a"])]),
        ("# Heading [@a]", [("[@]", ["a"])]),
        ("\\citep[see][]{a,b}", [("citep", ["a", "b"])]),
        ("{cite:p}`a, b and {cite}`c`", [("{cite:p}", ["a", "b and"]), ("{cite}", ["c"])]),
        ("{cite}`a, b ` and {cite}`c` so", [("{cite}", ["a", "b"]), ("{cite}", ["c"])]),
        ("{cite:p}`a, b` {cite}`c`", [("{cite:p}", ["a", "b"]), ("{cite}", ["c"])]),
        (":cite:`a,b`", [(":cite:", ["a", "b"])]),
        ("{footcite:t}`a` {footcite}`b`", [("{footcite:t}", ["a"]), ("{footcite}", ["b"])]),
        ("{cite:p}`{see, e.g.}a{p. 3}, b{ch. 2},c`", [("{cite:p}", ["a", "b", "c"])]),
        ("[[@a#Part]] [[@b#Part|@c]]", [("[[@]]", ["a"]), ("[[@]]", ["b"])]),
        ("[@]", [("[@]", [])]),
        ("[see @a; @fig-x]", [("[@]", ["a"])]),
        ("[see @a; @fig:x]\n\n![X](x.png){#fig:x}", [("[@]", ["a"])]),
        ("(@good) One by @a.\n\nAs (@good) and @late [p. 3] show [@good].\n\n(@late) Two.",
         [("@", ["a"]), ("[@]", ["good"])]),
        ("words\n(@a) go on,\n(@b) too, @a", [("@", ["a"]), ("@", ["b"]), ("@", ["a"])]),
        ("By @fig:a and @Lem-1961.", [("@", ["fig:a"]), ("@", ["Lem-1961"])]),
    ],
)  # fmt: skip
def test_citations_are_found_group_by_group(
    text: str, expected: list[tuple[str, list[str]]]
) -> None:
    assert cited(text, "markdown") == expected


@pytest.mark.parametrize(
    "text",
    [
        "me@example.org, <me@example.org>",
        "`@a` and ``x ` @b``",
        "```\n@a\n```",
        "~~~~ {.r}\n```\n@a\n~~~\n~~~~",
        '```{r, fig.cap="By @a"}\n@b\n```',
        "- item\n\n  ```\n  @a\n  ```",
        "Para.\n\n    @code\n",
        "https://mastodon.social/@a and [x](http://y.org/@b)",
        "[x]: http://y.org/@b",
        "<!-- @a\n\n@b -->",
        '<a title="@b">x</a>',
        "Figure @fig-one, @tbl-x, [@sec-a; @eq-b]",
        "![One](x.png){width=50% #fig:one} As @fig:one [left] and [@Fig:one] show.",
        "# Introduction {#sec:intro}\n\n@Sec:intro says it.",
        "```{r fig-one}\nplot(x)\n```\n\n@Fig-one shows it.",
        "```{python}\n#| label: 'fig-one'\nplot(x)\n```\n\n@Fig-one shows it.",
        "Figure \\@ref(fig:x) and \\@a",
        "---\ntitle: By @a\n---\n",
        "$x@y$ and $$ @z $$",
        "\\iffalse\nOld [@a]. \\cite{b}\n\\fi\n",
        "\\begin{comment}\nOld [@a]. \\cite{b}\n\\end{comment}\n",
        "a @ b",
        "{ref}`@a` :numref:`@b`",
    ],
)
def test_what_does_not_cite_is_no_marker(text: str) -> None:
    assert cited(text, "markdown") == []


def test_latex_for_the_output_cites_beside_the_prose() -> None:
    text = (
        "```{=latex}\n\\caption{Jam \\citep{a}} % \\cite{no}\n```\n\n```{=html}\n\\cite{no}\n```\n"
    )
    manuscript = parse(text, "markdown")
    outside = manuscript.markers_outside_prose
    assert [key.text for marker in outside for key in marker.keys] == ["a"]
    assert not manuscript.markers


@pytest.mark.parametrize(
    "text",
    [
        "(low-fen)=\n# Fens\n",
        ":::{figure} a.png\n:label: low-fen\n:::\n",
        "```{code-cell} python\n:name: low-fen\nx\n```\n",
        "```{list-table}\n---\nname: low-fen\n---\n* x\n```\n",
        "$$ a = b $$ (low-fen)\n",
        "---\nlabel: low-fen\n---\n",
    ],
)
def test_the_targets_of_myst_are_labels(text: str) -> None:
    assert cited(f"{text}\nBy @low-fen and [@low-fen; @a].", "markdown") == [("[@]", ["a"])]
    assert cited(f"<!--\n{text.replace('---', '')}-->\n\n@low-fen", "markdown") != []


def test_a_kind_of_cross_references_may_be_the_writers_own() -> None:
    front = "---\ncrossref:\n  custom:\n  - kind: float\n    key: map\n    latex-env: map\n---\n"
    text = f"{front}\nSee @map-one, @Map-two, [@map-three; @a] and @maps-2020."
    assert cited(text, "markdown") == [("[@]", ["a"]), ("@", ["maps-2020"])]


def test_outside_quarto_a_key_may_begin_like_a_cross_reference() -> None:
    text = "[@def-jam2019; @a], @fig-one, @fig-two.\n\n![Two](x.png){#fig-two}"
    markers = parse(text, "markdown", numbered=False).markers
    assert [key.text for marker in markers for key in marker.keys] == [
        "def-jam2019",
        "a",
        "fig-one",
    ]


def test_links_to_dois_cite_where_that_is_wanted() -> None:
    text = (
        "See [](doi:10.1234/a), [it](https://doi.org/10.1234/b), <doi:10.1234/c>, [x](y.org/10.1)."
    )
    manuscript = parse(text, "markdown")
    assert not manuscript.markers
    citing = manuscript.with_doi_links()
    keys = [key.text for marker in citing.markers for key in marker.keys]
    assert keys == ["doi:10.1234/a", "https://doi.org/10.1234/b", "doi:10.1234/c"]


def test_a_reference_to_a_label_leaves_no_trace_in_the_prose() -> None:
    text = "$$x$$ {#eq:one}\n\nBy the rule (see @eq:one) it is."
    assert parse(text, "markdown").sentences[-1].text == "By the rule it is."


def test_a_narrative_marker_takes_its_locator_and_a_group_its_brackets() -> None:
    text = "By -@a [p. 3] and [see @b, p. 4]."
    markers = parse(text, "markdown").markers
    assert [text[m.start : m.end] for m in markers] == ["-@a [p. 3]", "[see @b, p. 4]"]


def test_headings_of_both_kinds_make_sections() -> None:
    text = "# One #\n\ntext\n\nTwo\n---\n\n## Three {#sec-three}\n\n```\n# no\n```\n"
    sections = parse(text, "markdown").sections
    assert [(s.level, s.title) for s in sections] == [(1, "One"), (2, "Two"), (2, "Three")]
    assert "".join(text[s.start : s.end] for s in sections) == text


@pytest.mark.parametrize(
    ("written", "paths"),
    [
        ("refs.bib", ["refs.bib"]),
        ('"my refs.bib"', ["my refs.bib"]),
        ("'a.bib'", ["a.bib"]),
        ("[a.bib, \"b.bib\"]", ["a.bib", "b.bib"]),
        ("\n  - a.bib\n  - sub/b.bib", ["a.bib", "sub/b.bib"]),
        ("\n  main: a.bib\n  code: [\"b.bib\", c.bib]", ["a.bib", "b.bib", "c.bib"]),
        ("!expr here('a.bib')", ["!expr here('a.bib')"]),
        ("\n  - !expr \"f('a.bib')\"\n  - b.bib", ["!expr \"f('a.bib')\"", "b.bib"]),
    ],
)  # fmt: skip
def test_bibliographies_in_front_matter_are_declared(written: str, paths: list[str]) -> None:
    text = f"---\ntitle: T\nbibliography: {written}\nreferences:\n- id: x\n---\n\nText.\n"
    declarations = parse(text, "markdown").declarations
    assert [text[d.start : d.end] for d in declarations] == [d.path for d in declarations] == paths


def test_front_matter_gives_title_abstract_and_year() -> None:
    manuscript = parse(
        "---\ntitle: 'A *short* title'\ndate: 3 May 2021\nabstract: |\n  One.\n  Two.\n---\nX.\n",
        "markdown",
    )
    assert (manuscript.title, manuscript.abstract, manuscript.year) == (
        "A short title",
        "One. Two.",
        2021,
    )
    assert [sentence.text for sentence in manuscript.sentences] == ["X."]


@pytest.mark.parametrize("written", ['"refs.bib"', "'refs.bib'", '[\n  "refs.bib",\n]'])
def test_front_matter_of_hugo_is_read_and_is_no_prose(written: str) -> None:
    text = (
        f'+++\ntitle = "A *short* title"\ndate = 2021-05-03\nbibliography = {written}\n'
        '[params]\nx = "The gulls of the north nest here."\n+++\n\nGulls nest [@a].\n\n+++\n'
    )
    manuscript = parse(text, "markdown")
    assert (manuscript.title, manuscript.year) == ("A short title", 2021)
    assert [text[d.start : d.end] for d in manuscript.declarations] == ["refs.bib"]
    assert manuscript.sentences[0].text == "Gulls nest."


@pytest.mark.parametrize(
    "front",
    [
        'Title = "Gulls"\nBibliography = "refs.bib"\n',
        '"title" = "Gulls"\n"bibliography" = "refs.bib"\n',
        'title = "Gulls"\n[params]\n  bibliography = "refs.bib"\n',
        'title = "Gulls" # of the north\nextra.bibliography = [ # one\n  "refs.bib"]\n',
        'subtitle = "Half\ntitle = "Gulls"\nbibliography = "refs.bib"\nauthors = [\n',
        'title = """\nGulls"""\n[format.html]\nbibliography = "refs.bib"\n',
    ],
)
def test_what_front_matter_of_hugo_says_is_found_as_in_yaml(front: str) -> None:
    text = f"+++\n{front}+++\n\nGulls nest.\n"
    manuscript = parse(text, "markdown")
    assert manuscript.title == "Gulls"
    assert [text[d.start : d.end] for d in manuscript.declarations] == ["refs.bib"]
    assert [sentence.text for sentence in manuscript.sentences] == ["Gulls nest."]


def test_toml_in_front_that_cannot_be_read_is_no_prose() -> None:
    text = '+++\ntitle = "Open\nbibliography = "refs.bib"\n+++\nGulls nest.\n'
    manuscript = parse(text, "markdown")
    assert [sentence.text for sentence in manuscript.sentences] == ["Gulls nest."]
    assert [declaration.path for declaration in manuscript.declarations] == ["refs.bib"]


def test_front_matter_of_hugo_that_nothing_closes_ends_with_its_fields() -> None:
    manuscript = parse('+++\ntitle = "Gulls"\nbibliography = "refs.bib"\n\nSo.\n', "markdown")
    assert (manuscript.title, manuscript.declarations[0].path) == ("Gulls", "refs.bib")
    assert [sentence.text for sentence in manuscript.sentences] == ["So."]


def test_the_abstract_is_one_of_the_parts_of_a_page_of_myst() -> None:
    text = "---\nparts:\n  abstract: |\n    Gulls *nest*.\n  dedication: To them.\n---\nSo.\n"
    assert parse(text, "markdown").abstract == "Gulls nest."


def test_the_abstract_in_front_matter_of_hugo_cites() -> None:
    text = '+++\nyear = 2020\nnocite = "@b"\nabstract = """\nAs [@a] has it.\n"""\n+++\n\nSo.\n'
    manuscript = parse(text, "markdown")
    assert (manuscript.year, manuscript.abstract) == (2020, "As has it.")
    assert [marker.keys[0].text for marker in manuscript.markers] == ["b"]
    assert [marker.keys[0].text for marker in manuscript.markers_outside_prose] == ["a"]


def test_half_typed_front_matter_still_gives_what_can_be_read() -> None:
    text = '---\ntitle: "Open\nbibliography: refs.bib\nauthor: [x\n---\n\nText [@a].\n'
    manuscript = parse(text, "markdown")
    assert [marker.keys[0].text for marker in manuscript.markers] == ["a"]
    text = "---\nbibliography: refs.bib\ntitle: a: b: c\n---\n"
    assert [d.path for d in parse(text, "markdown").declarations] == ["refs.bib"]


@pytest.mark.parametrize("value", ["[*x]", "{y: *x}"])
def test_front_matter_that_refers_to_itself_is_read(value: str) -> None:
    text = f"---\nbibliography: refs.bib\nlang: &x {value}\n---\n"
    assert [d.path for d in parse(text, "markdown").declarations] == ["refs.bib"]


def test_nocite_in_front_matter_is_a_silent_marker() -> None:
    (marker,) = parse("---\nnocite: |\n  @a, @b\n---\n", "markdown").markers
    assert ([key.text for key in marker.keys], marker.silent) == (["a", "b"], True)


def test_a_block_of_yaml_further_down_is_read_and_is_no_prose() -> None:
    text = (
        "---\ntitle: Gulls\n---\n\nGulls nest.\n\n---\nbibliography: refs.bib\nnocite: |\n  @a\n"
        "\nlang: en\nreferences:\n- id: b\n  title: The gulls @c\n...\n\nTerns fly [@d].\n"
    )
    manuscript = parse(text, "markdown")
    assert [sentence.text for sentence in manuscript.sentences] == ["Gulls nest.", "Terns fly."]
    assert [text[d.start : d.end] for d in manuscript.declarations] == ["refs.bib"]
    assert [(m.silent, m.keys[0].text) for m in manuscript.markers] == [(True, "a"), (False, "d")]


@pytest.mark.parametrize(
    "text",
    [
        "Gulls nest.\n\n---\n\nTerns: fly.\n\n---\n",
        "Gulls nest.\n\n---\nSo: here\nTerns fly.\n\n---\n",
        "Gulls nest.\n\n---\nclass: x\n\n- Terns fly.\n\n---\n",
    ],
)
def test_prose_between_rules_is_no_block_of_yaml(text: str) -> None:
    assert len(parse(text, "markdown").sentences) > 1


@pytest.mark.parametrize("value", ["'@*'", "|\n  @*", '["@a", "@*"]', "'@a, @*'"])
def test_nocite_may_name_everything(value: str) -> None:
    for text in (f"---\nnocite: {value}\n---\n", f"Jam.\n\n---\nnocite: {value}\n---\n"):
        manuscript = parse(text, "markdown")
        every = [marker for marker in manuscript.markers if cites_everything(manuscript, marker)]
        assert [text[slice(*marker.lists[0])] for marker in every] == ["*"]
        keys = [key.text for marker in manuscript.markers for key in marker.keys]
        assert keys == ["a"] * ("@a" in value)


def test_metadata_counts_wherever_it_stands_and_a_later_block_replaces_a_field() -> None:
    text = (
        "---\nbibliography: one.bib\nreferences:\n- id: a\n---\n\nJam.\n\n---\n"
        "# noted\ntitle: Jam\nreferences:\n\n- id: b\n...\n"
        "\n---\nbibliography: [two.bib, three.bib]\n---\n"
    )
    layout = parse(text, "markdown", numbered=False).layout
    assert [declaration.path for declaration in layout.declarations] == ["two.bib", "three.bib"]
    assert [text[slice(*place)].count("id: b") for place in layout.reference_lists] == [1]
    merged = parse(text, "markdown").layout  # as Quarto does
    assert len(merged.declarations) == 3 and len(merged.reference_lists) == 2
    assert merged.title == "Jam" and [section.title for section in merged.sections] == [""]


@pytest.mark.parametrize(
    "fields",
    [
        "format:\n  pdf:\n    bibliography: a.bib\n  html:\n    toc: true",
        "output:\n  bookdown::pdf_book:\n    pandoc_args: [--bibliography=a.bib, --csl=x.csl]",
        'output:\n  pdf_document:\n    pandoc_args: ["--bibliography", a.bib]',
        "bibliography_main: a.bib\nbibliography_title: Sources",
        "bibliography:\n  main: a.bib",
    ],
)
def test_bibliographies_are_named_below_formats_and_by_options_too(fields: str) -> None:
    text = f"---\ntitle: T\n{fields}\nlink-citations: true\n---\n"
    (declaration,) = parse(text, "markdown").declarations
    assert text[declaration.start : declaration.end] == declaration.path == "a.bib"


@pytest.mark.parametrize(
    "fields",
    [
        "abstract: |\n  As [@a; -@b] has it.",
        "thanks: 'By @a'\nacknowledgements: By @b",
        "parts:\n  abstract: |\n    As @a has it.\n  data_availability: By @b",
    ],
)
def test_citations_in_what_the_front_matter_prints_stand_aside(fields: str) -> None:
    text = f'---\n{fields}\nauthor: "@c"\n---\nProse.'
    manuscript = parse(text, "markdown")
    assert [key.text for marker in manuscript.markers_outside_prose for key in marker.keys] == [
        "a",
        "b",
    ]
    assert manuscript.markers == ()


@pytest.mark.parametrize(
    "chunk",
    [
        '```{r one, fig.cap="It\'s as [@a] and \\"@b\\" say.", echo=FALSE}\nx@y\n```\n',
        "```{r}\n#| label: fig-one\n#| fig-cap: 'As [@a] and @b say.'\n#| code: @c\nx@y\n```\n",
        "```{python}\n#| tbl-cap: |\n#|   As @a and\n#|   @b say.\nx @ y\n```\n",
        "```{mermaid}\n//| fig-cap:\n//|   - As @a and\n//|   - As @b say\n@d\n```\n",
        '```{r}\nkable(x[1, 2],\n  caption = "In \\\\@ref(tab:x) as @a; [@b].")\nx@y\n```\n',
        "```{r}\nkbl(x, caption=paste('As @a has it', '@c'))\nset_caption(x, caption='@b')\n```\n",
    ],
)
def test_citations_in_the_captions_of_chunks_stand_aside(chunk: str) -> None:
    manuscript = parse(f"Prose.\n\n{chunk}\nProse.\n", "markdown")
    assert [key.text for marker in manuscript.markers_outside_prose for key in marker.keys] == [
        "a",
        "b",
    ]
    assert manuscript.markers == ()


@pytest.mark.parametrize(
    "chunk",
    [
        '```{r}\nggplot(x) + labs(title = "T",\n  caption = "By @a")\n```\n',
        '```{r, eval=FALSE}\nkable(x, caption = "By @a")\n```\n',
        '```r\nkable(x, caption = "By @a")\n```\n',
        '```{r}\nkable(x)\n\ny <- list(caption = "By @a")\n```\n',
    ],
)
def test_what_no_table_prints_is_no_caption(chunk: str) -> None:
    assert parse(chunk, "markdown").markers_outside_prose == ()


def test_a_raised_comma_between_footnotes_is_no_prose() -> None:
    text = "Gulls nest.[^1]^,^[^2] Terns fly.^[One.]^, ^[^1]\n\n[^1]: One.\n[^2]: Two.\n"
    sentences = parse(text, "markdown").sentences
    assert [sentence.text for sentence in sentences] == [
        "Gulls nest.",
        "Terns fly.",
        "One.",
        "One.",
        "Two.",
    ]


def test_a_footnote_may_begin_below_its_sign_and_have_several_paragraphs() -> None:
    text = "So.[^n]\n\n[^n]:\n    As [@a] says.\n\n    As [@b] says.\n\nProse.\n"
    markers = parse(text, "markdown").markers
    assert [key.text for marker in markers for key in marker.keys] == ["a", "b"]


def test_a_single_top_heading_is_the_title_and_a_summary_the_abstract() -> None:
    manuscript = parse("# The Title\n\n## Summary\n\nWe *do* it [@a].\n\n## Next\n", "markdown")
    assert (manuscript.title, manuscript.abstract) == ("The Title", "We do it.")


def test_included_files_are_listed() -> None:
    (included,) = parse("{{< include _part.qmd >}}\n", "markdown").inputs
    assert included.path == "_part.qmd"


def test_a_directive_between_backticks_holds_prose() -> None:
    text = """````{admonition} On @titles
:class: tip

Terns nest here {cite}`a`.

```python
@code
```

They leave {cite}`b`.
````

```
@plain
```

```{figure} gulls.png
---
alt: of @gulls
---
A gull {cite:p}`c`.
```

```{theorem, name="By @name"}
All are birds [@d].
```

```{code-cell} ipython3
@property
```

```{note}
Not closed yet [@e].
"""
    manuscript = parse(text, "markdown")
    assert [key.text for marker in manuscript.markers for key in marker.keys] == list("abcde")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Terns nest here.",
        "They leave.",
        "A gull.",
        "All are birds.",
        "Not closed yet.",
    ]


def test_the_options_of_a_division_are_no_prose() -> None:
    text = ":::{figure} a.png\n:name: fig-a\n:alt: by @nobody\n\nA tern [@a].\n:::\n"
    manuscript = parse(text, "markdown")
    assert [key.text for marker in manuscript.markers for key in marker.keys] == ["a"]
    assert [sentence.text for sentence in manuscript.sentences] == ["A tern."]


def test_many_directives_that_are_not_closed_are_read_in_no_time() -> None:
    def directives(count: int) -> str:
        return "".join(f"{'`' * (3 + number % 9)}{{note}} a\n" for number in range(count))

    assert growth(directives, lambda text: parse(text, "markdown"), 4_000) < LINEAR


def test_a_long_row_of_backticks_is_read_in_no_time() -> None:
    assert len(parse("Text " + "`" * 100_000, "markdown").sentences) == 1
    text = "Text {}".format
    assert growth(lambda size: text("`" * size), lambda t: parse(t, "markdown"), 50_000) < LINEAR


def test_many_numbered_examples_are_read_in_no_time() -> None:
    def examples(count: int) -> str:
        return "(@a) One by @b.\n" * count

    assert len(parse(examples(3000), "markdown").markers) == 3000
    assert growth(examples, lambda text: parse(text, "markdown"), 2_000) < LINEAR


def test_comments_of_obsidian_and_of_myst_are_no_prose() -> None:
    text = """Terns nest. %% By whom, @a? %% They fly.

%%
Not yet: @b.

Nor this.
%%

% They eat @c.
% And more.
A gain of 5
% of all, 20%% of some.
"""
    manuscript = parse(text, "markdown")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Terns nest.",
        "They fly.",
        "A gain of 5 % of all, 20%% of some.",
    ]
    assert not manuscript.markers


@pytest.mark.parametrize(
    "text",
    [
        "(terns)=\n# Terns\n\n(nests)=\nTerns nest.\n",
        '+++\n\nTerns nest.\n\n+++ {"tags": ["hidden by @a"]}\n',
        "Terns nest.\n+++\n",
        "$$\nx = y\n$$ (eq-tern)\nTerns nest.\n",
        "$$x$$ (eq:tern)\n\nTerns nest.\n",
    ],
)
def test_labels_and_cells_of_myst_are_no_prose(text: str) -> None:
    manuscript = parse(text, "markdown")
    assert [sentence.text for sentence in manuscript.sentences] == ["Terns nest."]
    assert not manuscript.markers


def test_a_bracket_behind_a_formula_that_goes_on_is_prose() -> None:
    (sentence,) = parse("$$x$$ (which) terns eat.", "markdown").sentences
    assert sentence.text == "(which) terns eat."


def test_what_critic_markup_takes_out_is_no_prose_and_what_it_adds_is() -> None:
    text = (
        "Terns {--do not [@a]--}nest{>>by whom? @b<<} in {++large++} {~~flocks [@c]~>colonies~~}"
        " {==by the sea==}{>>which\none?<<} [@d].{++ They fly.++}\n\nA {-- dash.\n\nTwo --} three."
    )
    manuscript = parse(text, "markdown")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Terns nest in large colonies by the sea.",
        "They fly.",
        "A – dash.",
        "Two – three.",
    ]
    assert [key.text for marker in manuscript.markers for key in marker.keys] == ["d"]


@pytest.mark.parametrize(
    "text",
    [
        "#. Gulls nest\n#. Terns fly\n",
        "a) Gulls nest\nb) Terns fly\n",
        "So:\n\n  a. Gulls nest\n  b. Terns fly\n",
        "i. Gulls nest\nii. Terns fly\n",
        "(i) Gulls nest\n(ii) Terns fly\n",
    ],
)
def test_every_item_of_a_list_is_apart(text: str) -> None:
    sentences = [sentence.text for sentence in parse(text, "markdown").sentences]
    assert sentences[-2:] == ["Gulls nest", "Terns fly"]


def test_paragraphs_items_and_cells_of_html_are_apart() -> None:
    text = (
        "<ul>\n<li>Gulls <b>nest</b></li>\n<li>Terns fly [@a]</li>\n</ul>\n\n<h2>Auks</h2>\n"
        "<div class='x'>Auks dive.</div><div>Skuas<br>rob</div>\n"
        "<table><tr><td>So</td><td>on</td></tr></table>\n"
    )
    sentences = [sentence.text for sentence in parse(text, "markdown").sentences]
    assert sentences == [
        "Gulls nest",
        "Terns fly",
        "Auks",
        "Auks dive.",
        "Skuas rob",
        "So",
        "on",
    ]


def test_a_letter_at_the_beginning_of_a_line_of_prose_begins_no_item() -> None:
    text = "Gulls nest as in part\nb. They fly.\n\ne. g. terns nest, or case\na) terns.\n"
    sentences = [sentence.text for sentence in parse(text, "markdown").sentences]
    assert sentences == [
        "Gulls nest as in part b.",
        "They fly.",
        "e. g. terns nest, or case a) terns.",
    ]


def test_links_to_notes_read_as_what_they_show() -> None:
    text = "![[tern.png]] See [[Tern]] and [[Gull|gulls]], [[1]](http://x.org) by [[@a]]. ^here"
    (sentence,) = parse(text, "markdown").sentences
    assert sentence.text == "See Tern and gulls, [1] by."


@pytest.mark.parametrize(
    "written",
    [
        "title: Gulls^[We thank [two](x) terns, and @a.] nest",
        "title: 'Gulls^[We thank.] nest^[They too.]'",
        "title: |\n  |\n  | \\vspace{1cm}Gulls\n  | nest^[We thank.]\n  |",
    ],
)
def test_thanks_and_the_marks_of_lines_are_no_part_of_the_title(written: str) -> None:
    assert parse(f"---\n{written}\n---\n\nX.\n", "markdown").title == "Gulls nest"


def test_a_note_in_a_heading_is_no_part_of_it() -> None:
    text = "# Nests^[As @a says.]\n\nGulls^[See @b.] nest.\n\n# Eggs^[not closed\n"
    manuscript = parse(text, "markdown")
    assert [section.title for section in manuscript.sections] == ["Nests", "Eggs^[not closed"]
    assert "Gulls nest." in [sentence.text for sentence in manuscript.sentences]
    assert [marker.keys[0].text for marker in manuscript.markers] == ["a", "b"]


def test_a_title_block_of_pandoc_gives_title_and_year() -> None:
    text = "% Of *terns*\n  and gulls\n% A. Author;\n  B. Author\n% May 2020\n\nTerns nest [@a].\n"
    manuscript = parse(text, "markdown")
    assert (manuscript.title, manuscript.year) == ("Of terns and gulls", 2020)
    assert [sentence.text for sentence in manuscript.sentences] == ["Terns nest."]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Terns take up CO~2~ on 1^st^ May, ~all~.", "Terns take up CO2 on 1st May, ~all~."),
        ("Terns, see \\autoref{fig:tern}, nest.\\label{terns}", "Terns, see, nest."),
        ("Of `{python} n` terns `r k` nest in `R`.", "Of terns nest in R."),
        ("(ref:map) Terns nest.", "Terns nest."),
        ("==Terns\\index{tern} nest== if a == b.", "Terns nest if a == b."),
        ("{term}`Terns` in H{sub}`2`O of {math}`x`, see {ref}`a`.", "Terns in H2O of x, see."),
        ("\\begin{quote}[a]\nTerns<br/>nest.\n\\end{quote}", "Terns nest."),
        ("Terns [nest as @a says]{.mark} by ['day' [@b]]{.x}.", "Terns nest as says by 'day'."),
        ("\\vspace{1em} \\textcolor{red}{Gulls}\\hspace*{2mm} nest.", "Gulls nest."),
        ("\\setlength{\\parindent}{0pt} Gulls \\href{http://x.org}{nest}.", "Gulls nest."),
        ("Table: (\\#tab:gulls) Gulls nest.", "Table: Gulls nest."),
        ('![Gulls](a.png){#fig-a\nfig-alt="Gulls!"\nwidth=5%}\n', "Gulls"),
        ("Gulls [nest]{.mark\n#nests}.", "Gulls nest."),
        ("~~Gulls~~ nest for x^2 and y^3.", "Gulls nest for x^2 and y^3."),
    ],
)  # fmt: skip
def test_small_letters_references_and_computed_values_read_as_in_print(
    text: str, sentence: str
) -> None:
    assert [sentence.text for sentence in parse(text, "markdown").sentences] == [sentence]


def test_admonitions_and_tabs_of_mkdocs_hold_prose() -> None:
    text = (
        '!!! note "A title"\n    Gulls nest [@a].\n\n    They are loud [@b].\n\n'
        "    ???+ tip\n        Look up.\n\n        Look down, too [@c].\n\n"
        '=== "One"\n\n    Of terns [@d].\n\nNo tab.\n\n    code [@e]\n'
    )
    manuscript = parse(text, "markdown")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Gulls nest.",
        "They are loud.",
        "Look up.",
        "Look down, too.",
        "Of terns.",
        "No tab.",
    ]
    assert [key.text for marker in manuscript.markers for key in marker.keys] == list("abcd")
    assert site_at(manuscript, text.index("@b") + 1) is not None
    assert site_at(manuscript, text.index("@e") + 1) is None


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("The scope operator:: splits.\n\nSo.", ["The scope operator:: splits.", "So."]),
        ("> > [!tip] Title\n> > Gulls\n> > nest.", ["Gulls nest."]),
        ("- [?] Do gulls nest?\n- [/] They do.", ["Do gulls nest?", "They do."]),
        ("*[RNA]: ribonucleic acid\n\n--8<-- \"gulls.md\"\n\nGulls.", ["Gulls."]),
        (":material-check: Gulls{ .note } nest :smile: at 10:30:15.", ["Gulls nest at 10:30:15."]),
    ],
)  # fmt: skip
def test_tasks_icons_and_snippets_are_no_prose(text: str, sentences: list[str]) -> None:
    assert [sentence.text for sentence in parse(text, "markdown").sentences] == sentences


@pytest.mark.parametrize(
    "text",
    [
        '![It is so](a.png){#fig-a fig-alt="By @no" width=50%}',
        "It is [so](a.org){ .new title='By [@no]' }",
        'It is so {{< video a.mp4 title="By @no" >}}',
        ': It is so {#tbl-a cap="@no"\nwidths="[1,2]"}',
    ],
)
def test_attributes_and_shortcodes_cite_nothing(text: str) -> None:
    manuscript = parse(text, "markdown")
    assert manuscript.markers == ()
    assert [sentence.text.strip() for sentence in manuscript.sentences] == ["It is so"]


@pytest.mark.parametrize("begun", ["{#a ", '{a="', "{.a.b.c", "{{< a "])
def test_many_attributes_that_nothing_closes_are_read_in_no_time(begun: str) -> None:
    assert growth(lambda size: begun * size, lambda t: parse(t, "markdown"), 4_000) < LINEAR
