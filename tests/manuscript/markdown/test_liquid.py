"""Tags of Jekyll are no prose; those of jekyll-scholar cite, and are written as it writes them."""

import pytest

from cite_lsp.manuscript import Document, parse
from cite_lsp.manuscript.draft.sites import site_at
from cite_lsp.manuscript.edit.insertion import insertion
from cite_lsp.manuscript.edit.noted_markers import prints_names
from cite_lsp.manuscript.latex.commands.citation_commands import is_textual
from cite_lsp.manuscript.text.text_edit import TextEdit
from tests.manuscript.cited import cited


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Terns {% cite a %}.", [("{% cite %}", ["a"])]),
        ("Terns {%- cite a b:c -%}.", [("{% cite %}", ["a", "b:c"])]),
        ("Terns {% cite a b --locator 3 --file x %}.", [("{% cite %}", ["a", "b"])]),
        ("# On terns {% cite a %}", [("{% cite %}", ["a"])]),
        ("{% citet a b %} see terns.", [("{% citet %}", ["a", "b"])]),
        ("{% include x.html %} {% raw %} @a {% endraw %} {% bibliography %}", []),
        ("{% cite a", []),
        ('{{% cite "a" %}}', []),
        ("`{% cite a %}`", []),
    ],
)
def test_a_citing_tag_is_a_marker(text: str, expected: list[tuple[str, list[str]]]) -> None:
    assert cited(text, "markdown") == expected


def test_tags_are_no_prose() -> None:
    text = "Terns {% cite a %} nest. {% include x.html y='z' %} They {{ page.how }} fly.\n\n"
    text += "{% bibliography %}\n"
    assert [sentence.text for sentence in parse(text, "markdown").sentences] == [
        "Terns nest.",
        "They fly.",
    ]


def test_what_is_named_and_not_cited_stands_aside() -> None:
    manuscript = parse("{% nocite a b %}{% reference c %}", "markdown")
    assert [key.text for marker in manuscript.markers_outside_prose for key in marker.keys] == [
        "a",
        "b",
        "c",
    ]
    assert not manuscript.markers


@pytest.mark.parametrize(
    ("written", "typed", "others"),
    [("a bc| d", "bc", ("a", "d")), ("a | d", "", ("a", "d")), ("|", "", ())],
)
def test_a_key_is_typed_between_blanks(written: str, typed: str, others: tuple[str, ...]) -> None:
    text = f"Terns {{% cite {written} %}} nest."
    site = site_at(parse(text.replace("|", ""), "markdown"), text.index("|"))
    assert site and (site.typed, site.other_keys) == (typed, others)


def test_where_a_draft_cites_by_tags_a_new_citation_is_one() -> None:
    text = "Terns nest {% cite a %}. They fly far and wide."
    manuscript = parse(text, "markdown")
    first, second = (
        insertion(manuscript, sentence, ["b", "c"], Document.of(manuscript))
        for sentence in manuscript.sentences
    )
    assert first == TextEdit.insertion(text.index(" %}"), " b c")
    assert second == TextEdit.insertion(len(text) - 1, " {% cite b c %}")


def test_a_tag_that_prints_names_is_a_word_of_its_sentence() -> None:
    text = "{% citet a %} has seen terns. They fly far and wide."
    manuscript = parse(text, "markdown")
    marker, second = manuscript.markers[0], manuscript.sentences[1]
    assert is_textual(text, "markdown", marker) and prints_names(manuscript, marker)
    edit = insertion(manuscript, second, ["b"], Document.of(manuscript))
    assert edit == TextEdit.insertion(len(text) - 1, " {% cite b %}")
