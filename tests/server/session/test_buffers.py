"""The editor's buffers, as the rest of the server reads them."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from cite_lsp.manuscript.lines import LineIndex
from cite_lsp.manuscript.text import text_diff
from cite_lsp.project import folders
from cite_lsp.server.app import create_server
from cite_lsp.server.session.buffers import BufferStore


def opened(store: BufferStore, path: Path, text: str, version: int = 1) -> str:
    store.open(types.TextDocumentItem(path.as_uri(), "latex", version, text))
    return path.as_uri()


def change(uri: str, version: int, *changes: object) -> types.DidChangeTextDocumentParams:
    identifier = types.VersionedTextDocumentIdentifier(version, uri)
    return types.DidChangeTextDocumentParams(identifier, list(changes))  # type: ignore[arg-type]


def part(start: tuple[int, int], end: tuple[int, int], text: str) -> object:
    place = types.Range(types.Position(*start), types.Position(*end))
    return types.TextDocumentContentChangePartial(place, text)


def test_edits_are_applied_in_order(tmp_path: Path) -> None:
    store = BufferStore("utf-16")
    uri = opened(store, tmp_path / "a.tex", "深😀 one\r\ntwo\u2028three")
    store.change(change(uri, 2, part((0, 4), (0, 7), "1"), part((1, 3), (1, 4), " ")))
    buffer = store.get(uri)
    assert buffer is not None
    assert (buffer.text, buffer.version) == ("深😀 1\r\ntwo three", 2)


def test_a_whole_text_replaces_everything(tmp_path: Path) -> None:
    store = BufferStore()
    uri = opened(store, tmp_path / "a.tex", "old")
    store.change(change(uri, 5, types.TextDocumentContentChangeWholeDocument("new")))
    assert store.read(tmp_path / "a.tex") == "new"


TEXTS = st.text("ab\r\n深😀", max_size=12)


@given(TEXTS, TEXTS, st.sampled_from((1, 2, 3, 100)))
def test_of_a_whole_text_no_more_is_taken_than_has_changed(
    before: str, after: str, at_a_time: int
) -> None:
    store = BufferStore()
    uri = opened(store, Path("/a.tex"), before)
    whole = types.TextDocumentContentChangeWholeDocument(after)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_diff, "STEP", at_a_time)
        buffer = store.change(change(uri, 2, whole))
    assert buffer is not None
    assert buffer.text == after and buffer.lines.starts == LineIndex(after).starts
    assert before.endswith(after[buffer.touched :])


def test_a_change_to_a_document_that_is_not_open_is_ignored() -> None:
    assert BufferStore().change(change("file:///a.tex", 2, part((0, 0), (0, 0), "x"))) is None


@pytest.mark.parametrize("version", [{"version": None}, {}, {"version": 3}])
def test_an_edit_counts_whatever_version_it_makes(version: dict[str, int | None]) -> None:
    store = BufferStore()
    uri = opened(store, Path("/a.tex"), "old")
    params = {"textDocument": {"uri": uri, **version}, "contentChanges": [{"text": "new"}]}
    message = {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params}
    buffer = store.change(create_server().protocol.structure_message(message).params)
    assert buffer is not None
    assert (buffer.text, buffer.version) == ("new", version.get("version"))


def test_the_buffer_hides_the_file_until_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_text("on disk")
    store = BufferStore()
    uri = opened(store, path, "in the editor")
    assert store.read(path) == "in the editor"
    store.close(uri)
    assert store.read(path) == "on disk"


def test_a_link_leads_to_the_buffer(tmp_path: Path) -> None:
    (tmp_path / "real.tex").write_text("on disk")
    (tmp_path / "link.tex").symlink_to(tmp_path / "real.tex")
    store = BufferStore()
    uri = opened(store, tmp_path / "link.tex", "in the editor")
    assert store.read(tmp_path / "real.tex") == "in the editor"
    assert store.uri(tmp_path / "real.tex") == uri


def test_a_link_is_believed_for_a_moment_to_lead_where_it_led(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    link, first, second = (tmp_path / name for name in ("link.tex", "first.tex", "second.tex"))
    first.write_text("on disk")
    second.write_text("on disk")
    link.symlink_to(first)
    store = BufferStore()
    opened(store, first, "the first")
    opened(store, second, "the second")
    assert store.read(link) == "the first"
    link.unlink()
    link.symlink_to(second)
    now = 100.9
    assert store.read(link) == "the first"
    now = 101.1
    assert store.read(link) == "the second"


@pytest.mark.parametrize("path", ["link.tex", "up/real.tex", "up/to/a.tex", "up/to/../a.tex"])
def test_a_file_is_the_open_one_whichever_links_lead_to_it(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "some" / "folder"
    (folder / "deep").mkdir(parents=True)
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "to").symlink_to(folder / "deep")
    for target in (tmp_path / "real.tex", folder / "deep" / "a.tex", folder / "a.tex"):
        target.write_text("on disk")
    (tmp_path / "link.tex").symlink_to(tmp_path / "real.tex")
    store = BufferStore()
    opened(store, Path(os.path.realpath(tmp_path / path)), "open")
    assert store.read(tmp_path / path) == "open"


def test_an_unchanged_file_is_the_same_string_and_a_changed_one_is_read_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.tex"
    path.write_bytes(b"\xef\xbb\xbfcaf\xc3\xa9")
    store = BufferStore()
    first = store.read(path)
    assert first == "café"
    assert store.read(path) is first
    path.write_bytes(b"other")
    assert store.read(path) == "other"


def test_a_file_that_is_written_to_in_place_is_read_again_even_with_the_same_time(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.tex"
    path.write_text("gulls")
    store, status = BufferStore(), path.stat()
    assert store.read(path) == "gulls"
    path.write_text("terns")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert store.read(path) == "terns"


def test_of_a_folder_with_many_files_none_is_read_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / f"{number}.tex" for number in range(1200)]
    for path in paths:
        path.write_text("on disk")
    store = BufferStore()
    texts = [store.read(path) for path in paths]
    monkeypatch.setattr(
        "cite_lsp.library.load.read.read_regular",
        lambda path, *_: pytest.fail(f"{path} is read again"),
    )
    assert [store.read(path) for path in paths] == texts


def test_what_cannot_be_read_is_none(tmp_path: Path) -> None:
    store = BufferStore()
    assert store.read(tmp_path) is None
    assert store.read(tmp_path / "missing.tex") is None
    assert store.read(Path("nul\x00byte.tex")) is None


def test_a_worker_sees_the_version_it_pinned_and_others_the_latest(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    store = BufferStore()
    uri = opened(store, path, "first")
    seen = []
    with store.pinned(store.snapshot()):
        store.change(change(uri, 2, types.TextDocumentContentChangeWholeDocument("second")))
        seen.append(store.read(path))
        other = threading.Thread(target=lambda: seen.append(store.read(path)))
        other.start()
        other.join()
    assert [*seen, store.read(path)] == ["first", "second", "second"]


@pytest.mark.parametrize(
    "uri", ["http://[::1/a.tex", "file://[a/b.tex", "file:///a%00b.tex", "file:///\ud800.tex", ""]
)
def test_a_document_whose_uri_names_no_path_counts_as_unsaved(uri: str, tmp_path: Path) -> None:
    store = BufferStore(folder=tmp_path)
    buffer = store.open(types.TextDocumentItem(uri, "latex", 1, "text"))
    assert (buffer.path.parent, buffer.path.suffix) == (tmp_path, ".tex")


def test_on_macos_a_document_is_found_by_each_spelling_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "_SPELLINGS", True)
    (tmp_path / "Été.tex").touch()
    for name in ("Été.tex", "E\u0301te\u0301.tex", "été.tex"):
        store = BufferStore()
        uri = opened(store, tmp_path / name, "in the editor")
        assert store.read(tmp_path / "Été.tex") == "in the editor"
        assert store.uri(tmp_path / "Été.tex") == uri
