"""Whether a draft in LaTeX cites by numbers or by names and years, by what it says."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.edit.author_year import prints_numbers, prints_years


@pytest.mark.parametrize(
    ("text", "numbers", "years"),
    [
        (r"\usepackage[numbers]{natbib}", True, False),
        (r"\newcommand{\pc}{\%}\usepackage[numbers]{natbib}", True, False),
        (r"% \usepackage[numbers]{natbib}", False, False),
        (r"\usepackage{natbib} % or [numbers]", False, False),
        (r"\usepackage[style=authoryear]{biblatex}", False, True),
        (r"9\% \bibliographystyle{plainnat}", False, True),
        (r"Line \\% \bibliographystyle{plainnat}", False, False),
    ],
)
def test_a_comment_says_nothing_of_the_style(text: str, numbers: bool, years: bool) -> None:
    files = [parse(text, "latex")]
    assert (prints_numbers(files), prints_years(files)) == (numbers, years)
