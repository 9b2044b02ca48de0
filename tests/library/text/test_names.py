"""The people of a field, taken apart."""

from __future__ import annotations

import pytest

from cite_lsp.library.text.names import split_names
from tests.growth import LINEAR, growth
from tests.library.text.test_metadata import paper


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Lovelace, Ada and Charles Babbage", ("Ada Lovelace", "Charles Babbage")),
        ("Ludwig van Beethoven", ("Ludwig van Beethoven",)),
        ("van Beethoven, Ludwig", ("Ludwig van Beethoven",)),
        ("King, Jr, Martin Luther", ("Martin Luther King Jr",)),
        ("{The Society} and Kurt G{\\\"o}del", ("The Society", "Kurt Gödel")),
        ("{Barnes and Noble, Inc.}", ("Barnes and Noble, Inc.",)),
        ("{Auk, Ann and Bee}, Jo", ("Ann Auk", "Jo Bee")),
        ("{Auk, Ann and Bee, Jo}", ("Ann Auk", "Jo Bee")),
        ("{Ann Auk, Jo Bee, Max Cod}, Eve Doe", ("Ann Auk", "Jo Bee", "Max Cod", "Eve Doe")),
        ("{A. Auk, J. Bee}", ("A. Auk", "J. Bee")),
        ("{Earth, Air and Water}", ("Earth, Air and Water",)),
        ("{World Bank, Washington D.C., United States}",
         ("World Bank, Washington D.C., United States",)),
        ("{Ministry of Health, Labour and Welfare}", ("Ministry of Health, Labour and Welfare",)),
        ("{Auk}, A.and {Bee}, J.", ("A. Auk", "J. Bee")),
        ("Auk, Ann and {and Bee}, Jo", ("Ann Auk", "Jo Bee")),
        ("Curie, M. and others", ("M. Curie",)),
        ("Aad, G. and Abeloos, B. et al.", ("G. Aad", "B. Abeloos")),
        ("A. {Abed Abud}, et al", ("A. Abed\u00a0Abud",)),
        ("Curie, M. and {et al.}", ("M. Curie",)),
        ("Et Al, Ida", ("Ida Et\u00a0Al",)),
        ("Ada\n  Lovelace\n and\n Babbage, C.", ("Ada Lovelace", "C. Babbage")),
        ("A AND B", ("A", "B")),
        ("张三 and 李, 四", ("张三", "李四")),
        ("田中, 太郎 and 鈴木, 一郎 and Doe, Jane", ("田中太郎", "鈴木一郎", "Jane Doe")),
        ("张三, 李四, 王五", ("张三", "李四", "王五")),
        ("张三，李四", ("张三", "李四")),
        ("张三; 李四；王五;", ("张三", "李四", "王五")),
        ("张三 and 李四 and 等", ("张三", "李四")),
        ("张三 李四", ("张三", "李四")),
        ("张三 李四 and 王五", ("张三", "李四", "王五")),
        ("山田 一郎 and 佐藤 次郎 and Bo Fen", ("山田一郎", "佐藤次郎", "Bo Fen")),
        ("山田 一郎 and others", ("山田一郎",)),
        ("佐々木, 太郎 and 鈴木, あゆみ", ("佐々木太郎", "鈴木あゆみ")),
        ("カーニハン, ブライアン", ("ブライアン カーニハン",)),
        ("김, 철수 and 박영희 and 남궁, 민수", ("김철수", "박영희", "남궁민수")),
        ("김 철수 and 브라이언 커니핸", ("김철수", "브라이언 커니핸")),
        ("张三, 李四, 等", ("张三", "李四")),
        ("张三、李四等人", ("张三", "李四")),
        ("王芳等", ("王芳",)),
        ("张三 and 李四, 等.", ("张三", "李四")),
        ("[美]约翰·史密斯 and [美] Knuth, Donald E. and （英）玛丽",
         ("约翰·史密斯", "Donald E. Knuth", "玛丽")),
        ("周志华 著", ("周志华",)),
        ("王 著", ("王著",)),
        ("李航, 张三 编著", ("李航", "张三")),
        ("family=Neumann, given=John, prefix=von", ("John von Neumann",)),
        ("A and and B and", ("A", "B")),
        ("", ()),
        ("}{ and {", ()),
        ("Müller, J.; M&uuml;ller, A.; van der Berg, K.;",
         ("J. Müller", "A. Müller", "K. van der Berg")),
        (r"J.\;M. Smith and {A; B}", ("J. M. Smith", "A;\u00a0B")),
        ("Llion Jones 0001 and Wei Wang 0002", ("Llion Jones", "Wei Wang")),
        ("{NeurIPS 0001} and Team 2000", ("NeurIPS\u00a00001", "Team 2000")),
        ("F. Faccio, S. Michelis, and J.-P. Roe", ("F. Faccio", "S. Michelis", "J.-P. Roe")),
        ("Smith JR, van der Berg K", ("JR Smith", "K van der Berg")),
        ("John Smith, Kate Doe, Lee van Roe", ("John Smith", "Kate Doe", "Lee van Roe")),
        ("Liu, Zhenfeng, Hu, Sarah K, Caron, David", ("Zhenfeng Liu", "Sarah K Hu", "David Caron")),
        ("Colthrope A. and Saussure, F. de", ("A. Colthrope", "F. de Saussure")),
        ("Institute of Physics U.K. and A. B.", ("Institute of Physics U.K.", "A. B.")),
        ("García Márquez, Gabriel José", ("Gabriel José García\u00a0Márquez",)),
        ("Smith, John, Jr.", ("John Smith Jr.",)),
        ("Guy L. Steele, Jr. and Smith, JR", ("Guy L. Steele Jr.", "JR Smith")),
        ("{Marsden, Jerrold E.}", ("Marsden, Jerrold E.",)),
        ("Li, X. Y. and Wu, V.", ("X. Y. Li", "V. Wu")),
        (r"Curie, M. and {et~al.}", ("M. Curie",)),
        (r"Curie, M. \textit{et al.}", ("M. Curie",)),
        ("Curie, M. and ...", ("M. Curie",)),
        (r"J. Doe \& K. Smith", ("J. Doe", "K. Smith")),
        ("Smith, J., Doe, K., & Roe, L.", ("J. Smith", "K. Doe", "L. Roe")),
        ("Smith, John &amp; Jones, Kate and Roe, L.", ("John Smith", "Kate Jones", "L. Roe")),
        (r"Doe, J. \& {van der Berg}, J.", ("J. Doe", "J. van der Berg")),
        (r"Procter \& Gamble and {A. B. \& C. D.}", ("Procter & Gamble", "A. B. & C. D.")),
        ("Texas A & M University", ("Texas A & M University",)),
        ("Booz Allen & Hamilton Inc.", ("Booz Allen & Hamilton Inc.",)),
    ],
)  # fmt: skip
def test_people_are_split_in_order_as_one_reads_them(written: str, names: tuple[str, ...]) -> None:
    assert split_names(written) == names


