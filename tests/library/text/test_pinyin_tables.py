"""Characters and phrases are read as pypinyin reads them, by no more of its tables than needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys

CHARACTERS = "".join(map(chr, range(0x4E00, 0x4E00 + 3000)))
PHRASES = ("重庆大学", "长沙", "银行行长", "吕叔湘", "单于", "音乐与快乐", "Li 重", "曾国藩", "")

PLAIN = """
from pypinyin import Style, lazy_pinyin, pinyin

def readings_of(character):
    styled = pinyin(character, style=Style.NORMAL, heteronym=True, errors="ignore")
    return [syllable for syllables in styled for syllable in syllables]

spelled_out = lazy_pinyin
"""
OURS = "from cite_lsp.library.text.pinyin_tables import readings_of, spelled_out"
READ = f"""
import json, os, sys
read = list(map(readings_of, {CHARACTERS!r}))
loaded = "pypinyin.phrases_dict" in sys.modules
switch = os.environ.get("PYPINYIN_NO_PHRASES")
print(json.dumps([read, list(map(spelled_out, {PHRASES!r})), loaded, switch]))
"""


def read(code: str, **environment: str) -> list[object]:
    done = subprocess.run(
        [sys.executable, "-c", code + READ],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    answer: list[object] = json.loads(done.stdout)
    return answer


def test_texts_are_read_as_by_all_tables_and_characters_without_those_of_phrases() -> None:
    plain, ours = read(PLAIN), read(OURS)
    assert ours[:2] == plain[:2]
    assert (plain[2], ours[2]) == (True, False)


def test_the_environment_stays_as_it_was() -> None:
    assert read(OURS)[3] is None
    assert read(OURS, PYPINYIN_NO_PHRASES="yes")[3] == "yes"
