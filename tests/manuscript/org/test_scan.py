"""What counts as a citation, a section, a bibliography in Org; where keys are typed and put in."""

import pytest

from cite_lsp.manuscript import Document, parse
from cite_lsp.manuscript.draft.sites import site_at
from cite_lsp.manuscript.edit.insertion import addition, insertion
from cite_lsp.manuscript.edit.placement import cites_everything
from tests.manuscript.cited import cited
from tests.manuscript.lone_file import context_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("By [cite:@a].", [("[cite]", ["a"])]),
        ("[cite:@a;@b]", [("[cite]", ["a", "b"])]),
        ("[cite/t:see @a p. 3; and @b, ch. 2]", [("[cite/t]", ["a", "b"])]),
        ("[cite/text/c:see; -@a; after]", [("[cite/text/c]", ["a"])]),
        ("[cite:see [sic] @a]", [("[cite]", ["a"])]),
        ("[cite:@doi:10.1/x_y-z]", [("[cite]", ["doi:10.1/x_y-z"])]),
        ("见[cite:@王2020]。", [("[cite]", ["王2020"])]),
        ("over\ntwo [cite:@a;\n@b] lines", [("[cite]", ["a", "b"])]),
        ("[cite/n:@a] [cite/nocite:@*]", [("nocite", ["a"]), ("nocite", [])]),
        ("cite:a,b and citep:c.", [("cite:", ["a", "b"]), ("citep:", ["c"])]),
        ("[[cite:a,b][see][p. 3]]", [("cite:", ["a", "b"])]),
        ("[[cite:&a]] [[citet:see &b p. 3;&c]]", [("cite:", ["a"]), ("citet:", ["b", "c"])]),
        ("cite:&a;&b", [("cite:", ["a", "b"])]),
        ("cite:smith:2021 citep:DBLP:conf/nips/V17.",
         [("cite:", ["smith:2021"]), ("citep:", ["DBLP:conf/nips/V17"])]),
        ("cite:&smith:2021 cite:s:1,DBLP:conf/x: so",
         [("cite:", ["smith:2021"]), ("cite:", ["s:1", "DBLP:conf/x"])]),
        ("As cite:a: it is cite:b. Or cite:c,",
         [("cite:", ["a"]), ("cite:", ["b"]), ("cite:", ["c"])]),
        ("\\citep[see][]{a,b}", [("citep", ["a", "b"])]),
        ("Text.[fn:1]\n\n[fn:1] By [cite:@a].", [("[cite]", ["a"])]),
        ("Text[fn::By [cite:@a]] and [cite:@b].", [("[cite]", ["a"]), ("[cite]", ["b"])]),
        ("* H [cite:@a]\n- i [cite:@b]\n| c | [cite:@d] |",
         [("[cite]", ["a"]), ("[cite]", ["b"]), ("[cite]", ["d"])]),
        ("#+begin_quote\n[cite:@a]\n#+end_quote", [("[cite]", ["a"])]),
        ("#+caption: By [cite:@a]", [("[cite]", ["a"])]),
        ("nocite:* [[nocite:*]] [cite/n:@*]", [("nocite", ["*"])] * 2 + [("nocite", [])]),
        ("by [cite:@att and prose\nNext [cite:@b].", [("[cite]", ["att"]), ("[cite]", ["b"])]),
    ],
)  # fmt: skip
def test_citations_are_found(text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert cited(text, "org") == expected


@pytest.mark.parametrize(
    "text",
    [
        "me@example.org and @a alone",
        "=[cite:@a]= and ~cite:b~",
        "# [cite:@a]",
        ": [cite:@a]",
        "#+begin_src org\n[cite:@a]\n#+end_src",
        "#+BEGIN_EXAMPLE\n[cite:@a]\n#+END_EXAMPLE",
        "#+begin_comment\n[cite:@a]\n#+end_comment",
        "@@comment: [cite:@a] @@",
        "\\begin{comment}\n[cite:@a]\n\\end{comment}",
        "* H\n:PROPERTIES:\n:NOTE: [cite:@a]\n:END:\n",
        "#+cite_export: csl [cite:@a]",
        "[[https://x.org/@a][text]] https://x.org/cite:b",
        "To cite: this one.",
    ],
)
def test_what_does_not_cite_is_no_marker(text: str) -> None:
    assert cited(text, "org") == []


DRAFT = """#+TITLE: On /Things/
#+date: <2021-03-02 Tue>
#+bibliography: "my refs.bib"
#+bibliography: b.json
#+begin_abstract
We *show* it [cite:@x].
#+end_abstract
* TODO [#A] One :tag:
We /use/ =it= [cite:@a][fn:1] -- in $O(n)$ [[http://x@y][time]]. Then more.
** Two
More [cite:@b].
#+include: "b.org::*Part" :minlevel 1
bibliography:c.bib,d.bib

[fn:1] A note [cite:@n].
"""


def test_title_abstract_year_sections_and_files_are_read() -> None:
    manuscript = parse(DRAFT, "org")
    assert manuscript.title == "On Things"
    assert manuscript.abstract == "We show it."
    assert manuscript.year == 2021
    assert [(s.level, s.title) for s in manuscript.sections] == [(0, ""), (1, "One"), (2, "Two")]
    paths = [d.path for d in manuscript.declarations]
    assert paths == ["my refs.bib", "b.json", "c.bib", "d.bib"]
    assert [DRAFT[d.start : d.end] for d in manuscript.declarations] == paths
    assert [i.path for i in manuscript.inputs] == ["b.org"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#+LATEX_HEADER: \\addbibresource{bib/refs.bib}", ["bib/refs.bib"]),
        ("#+latex_header_extra: \\addbibresource[location=local]{a.bib}", ["a.bib"]),
        ("#+latex: \\bibliography{a,b}", ["a", "b"]),
        ("#+LATEX_HEADER: \\usepackage{x} %\\addbibresource{old.bib}", []),
        ("Text.\n\\bibliography{a, b}", ["a", "b"]),
        ("#+begin_export latex\n\\bibliography{a}\n#+end_export", ["a"]),
        ("#+begin_src latex\n\\bibliography{a}\n#+end_src\n# \\bibliography{b}", []),
        ("#+begin_export html\n\\bibliography{a}\n#+end_export", []),
        ("[[bibliography:a.bib,b.bib]] addbibresource:c.bib", ["a.bib", "b.bib", "c.bib"]),
        ("=\\bibliography{a}=", []),
    ],
)
def test_bibliographies_of_the_latex_export_and_of_links_are_read(
    text: str, expected: list[str]
) -> None:
    declarations = parse(text, "org").declarations
    assert [d.path for d in declarations] == expected
    assert [text[d.start : d.end] for d in declarations] == expected


