"""The path of a document by its URI, also of a buffer that was never saved."""

from __future__ import annotations

from pathlib import Path

import pytest
from pygls import uris

from cite_lsp.server.session.uris import named_path, path_of, resolved, uri_of


def test_an_unsaved_buffer_stands_in_the_workspace_with_the_suffix_of_its_language() -> None:
    path = path_of("untitled:Untitled-1", "markdown", Path("/work"))
    assert (path.parent, path.suffix) == (Path("/work"), ".md")
    assert path != path_of("untitled:Untitled-2", "markdown", Path("/work"))
    assert path_of("untitled:Untitled-1", "rnoweb", Path("/work")).suffix == ".Rnw"
    nameless = path_of("file://", "markdown", Path("/work"))
    assert (nameless.parent, nameless.suffix) == (Path("/work"), ".md")


def test_an_unsaved_buffer_that_is_to_be_a_certain_file_stands_where_that_will_be() -> None:
    new = Path("/a b/深.tex")
    assert path_of("untitled:/a%20b/%E6%B7%B1.tex", "latex", Path("/work")) == new
    assert path_of("untitled://ssh-remote%2Bhost/a%20b/%E6%B7%B1.tex", "latex") == new


def test_the_path_of_a_file_is_that_of_its_uri() -> None:
    assert path_of("file:///a%20b/%E6%B7%B1.tex") == Path("/a b/深.tex")


def test_on_windows_a_buffer_without_a_name_stands_in_its_workspace_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uris, "IS_WIN", True)
    for uri in ("file://", "file:///"):
        assert path_of(uri, "latex", tmp_path).parent == tmp_path


@pytest.mark.parametrize("name", ["a b.tex", "深😀.tex", "100%.tex", "a#b?.tex"])
def test_a_path_is_that_of_its_own_uri(name: str, tmp_path: Path) -> None:
    uri = uri_of(tmp_path / name)
    assert uri.isascii() and path_of(uri) == named_path(uri) == tmp_path / name


@pytest.mark.parametrize("uri", ["", "untitled:Untitled-1", "file:///a%00b.tex", "file://[a/b.tex"])
def test_a_uri_may_name_no_path(uri: str) -> None:
    assert named_path(uri) is None


def test_a_link_is_resolved_to_the_file_that_it_leads_to(tmp_path: Path) -> None:
    real, link = tmp_path.resolve() / "real.tex", tmp_path / "link.tex"
    link.symlink_to(real)
    assert resolved(link) == resolved(real) == real
