"""Texts in two languages and glossaries, as they lie on disk."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from cite_lsp.corpus.formats.json_lines import RecordError
from cite_lsp.corpus.parallel_texts import (
    GlossaryTerm,
    ParallelText,
    read_glossary,
    read_parallel,
    sentences,
)


def test_rows_that_lack_a_language_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "parallel.jsonl"
    rows = [
        {"zh": "潮汐。", "en": "Tides.", "source": "book", "kind": "heading"},
        {"zh": "海鸥", "en": " "},
        {"zh": "海鸥"},
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    assert list(read_parallel(path)) == [ParallelText("潮汐。", "Tides.", "book", "heading")]


def test_a_glossary_is_read_without_its_heading(tmp_path: Path) -> None:
    path = tmp_path / "glossary.tsv"
    path.write_text("en\tzh\tsource\ntide\t潮汐\tbook\ngull\t海鸥\nnothing\n")
    assert list(read_glossary(path)) == [
        GlossaryTerm("tide", "潮汐", "book"),
        GlossaryTerm("gull", "海鸥"),
    ]


def test_a_glossary_that_is_missing_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"none\.tsv.*check the path"):
        list(read_glossary(tmp_path / "none.tsv"))


def test_a_glossary_that_is_cut_off_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "glossary.tsv.gz"
    path.write_bytes(gzip.compress("".join(f"w{n}\t词{n}\n" for n in range(9999)).encode())[:-90])
    with pytest.raises(RecordError, match=r"glossary\.tsv\.gz:\d+: the archive is broken here"):
        list(read_glossary(path))


def test_texts_of_as_many_sentences_are_taken_apart() -> None:
    text = ParallelText("潮汐上涨。海鸥飞走！", "The tide (2.5 m) rises. The gulls leave!", "book")
    assert [(sentence.zh, sentence.en) for sentence in sentences(text)] == [
        ("潮汐上涨。", "The tide (2.5 m) rises."),
        ("海鸥飞走！", "The gulls leave!"),
    ]
    whole = ParallelText("潮汐上涨，海鸥飞走。", "The tide rises. The gulls leave.")
    assert sentences(whole) == [whole]
