"""Some of the patterns, and shorter ones; `make chaos` grows all of them."""

from __future__ import annotations

import re
import sys
from itertools import groupby
from pathlib import Path

import pytest

from tests.chaos.patterns.all import PATTERNS, TOKENS
from tests.chaos.patterns.measure import fault_of
from tests.chaos.patterns.readers import READERS
from tests.chaos.patterns.tokens import Pattern
from tests.chaos.patterns.trials import faults_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signal stops a reader there")

_EVERY = 40
_SECONDS = 0.003
_SOME = [
    (reader, list(patterns))
    for reader, patterns in groupby(PATTERNS[::_EVERY], lambda pattern: pattern.reader)
]


def test_every_reader_has_patterns() -> None:
    assert TOKENS.keys() == READERS.keys() == {pattern.reader for pattern in PATTERNS}


@pytest.mark.parametrize(("reader", "patterns"), _SOME, ids=[reader for reader, _ in _SOME])
def test_a_pattern_takes_time_by_its_length(
    tmp_path: Path, reader: str, patterns: list[Pattern]
) -> None:
    assert {pattern.reader for pattern in patterns} == {reader}
    assert list(faults_in(patterns, _SECONDS, tmp_path)) == []


def test_a_reader_that_looks_again_from_each_place_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(text: str, _: Path) -> None:
        re.search(r"\([^)]*\)", text)

    monkeypatch.setitem(READERS, "again", again)
    assert "8 times the text takes" in fault_of(Pattern("again", "", "("), 8_000, 0.01, tmp_path)
    assert fault_of(Pattern("again", "", "(a)"), 8_000, 0.01, tmp_path) == ""


def test_a_reader_that_does_not_end_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tries(text: str, _: Path) -> None:
        re.search(r"(?:a|aa)*b", text)

    monkeypatch.setitem(READERS, "tries", tries)
    endless = Pattern("tries", "", "a")
    assert "the limit" in fault_of(endless, 2_000, 0.002, tmp_path, least_limit=0.4)
