"""Where a user's files are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp import paths

FOLDERS = [
    paths.data_folder,
    paths.cache_folder,
    paths.models_folder,
    paths.corpora_folder,
]


def test_one_variable_moves_every_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    for folder in FOLDERS:
        assert folder().is_relative_to(tmp_path / "home")
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("unset", [None, "", "  "])
def test_without_it_they_are_the_platform_s(
    unset: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITE_LSP_HOME", raising=False)
    if unset is not None:
        monkeypatch.setenv("CITE_LSP_HOME", unset)
    assert paths.home() is None
    for folder in FOLDERS:
        assert folder().is_absolute()
        assert "cite-lsp" in folder().parts


def test_a_home_in_the_user_s_folder_may_be_written_with_a_tilde(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", "~/papers")
    assert paths.data_folder() == Path.home() / "papers"
