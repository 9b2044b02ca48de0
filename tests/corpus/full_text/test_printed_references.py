"""Lists of references as papers print them, and what a printed marker cites."""

from __future__ import annotations

import re

import pytest

from cite_lsp.corpus.full_text.printed_references import PrintedReferences, split_references
from cite_lsp.corpus.paper_identifiers import title_identifier

BODY = "1 Introduction\nMarshes grow where silt settles [1]. So say all.\n" * 3
TITLES = (
    "Silt and the growth of tidal marshes",
    "Nesting habits of the herring gull, revisited",
    "Julia: a language for self-attention",
    "Fast and exact tides",
)
IEEE = """References
[1] A. Moor, B. C. Fen, and D. O’Hara, “Silt and the growth of tidal
marshes,” J. Shore, vol. 3, pp. 1–9, 2001.
[2] E. van der Berg, “Nesting habits of the herring gull, revisited,” in Proc.
[7] Birds, 2005.
[3] F. Li and G. Wu, “Julia: a language for self-
attention,” arXiv:1905.01234, 2019.
[4] H. Kim et al., “Fast and exact tides,” 2010, doi: 10.1000/TIDES.4
"""
PLAIN = """7. Bibliography
1. Ada Moor, B. C. Fen, and Dora O’Hara. Silt and the growth of tidal marshes. Journal of the
Shore, 3(2):1–9, 2001.
2. Eva van der Berg. Nesting habits of the herring gull, revisited. Birds, 2005.
3. Fan Li and Gao Wu. Julia: a language for self-attention. 2019.
4. Kim H. Fast and exact tides. Tides 2010; 3:1.
"""
APA = """REFERENCES
Kim, H., Li, F., and Wu, G. (2010). Fast and exact tides. Tides, 3(1).
Li, F. and Wu, G. (2019). Julia: a language for self-
attention. In Lang.NEXT.
Moor, A., Fen, B. C., & O’Hara, D. (2001). Silt and the growth of
tidal marshes. Journal of the Shore, 3(2), 1–9. https://doi.org/10.1000/x
van der Berg, E. (2005a). Nesting habits of the herring gull, revisited. Birds.
Appendix A: Details
A table of nothing, 2020.
"""


def cited_by(listed: str, marker: str) -> list[str]:
    """Return which of the known titles a marker cites."""
    _, references = split_references(BODY + listed)
    identifiers = {title_identifier(title): title for title in TITLES}
    return [
        identifiers[identifier]
        for reference in PrintedReferences(references).cited_by(marker)
        for identifier in reference.identifiers
        if identifier in identifiers
    ]


@pytest.mark.parametrize("listed", [IEEE, PLAIN])
@pytest.mark.parametrize(
    ("marker", "numbers"),
    [
        ("[1]", [1]),
        ("[2, 4]", [2, 4]),
        ("[1–3]", [1, 2, 3]),
        ("[see 3]", [3]),
        ("[see 2, p. 3]", [2]),
        ("[e.g. 1, 3-4]", [1, 3, 4]),
        ("[9]", []),
        ("[9–1]", []),
        ("[0, 1]", []),
        ("[for example, 2, 4, among others]", [2, 4]),
    ],
)
def test_numbers_cite_what_is_labelled_so(listed: str, marker: str, numbers: list[int]) -> None:
    assert cited_by(listed, marker) == [TITLES[number - 1] for number in numbers]


@pytest.mark.parametrize("listed", [APA, re.sub(r"(?m)^\d\. ", "", PLAIN)])
@pytest.mark.parametrize(
    ("marker", "numbers"),
    [
        ("(Moor et al., 2001)", [1]),
        ("O’Hara (2001)", [1]),
        ("van der Berg [2005a]", [2]),
        ("(see Li and Wu, 2019; Kim et al. 2010)", [3, 4]),
        ("Kim’s (2010)", [4]),
        ("(Moor, 2010)", []),
        ("(Nobody, 2001)", []),
    ],
)
def test_names_and_years_cite_whom_a_reference_begins_with(
    listed: str, marker: str, numbers: list[int]
) -> None:
    assert cited_by(listed, marker) == [TITLES[number - 1] for number in numbers]


@pytest.mark.parametrize("labels", ["(1) (2) (3) (4)", "[1] [2] [3] [4]", "¹ ² ³ ⁴"])
def test_raised_numbers_cite_by_labels_of_every_form(labels: str) -> None:
    listed = PLAIN
    for number, label in enumerate(labels.split(), 1):
        listed = listed.replace(f"\n{number}. ", f"\n{label}")
    assert cited_by(listed, "¹,³–⁴") == [TITLES[0], TITLES[2], TITLES[3]]


