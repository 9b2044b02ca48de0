"""Which folders hold a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.library.folders import holding

OUTER, INNER, OTHER = Path("/thesis"), Path("/thesis/chapters"), Path("/thes")


@pytest.mark.parametrize("folders", [(OUTER, OTHER, INNER), (INNER, OUTER, OTHER)])
def test_the_innermost_folder_that_holds_a_file_comes_first(folders: tuple[Path, ...]) -> None:
    assert holding(Path("/thesis/chapters/one.tex"), folders) == [INNER, OUTER]
    assert holding(Path("/thesis/main.tex"), folders) == [OUTER]
    assert holding(Path("/elsewhere.tex"), folders) == []
