"""A command of LaTeX's text means the same character in a draft and in a bibliography."""

import unicodedata

import pytest

from cite_lsp.library.text.latex_decode import decode
from cite_lsp.manuscript import parse
from cite_lsp.manuscript.latex.characters import ACCENTS, LETTERS, SIGNS

VISIBLE = {name: sign for name, sign in {**LETTERS, **SIGNS}.items() if sign != " "}


def prose(text: str) -> str:
    (sentence,) = parse(f"We {text} say so.", "latex").sentences
    return sentence.text.removeprefix("We ").removesuffix(" say so.")


@pytest.mark.parametrize("name", VISIBLE)
def test_a_command_is_read_alike_in_both(name: str) -> None:
    assert prose(f"q\\{name}{{}}q") == decode(f"q\\{name}{{}}q") == f"q{VISIBLE[name]}q"


@pytest.mark.parametrize("accent", [*ACCENTS, "h"])
def test_an_accent_is_read_alike_in_both(accent: str) -> None:
    written = f"\\{accent}{{a}}s"
    assert prose(written) == decode(written)
    assert unicodedata.normalize("NFD", prose(written))[0] == "a"
    assert len(unicodedata.normalize("NFD", prose(written))) == len("a¨s")
