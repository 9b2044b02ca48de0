"""What counts as a citation, a section, a file in Typst; where keys are typed and put in."""

import pytest

from cite_lsp.manuscript import Document, Manuscript, parse
from cite_lsp.manuscript.draft.sites import site_at
from cite_lsp.manuscript.edit.insertion import addition, insertion
from cite_lsp.manuscript.edit.placement import cites_everything
from cite_lsp.manuscript.text.text_edit import TextEdit
from tests.growth import LINEAR, growth
from tests.manuscript.cited import cited
from tests.manuscript.lone_file import context_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As @a shows.", [("@", ["a"])]),
        ("End @smith2020.", [("@", ["smith2020"])]),
        ("@a-b:c.d: more", [("@", ["a-b:c.d"])]),
        ("By @a[p. 3; see [x]] and @b", [("@", ["a"]), ("@", ["b"])]),
        ("@a @b", [("@", ["a"]), ("@", ["b"])]),
        (
            "@a, #cite(<a>) and #cite(\n  <b>, form: none) @b",
            [("@", ["a"]), ("#cite", ["a"]), ("#cite", ["b"]), ("@", ["b"])],
        ),
        ("见@王2020。", [("@", ["王2020"])]),
        ("#cite(<a>)", [("#cite", ["a"])]),
        ("#citet(<a>) and #cite-p(<b>, <c>)", [("#cite", ["a"]), ("#cite", ["b", "c"])]),
        ('#let prose(key) = cite(key, form: "prose")\n#prose(<a>)', [("#cite", ["a"])]),
        ('#let by = cite.with(form: "prose")\n#by(label("a/b"))', [("#cite", ["a/b"])]),
        ('#let note(key) = link(key)\n#note(<a>) #cite-style("apa") #recite(text)', []),
        ('#cite(<a>, supplement: [p. 3], form: "prose")', [("#cite", ["a"])]),
        ('#cite(label("DBLP:x/y"))', [("#cite", ["DBLP:x/y"])]),
        ('#cite("a", "b", style: "apa")', [("#cite", ["a", "b"])]),
        ("#cite(\n  <a>,\n)", [("#cite", ["a"])]),
        ("#{ cite(<a>) }", [("#cite", ["a"])]),
        ('#figure(image("x@y.png"), caption: [By @a.]) @b', [("@", ["a"]), ("@", ["b"])]),
        ('Text#footnote(numbering: "[1]")[By @a.] @c', [("@", ["a"]), ("@", ["c"])]),
        ("Text#footnote[By @a and #emph[@b].] @c", [("@", ["a"]), ("@", ["b"]), ("@", ["c"])]),
        ("#let f(x) = [by @a]\n@b", [("@", ["a"]), ("@", ["b"])]),
        ('#link("http://x")[by @a]', [("@", ["a"])]),
        ("#if x [ @a ] else [ @b ]\n", [("@", ["a"]), ("@", ["b"])]),
        ("= Heading @a\n- item @b\n/ Term: @c", [("@", ["a"]), ("@", ["b"]), ("@", ["c"])]),
        ("Vögel @mo\u0308we2019 @कि-1.", [("@", ["mo\u0308we2019"]), ("@", ["कि-1"])]),
        ('#ref(<a>) and #ref(label("b"), supplement: [p. 1])', [("#ref", ["a"]), ("#ref", ["b"])]),
        ('Set $upright("$n")$ by @a, $y$ by @b', [("@", ["a"]), ("@", ["b"])]),
        ('#let t = [$"($k$)" x$]\n$ #text("$")[$z$ @no] $ @a', [("@", ["a"])]),
        ("$ x // $ no\n + y$ by @a, $z$", [("@", ["a"])]),
        ("$f(x)[1]$ by @a and $g$", [("@", ["a"])]),
        ('Half typed $mono("$ by @a', [("@", ["a"])]),
        ("/* one /* two */ @no */ @a", [("@", ["a"])]),
        ("#cite(/* <no> */ <a>)", [("#cite", ["a"])]),
        ("#cite(<att and more prose\nNext @b.", [("#cite", ["att"]), ("@", ["b"])]),
    ],
)
def test_citations_are_found(text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert cited(text, "typst") == expected


@pytest.mark.parametrize(
    "text",
    [
        "me@example.org and first.last@mail.example.org",
        "`@a` and ```typ @b ```",
        "```py\n@a\n```",
        "// @a\n/* @b\n@c */",
        "https://x.org/@a",
        "\\@a",
        "$x@y$ and $ z @a $",
        '#text("@a")[x] #f(g("by @b"))',
        '#let mail = "@a"\n',
        "@fig:one @tab-two @eq:x",
        "= One <intro>\nSee @intro.",
        '= One #label("dyn")\nSee @dyn[Part] and @dyn.',
        '#set cite(style: "apa")',
        "a @ b",
    ],
)
def test_what_does_not_cite_is_no_marker(text: str) -> None:
    assert cited(text, "typst") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@a[p. 3, cf. @b and @c.]", ["b", "c"]),
        ("#cite(<a>, supplement: [see @b, #cite(<c>)])", ["b", "c"]),
        ("@a[mail me@x.org // @b\n\\@c]", []),
        ("= Part <p>\n@a[with @p and @fig:x]", []),
    ],
)
def test_citations_in_a_supplement_stand_aside(text: str, expected: list[str]) -> None:
    manuscript = parse(text, "typst")
    assert [key.text for marker in manuscript.markers for key in marker.keys] == ["a"]
    outside = manuscript.markers_outside_prose
    assert [key.text for marker in outside for key in marker.keys] == expected


