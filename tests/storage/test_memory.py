"""Caches of texts are emptied together."""

from __future__ import annotations

import gc
import platform
import sys

import pytest

from cite_lsp.manuscript.latex.prose import LATEX
from cite_lsp.manuscript.text.paragraphs import plain_text
from cite_lsp.storage.memory import (
    give_back,
    resident,
    text_cache,
    trim,
    without_collection,
)


def test_memory_that_is_given_back_is_that_of_all_caches() -> None:
    read: list[str] = []

    @text_cache(8)
    def length(text: str) -> int:
        read.append(text)
        return len(text)

    assert [length("a"), length("a"), read] == [1, 1, ["a"]]
    before = plain_text("One \\emph{word}.", LATEX)
    give_back()
    assert length("a") == 1 and read == ["a", "a"], "it is read anew"
    assert plain_text("One \\emph{word}.", LATEX) == before


@pytest.mark.skipif(sys.platform != "linux", reason="other systems say it elsewhere")
def test_the_process_knows_how_much_it_holds() -> None:
    before = resident()
    held = bytearray(64 << 20)
    after = resident()
    assert before is not None and after is not None and after - before >= 60
    del held


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="others keep it, or have no need")
def test_free_memory_goes_back_to_the_system() -> None:
    blocks = [b"x" * size for size in range(4096, 20_480)]  # 200 MB
    last = blocks.pop()  # what is still used behind them has the system's library keep them
    blocks.clear()
    before = resident()
    trim()
    after = resident()
    assert before is not None and after is not None and before - after >= 100
    assert last


def test_no_garbage_is_looked_for_meanwhile_and_then_as_before() -> None:
    with without_collection():
        assert not gc.isenabled()
        with without_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
