"""Hashes of texts: what files of every version hold."""

from __future__ import annotations

from cite_lsp.storage.text_hash import text_hash


def test_a_text_has_the_number_that_files_hold_for_it() -> None:
    assert text_hash("tide") == 0xE6B234A92B034ED7
    assert text_hash("tide", 4) == 0x27D68DFF
    assert isinstance(text_hash("half a character: \ud800"), int)
