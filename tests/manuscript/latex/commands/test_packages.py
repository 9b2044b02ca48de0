r"""Which packages and classes a LaTeX file loads."""

import pytest

from cite_lsp.manuscript.latex.commands.packages import loaded_files


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (r"\documentclass[a4paper,11pt]{thesis}", ["thesis.cls"]),
        (r"\usepackage{a} \usepackage[style={x[y]}]{b}", ["a.sty", "b.sty"]),
        ("\\usepackage{a, sty/b,% c, d\n  e}", ["a.sty", "sty/b.sty", "e.sty"]),
        (r"\RequirePackage{a}[2020/01/01]\LoadClassWithOptions{b}", ["a.sty", "b.cls"]),
        ("% \\usepackage{a}\n\\usepackage{b}\\\\% \\usepackage{c}", ["b.sty"]),
        (r"\usepackage{a}\begin{document}\verb|\usepackage{b}|\end{document}", ["a.sty"]),
        (r"\usepackage{a}\usepackage{a}", ["a.sty"]),
        (r"\usepackages{a} \usepackage \usepackage{", []),
        ("No preamble.", []),
    ],
)
def test_names_become_files(text: str, names: list[str]) -> None:
    assert list(loaded_files(text)) == names