ALPHA = """References
[Kim10a] Hana Kim. Fast and exact tides. Tides 3:1, 2010.
[LW19] Fan Li and Gao Wu. Julia: a language for self-attention. 2019.
[MFO +01] Ada Moor, Bo Fen, Dora O’Hara, and Al Gore. Silt and the growth of tidal marshes.
Journal of the Shore, 3(2):1–9, 2001.
"""


@pytest.mark.parametrize(
    ("marker", "numbers"),
    [
        ("[MFO+01]", [1]),
        ("[MFO +01, Kim10a]", [1, 4]),
        ("[see LW19, p. 3]", [3]),
        ("[Kim10b]", []),
    ],
)
def test_labels_of_letters_are_cited_as_they_are(marker: str, numbers: list[int]) -> None:
    assert cited_by(ALPHA, marker) == [TITLES[number - 1] for number in numbers]


@pytest.mark.parametrize("dash", ["–", "———.", "— — —", "---."])
def test_a_dash_is_for_the_people_of_the_reference_before(dash: str) -> None:
    listed = (
        "References\nKim, Hana (2010). Fast and exact tides. In: Tides 3, pp. 17\n–45.\n"
        f"{dash} (2019). Julia: a language for self-attention. Shore.\n"
        "Moor, Ada (2001). Silt and the growth of tidal marshes. Shore.\n"
    )
    assert cited_by(listed, "(Kim, 2010, 2019)") == [TITLES[3], TITLES[2]]


def test_behind_a_dash_others_may_join_and_editors_and_translators_are_named() -> None:
    listed = (
        "References\nMoor, Ada. 2001. Silt and the growth of tidal marshes. Shore.\n"
        "———, ed. 2005. Nesting habits of the herring gull, revisited. Birds.\n"
        "———, trans. 2006. Julia: a language for self-attention. Shore.\n"
        "Kim, Hana (2010). Fast and exact tides. In: Tides 3, pp. 17–45.\n"
        "———, and Fen, B. (2003). Mud of the southern sea. Shore.\n"
        "———, and Gull, C. (2004). Salt of the northern sea. Shore.\n"
    )
    assert cited_by(listed, "(Moor, 2001, 2005, 2006)") == list(TITLES[:3])
    assert cited_by(listed, "(Kim, 2010)") == [TITLES[3]]
    references = PrintedReferences(split_references(BODY + listed)[1])
    (with_fen,) = references.cited_by("(Kim and Fen, 2003)")
    (with_gull,) = references.cited_by("(Kim and Gull, 2004)")
    assert with_fen.text.startswith("Kim, Hana and Fen, B. (2003). Mud of the southern sea.")
    assert with_gull.text.startswith("Kim, Hana and Gull, C. (2004). Salt of the northern sea.")


ALIKE = """References
Kim, J. and Li, W. (2010a). Salt of the northern sea. Shore, 3, 2010.
Kim, J. and Park, S. (2010b). Mud of the southern sea. Shore, 3.
Kim, J. (2020). Silt of the western sea. arXiv:2010.12345.
Li, W. and Wu, G. (2011). Reeds of the eastern sea. Shore, 4.
Li, W., Kim, J., and Wu, G. (2011). Gulls of the inner sea. Shore, 4.
"""


@pytest.mark.parametrize(
    ("marker", "titles"),
    [
        ("(Kim and Li, 2010)", ["Salt of the northern sea"]),
        ("(Kim and Park, 2010)", ["Mud of the southern sea"]),
        ("(Kim, 2010b)", ["Mud of the southern sea"]),
        ("(Kim, 2010a,b)", ["Salt of the northern sea", "Mud of the southern sea"]),
        ("(Kim, 2020)", ["Silt of the western sea"]),
        ("(Li and Wu, 2011)", ["Reeds of the eastern sea"]),
        ("(Li et al., 2011)", ["Gulls of the inner sea"]),
        ("[Li and Wu, 2011, Kim, 2020]", ["Reeds of the eastern sea", "Silt of the western sea"]),
        ("(Kim, 2010b, 2020)", ["Mud of the southern sea", "Silt of the western sea"]),
    ],
)
def test_of_references_alike_the_one_that_all_names_and_the_letter_are_of(
    marker: str, titles: list[str]
) -> None:
    _, references = split_references(BODY + ALIKE)
    cited = PrintedReferences(references).cited_by(marker)
    assert [reference.text for reference in cited] == [
        next(
            reference.text
            for reference in references
            if title_identifier(title) in reference.identifiers
        )
        for title in titles
    ]