@pytest.mark.parametrize(
    "definition",
    [
        '#let code(tag, body) = [#figure(body)#label(tag)]\n#code("x.y", [z])',
        '#let code = (body, tag) => { figure(body); [#label(tag)] }\n#code([b], "x.y")',
        '#let code(body, tag: none) = [#body #label("x." + tag)]\n#code([(a, b)], tag: "y")',
        "#let code(body, tag) = [#figure(body) #tag]\n#code([z], <x.y>)",
        '#let f = { code("x.y") }\n#let code(tag, ..rest) = [#label(str(tag))]',
    ],
)
def test_functions_of_the_draft_make_labels(definition: str) -> None:
    assert cited(f"{definition}\nSee @x.y and @a.", "typst") == [("@", ["a"])]
    assert cited(f"// {definition}".replace("\n", "\n// ") + "\n@x.y", "typst") != []


def test_the_functions_of_another_file_make_labels_and_cite() -> None:
    library = parse("#let code(tag) = [#label(tag)]\n#let by = cite.with(form: none)", "typst")
    text = '#code("x")\n@x #by(<a>)'
    manuscript = parse(text, "typst", library.cite_commands)
    assert [marker.command for marker in manuscript.markers] == ["#cite"]


def test_a_key_like_a_numbered_part_may_cite_where_it_is_no_label() -> None:
    text = "See @def-jam, #ref(<app-x>) and @sec-two.\n= Two <sec-two>"
    assert parse(text, "typst").markers == ()
    citing = parse(text, "typst", numbered=False).markers
    assert [key.text for marker in citing for key in marker.keys] == ["def-jam", "app-x"]


def test_a_bibliography_in_full_cites_everything() -> None:
    (marker,) = parse('#bibliography("a.bib", full: true)', "typst").markers
    assert marker.silent and cites_everything(parse("", "typst"), marker)
    assert parse('#bibliography("a.bib", full: false)', "typst").markers == ()


def test_what_a_file_is_imported_for_is_what_it_defines() -> None:
    text = '#import "lib.typ": code\n#import "@preview/x:1.0.0"\n#include "one.typ"'
    inputs = parse(text, "typst").inputs
    assert [(item.path, item.defines) for item in inputs] == [("lib.typ", True), ("one.typ", False)]


@pytest.mark.parametrize(
    "call",
    ["cite(<a>)", 'cite(label("a"))', 'cite(form: "prose", label("a"))', "prose-citet(<a>)"],
)
def test_a_key_that_is_given_to_a_citing_call_is_no_label(call: str) -> None:
    assert cited(f"By #{call} and @a.", "typst")[-1] == ("@", ["a"])


@pytest.mark.parametrize(
    "call",
    [
        "quote(attribution: <a>)[Hi]",
        'quote(block: true, attribution: label("a"))[Hi]',
        "link(<a>)[see]",
        "context query(<a>).first()",
        "note(1, <a>)",
        'note("x", target: <a>)',
    ],
)
def test_a_label_that_a_call_looks_for_leaves_its_key_a_citation(call: str) -> None:
    assert cited(f"By @a.\n#{call}\n@a", "typst") == [("@", ["a"]), ("@", ["a"])]


