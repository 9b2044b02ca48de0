"""Which folders hold a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library.folders import files_in, holding

OUTER, INNER, OTHER = Path("/thesis"), Path("/thesis/chapters"), Path("/thes")


@pytest.mark.parametrize("folders", [(OUTER, OTHER, INNER), (INNER, OUTER, OTHER)])
def test_the_innermost_folder_that_holds_a_file_comes_first(folders: tuple[Path, ...]) -> None:
    assert holding(Path("/thesis/chapters/one.tex"), folders) == [INNER, OUTER]
    assert holding(Path("/thesis/main.tex"), folders) == [OUTER]
    assert holding(Path("/elsewhere.tex"), folders) == []


def test_what_programs_put_beside_a_file_is_not_one_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text("@misc{a}", encoding="utf-8")
    (tmp_path / "._refs.bib").write_bytes(b"\x00\x05\x16\x07")
    (tmp_path / ".#refs.bib").symlink_to("ada@office.1234:1600000000")
    assert files_in(tmp_path, ".bib") == [tmp_path / "refs.bib"]
