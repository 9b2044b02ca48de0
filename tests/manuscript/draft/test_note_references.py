"""A sentence cites what a footnote cites that it refers to, wherever the footnote stands."""

import pytest

from cite_lsp.manuscript import parse


@pytest.mark.parametrize(
    ("format", "text", "expected"),
    [
        ("markdown", "Terns nest.[^1] They fly.\n\n[^1]: See @a and [@b].", [["a", "b"], []]),
        ("markdown", "Terns nest[^n]. They fly[^1]\n\n[^n]: So.\n[^1]: @a", [[], ["a"]]),
        ("markdown", "Terns [@c] nest[^1].\n\n[^1]: @a\n\n    @b", [["c", "a", "b"]]),
        ("markdown", "Terns `[^1]` nest.\n\n[^1]: @a", [[]]),
        ("markdown", "Terns nest[^2].\n\n[^1]: @a", [[]]),
        ("markdown", "Terns nest^[See @a.]. They fly.", [["a"], []]),
        ("org", "Terns nest.[fn:1] They fly.\n\n[fn:1] See [cite:@a;@b].", [["a", "b"], []]),
        ("org", "Terns nest[fn:: See [cite:@a].]. They fly.", [["a"], []]),
    ],
)
def test_a_sentence_cites_what_its_footnotes_cite(
    format: str, text: str, expected: list[list[str]]
) -> None:
    sentences = parse(text, format).sentences[: len(expected)]
    cited = [[key.text for marker in own.citing for key in marker.keys] for own in sentences]
    assert cited == expected


def test_the_sentence_of_a_footnote_set_apart_has_its_markers_itself() -> None:
    manuscript = parse("Terns nest.[^1]\n\n[^1]: So says @a.", "markdown")
    assert [sentence.cited for sentence in manuscript.sentences] == [{"a"}, {"a"}]