@pytest.mark.parametrize(
    ("written", "more"),
    [
        ("Curie, M. and others", True),
        ("Curie, M. and {others}", True),
        ("Curie, M. and Langevin, P. et al.", True),
        ("Curie, M. and {et al.}", True),
        (r"Curie, M. and {et~al.}", True),
        (r"Curie, M., \emph{et al.}", True),
        ("Curie, M. and \\ldots", True),
        ("张三 and 李四 and 等", True),
        ("张三，李四，等", True),
        ("王芳等", True),
        ("王芳", False),
        ("Curie, M.", False),
        ("Others, Ann", False),
        ("Curie, M. and Others, Ann", False),
        ("{Shore and Others}", False),
    ],
)
def test_a_list_of_people_that_is_cut_short_says_so(written: str, more: bool) -> None:
    assert paper(f"author = {{{written}}}").more_authors is more
    assert paper(f"editor = {{{written}}}").more_authors is more


def test_ampersands_between_names_cost_no_time() -> None:
    assert len(split_names("J. Doe & " * 20_000)) == 20_000
    assert growth(lambda size: "J. Doe & " * size, split_names, 8_000) < LINEAR


def test_blanks_between_names_cost_no_time() -> None:
    assert split_names("Curie, M." + " " * 20_000 + "x" + ", " * 10_000) == ("M. x Curie",)
    assert split_names("张三" + " " * 20_000 + "李四") == ("张三", "李四")
    assert len(split_names("Ab" * 20_000 + " A." * 20_000 + " x, " + "Y. Z " * 20_000)) == 1
    for written in (
        lambda size: "Curie, M." + " " * size + "x" + ", " * size,
        lambda size: "张三" + " " * size + "李四",
        lambda size: "Ab" * size + " A." * size + " x, " + "Y. Z " * size,
    ):
        assert growth(written, split_names, 20_000) < LINEAR