def test_prose_comes_without_markup_code_and_markers() -> None:
    manuscript = parse(DRAFT, "org")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "We show it.",
        "We use it – in O(n) time.",
        "Then more.",
        "More.",
        "A note.",
    ]
    context = context_of(manuscript, manuscript.markers[1])
    assert (context.left, context.section_cited) == ("We use it", ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[cite:@¦", ("", "", ())),
        ("[cite:@¦]", ("", "", ())),
        ("[cite:@a;@¦]", ("", "", ("a",))),
        ("[cite/t:see @va¦sw p. 3; @b]", ("va", "vasw", ("b",))),
        ("[cite:@a;\n@va¦]", ("va", "va", ("a",))),
        ("cite:a,va¦", ("va", "va", ("a",))),
        ("cite:DBLP:va¦", ("DBLP:va", "DBLP:va", ())),
        ("cite:a,b,¦", ("", "", ("a", "b"))),
        ("cite:a, ¦", None),
        ("So cite:¦ it", ("", "", ())),
        ("So [[citep:¦]]", ("", "", ())),
        ("So [cite:¦]", ("", "", ())),
        ("So [cite/t:¦]", ("", "", ())),
        ("So [cite:va¦]", ("va", "va", ())),
        ("So [cite/t:va¦sw", ("va", "vasw", ())),
        ("So [cite:see va¦]", None),
        ("So excite:¦", None),
        ("# cite:¦", None),
        ("=cite:¦=", None),
        ("\\cite{a},¦", None),
        ("[[cite:&va¦]]", ("va", "va", ())),
        ("Textcite:&¦", ("", "", ())),
        ("So Citet*:&a;&va¦", ("va", "va", ("a",))),
        ("[[cite:&a;&¦", ("", "", ("a",))),
        ("[[cite:see &a p. 3;&va¦ and so", ("va", "va", ("a",))),
        ("[[cite:@a;@¦", ("", "", ("a",))),
        ("\\cite{va¦}", ("va", "va", ())),
        ("by @va¦", None),
        ("=[cite:@va¦]=", None),
        ("# [cite:@va¦", None),
        ("pl¦ain", None),
    ],
)
def test_a_key_is_typed_inside_a_citation(
    text: str, expected: tuple[str, str, tuple[str, ...]] | None
) -> None:
    cursor = text.index("¦")
    text = text.replace("¦", "")
    place = site_at(parse(text, "org"), cursor)
    answer = place and (place.typed, text[place.start : place.end], place.other_keys)
    assert answer == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use it.", "We use it [cite:@a;@b]."),
        ("We use it.\n\nThis cites citep:x here.", "We use it citep:a,b."),
        ("We use it.\n\nThis [[citep:&x]] here.", "We use it [[citep:&a;&b]]."),
        ("We use it.\n\nThis [[cite:x]] here.", "We use it [[cite:a,b]]."),
        ("We use it.\n\nAs citet:&x says.", "We use it citep:&a;&b."),
        ("We use it.\n\nThis [cite/t:@x] here.", "We use it [cite:@a;@b]."),
    ],
)
def test_a_citation_is_written_as_the_draft_has_it(text: str, expected: str) -> None:
    manuscript = parse(text, "org")
    edit = insertion(manuscript, manuscript.sentences[0], ["a", "b"], Document.of(manuscript))
    assert edit.applied_to(text).split("\n")[0] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[cite:@a] x", "[cite:@a;@new] x"),
        ("cite:a x", "cite:a,new x"),
        ("[[cite:&a]] x", "[[cite:&a;&new]] x"),
        ("[[cite:see &a p. 3][x]] x", "[[cite:see &a p. 3;&new][x]] x"),
        ("cite:&a] x", "cite:&a;&new] x"),
        ("\\cite{} x", "\\cite{new} x"),
    ],
)
def test_a_key_is_added_to_a_citation(text: str, expected: str) -> None:
    manuscript = parse(text, "org")
    edit = addition(manuscript, manuscript.markers[0], ["new"], Document.of(manuscript))
    assert edit.applied_to(text) == expected


