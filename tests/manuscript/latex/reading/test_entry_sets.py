from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.project.draft import DraftReader

DRAFT = r"""\documentclass{article}
\usepackage{biblatex}
\addbibresource{refs.bib}
\defbibentryset{both}{one, two}
\addtocategory{old}{one}
\begin{document}
\cite{both}
\end{document}
"""


def test_a_set_is_defined_and_its_members_are_cited() -> None:
    manuscript = parse(DRAFT, "latex")
    (defined,) = manuscript.layout.entry_sets
    assert defined.key.text == "both"
    assert [key.text for key in defined.members] == ["one", "two"]
    assert DRAFT[defined.start : defined.end] == r"\defbibentryset{both}{one, two}"
    cited = [[key.text for key in marker.keys] for marker in manuscript.markers_outside_prose]
    assert cited == [["one", "two"], ["one"]]


@pytest.mark.parametrize("end", ["", "{both", "{both}", "{both}{one,", "{}{one}"])
def test_one_that_is_begun_defines_none(end: str) -> None:
    assert parse(rf"\defbibentryset{end}", "latex").layout.entry_sets == ()


def test_the_draft_can_cite_it(tmp_path: Path) -> None:
    records = "@article{one, title={First}}\n@article{two, title={Second}}\n"
    (tmp_path / "refs.bib").write_text(records, encoding="utf-8")
    path = tmp_path / "a.tex"
    path.write_text(DRAFT, encoding="utf-8")
    draft = DraftReader(lambda path: path.read_text("utf-8")).draft(path)
    entry = draft.library.get("both")
    assert entry is not None and (entry.kind, entry.line) == ("set", 4)
    assert [parent.key for parent in entry.record.parents.values()] == ["one", "two"]
    assert draft.project.bibliographies == (tmp_path / "refs.bib",)
