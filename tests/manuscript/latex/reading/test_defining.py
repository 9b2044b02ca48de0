r"""The definitions of abbreviations and terms: what they cite."""

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.draft.sites import site_at


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\DeclareAcronym{eo}{short=EO, long=egg oxide, cite={a, b}}", ["a", "b"]),
        ("\\DeclareAcronym{eo}{\n  short = EO ,\n  cite  = a ,\n  long = cite it\n}", ["a"]),
        (r"\DeclareAcronym{eo}{short=EO, cite={[see][p.~3]{a}}}", ["a"]),
        (r"\DeclareAcronym{eo}{short=EO, cite=[see]{a}}", ["a"]),
        (r"\newacronym[cite={a}]{eo}{EO}{egg oxide, by \cite{b}}", ["b", "a"]),
        (r"\newacronym[description={By \cite{a}}]{eo}{EO}{egg oxide}", ["a"]),
        (r"\newglossaryentry{eo}{name=EO, description={By \cite{a}}, cite=b}", ["a", "b"]),
        (r"\newglossaryentry{eo}{name=EO, description={They cite = x}}", []),
    ],
)
def test_a_property_holds_keys(text: str, expected: list[str]) -> None:
    markers = parse(text, "latex").markers_outside_prose
    keys = [key for marker in markers for key in marker.keys]
    assert [key.text for key in keys] == expected
    assert [text[key.start : key.end] for key in keys] == expected


def test_a_key_can_be_typed_in_a_property() -> None:
    text = r"\DeclareAcronym{eo}{short=EO, cite={}, long=egg oxide}"
    site = site_at(parse(text, "latex"), text.index("{}") + 1)
    assert site is not None and site.typed == ""
