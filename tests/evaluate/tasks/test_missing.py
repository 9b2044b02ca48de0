"""Taking citations out of a section, and counting what comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.errors import CiteLspError
from cite_lsp.evaluate.tasks.missing import (
    MaskedSentence,
    evaluate_folder,
    figures,
    without_markers,
)
from cite_lsp.manuscript import parse
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.recommend.missing.gaps import Level


def row(
    cited: str = "", recommended: str = "", confidence: float = 1.0, words: str = ""
) -> MaskedSentence:
    return MaskedSentence(
        "d",
        Path("d.tex"),
        1,
        "en",
        tuple(cited.split()),
        tuple(recommended.split()),
        1.0,
        confidence,
        tuple(words.split()),
    )


def test_markers_go_with_the_blanks_before_them() -> None:
    manuscript = parse("One~\\cite{a, b}. Two \\citep[p. 3]{c}, so. \\cite{d}", "latex")
    text, places = without_markers(manuscript, manuscript.markers)
    assert text == "One. Two, so."
    assert places == [(3, ("a", "b")), (8, ("c",)), (13, ("d",))]


def test_a_citation_has_come_back_when_it_is_offered_for_its_sentence() -> None:
    rows = [row("a b", "a x b"), row("c", "x c"), row("d"), row("", "y"), row("e", "e", 0.1)]
    assert figures(rows, Level(0.0, 0.5)) == {
        "removed": 5,
        "offers": 3,
        "recall@1": 1 / 5,
        "recall@3": 3 / 5,
        "precision": 1 / 3,
        "sentence precision": 2 / 3,
    }
    assert figures(rows, Level(0.0, 0.0))["offers"] == 4


def test_the_baseline_recommends_something_for_every_sentence() -> None:
    rows = [row("a", words="a b"), row("", words="a b"), row("b", words="a b")]
    measured = figures(rows, baseline=True)
    assert (measured["offers"], measured["precision"]) == (3, 1 / 3)
    assert (measured["recall@1"], measured["recall@3"]) == (1 / 2, 1.0)


NEEDY = "In recent years, word vectors have been learned from large corpora"
DRAFT = rf"""\documentclass{{article}}
\begin{{document}}
\section{{Related work}}
{NEEDY} \cite{{vectors}}. We had lunch. Gulls were studied by Vogel \cite{{gulls}}.
\section{{Marshes}}
Marshes grow.
\bibliography{{papers}}
\end{{document}}
"""


BIBLIOGRAPHY = """@article{vectors, title = {Word Vectors from Large Corpora}, author = {Li, Na}}
@article{gulls, title = {Nesting Habits of the Herring Gull}, author = {Vogel, Nikolaas}}
@article{marsh, title = {Silt and the Growth of Marshes}, author = {Luz, Rosa}}
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    desk = tmp_path / "desk"
    (desk / "paper").mkdir(parents=True)
    (desk / "paper" / "draft.tex").write_text(DRAFT, encoding="utf-8")
    (desk / "paper" / "papers.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    return desk


def test_a_section_of_a_draft_is_emptied_and_queried(desk: Path) -> None:
    rows = evaluate_folder(desk, FilesOnDisk().read)
    assert [item.cited for item in rows] == [("vectors",), (), ("gulls",)], "of one section only"
    assert all(item.draft == "paper" and item.line == 4 for item in rows)
    assert rows[0].words[:1] == ("vectors",)
    assert rows[0].recommended[0] == "vectors" and 0 < rows[0].confidence < 1
    assert len(rows[0].signs) == len(rows[0].recommended)


def test_a_folder_may_be_named_from_where_one_stands(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = evaluate_folder(desk, FilesOnDisk().read)
    (desk / "elsewhere").mkdir()
    monkeypatch.chdir(desk / "elsewhere")
    assert evaluate_folder(Path(".."), FilesOnDisk().read) == named
    assert not evaluate_folder(Path(".."), FilesOnDisk().read, without=[row.draft for row in named])


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(CiteLspError):
        evaluate_folder(tmp_path / "none", FilesOnDisk().read)
