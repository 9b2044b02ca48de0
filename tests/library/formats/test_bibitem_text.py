r"""What the usual styles print behind a `\bibitem` is read back as people, title and year."""

from __future__ import annotations

import pytest

from cite_lsp.library.formats.bibitem_text import PrintedParts, read_printed


@pytest.mark.parametrize(
    ("printed", "year"),
    [
        (r"A. Moor and B. Reed, On gulls, Science \textbf{314}, 1757 (2006).", "2006"),
        (r"A. Moor, Nature 248 (1974) 30.", "1974"),
        (r"A. Moor. \newblock On gulls. \newblock \emph{arXiv:2005.14165}, 2020.", "2020"),
        (r"A. Moor. \newblock Gulls of 1999. \newblock In \emph{Birds}, pages 1--9, 2001.", "2001"),
        (r"Moor, A., May 2012. {Gulls of 1999}. Birds 9, 1757.", "2012"),
        (r"Moor, A. (2019). The census of 2014. \textit{Birds}, 12, 1984.", "2019"),
        (r"A. Moor, ``On gulls,'' in \emph{Birds}, 2017, pp. 1998--2008.", "2017"),
        (r"A. Moor, ``On gulls,'' \emph{Birds}, vol. 314, p. 1757, 2017.", "2017"),
        (r"Gulls. \newblock \url{https://g.o/1999}, 2020. \newblock Accessed 2 May 2021.", "2020"),
        (r"A. Moor, On gulls, to appear.", ""),
    ],
)  # fmt: skip
def test_the_year_is_none_of_the_other_numbers(printed: str, year: str) -> None:
    assert read_printed(printed).year == year


@pytest.mark.parametrize(
    ("printed", "people", "title"),
    [
        (r"C.~L. Moor and E. J. Reed, \emph{On gulls}, Birds \textbf{95}, 22 (2005).",
         "C. L. Moor; E. J. Reed", "On gulls, Birds 95, 22 (2005)."),
        (r"M. K\"onig et~al., Birds 318, 7 (2007).", "M. König; others", "Birds 318, 7 (2007)."),
        (r"Moor, A., Reed, T.~P., de~Fen, R.~S., 2006. {On gulls}. Birds 311, 1.",
         "Moor, A.; Reed, T. P.; de Fen, R. S.", "On gulls. Birds 311, 1."),
        (r"A.~Moor, B.~Reed, and C.~van~der Fen, ``On gulls,'' in \emph{Birds}, 2017.",
         "A. Moor; B. Reed; C. van der Fen", "On gulls"),
        ("Ada Moor, Bo-Ra Reed, and Kristina~J. Fen.\n\\newblock On gulls.\n\\newblock Birds.",
         "Ada Moor; Bo-Ra Reed; Kristina J. Fen", "On gulls"),
        ("Ada Moor and Bo Reed. 2019.\n\\newblock \\href{http://a}{On gulls}.\n\\newblock Birds.",
         "Ada Moor; Bo Reed", "On gulls"),
        ("Moor, A. and Reed, B.\n\\newblock On gulls.\n\\newblock In \\emph{Birds}, 2018.",
         "Moor, A.; Reed, B.", "On gulls"),
        (r"Moor AB, van der Fen C, \'Etole D et al (2017) On gulls. Birds 12:1--9",
         "Moor, AB; van der Fen, C; Étole, D; others", "On gulls. Birds 12:1–9"),
        ("Vitamin D in gulls. Birds (2017)", "", "Vitamin D in gulls. Birds (2017)"),
        ("Gulls of the northern seas.\n\\newblock \\url{https://gulls.org}, 2020.",
         "", "Gulls of the northern seas"),
        ("All About Gulls.\n\\newblock In \\emph{Birds}, 2018.", "", "All About Gulls"),
        (r"Gulls and Terns, 3rd edn. (2001).", "", "Gulls and Terns, 3rd edn. (2001)."),
    ],
)  # fmt: skip
def test_people_and_title_are_distinguished(printed: str, people: str, title: str) -> None:
    reference = read_printed(printed)
    assert "; ".join((*reference.people, *["others"] * reference.more_people)) == people
    assert reference.title == title


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("张三, 李四. 基于深度学习的方法[J]. 计算机学报, 2019, 42(3): 1-10.",
         PrintedParts(("张三", "李四"), False, "2019", "基于深度学习的方法", "计算机学报")),
        ("Zhang S, VAN LI J P, et al. Deep nets: v2.0 of X [J]. Nature, 2019, 521: 436.",
         PrintedParts(("Zhang, S", "VAN LI, J P"), True, "2019", "Deep nets: v2.0 of X", "Nature")),
        ("王五，赵六，等．机器学习[M]．北京：清华大学出版社，2016：1-5．",
         PrintedParts(("王五", "赵六"), True, "2016", "机器学习", "清华大学出版社")),
        ("张三，李四。某方法［J］。软件学报，2020，31（2）：1－10。",
         PrintedParts(("张三", "李四"), False, "2020", "某方法", "软件学报")),
        ("李航. 统计学习方法[M]. 2版. 北京: 清华大学出版社, 2019.",
         PrintedParts(("李航",), False, "2019", "统计学习方法", "清华大学出版社")),
        ("国家统计局. 统计年鉴[EB/OL]. (2020-01-01)[2021-03-05]. http://a.b.",
         PrintedParts(("国家统计局",), False, "2020", "统计年鉴", "")),
        ("陈七. 某方法研究[D]. 北京: 清华大学, 2018.",
         PrintedParts(("陈七",), False, "2018", "某方法研究", "清华大学")),
        ("He K, Sun J. Deep residual learning[C]//Proceedings of CVPR. 2016: 770.",
         PrintedParts(("He, K", "Sun, J"), False, "2016", "Deep residual learning",
                 "Proceedings of CVPR")),
        ("张三, 李四.\n\\newblock 某方法\\allowbreak[J].\n\\newblock 计算机学报, 2019, 42: 1-10.",
         PrintedParts(("张三", "李四"), False, "2019", "某方法", "计算机学报")),
        ("A. Moor and B. Reed, On gulls[1], Science (2006).",
         PrintedParts(("A. Moor", "B. Reed"), False, "2006", "On gulls[1], Science (2006).", "")),
    ],
)  # fmt: skip
def test_references_of_the_chinese_standard_say_what_is_the_title(
    printed: str, expected: PrintedParts
) -> None:
    assert read_printed(printed) == expected


def test_where_the_people_are_known_the_first_block_is_theirs() -> None:
    printed = "the gull team. 2019.\n\\newblock On gulls.\n\\newblock In \\emph{Sea Birds}, page 1."
    assert read_printed(printed).title.startswith("the gull team.")
    reference = PrintedParts((), False, "2019", "On gulls", "Sea Birds")
    assert read_printed(printed, named=True) == reference
