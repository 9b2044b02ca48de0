"""One edit for several new entries, in whatever file they go to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cite_lsp.library import LibraryCache, parse_bibliography
from cite_lsp.library.write.new_entry import NewEntry
from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.paper import Paper
from cite_lsp.project.draft import Draft
from cite_lsp.project.entry_target import EntryTarget
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import ProjectCache
from cite_lsp.server.config.options import Options
from cite_lsp.server.config.setup import Setup
from cite_lsp.server.edits.entry_edit import new_text
from cite_lsp.server.rpc.capabilities import ClientAbilities
from cite_lsp.server.session.buffers import Buffer, BufferStore, offset_of
from cite_lsp.server.session.engine import Engine
from cite_lsp.server.session.recent_results import RecentResults
from cite_lsp.server.session.request import Request

ENTRIES = [
    NewEntry("one2001", Paper("1", "One", authors=("Ann Moor",), year=2001)),
    NewEntry("two2002", Paper("2", "Two", authors=("Bo Fen",), year=2002)),
    NewEntry("three", Paper("3", "Three"), "@misc{three,\n  title = {Three},\n}"),
]


def after(folder: Path, name: str, content: str | None, entries: list[NewEntry]) -> str | None:
    """Return a file after the edit, None where there is none."""
    path = folder / name
    if content is not None:
        path.write_bytes(content.encode())
    draft_path = folder / "draft.tex"
    draft_path.write_text(f"\\documentclass{{article}}\\addbibresource{{{name}}}")
    project = ProjectCache().open(draft_path, read=FilesOnDisk().read)
    library = LibraryCache().load(project.bibliographies)
    manuscript = project.manuscript(draft_path)
    assert manuscript is not None
    store = BufferStore()
    buffer: Buffer = Buffer("", draft_path, draft_path, 1, LineIndex(manuscript.text))
    request = Request(
        buffer=buffer,
        buffers=store,
        client=ClientAbilities(),
        options=Options(),
        setup=Setup("default"),
        engine=Engine(store),
        cancelled=lambda: False,
        snapshot=store.snapshot(),
        recent=RecentResults(),
    )
    draft = Draft(draft_path, manuscript, project, library)
    edit = new_text(request, draft, EntryTarget(path, exists=content is not None), entries)
    if edit is None:
        return None
    lines = store.lines(path)
    text = lines.text if lines else ""
    at = offset_of(lines, edit.range.start, "utf-16") if lines else 0
    assert edit.range.start == edit.range.end
    return text[:at] + edit.new_text + text[at:]


@pytest.mark.parametrize(
    "content", [None, "", "@misc{a,\n  title = {A},\n}", "@misc{a, title={A}}\r\n"]
)
def test_several_records_are_one_insertion(tmp_path: Path, content: str | None) -> None:
    text = after(tmp_path, "refs.bib", content, ENTRIES)
    assert text is not None and text.startswith(content or "@")
    entries = parse_bibliography(text, tmp_path / "refs.bib").entries
    assert [entry.key for entry in entries][-3:] == ["one2001", "two2002", "three"]
    assert text.count("\n") == text.count("\r\n") or "\r" not in text


@pytest.mark.parametrize("content", [None, "[]", '[\n  {\n    "id": "a"\n  }\n]\n', '[{"id":"a"}]'])
def test_several_items_are_one_insertion(tmp_path: Path, content: str | None) -> None:
    text = after(tmp_path, "refs.json", content, ENTRIES[:2])
    assert text is not None
    assert [item["id"] for item in json.loads(text)][-2:] == ["one2001", "two2002"]


def test_a_file_that_is_not_utf8_gets_ascii(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_bytes("@misc{a, title={Für}}\n".encode("cp1252"))
    piece = NewEntry("k", Paper("1", "Größe", authors=("Jörg Müller",)))
    text = after(tmp_path, "refs.bib", None, [piece])
    assert text is not None
    assert text.startswith("@misc{a, title={Für}}\n")
    assert text.split("\n", 1)[1].isascii() and 'M{\\"u}ller' in text


def test_a_file_in_gbk_gets_what_it_can_hold(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_bytes("@misc{a, title={潮汐能发电研究}}\n".encode("gbk"))
    piece = NewEntry("k", Paper("1", "滑坡预测", authors=("Jörg Müller", "李明")))
    text = after(tmp_path, "refs.bib", None, [piece])
    assert text is not None
    assert text.startswith("@misc{a, title={潮汐能发电研究}}\n")
    assert text.encode("gbk") and 'M{\\"u}ller' in text and "滑坡预测" in text


def test_a_file_that_cannot_be_written_to_gets_no_edit(tmp_path: Path) -> None:
    assert after(tmp_path, "refs.json", '{"name": 1}', ENTRIES) is None
