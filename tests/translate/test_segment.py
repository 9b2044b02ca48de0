"""Chinese text cut into words, whatever script and width it is written in."""

import subprocess
import sys
from pathlib import Path

import pytest

from cite_lsp.translate.segment import fold_script, words, words_and_marks

ROOT = Path(__file__).parents[2]


def test_chinese_is_cut_into_words_and_latin_words_stay_whole() -> None:
    assert words("Vaswani等人提出了Faster R-CNN和神经网络。") == [
        *("Vaswani", "等", "人", "提出", "了", "Faster", "R-CNN", "和", "神经网络"),
    ]


def test_a_scientific_term_is_one_word() -> None:
    assert "注意力机制" in words("基于注意力机制的模型")


def test_a_chinese_list_has_its_items_apart() -> None:
    marks = [piece.text for piece in words_and_marks("卷积、网络、归一化") if piece.kind == "mark"]
    assert marks == ["、", "、"]
    assert words("卷积、网络、归一化") == ["卷积", "网络", "归一化"]


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("深度學習與機器翻譯", "深度学习与机器翻译"),
        ("ＢＥＲＴ（２０１９）", "BERT(2019)"),
        ("深度学习", "深度学习"),
        ("plain text", "plain text"),
    ],
)
def test_traditional_script_and_full_width_letters_are_folded(written: str, folded: str) -> None:
    assert fold_script(written) == folded


def test_words_are_the_same_in_either_script() -> None:
    assert words("卷積神經網絡") == words("卷积神经网络")


def test_neither_words_nor_opencc_are_loaded_before_chinese_shows_up() -> None:
    program = """
import sys
import cite_lsp.server.session.server
from cite_lsp.manuscript import Context
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.query.query import read_query
from cite_lsp.translate import segment

query = read_query(Context(left="As Gödel showed — see “On Trees” …", right="and Müller"))
assert query.near_words and query.sentence_said
print(*sorted({"opencc", "pypinyin"}.intersection(sys.modules)), segment._loaded)
query = read_query(Context(left="注意力机制", right="", language="zh"))
assert query.near_words
print(segment._loaded is None, "opencc" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["None", "False False"]
    assert done.stderr == ""
