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