def test_planning_formulas_references_and_export_signs_are_no_prose() -> None:
    text = r"""* Terns
SCHEDULED: <2024-05-01 Wed>
Terns nest on coasts, see ref:fig:tern and eqref:eq:a. So says @@latex:\cite{a}@@ Doe.
\begin{align*}
x &= [cite:@b]
\end{align*}
They eat fish.
"""
    manuscript = parse(text, "org")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Terns nest on coasts, see and.",
        "So says Doe.",
        "They eat fish.",
    ]
    assert cited(text, "org") == [("cite", ["a"])]


def test_computed_values_macros_and_rules_are_no_prose() -> None:
    text = r"""CLOCK: [2024-05-01 Wed 10:00]
Of src_python[:session a]{n + 1} terns call_f(x=1) nest {{{here(@a)}}}.
Ter\nbsp{}ns f\uuml{}r \alpha.
-----
They eat fish, see \ref{fig:a}.\index{fish}
"""
    manuscript = parse(text, "org")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Of terns nest.",
        "Ter ns für α.",
        "They eat fish, see.",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- Gulls :: birds that nest :: here", "Gulls: birds that nest: here"),
        ("- [cite:@a] :: of gulls", "of gulls"),
        ("Gulls drink H_{2}O on m^{2}, x_i and a::b.", "Gulls drink H2O on m2, x_i and a::b."),
        ("Gulls @@html:<b>@@nest@@html:</b>@@ @@comment: do they?@@.", "Gulls nest."),
        ("3. [@3] [X] Gulls nest", "Gulls nest"),
    ],
)  # fmt: skip
def test_terms_small_letters_and_snippets_of_other_formats_read_as_in_print(
    text: str, sentence: str
) -> None:
    assert [sentence.text for sentence in parse(text, "org").sentences] == [sentence]


def test_targets_are_no_prose_and_radio_targets_are_words() -> None:
    (sentence,) = parse("Gulls <<nests>> nest on <<<cliffs>>> where a < b.", "org").sentences
    assert sentence.text == "Gulls nest on cliffs where a < b."


@pytest.mark.parametrize(
    ("text", "titles", "read"),
    [
        ("* COMMENT Old\nOf old [cite:@a].\n** Below\nSo.\n* New\nOf new.", ["New"], ["Of new."]),
        ("* TODO COMMENT Old\nOf old.", [], []),
        ("* COMMENTS\nOf new.", ["COMMENTS"], ["Of new."]),
        ("* Old :noexport:\nOld [cite:@a].\n** Low\nSo.\n* New\nOf new.", ["New"], ["Of new."]),
        ("* Old :old:noexport:x:\nOf old.\n#+begin_quote\nOld [cite:@a]\n#+end_quote", [], []),
        ("* noexport\nOf new.", ["noexport"], ["Of new."]),
        ("#+EXCLUDE_TAGS: draft private\n* Old :private:\nOf old.\n* New :noexport:\nOf new.",
         ["New"], ["Of new."]),
        ("* Done :ARCHIVE:\nOf old [cite:@a].\n* New\nOf new.", ["Done", "New"], ["Of new."]),
        ("* New\n:BACKGROUND:\nOf new.\n:END:\n:LOGBOOK:\nOf old.\n:END:", ["New"], ["Of new."]),
        ("* Nests [2/3] [66%] :tag:\nOf nests.", ["Nests"], ["Of nests."]),
    ],
)  # fmt: skip
def test_a_section_in_comment_is_none_and_its_progress_no_title(
    text: str, titles: list[str], read: list[str]
) -> None:
    manuscript = parse(text, "org")
    assert [section.title for section in manuscript.sections if section.level] == titles
    assert [sentence.text for sentence in manuscript.sentences] == read
    assert not manuscript.markers


