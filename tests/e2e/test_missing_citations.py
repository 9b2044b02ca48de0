"""Citations taken out of real drafts and put back: nothing else of the draft has changed."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from lsprotocol import types

from cite_lsp.evaluate.missing import without_markers
from cite_lsp.manuscript import Manuscript, format_of, parse
from tests.manuscript.test_pandoc import as_pandoc_gets_it, keys_of_pandoc
from tests.server.session import Session

DRAFTS = Path(__file__).parents[2].parent / "shared" / "data" / "manuscripts" / "dev"

_ENOUGH = 12
"""Markers from which on a draft is worth emptying a section of."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DRAFTS.is_dir(), reason="needs the real drafts of ../shared"),
]


def drafts() -> list[Path]:
    """The shortest file of each format and language that cites enough, among the real drafts."""
    best: dict[tuple[str, str], tuple[int, Path]] = {}
    for path in sorted(DRAFTS.rglob("*")):
        format = format_of(path) if path.is_file() else None
        if format not in ("latex", "markdown"):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        manuscript = parse(text, format)
        if "\r" in text or len(manuscript.cited) < _ENOUGH:
            continue
        kind = format, manuscript.language
        best[kind] = min(best.get(kind, (len(text), path)), (len(text), path))
    return [path for _, path in best.values()]


def keys(manuscript: Manuscript) -> Counter[str]:
    return Counter(key.text for marker in manuscript.cited for key in marker.keys)


def pandoc_keys(text: str) -> Counter[str]:
    return Counter(keys_of_pandoc(as_pandoc_gets_it(text), "markdown+autolink_bare_uris"))


def test_there_are_drafts_of_both_formats_and_languages() -> None:
    assert len(drafts()) >= 3


@pytest.mark.parametrize("number", range(3))
async def test_what_was_taken_out_comes_back_and_nothing_else_changes(
    tmp_path: Path, number: int
) -> None:
    original = drafts()[number]
    top = DRAFTS / original.relative_to(DRAFTS).parts[0]
    shutil.copytree(top, tmp_path / "draft")
    path = tmp_path / "draft" / original.relative_to(top)
    format = str(format_of(path))
    full = parse(path.read_text(encoding="utf-8"), format)
    groups = Counter(full.group_at(marker.start) for marker in full.cited)
    emptied = groups.most_common(1)[0][0]
    text, _ = without_markers(
        full, [one for one in full.cited if full.group_at(one.start) == emptied]
    )
    path.write_text(text, encoding="utf-8")
    options = {"missing": {"threshold": 0.05}}
    async with Session(tmp_path / "draft", options=options) as session:
        draft = session.open(str(path.relative_to(tmp_path / "draft")), text)
        await session.until(lambda: "ready" in session.status, 240.0)
        draft.cursor = 0
        actions = await draft.actions(only=["quickfix"], end=len(text))
        action = next(one for one in actions if one.title == "Add missing citations")
        assert isinstance(action, types.CodeAction)
        resolved = await session.client.code_action_resolve_async(action)
        assert resolved.edit is not None and resolved.edit.document_changes is not None
        (change,) = resolved.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert change.text_document.version == 1
        edits = [one for one in change.edits if isinstance(one, types.TextEdit)]
    assert edits and all(edit.range.start == edit.range.end for edit in edits), "only insertions"
    after = draft.after_all(edits)
    assert len(after) == len(text) + sum(len(edit.new_text) for edit in edits)
    before, now = keys(parse(text, format)), keys(parse(after, format))
    added = now - before
    assert not before - now, "no other citation has changed"
    assert added and added.keys() <= keys(full).keys() | set(_library(tmp_path / "draft"))
    assert sum(added.values()) >= len(edits)
    if format == "markdown" and shutil.which("pandoc"):
        assert pandoc_keys(after) - pandoc_keys(text) == added
        assert not pandoc_keys(text) - pandoc_keys(after)


def _library(folder: Path) -> list[str]:
    from cite_lsp.library import LibraryCache

    paths = [*folder.rglob("*.bib")]
    return [entry.key for entry in LibraryCache().load(paths, ()).entries]
