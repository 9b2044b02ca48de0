"""How prose names a paper."""

from __future__ import annotations

import pytest

from cite_lsp.paper import Paper
from cite_lsp.recommend.naming import names_of


@pytest.mark.parametrize(
    ("title", "authors", "names"),
    [
        ("BERT: Pre-training of Transformers", ("Jacob Devlin", "B", "C"), ("Devlin", "BERT")),
        ("Adam: A Method", (), ("Adam",)),
        (
            "Long Short-Term Memory (LSTM)",
            ("Sepp Hochreiter", "Jürgen Schmidhuber"),
            (
                "Hochreiter and Schmidhuber",
                "Hochreiter & Schmidhuber",
                "Hochreiter和Schmidhuber",
                "Hochreiter与Schmidhuber",
                "Hochreiter",
                "LSTM",
            ),
        ),
        ("A study of gulls: nests on cliffs", ("Li Na",), ()),
        ("文本分类研究", ("李明",), ("《文本分类研究》", "李明")),
        ("机器学习（第2版）", ("周志华",), ("《机器学习（第2版）》", "《机器学习》", "周志华")),
        ("知识表示学习[J]", (), ("《知识表示学习[J]》", "《知识表示学习》")),
        ("", (), ()),
    ],
)
def test_people_come_before_the_method(
    title: str, authors: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert names_of(Paper("x", title, authors=authors)) == names


def test_a_long_part_of_a_title_names_it_where_a_sentence_quotes_that() -> None:
    paper = Paper("x", "第47次中国互联网络发展状况统计报告")
    sentence = "据《统计报告》和第47次《中国互联网络发展状况统计报告》，网民很多。"
    assert names_of(paper, sentence) == (
        "《第47次中国互联网络发展状况统计报告》",
        "《中国互联网络发展状况统计报告》",
    )
