"""Chinese names and titles, found by what is typed in Latin letters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cite_lsp.library import EntryMatcher, parse_bibliography


@pytest.mark.parametrize(
    ("written", "typed"),
    [("曾单", "zengshan"), ("曾单", "cengdan"), ("吕", "lv"), ("吕", "lü"), ("吕", "lyu")],
)
def test_characters_are_found_by_any_of_their_readings(written: str, typed: str) -> None:
    entries = parse_bibliography(f"@misc{{k, author={{{written}}}}}", Path("refs.bib")).entries
    assert EntryMatcher(entries).match(typed) == [0]


@pytest.mark.parametrize(("author", "loaded"), [("Müller, Jörg", False), ("李明", True)])
def test_pinyin_is_loaded_only_for_a_library_with_chinese(
    tmp_path: Path, author: str, loaded: bool
) -> None:
    path = tmp_path / "refs.bib"
    path.write_text(f"@misc{{one, author={{{author}}}, title={{A}}}}", encoding="utf-8")
    code = (
        "import sys; from pathlib import Path; from cite_lsp.library import *\n"
        f"matcher = EntryMatcher(LibraryCache().load([Path({str(path)!r})]).entries)\n"
        "matcher.prepare(); matcher.match('lm'); print('pypinyin' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(loaded)]
