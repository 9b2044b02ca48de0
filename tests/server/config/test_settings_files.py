"""Finding and reading a `cite-lsp.toml`."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.server.config.settings_files import folder_above, read_file


def test_a_broken_file_is_one_complaint(tmp_path: Path) -> None:
    assert read_file(tmp_path) == ({}, "")
    (tmp_path / "cite-lsp.toml").write_bytes(b"completion = \xff\n")
    values, complaint = read_file(tmp_path)
    assert values == {} and "cite-lsp.toml cannot be read" in complaint
    (tmp_path / "cite-lsp.toml").write_text("[completion]\nlimit = 4\n")
    assert read_file(tmp_path) == ({"completion": {"limit": 4}}, "")


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_file_in_another_encoding_is_a_complaint_that_says_what_to_do(
    tmp_path: Path, encoding: str
) -> None:
    (tmp_path / "cite-lsp.toml").write_bytes('bibliography = ["Aufsätze.bib"]\n'.encode(encoding))
    values, complaint = read_file(tmp_path)
    assert values == {} and complaint.endswith("is ignored: it is not UTF-8; save it as that")


def test_a_file_as_programs_of_windows_write_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "cite-lsp.toml").write_bytes(b"\xef\xbb\xbf[completion]\r\nlimit = 4\r\n")
    assert read_file(tmp_path) == ({"completion": {"limit": 4}}, "")


@pytest.mark.parametrize("path", [r"C:\Users\ada\refs.bib", r"refs\lib.bib"])
def test_a_path_with_backslashes_is_a_complaint_that_says_how_to_write_it(
    tmp_path: Path, path: str
) -> None:
    (tmp_path / "cite-lsp.toml").write_text(f'bibliography = ["{path}"]\n')
    values, complaint = read_file(tmp_path)
    assert values == {} and complaint.endswith("; write the folders of a path with /, not \\")
    for right in (f"['{path}']", '["' + path.replace("\\", "\\\\") + '"]'):
        (tmp_path / "cite-lsp.toml").write_text(f"bibliography = {right}\n")
        assert read_file(tmp_path) == ({"bibliography": [path]}, "")
        (tmp_path / "cite-lsp.toml").write_text(f"bibliography = {right}\nlimit\n")
        assert not read_file(tmp_path)[1].endswith("not \\")


def test_the_file_of_a_draft_is_the_nearest_above_it(tmp_path: Path) -> None:
    draft = tmp_path / "book" / "chapters" / "one.tex"
    draft.parent.mkdir(parents=True)
    (tmp_path / "cite-lsp.toml").touch()
    assert folder_above(draft) == tmp_path
    (tmp_path / "book" / "cite-lsp.toml").touch()
    assert folder_above(draft) == tmp_path / "book"
