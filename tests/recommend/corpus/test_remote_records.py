"""Records of remote papers on disk: written once, renewed, and not for ever."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from attrs import evolve

from cite_lsp.paper import Paper
from cite_lsp.recommend.corpus import remote_records as module
from cite_lsp.recommend.corpus.remote_records import remote_records

PAPERS = [Paper(f"p{number}", f"Tide tables {number}") for number in range(6)]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path))


def written(papers: list[Paper]) -> list[Path]:
    return [path for path in remote_records("shores", papers) if path is not None]


def test_a_record_says_what_the_paper_is() -> None:
    (path,) = written(PAPERS[:1])
    assert json.loads(path.read_text(encoding="utf-8")) == {"id": "p0", "title": "Tide tables 0"}


def test_a_record_is_written_anew_only_when_the_paper_has_changed() -> None:
    (path,) = written(PAPERS[:1])
    path.chmod(0o444)
    before = path.stat().st_ino
    assert written(PAPERS[:1]) == [path]
    assert path.stat().st_ino == before
    path.chmod(0o644)
    assert written([evolve(PAPERS[0], title="Tide tables, revised")]) == [path]
    assert "revised" in path.read_text(encoding="utf-8")


def test_records_that_nobody_uses_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_RECORDS", 4)
    paths = written(PAPERS[:4])
    for age, path in enumerate(paths):
        os.utime(path, (1000 + age, 1000 + age))
    written(PAPERS[:1])
    written(PAPERS[4:])
    assert [path.exists() for path in paths] == [True, False, False, True]


def test_where_nothing_can_be_written_there_is_no_record(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("no folder")
    assert remote_records("shores", PAPERS[:2]) == [None, None]