def test_a_heading_above_each_page_of_the_list_begins_none() -> None:
    entries = [f"[{n}] A. Moor, “A study of shore number {n},” 2001.\n" for n in range(1, 31)]
    pages = ["".join(entries[start : start + 10]) for start in (0, 10, 20)]
    text = BODY + "Bibliography\n" + "28 BIBLIOGRAPHY\n".join(pages)
    body, references = split_references(text)
    assert (body, len(references)) == (BODY, 30)


def test_a_label_that_is_not_read_costs_one_reference_and_what_follows_is_none() -> None:
    entries = [f"[{n}] A. Moor, “A study of shore number {n},” 2001.\n" for n in range(1, 31)]
    entries[10] = entries[10].replace("[11]", "(11)")
    _, references = split_references(
        f"{BODY}References\n{''.join(entries)}Here ends it. " + "Words. " * 500
    )
    assert [reference.label for reference in references] == [
        str(n) for n in range(1, 31) if n != 11
    ]
    assert len(references[-1].text) <= 400


def test_the_list_is_behind_the_last_heading_and_before_an_appendix() -> None:
    body, references = split_references(BODY + "References\nare below.\n" + BODY + APA)
    assert body.count("So say all") == 6 and "Kim, H." not in body
    assert [reference.text[:6] for reference in references] == [
        "Kim, H",
        "Li, F.",
        "Moor, ",
        "van de",
    ]
    assert "Appendix" not in references[-1].text
    assert split_references(BODY) == (BODY, [])


def test_dois_and_numbers_of_arxiv_are_identifiers_as_well() -> None:
    _, references = split_references(BODY + IEEE)
    assert "arxiv 1905.01234" in references[2].identifiers
    assert "doi 10.1000/tides.4" in references[3].identifiers


@pytest.mark.parametrize(
    "written",
    [
        "L. Breiman, “Random forests,” Machine Learning, vol. 45, 2001.",
        "Breiman, L. (2001). Random forests. Machine Learning, 45(1):5–32.",
        "Leo Breiman. Random forests. Machine Learning, 45(1):5–32, October 2001.",
        "Breiman L. Random forests. Machine Learning 2001; 45:5–32.",
        "Leo M. Breiman and Al Gore. Random forests. In Proceedings, 2001a.",
        "Leo Breiman. Random forests . Springer, 2001.",
    ],
)
def test_a_short_title_cites_with_the_year_and_the_first_author(written: str) -> None:
    _, (reference,) = split_references(f"{BODY}References\n{written}\n")
    assert title_identifier("Random forests", "Breiman", 2001) in reference.identifiers
    assert title_identifier("Random forests", "Breiman", 1999) not in reference.identifiers
    assert title_identifier("Random forests", "Gore", 2001) not in reference.identifiers


JOURNAL = "Proceedings of the National Academy of Sciences"


@pytest.mark.parametrize(
    ("written", "title"),
    [
        (f"Ann Lee and Bo van Fen. Mud is always wet here. {JOURNAL}, 3(2):1–9, 2001.", ""),
        (f"Ann Lee, Bo Fen, and C. Gull. Mud is always wet here. In {JOURNAL}, 2001.", ""),
        (f"Lee, A. and Fen, B. (2001). Mud is always wet here. {JOURNAL}, 3(2):1–9.", ""),
        (f"A. Lee and B. Fen, Mud is always wet here, {JOURNAL}, 3 (2001), pp. 1–9.", ""),
        (f"A. Lee, B. Fen. Mud is always wet here. {JOURNAL} 2001; 3:1–9.", ""),
        (f"Lee, A. Mud is always wet here. {JOURNAL}. 2001.", ""),
        (f"The Mud Society of Fen. Mud is always wet here. {JOURNAL}. 2001.", ""),
        (f"Ann Lee. Mud is always wet here. In Cy Gull, editor, {JOURNAL}, pages 3–9, 2001.", ""),
        (
            f"Ann Lee. Mud Is Wet: Ten Proofs. In: {JOURNAL} (2001), pp. 3–9.",
            "Mud Is Wet: Ten Proofs",
        ),
        (f"Ann Lee. In Praise of Mud and Reeds. {JOURNAL}, 2001.", "In Praise of Mud and Reeds"),
        (f"Lee, A. Mud is always wet here ; {JOURNAL}: London, 2001.", ""),
        (f"Ann Lee. mudpy: The Wet Hammer. {JOURNAL}, 2001.", "mudpy: The Wet Hammer"),
        (f"Ann Lee. Silt and Mud of Fens. {JOURNAL}, 2001.", "Silt and Mud of Fens"),
        (f"Ann Lee. Mud Is Wet: Ten Proofs. {JOURNAL}, 3(2):1–9, 2001.", "Mud Is Wet: Ten Proofs"),
        (f"Ann Lee. Mud Is Wet: Ten Proofs. {JOURNAL}, vol. 3 (2001).", "Mud Is Wet: Ten Proofs"),
    ],
)
def test_the_venue_behind_a_title_is_no_title(written: str, title: str) -> None:
    """A corpus may have a volume of that name, and nobody cites it here."""
    _, (reference,) = split_references(f"{BODY}References\n{written}\n")
    assert title_identifier(title or "Mud is always wet here") in reference.identifiers
    assert title_identifier(JOURNAL) not in reference.identifiers


