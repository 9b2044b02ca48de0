"""Lists of names that leave people out, and initials of names without capitals."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library.bibtex.incremental import parse_bibliography
from cite_lsp.server.render.citeproc import ReferenceFormatter

OTHERS = "@book{a, author = {Moor, Ada and Doe, Jane and others}, title = {Salt}, year = 2001}"


@pytest.mark.parametrize(
    ("entry", "style", "printed"),
    [
        (OTHERS, "apa", "Moor, A., Doe, J., et al. (2001). Salt."),
        (OTHERS.replace(" and Doe, Jane", ""), "apa", "Moor, A. et al. (2001). Salt."),
        (OTHERS, "nature", "Moor, A., Doe, J., et al. Salt. (2001)."),
        (OTHERS.replace("Jane and", "Jane and A, A and B, B and C, C and D, D and E, E and"),
         "ieee", "A. Moor et al., Salt. 2001."),
        (OTHERS.replace("author", "editor"), "chicago-author-date",
         "A. Moor, J. Doe, et al. 2001. Salt."),
        (OTHERS.replace("Moor, Ada and Doe, Jane and ", ""), "apa", "Salt. (2001)."),
    ],
)  # fmt: skip
def test_names_that_leave_people_out_end_as_those_the_style_cuts(
    entry: str, style: str, printed: str, tmp_path: Path
) -> None:
    (read,) = parse_bibliography(entry, tmp_path / "a.bib").entries
    assert ReferenceFormatter().format(read, style, tmp_path, markdown=False) == printed


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("Wang, Xiao-ming", "Wang, X.-M."),
        ("Doe, Jane le Rond", "Doe, J. le R."),
        ("hooks, bell", "hooks, bell."),
        ("علي, محمد", "علي, محمد."),
        ("Smith, J.A.", "Smith, J. A."),
    ],
)
def test_only_what_begins_with_a_capital_is_cut_to_an_initial(
    name: str, printed: str, tmp_path: Path
) -> None:
    source = f"@book{{a, author = {{{name}}}, title = {{Salt}}, year = 2001}}"
    (read,) = parse_bibliography(source, tmp_path / "a.bib").entries
    text = ReferenceFormatter().format(read, "apa", tmp_path, markdown=False)
    assert text == f"{printed} (2001). Salt."
