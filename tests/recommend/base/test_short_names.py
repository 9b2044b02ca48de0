"""How prose names a paper."""

from __future__ import annotations

import pytest

from cite_lsp.paper import Paper
from cite_lsp.recommend.base.short_names import methods_of, names_in_text, names_of, people_of


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


@pytest.mark.parametrize(
    ("authors", "sentence", "named"),
    [
        (("Jo Ng", "Bo Li"), "Wie Ng und Li zeigen, gilt es.", ["Ng und Li"]),
        (("Jo Ng", "Bo Li"), "Comme Ng et Li le montrent.", ["Ng et Li"]),
        (("Jan Dvořák", "Jan Ha"), "Dvořák a Ha navrhli metodu.", ["Dvořák a Ha", "Dvořák"]),
        (("田中太郎", "鈴木花子"), "田中らは翻訳を研究した。", ["田中"]),
        (("佐々木太郎",), "佐々木ら[1]の手法。", ["佐々木"]),
        (("田中太郎",), "中田らは翻訳を研究した。", []),
        (("김철수",), "김철수는 연구하였다.", ["김철수"]),
        (("Otto Kaiser",), "Nach Kaiser gilt das.", ["Kaiser"]),
        (("Otto Kaiser",), "Der Kaiser und ein König regierten.", []),
        (("Otto Kaiser",), "Dem Kaiser widmet Kaiser ein Buch.", ["Kaiser"]),
        (("Ilse Winter",), "Im Winter und vom Sommer.", []),
        (("Jan Berg",), "As van den Berg says.", ["Berg"]),
        (("Jan Berg",), "The result of Berg and the Berg model.", ["Berg"]),
    ],
)
def test_people_are_distinguished_from_nouns_and_named_as_other_languages_do(
    authors: tuple[str, ...], sentence: str, named: list[str]
) -> None:
    assert names_in_text(sentence, people_of(Paper("x", "T", authors=authors), sentence)) == named


@pytest.mark.parametrize(
    ("title", "methods"),
    [
        ("Sprache: Eine Einführung", ()),
        ("Daten: Erhebung und Auswertung", ()),
        ("BERT: Vortraining für die Sprache", ("BERT",)),
        ("Adam: A Method", ("Adam",)),
        ("Adam: a van der Waals Method", ("Adam",)),
    ],
)
def test_a_noun_that_begins_a_german_title_is_no_method(
    title: str, methods: tuple[str, ...]
) -> None:
    assert methods_of(Paper("x", title)) == methods


@pytest.mark.parametrize(
    ("sentence", "is_named"),
    [
        ("Fowler (2020) says so.", True),
        ("Fowler says so.", True),
        ("So it is (see Fowler & Roe, 2019, p. 3).", True),
        ("So it is (Fowler 2012, 2020).", True),
        ("So it is (Fowler, 2012), and Fowler knows.", True),
        ("So it is (Fowler 2012, p. 3).", False),
        ("Fowler (2012a) says so.", False),
        ("Laut Fowler 2012 ist es so.", False),
        ("Fowler, Roe and Moe (2012) say so.", False),
        ("Fowler et al., 2012, say so.", False),
    ],
)
def test_who_is_named_with_the_year_of_another_work_is_not_named_for_this_one(
    sentence: str, is_named: bool
) -> None:
    paper = Paper("x", "T", authors=("Jo Fowler",), year=2020)
    assert names_in_text(sentence, people_of(paper, sentence)) == ["Fowler"] * is_named
