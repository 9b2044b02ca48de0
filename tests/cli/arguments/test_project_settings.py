"""The settings of a project on the command line, where nobody says whether they are trusted."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.cli.arguments.project_settings import project_settings


def test_the_file_of_a_project_names_no_folder_of_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "cite-lsp.toml").write_text("encoder = './model'\ntranslator = './model'\n")
    settings, setup = project_settings(tmp_path / "main.tex")
    assert (settings.encoder, settings.translator) == ("default", "dictionary")
    assert (setup.encoder, setup.translator) == ("default", "dictionary")
    printed = capsys.readouterr().err
    assert printed.count("which is ignored, as nobody has trusted this workspace") == 2
    assert "as an option of the command" in printed
    _, setup = project_settings(tmp_path / "main.tex", translator="./model")
    assert setup.translator == "./model"


def test_the_bibliographies_of_a_project_may_lie_anywhere(tmp_path: Path) -> None:
    paper = tmp_path / "paper"
    paper.mkdir()
    (paper / "cite-lsp.toml").write_text("bibliography = ['../all.bib', 'own.bib']\n")
    _, setup = project_settings(paper / "main.tex")
    assert setup.extra_bibliographies == (tmp_path / "all.bib", paper / "own.bib")