def test_of_hyphens_at_the_ends_of_lines_one_may_belong_there() -> None:
    written = "Lee, A. (2001). Games of rock-paper-\nscissors in popu-\nlations of gulls. Shore."
    _, (reference,) = split_references(f"{BODY}References\n{written}\n")
    assert (
        title_identifier("Games of rock-paper-scissors in populations of gulls")
        in reference.identifiers
    )


def test_a_quoted_title_is_the_only_one() -> None:
    _, references = split_references(BODY + IEEE)
    assert references[1].identifiers == (title_identifier(TITLES[1]),)


@pytest.mark.parametrize(
    "piece", ["Abc Def ", "Smith, J. ", "(", "[1] ", "1. A\n", "Li, W.\n2010."]
)
def test_of_what_is_no_list_no_more_is_taken_than_there_is(piece: str) -> None:
    text = f"{BODY}References\n" + piece * (300_000 // len(piece))
    _, references = split_references(text)
    assert sum(len(reference.text) for reference in references) <= len(text)


CHINESE = """参考文献：
[1] 张三，李四，王五，等. 基于深度学习的短文本
分类方法研究综述[J]. 计算机学报，2019，42(5)：1-10.
[2] HE K M, ZHANG X Y, REN S Q, et al. Deep residual learning
for image recognition[C]//Proceedings of the IEEE Conference on Computer Vision. 2016: 770-778.
［3］周志华.机器学习［M］.北京:清华大学出版社,2016.
[4] 王五. 面向 BERT 的图神经网络推荐系统研究[D]. 杭州：浙江大学，2020.
[5] OpenAI. Introducing the next generation of models[EB/OL]. (2022-11-30)[2023-03-05].
https://openai.com.
作者简介：张三（1990—），男，博士生，主要研究方向为自然语言处理。
"""


@pytest.mark.parametrize(
    ("number", "identifier"),
    [
        (0, title_identifier("基于深度学习的短文本分类方法研究综述")),
        (1, title_identifier("Deep residual learning for image recognition")),
        (2, title_identifier("机器学习", "周志华", 2016)),
        (3, title_identifier("面向BERT的图神经网络推荐系统研究")),
        (4, title_identifier("Introducing the next generation of models")),
    ],
)
def test_references_of_the_chinese_standard_cite_what_stands_before_their_type(
    number: int, identifier: str
) -> None:
    body, references = split_references(f"文本分类很重要[1]。\n{CHINESE}")
    assert body == "文本分类很重要[1]。\n"
    assert [reference.label for reference in references] == ["1", "2", "3", "4", "5"]
    assert identifier in references[number].identifiers
    assert "张三（1990" not in references[4].text


@pytest.mark.parametrize(
    "heading", ["参 考 文 献", "参考文献(References)", "【参考文献】", "參考文獻"]
)
def test_the_list_of_a_chinese_paper_has_a_heading_of_its_own(heading: str) -> None:
    _, references = split_references(f"{BODY}{heading}\n{CHINESE.partition(chr(10))[2]}")
    assert len(references) == 5


def test_lines_of_chinese_go_on_without_a_blank() -> None:
    _, references = split_references(f"{BODY}{CHINESE}")
    assert "短文本分类方法" in references[0].text