@pytest.mark.parametrize(
    "text",
    [
        "#subpar.grid(\n  figure(x), <a>,\n  columns: 2, label: <b>)",
        "Lemma: <a> and, <b>",
        "#figure(x) <a>\n#f[One, <b>]",
        "$ x #<a> \\ y #<b> $",
        '#let it = [= One <a>]\n= Two #label("b")',
    ],
)
def test_a_label_that_is_given_to_something_takes_its_key(text: str) -> None:
    assert cited(f"See @a and @b.\n\n{text}\n", "typst") == []


@pytest.mark.parametrize(
    "text",
    [
        '#let terms = ((key: "api", short: "API", long: "…"), (key: "b"))',
        '#init-glossary((api: (short: "API", long: "…")))',
    ],
)
def test_a_term_of_a_glossary_is_no_key(text: str) -> None:
    assert cited(f"{text}\nAn @api, two @api:pl by @b and @apis.\n", "typst") == [
        ("@", ["b"]),
        ("@", ["apis"]),
    ]


def test_a_quotation_is_attributed_to_a_key() -> None:
    text = '#quote(attribution: <a>)[Hi] #quote(attribution: "Ann")[Hi] attribution: <b>'
    (marker,) = parse(text, "typst").markers_outside_prose
    assert [key.text for key in marker.keys] == ["a"]
    assert text[marker.keys[0].start] == "a"


def test_a_label_of_another_file_is_no_key() -> None:
    manuscript = parse("As (see @intro[Part]) says. By @a, by #cite(<intro>).", "typst")
    assert manuscript.with_labels({"other"}) is manuscript
    part = manuscript.with_labels({"intro"})
    assert [(marker.command, marker.keys[0].text) for marker in part.markers] == [
        ("@", "a"),
        ("#cite", "intro"),
    ]
    assert part.sentences[0].text == "As says."


DRAFT = """#set document(title: "Not @this")
#show: paper.with(
  abstract: [We *show* @x that.],
  date: datetime(year: 2021, month: 3, day: 1),
  bibliography: bibliography("refs.bib"),
)
= One <one>
We _use_ it~@a#footnote[A note @n.] -- in $O(n)$ time. #lorem(3) As in @one.
#figure(table(columns: 2, [Cell @t]), caption: [Its caption.]) <fig>
== Two
More @b.
#include "parts/b.typ"
#bibliography(("a.bib", "b.yml"), style: "ieee.csl")
"""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('= 引言\n#bibliography("refs.bib", style: "gb-7714-2015-numeric", title: "参考文献")', ""),
        ('#outline(depth: 2, title: [目录])\n#show: thesis.with(title: "论文", id: f(1))', "论文"),
        ('#set bibliography(title: "Works")\n#set document(title: "A (good) one")', "A (good) one"),
        ('#let info = (title: "One", date: "2020")\n#outline(title: "Contents")', "One"),
        (
            '#let (doc,) = documentclass(info: (title: ("基于海鸥的", "研究"), a: ""))',
            "基于海鸥的研究",
        ),
        (
            '#show: thesis.with(\n  title: (\n    "On gulls",\n    "and terns",\n  ),\n)',
            "On gulls and terns",
        ),
        ('#show: thesis.with(ctitle: "海鸥", etitle: "Gulls")', "海鸥"),
        ('#show: thesis.with(advisor: (pre-title: "Dr."), doc-title: "Gulls")', "Gulls"),
        ('#show: paper.with(short-title: "G", sub-title: "A survey", title: "Gulls")', "Gulls"),
        ('#show: paper.with(title: (de: "Möwen", en: "Gulls"))', "Gulls"),
        ('#set text(lang: "de")\n#show: paper.with(title: (en: "Gulls", de: [_Möwen_]))', "Möwen"),
        ('#show: paper.with(title: (fr: [Mouettes [1]], de: "Möwen"))', "Mouettes [1]"),
        ("#let title = [Gulls]\n#show: paper.with(title: title)", "Gulls"),
        ('#showybox(title: "Note")[A (note.]\n#outline(title: "Contents")', ""),
    ],
)
def test_another_title_is_not_that_of_the_draft(text: str, title: str) -> None:
    assert parse(text, "typst").title == title


