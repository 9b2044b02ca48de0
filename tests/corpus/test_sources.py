"""What `index` is given: folders and files of any kind, and one paper where two sources have it."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.corpus.formats.json_lines import RecordError
from cite_lsp.corpus.sources import find_files
from cite_lsp.storage.compressed_files import zstd
from tests.corpus.sources_read import papers_of_source

RECORD = {"id": "p1", "title": "On tides", "year": 2011}
BIBTEX = """
@article{moor2011, title = {On Tides}, author = {Moor, Ada}, year = 2011}
@misc{untitled, author = {Fen, Bo}}
"""


def read(path: Path) -> tuple[list[str], list[str]]:
    """Return the titles found in a file, and what was told of it."""
    messages: list[str] = []
    return [paper.title for paper in papers_of_source(path, messages.append)], messages


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_folder_gives_the_files_of_papers_below_it_each_once(tmp_path: Path) -> None:
    wanted = [
        write(tmp_path / name, "x")
        for name in ("a.bib", "deep/b.jsonl", "deep/c.jsonl.gz", "d.jsonl.zst")
    ]
    write(tmp_path / "notes.txt", "x")
    (tmp_path / "folder.bib").mkdir()
    assert sorted(find_files([tmp_path, tmp_path / "a.bib"])) == sorted(wanted)


def test_a_folder_gives_files_whose_names_are_in_capitals_and_none_that_are_hidden(
    tmp_path: Path,
) -> None:
    wanted = [write(tmp_path / name, "x") for name in ("A.BIB", "Scans/B.PDF", "c.Jsonl.GZ")]
    for name in ("._B.pdf", ".git/old.bib", "Scans/.trash/d.bib"):
        write(tmp_path / name, "x")
    assert sorted(find_files([tmp_path])) == sorted(wanted)
    hidden = tmp_path / ".git"
    assert find_files([hidden]) == [hidden / "old.bib"]


def test_a_file_that_is_named_is_taken_whatever_its_name(tmp_path: Path) -> None:
    dump = write(tmp_path / "dump.txt", "x")
    assert find_files([dump]) == [dump]


def test_a_source_that_is_missing_or_empty_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"nowhere: no such file or folder; check the path"):
        find_files([tmp_path / "nowhere"])
    with pytest.raises(RecordError, match=r"holds no papers; expected \*\.bib"):
        find_files([tmp_path])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_a_pipe_is_no_source_as_it_is_read_more_than_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RecordError, match=r"pipe: a pipe or a device.*save it to a file"):
        find_files([tmp_path / "pipe"])


def test_a_bibliography_is_read_and_an_entry_without_title_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "refs.bib", BIBTEX)
    titles, messages = read(path)
    assert titles == ["On Tides"]
    assert messages == [f"{path}:3: entry 'untitled' has no title; the entry is skipped"]


@pytest.mark.parametrize("name", ["papers.jsonl", "papers.jsonl.gz", "papers.jsonl.zst", "dump"])
def test_records_are_read_under_any_name_and_compression(tmp_path: Path, name: str) -> None:
    data = json.dumps(RECORD).encode()
    packs: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".zst": zstd.compress,
    }
    compress = packs.get(Path(name).suffix, bytes)
    path = tmp_path / name
    path.write_bytes(compress(data))
    assert read(path) == (["On tides"], [])


def test_a_bad_first_line_does_not_make_records_something_else(tmp_path: Path) -> None:
    path = write(tmp_path / "papers.jsonl", f"oops\n{json.dumps(RECORD)}\n")
    titles, messages = read(path)
    assert titles == ["On tides"]
    assert len(messages) == 1 and messages[0].startswith(f"{path}:1: not JSON")


@pytest.mark.parametrize("content", [b"Dear diary,\n", b"", b"\x89PNG\r\n\x1a\n\x00\xff", b"[1]"])
def test_unknown_content_is_reported_not_raised(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "something"
    path.write_bytes(content)
    titles, messages = read(path)
    assert titles == []
    assert len(messages) == 1 and messages[0].startswith(f"{path}:1: ")


@pytest.mark.parametrize("compress", [gzip.compress, zstd.compress])
def test_an_archive_broken_from_its_start_is_reported_not_raised(
    tmp_path: Path, compress: type[bytes]
) -> None:
    path = tmp_path / "dump"
    path.write_bytes(compress(b'{"id": 1}' * 50)[:16])
    titles, messages = read(path)
    assert titles == []
    assert len(messages) == 1 and "the archive is broken here" in messages[0]


@pytest.mark.parametrize("name", ["ms.tex", "ms.md", "ms.typ", "ms.org"])
def test_a_draft_is_no_source(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, "Tides rise \\cite{moor}. @hskip{1} @moor\n")
    message = "is a draft, not a source; give its bibliography, or a file of papers"
    assert read(path) == ([], [f"{path}: {message}"])


def test_a_bibliography_that_is_named_like_a_draft_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "refs.tex", "@misc{a, title = {On tides}}\n")
    assert read(path) == (["On tides"], [])
