"""Chinese names in prose, of people whom the library writes in Latin letters."""

from __future__ import annotations

import pytest

from cite_lsp.recommend.base.han_names import names_of_people, pinyin_spelling


@pytest.mark.parametrize(
    ("author", "letters"),
    [
        ("Kaiming He", "hekaiming"),
        ("Kai-Ming He", "hekaiming"),
        ("He, Kaiming", "hekaiming"),
        ("Xiaoming Lü", "luxiaoming"),
        ("Wanli Ouyang", "ouyangwanli"),
        ("K. He", ""),
        ("何恺明", ""),
        ("Tsinghua University", ""),
    ],
)
def test_a_name_is_written_family_name_first(author: str, letters: str) -> None:
    assert pinyin_spelling(author) == letters


@pytest.mark.parametrize(
    ("author", "sentence", "names"),
    [
        ("Kaiming He", "残差网络由何恺明等人提出。", ["何恺明"]),
        ("Zhiguang Shan", "单志广给出了综述。", ["单志广"]),
        ("Xuantian Lin", "林軒田介紹了它。", ["林軒田"]),
        ("Wanli Ouyang", "欧阳万里提出了它。", ["欧阳万里"]),
        ("Xiaoming Lyu", "吕晓明提出了它。", ["吕晓明"]),
        ("Jingwei Ou", "区景伟提出了它。", ["区景伟"]),
        ("Jiaming Yue", "樂家明提出了它。", ["樂家明"]),
        ("Hang Li", "李航等提出了它。", ["李航"]),
        ("Hang Li", "李航 教授介绍了它。", ["李航"]),
        ("Wei Gao", "高维数据难以处理。", []),
        ("Xiang Fang", "研究方向很多。", []),
        ("Kaiming He", "残差网络由何凯提出。", []),
        ("Kaiming He", "Residual networks are deep.", []),
    ],
)
def test_a_name_in_han_is_known_by_its_pinyin(author: str, sentence: str, names: list[str]) -> None:
    assert names_of_people([author], sentence) == names
