"""Where a user's files are kept."""

from __future__ import annotations

from pathlib import Path

import platformdirs.macos
import platformdirs.unix
import platformdirs.windows
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


@pytest.mark.parametrize("system", ["Linux", "macOS", "Windows"])
def test_where_they_are_on_each_system_stands_in_the_documentation(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setattr(platformdirs.windows, "get_win_folder", lambda name: "%LOCALAPPDATA%")
    kinds = {
        "Linux": platformdirs.unix.Unix,
        "macOS": platformdirs.macos.MacOS,
        "Windows": platformdirs.windows.Windows,
    }
    monkeypatch.delenv("CITE_LSP_HOME", raising=False)
    folders = kinds[system]
    monkeypatch.setattr(platformdirs, "PlatformDirs", folders)
    written = [str(paths.data_folder()), str(paths.cache_folder())]
    written = [path.replace("/home/ada", "~") for path in written]
    if system == "Windows":
        written = [path.replace("/", "\\") for path in written]
    text = (Path(__file__).parents[1] / "docs" / "editors.md").read_text(encoding="utf-8")
    assert f"| {system} | `{written[0]}` | `{written[1]}` |" in text
