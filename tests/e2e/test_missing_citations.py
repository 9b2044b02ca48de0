"""Citations taken out of drafts and put back: nothing else of the draft has changed.

LaTeX and pandoc read the drafts again: what they could set before they can set now, and every
citation that was put in is one to them.
"""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from cite_lsp.manuscript import parse
from tests.e2e.filling import Filled, fill, keys
from tests.e2e.typesetting import LATEX, typeset
from tests.manuscript.test_pandoc import as_pandoc_gets_it, keys_of_pandoc
from tests.sample_drafts import FOLDERS, REAL, SHIPPED, name_of

SHIPPED_FILES = ("letter/letter.tex", "notes/paper.md")
REAL_FILES = (
    "prosecutors-fallacy/doc/prosecutor/fallacy.tex",
    "eukulele/paper/paper.md",
    "liweitianux-phd/src/summary.tex",
    "yellowpaper/Paper.tex",
)
"""Three LaTeX drafts, one of them Chinese and one with its bibliography in itself, and a Markdown
draft, all of them short."""
STANDS_ALONE = ("letter", "prosecutors-fallacy", "yellowpaper")
"""Those that pdfLaTeX can set without what their repositories leave out."""

pytestmark = pytest.mark.slow


def pandoc_keys(text: str) -> Counter[str]:
    return Counter(keys_of_pandoc(as_pandoc_gets_it(text), "markdown+autolink_bare_uris"))


@pytest.mark.parametrize(
    ("drafts", "name"),
    [
        *((SHIPPED, name) for name in SHIPPED_FILES),
        *((REAL, name) for name in REAL_FILES if REAL in FOLDERS),
    ],
    ids=lambda value: name_of(value) if isinstance(value, Path) else str(value),
)
async def test_what_was_taken_out_comes_back_and_nothing_else_changes(
    tmp_path: Path, drafts: Path, name: str
) -> None:
    top = Path(name).parts[0]
    folder = tmp_path / "draft"
    shutil.copytree(drafts / top, folder)
    filled = await fill(folder, folder / Path(name).relative_to(top))
    text, after = filled.emptied, filled.text
    edits = filled.edits
    assert edits and all(edit.range.start == edit.range.end for edit in edits), "only insertions"
    assert len(after) == len(text) + sum(len(edit.new_text) for edit in edits)
    before, now = (keys(parse(content, filled.format)) for content in (text, after))
    assert not before - now, "no other citation has changed"
    full = keys(parse(filled.original, filled.format))
    assert filled.added and filled.added.keys() <= full.keys() | set(_library(folder))
    assert sum(filled.added.values()) >= len(edits)
    assert _other_files(folder, filled.path) == _other_files(
        drafts / top, drafts / top / filled.path.relative_to(folder)
    )
    if filled.format == "markdown" and shutil.which("pandoc"):
        assert pandoc_keys(after) - pandoc_keys(text) == filled.added
        assert not pandoc_keys(text) - pandoc_keys(after)
    if LATEX and top in STANDS_ALONE:
        _sets_as_before(filled)


def _sets_as_before(filled: Filled) -> None:
    was = typeset(filled.path)
    filled.path.write_bytes(filled.text.encode("utf-8"))
    now = typeset(filled.path)
    assert now.errors == was.errors, "what LaTeX stumbles over is what it stumbled over before"
    assert filled.added.keys() <= now.cited, "every citation put in is one to LaTeX"
    assert now.cited - was.cited <= filled.added.keys()
    assert not now.undefined & filled.added.keys(), "and its entry is found"


def _library(folder: Path) -> list[str]:
    from cite_lsp.library import LibraryCache

    paths = [*folder.rglob("*.bib")]
    return [entry.key for entry in LibraryCache().load(paths, ()).entries]


def _other_files(folder: Path, path: Path) -> dict[Path, bytes]:
    return {
        file.relative_to(folder): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file() and file != path and ".home" not in file.parts
    }
