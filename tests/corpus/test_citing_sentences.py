"""Single sentences that cite, from JSON Lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cite_lsp.corpus.citing_sentences import CitingSentence, read_citing_sentences
from cite_lsp.corpus.formats.json_lines import RecordError

ROW = {"citing_id": "a", "cited": ["b", "c"], "sentence": "Tides rise (Moor, 2001)."}


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_row_is_a_sentence_with_whom_it_cites(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", ROW | {"has_abstract": True})
    assert list(read_citing_sentences(path)) == [
        CitingSentence("a", ("b", "c"), "Tides rise (Moor, 2001).")
    ]


@pytest.mark.parametrize("lacking", ["citing_id", "cited", "sentence"])
def test_a_row_that_lacks_something_is_reported_and_skipped(tmp_path: Path, lacking: str) -> None:
    path = write(tmp_path / "s.jsonl", {**ROW, lacking: []}, ROW)
    messages: list[str] = []
    assert len(list(read_citing_sentences(path, messages.append))) == 1
    assert len(messages) == 1 and messages[0].startswith(f"{path}:1: a citing sentence needs")
    with pytest.raises(RecordError, match="s.jsonl:1"):
        list(read_citing_sentences(path))
