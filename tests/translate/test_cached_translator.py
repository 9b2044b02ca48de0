"""Translations are made once and kept on disk; a bad file costs nothing but the keeping."""

import hashlib
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from cite_lsp.translate.cached_translator import CachedTranslator, open_translator
from cite_lsp.translate.translator import Check, TranslatorError


class Counting:
    """Translates by turning texts around, and counts how many."""

    name = "around"

    def __init__(self, fingerprint: str = "around-1") -> None:
        self.fingerprint = fingerprint
        self.translated: list[str] = []

    def translate(self, texts: Sequence[str], *, check: Check | None = None) -> list[str]:
        if check is not None:
            check()
        self.translated += texts
        return [text[::-1] for text in texts]


def test_a_text_is_translated_once_by_this_process_and_the_next(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    cached = CachedTranslator(first, tmp_path)
    assert cached.translate(["甲乙", "丙丁", "甲乙"]) == ["乙甲", "丁丙", "乙甲"]
    cached.close()
    again = CachedTranslator(second, tmp_path)
    assert again.translate(["丙丁", "戊己"]) == ["丁丙", "己戊"]
    again.close()
    assert first.translated == ["甲乙", "丙丁"]
    assert second.translated == ["戊己"]


def test_another_model_has_other_translations(tmp_path: Path) -> None:
    CachedTranslator(Counting("one"), tmp_path).translate(["甲乙"])
    other = Counting("two")
    CachedTranslator(other, tmp_path).translate(["甲乙"])
    assert other.translated == ["甲乙"]


def test_a_damaged_file_is_made_anew(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING", logger="cite_lsp")  # whatever a server of before has set
    (tmp_path / "around-1.sqlite").write_bytes(b"this is no database, and long enough to tell" * 50)
    cached = CachedTranslator(Counting(), tmp_path)
    assert cached.translate(["甲乙"]) == ["乙甲"]
    cached.close()
    assert "damaged, starting a new cache of translations" in caplog.text
    later = Counting()
    assert CachedTranslator(later, tmp_path).translate(["甲乙"]) == ["乙甲"]
    assert not later.translated


def test_a_file_of_before_is_gone_on_with(tmp_path: Path) -> None:
    key = hashlib.sha256("甲乙".encode()).digest()
    with closing(sqlite3.connect(tmp_path / "around-1.sqlite")) as before, before:
        before.execute("CREATE TABLE translations (text BLOB PRIMARY KEY, english TEXT NOT NULL)")
        before.execute("INSERT INTO translations VALUES (?, ?)", (key, "乙甲"))
    cached = CachedTranslator(Counting(), tmp_path)
    cached.translate(["丙丁"])
    cached.close()
    later = Counting()
    assert CachedTranslator(later, tmp_path).translate(["甲乙", "丙丁"]) == ["乙甲", "丁丙"]
    assert not later.translated


def test_more_texts_than_one_batch_come_back_in_order(tmp_path: Path) -> None:
    texts = [f"第{number}句" for number in range(700)]
    cached = CachedTranslator(Counting(), tmp_path)
    assert cached.translate(texts) == [text[::-1] for text in texts]
    assert cached.translate(texts) == [text[::-1] for text in texts]


def test_what_is_being_typed_is_remembered_and_not_written(tmp_path: Path) -> None:
    typing, later = Counting(), Counting()
    cached = CachedTranslator(typing, tmp_path)
    cached.translate(["甲乙。"])
    passing = cached.without_writing()
    for text in ("丙", "丙丁", "丙丁", "甲乙。"):
        passing.translate([text])
    assert typing.translated == ["甲乙。", "丙", "丙丁"]
    cached.close()
    CachedTranslator(later, tmp_path).translate(["甲乙。", "丙", "丙丁"])
    assert later.translated == ["丙", "丙丁"]


def test_the_oldest_translations_go_when_there_are_too_many(tmp_path: Path) -> None:
    texts = [f"第{number}句" for number in range(10)]
    CachedTranslator(Counting(), tmp_path).translate(texts)
    CachedTranslator(Counting(), tmp_path, disk_size=4).close()
    later = Counting()
    CachedTranslator(later, tmp_path).translate(texts)
    assert later.translated == texts[:6]


def test_what_nobody_waits_for_is_not_translated(tmp_path: Path) -> None:
    def check() -> None:
        raise InterruptedError

    translator = Counting()
    cached = CachedTranslator(translator, tmp_path)
    with pytest.raises(InterruptedError):
        cached.translate(["甲乙"], check=check)
    assert not translator.translated


def test_a_file_that_another_server_writes_to_is_used_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cached = CachedTranslator(Counting(), tmp_path)
    with closing(sqlite3.connect(tmp_path / "around-1.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert cached.translate(["甲乙"]) == ["乙甲"]
        other.execute("ROLLBACK")
    cached.translate(["丙丁"])
    cached.close()
    later = Counting()
    CachedTranslator(later, tmp_path).translate(["甲乙", "丙丁"])
    assert later.translated == ["甲乙"]
    assert not caplog.records


def test_the_dictionary_is_a_translator_by_name() -> None:
    assert open_translator("dictionary").name == "dictionary"


def test_a_model_that_is_not_here_is_an_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(TranslatorError, match="nobody/nothing"):
        open_translator("nobody/nothing")