@pytest.mark.parametrize(
    "abstract",
    [
        "#abstract[\n  本文研究海鸥。\n]",
        '#abstract(keywords: ("海鸥", "[悬崖]"))[本文研究海鸥。]\n#abstract-en[We study gulls.]',
        "#show: thesis.with(cabstract: [本文研究海鸥。], eabstract: [We study gulls.])",
    ],
)
def test_an_abstract_may_be_what_a_function_is_given(abstract: str) -> None:
    assert parse(abstract, "typst").abstract == "本文研究海鸥。"


def test_a_thesis_may_be_given_its_bibliography_as_a_function() -> None:
    text = (
        '#let (doc,) = documentclass(\n  bibliography: bibliography.with("refs/a.bib"),\n)\n'
        '#bilingual-bibliography(bibliography: bibliography.with("b.bib", style: "x.csl"))\n'
    )
    assert [declaration.path for declaration in parse(text, "typst").declarations] == [
        "refs/a.bib",
        "b.bib",
    ]


def test_title_abstract_year_sections_and_files_are_read() -> None:
    manuscript = parse(DRAFT, "typst")
    assert manuscript.title == "Not @this"
    assert manuscript.abstract == "We show that."
    assert manuscript.year == 2021
    assert [(s.level, s.title) for s in manuscript.sections] == [(0, ""), (1, "One"), (2, "Two")]
    assert [d.path for d in manuscript.declarations] == ["refs.bib", "a.bib", "b.yml"]
    assert [DRAFT[d.start : d.end] for d in manuscript.declarations] == [
        d.path for d in manuscript.declarations
    ]
    assert [i.path for i in manuscript.inputs] == ["parts/b.typ"]


def test_prose_comes_without_markup_code_and_markers() -> None:
    manuscript = parse(DRAFT, "typst")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "We show that.",
        "We use it – in O(n) time.",
        "As in.",
        "A note.",
        "Cell",
        "Its caption.",
        "More.",
    ]
    context = context_of(manuscript, manuscript.markers[1])
    assert (context.left, context.section_cited) == ("We use it", ("n", "t"))


def test_every_content_that_a_call_is_given_is_prose_of_its_own() -> None:
    text = (
        "#grid(columns: 2)[Gulls *nest*][Terns fly @a]\n\n#side[Auks dive][Skuas rob.]\n\n[So][on]."
    )
    manuscript = parse(text, "typst")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Gulls nest",
        "Terns fly",
        "Auks dive",
        "Skuas rob.",
        "[So][on].",
    ]


def test_a_string_that_a_call_prints_is_prose() -> None:
    text = '#smallcaps("Gulls") drink H#sub("2")O @a #emph("at sea"). So #upper(name) does.'
    manuscript = parse(text, "typst")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Gulls drink H2O at sea.",
        "So does.",
    ]


def test_raw_text_on_one_line_ends_no_sentence() -> None:
    text = "Gulls use ```py nest(x)``` and fly.\n\n```py\nx = 1\n```\nTerns, too."
    sentences = parse(text, "typst").sentences
    assert [sentence.text for sentence in sentences] == [
        "Gulls use nest(x) and fly.",
        "Terns, too.",
    ]