TASK = "*" * 15


@pytest.mark.parametrize(
    ("task", "read"),
    [
        (f"{TASK} DONE Say more :noexport:\nOf old [cite:@b].\n{TASK} END", []),
        (f"{TASK} TODO Say more :noexport:", []),
        (f"{TASK} TODO Say more\nOf the task.\n{TASK} END", ["Of the task."]),
    ],
)
def test_a_task_among_the_text_begins_no_section(task: str, read: list[str]) -> None:
    manuscript = parse(f"* Nests\nOf nests.\n{task}\nOf gulls [cite:@a].\n** Low\nSo.", "org")
    assert [section.title for section in manuscript.sections if section.level] == ["Nests", "Low"]
    sentences = [sentence.text for sentence in manuscript.sentences]
    assert sentences == ["Of nests.", *read, "Of gulls.", "So."]
    assert [key.text for marker in manuscript.markers for key in marker.keys] == ["a"]


def test_latex_that_the_export_hands_on_cites_beside_the_prose() -> None:
    text = (
        "#+begin_export latex\n\\caption{Jam \\citep[2]{a}. % \\cite{no}\n}\n#+end_export\n"
        "#+BEGIN_LaTeX\n\\begin{comment}\\cite{no}\\end{comment} \\cite{b}\n#+END_LaTeX\n"
        "#+LATEX: \\iffalse \\cite{no} \\fi \\cite{c}\n"
        "#+begin_export html\n\\cite{no}\n#+end_export\n"
        "#+begin_src latex\n\\cite{no}\n#+end_src\n"
    )
    manuscript = parse(text, "org")
    outside = manuscript.markers_outside_prose
    assert [key.text for marker in outside for key in marker.keys] == ["a", "b", "c"]
    assert not manuscript.markers and not manuscript.sentences


@pytest.mark.parametrize(
    "text", ["[cite/n:@*]", "[cite/nocite:@*]", "nocite:*", "[[nocite:*]]", "\\nocite{*}"]
)
def test_a_silent_marker_may_cite_everything(text: str) -> None:
    manuscript = parse(text, "org")
    assert cites_everything(manuscript, manuscript.markers[0])


def test_settings_of_a_tree_that_is_not_exported_and_of_a_setup_file_count() -> None:
    text = '* Setup :noexport:\n#+bibliography: a.bib\n#+SETUPFILE: "x/s.setup"\nOld [cite:@a].'
    manuscript = parse(f"{text}\n#+setupfile: https://x.org/y.setup", "org")
    assert [declaration.path for declaration in manuscript.declarations] == ["a.bib"]
    assert [(item.path, item.defines) for item in manuscript.inputs] == [("x/s.setup", True)]
    assert not manuscript.markers


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("- It is slow\n  and old\nSo it goes.", ["It is slow and old", "So it goes."]),
        (
            "- It is slow\n  - so\n    it is\n  Yet it goes.",
            ["It is slow", "so it is", "Yet it goes."],
        ),
        ("1. It is slow\n\nSo it goes.", ["It is slow", "So it goes."]),
        ("#+caption: It is slow\n[[./a.png]]\n", ["It is slow"]),
        ("#+caption[So]: It is slow\nSo it goes.\n", ["It is slow", "So it goes."]),
    ],
)
def test_an_item_ends_with_its_indent_and_a_caption_with_its_line(
    text: str, read: list[str]
) -> None:
    assert [sentence.text for sentence in parse(text, "org").sentences] == read


@pytest.mark.parametrize(
    ("refs", "keys"),
    [
        ("@doe2020", ["doe2020"]),
        ("[cite:@doe2020;@roe2021]", ["doe2020", "roe2021"]),
        ("cite:&doe2020 https://x.org/@user", ["doe2020"]),
        ('cite:doe2020 "a b"', ["doe2020"]),
    ],
)
def test_what_a_note_of_org_roam_is_on_stands_aside(refs: str, keys: list[str]) -> None:
    text = f":PROPERTIES:\n:ID: @id\n:ROAM_REFS: {refs}\n:END:\nIt is so.\n"
    manuscript = parse(text, "org")
    aside = [key for marker in manuscript.markers_outside_prose for key in marker.keys]
    assert [key.text for key in aside] == [text[key.start : key.end] for key in aside] == keys
    assert manuscript.markers == ()
