"""The citation graph read from lines: what a bad line costs, and what a bad file."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.corpus.edges import Edge, read_edges
from cite_lsp.corpus.formats.json_lines import RecordError
from cite_lsp.storage.compressed_files import zstd


def test_edges_are_read_in_order_with_their_source_where_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "edges.tsv.zst"
    path.write_bytes(zstd.compress(b"a\tb\taan\nb\tc\n\n"))
    assert list(read_edges(path)) == [Edge("a", "b", "aan"), Edge("b", "c")]


def test_a_line_without_two_ids_is_reported_and_skipped(tmp_path: Path) -> None:
    path = tmp_path / "edges.tsv"
    path.write_text("a\tb\nalone\n\tc\nc\td\n")
    messages: list[str] = []
    assert list(read_edges(path, messages.append)) == [Edge("a", "b"), Edge("c", "d")]
    assert [message.partition(": ")[0] for message in messages] == [f"{path}:2", f"{path}:3"]
    with pytest.raises(RecordError, match=r":2: an edge is citing"):
        list(read_edges(path))


def test_an_old_encoding_is_read_and_reported_once(tmp_path: Path) -> None:
    path = tmp_path / "edges.tsv"
    path.write_bytes("a\tb\nmüller\tgröße\nü\tö\n".encode("latin-1"))
    messages: list[str] = []
    assert list(read_edges(path, messages.append))[1:] == [Edge("müller", "größe"), Edge("ü", "ö")]
    fault = "not UTF-8 (byte 0xfc in line 2), read as Windows-1252: save it as UTF-8"
    assert messages == [f"{path}:2: {fault}"]
    assert len(list(read_edges(path))) == 3


def test_a_missing_file_and_a_broken_archive_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="gone"):
        list(read_edges(tmp_path / "gone.tsv"))
    whole = zstd.compress(b"a\tb\n" * 20_000)
    (tmp_path / "cut.tsv.zst").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RecordError, match="broken here"):
        list(read_edges(tmp_path / "cut.tsv.zst"))