def site(text: str) -> tuple[str, str, tuple[str, ...]] | None:
    cursor = text.index("¦")
    text = text.replace("¦", "")
    place = site_at(parse(text, "typst"), cursor)
    return (place.typed, text[place.start : place.end], place.other_keys) if place else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("As @¦", ("", "", ())),
        ("As @¦ and", ("", "", ())),
        ("As @va¦sw shows", ("va", "vasw", ())),
        ("见@va¦", ("va", "va", ())),
        ("As @a@va¦", ("va", "va", ())),
        ("As @a@¦@b", ("", "", ())),
        ("As @va¦sw#footnote[So] shows", ("va", "vasw", ())),
        ("As @va¦sw.b-c. So", ("va", "vasw.b-c", ())),
        ("me@exa.org@va¦", None),
        ("#cite(¦)", ("", "", ())),
        ("#cite(va¦sw)", ("va", "vasw", ())),
        ("#cite(¦", ("", "", ())),
        ("#cite(¦, form: none)", ("", "", ())),
        ("#cite(¦<va>)", None),
        ("// #cite(¦", None),
        ("#recite(¦)", None),
        ("#cite(<¦", ("", "", ())),
        ("#cite(<¦>)", ("", "", ())),
        ("#cite(<va¦sw>)", ("va", "vasw", ())),
        ('#cite(label("va¦sw"))', ("va", "vasw", ())),
        ("#cite(<va¦ and prose", ("va", "va", ())),
        ('#cite(form: "prose", <va¦', ("va", "va", ())),
        ("#cite(supplement: [p. 3], form: none, <¦ and prose", ("", "", ())),
        ('#cite(so they say: "this", <va¦', None),
        ("_@va¦sw says_", ("va", "vasw", ())),
        ("some_@va¦", None),
        ("#quote(attribution: <¦>)[Hi]", ("", "", ())),
        ("#quote(block: true, attribution: <va¦sw>)[Hi]", ("va", "vasw", ())),
        ('#quote(attribution: "va¦")[Hi]', None),
        ("= T\n#figure(x, caption: [By @va¦])", ("va", "va", ())),
        ("me@exa¦mple.org", None),
        ("`@va¦`", None),
        ("// @va¦", None),
        ("// @¦\nText", None),
        ('#f("@va¦")', None),
        ("\\@va¦", None),
        ("pl¦ain", None),
    ],
)
def test_a_key_is_typed_behind_an_at_sign_or_a_bracket(
    text: str, expected: tuple[str, str, tuple[str, ...]] | None
) -> None:
    assert site(text) == expected


def put_in(text: str, keys: list[str]) -> str:
    manuscript: Manuscript = parse(text, "typst")
    return insertion(manuscript, manuscript.sentences[0], keys, Document.of(manuscript)).applied_to(
        text
    )


def test_a_citation_is_written_as_typst_has_it() -> None:
    assert put_in("We use it.", ["a"]) == "We use it @a."
    assert put_in("We use it.", ["a", "b/c"]) == 'We use it @a #cite(label("b/c")).'
    text = "By @a[p. 3] it is."
    manuscript = parse(text, "typst")
    edit = addition(manuscript, manuscript.markers[0], ["b"], Document.of(manuscript))
    assert edit == TextEdit.insertion(11, " @b")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Gulls#h(1em)nest.#linebreak()Terns fly.", ["Gulls nest.", "Terns fly."]),
        ("Gulls #h(2 * (1em + 1pt)) nest.", ["Gulls nest."]),
        ("Gulls nest#v(1em)Terns fly", ["Gulls nest", "Terns fly"]),
        ("Gulls nest #pagebreak(weak: true) Terns fly", ["Gulls nest", "Terns fly"]),
    ],
)
def test_room_parts_words_and_a_break_paragraphs(text: str, read: list[str]) -> None:
    assert [sentence.text for sentence in parse(text, "typst").sentences] == read


@pytest.mark.parametrize("junk", ["$", "$ #[", "$ #f(", "#cite(/*", "#cite(<a>, [", "@a[", "/*"])
def test_what_is_never_closed_is_read_in_time_that_grows_with_its_length(junk: str) -> None:
    assert growth(lambda size: junk * size, lambda t: parse(t, "typst").sentences, 2_000) < LINEAR


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("- It is slow\n  and old\nSo it goes.", ["It is slow and old", "So it goes."]),
        ("+ It is\n  slow\n\nSo it goes.", ["It is slow", "So it goes."]),
        ("- It is #emph[slow\nand old] still", ["It is slow and old still"]),
    ],
)
def test_an_item_ends_with_its_indent(text: str, read: list[str]) -> None:
    assert [sentence.text for sentence in parse(text, "typst").sentences] == read


@pytest.mark.parametrize(
    "comment", ["// see (b\n", "/* ) */", "// [@c\n", '// "b.bib")\n', "/* } \n ( */"]
)
def test_brackets_and_strings_in_the_comments_of_a_call_do_not_count(comment: str) -> None:
    text = f"Gulls #cite(<a>, {comment} supplement: [p. 3]) nest.\n\n"
    text += f'#bibliography(("a//b.bib", {comment} "c.bib"), style: "apa")\n'
    manuscript = parse(text, "typst")
    assert [sentence.text for sentence in manuscript.sentences] == ["Gulls nest."]
    assert cited(text, "typst") == [("#cite", ["a"])]
    assert [file.path for file in manuscript.declarations] == ["a//b.bib", "c.bib"]
