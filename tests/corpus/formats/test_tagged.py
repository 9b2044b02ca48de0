"""What PubMed, EndNote, the Web of Science and RefWorks export as tagged text."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.corpus.citations import PaperCitations, SourceItem
from cite_lsp.corpus.sources import find_files, read_source
from cite_lsp.paper import Paper
from tests.growth import LINEAR, growth

MEDLINE = """
PMID- 30049270
OWN - NLM
IS  - 1741-7007 (Electronic)
DP  - 2018 Jul 26
TI  - Silt in the marsh grows where the tide is slow and
      the reeds are many.
LID - 82 [pii]
LID - 10.1186/S12915-018 [doi]
AB  - BACKGROUND: The tide carries silt. RESULTS: It grows
      among reeds.
FAU - Reed, Cyril B
AU  - Reed CB
FAU - Fen, Bo Jr
AU  - Fen B Jr
CN  - Marsh Group
LA  - eng
PT  - Journal Article
PT  - Retracted Publication
TA  - Marsh Biol
JT  - Marsh biology

PMID- 30049271
TI  - [Dunes that wander].
DP  - 1998
AU  - Sand A
AU  - van der Berg JM
JT  - Sand
"""
ENDNOTE = """%0 Journal Article
%T On tides and ebb
%A Moor, Ada
%A World Shore Watch,
%J Shores
%D 2011
%R https://doi.org/10.1000/XYZ
%X The water rises.
It falls by 50% again.
%U https://example.org

%0 Conference Proceedings
%T Dunes
%E Sand, Ann
%B Proceedings of Sand
%D 1999
%F sand1999
"""
NOTE_EXPRESS = """{Reference Type}: Journal Article
{Title}: 潮汐能发电的研究进展
{Author}: 李明;王小红
{Author Address}: 海洋学院
{Journal}: 海洋学报
{Year}: 2019
{Issue}: 06
{Abstract}: 潮水涨落。
{DOI}: 10.1000/XYZ

{Reference Type}: Thesis
{Title}: 滩涂
{Author}: 张三
{Publisher}: 某大学
{Year}: 2018
"""
WEB_OF_SCIENCE = """\ufeffFN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Moor, A
   Fen, B
AF Moor, Ada
   Fen, Bo
CA Shore Grp
TI On tides and
   ebb
SO SHORES
LA English
DT Article; Retracted Publication
AB The water rises.
CR Aad G, 2012, SHORES, V716, P1, DOI 10.1000/first
   Sand A, 1999, DUNES
   Reed C, 2001, J MARSH, V1, DOI [10.1000/second, DOI 10.1000/second]
PY 2011
DI 10.1000/XYZ
UT WOS:000301
ER

PT C
AU Sand, A
TI Dunes
SO Proceedings of Sand
PY 1999
UT WOS:000302
ER

EF
"""
REFWORKS = """RT Journal Article
SR 1
A1 张三;李四;
T1 海岸潮汐研究
JF 海洋学报
YR 2020
AB 潮汐上涨。

RT Dissertation/Thesis
A1 王五
T1 沙丘
PB 海洋大学
YR 2019
"""


def read(tmp_path: Path, text: str, name: str = "export") -> tuple[list[SourceItem], list[str]]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    messages: list[str] = []
    return list(read_source(tmp_path / name, messages.append)), messages


def test_the_format_of_pubmed(tmp_path: Path) -> None:
    papers, messages = read(tmp_path, MEDLINE)
    assert messages == []
    assert papers == [
        Paper(
            "pmid:30049270",
            "Silt in the marsh grows where the tide is slow and the reeds are many",
            "BACKGROUND: The tide carries silt. RESULTS: It grows among reeds.",
            ("Cyril B Reed", "Bo Fen Jr", "Marsh Group"),
            2018,
            "Marsh biology",
            "10.1186/s12915-018",
            "https://pubmed.ncbi.nlm.nih.gov/30049270/",
            "en",
            "article-journal",
            retracted=True,
        ),
        Paper(
            "pmid:30049271",
            "Dunes that wander",
            authors=("A Sand", "JM van der Berg"),
            year=1998,
            venue="Sand",
            url="https://pubmed.ncbi.nlm.nih.gov/30049271/",
            language="en",
        ),
    ]


def test_the_tagged_format_of_endnote(tmp_path: Path) -> None:
    papers, messages = read(tmp_path, ENDNOTE)
    assert messages == []
    assert papers == [
        Paper(
            "entry:10.1000/xyz",
            "On tides and ebb",
            "The water rises. It falls by 50% again.",
            ("Ada Moor", "World\u00a0Shore\u00a0Watch"),
            2011,
            "Shores",
            "10.1000/xyz",
            "https://example.org",
            "en",
            "article-journal",
        ),
        Paper(
            "entry:sand1999",
            "Dunes",
            authors=("Ann Sand",),
            year=1999,
            venue="Proceedings of Sand",
            language="en",
            kind="paper-conference",
        ),
    ]


def test_the_web_of_science_says_whom_papers_cite(tmp_path: Path) -> None:
    items, messages = read(tmp_path, WEB_OF_SCIENCE)
    assert messages == []
    assert items == [
        Paper(
            "WOS:000301",
            "On tides and ebb",
            "The water rises.",
            ("Ada Moor", "Bo Fen", "Shore\u00a0Grp"),
            2011,
            "SHORES",
            "10.1000/xyz",
            "",
            "en",
            "article-journal",
            retracted=True,
        ),
        PaperCitations("id WOS:000301", ("doi 10.1000/first", "doi 10.1000/second")),
        Paper(
            "WOS:000302",
            "Dunes",
            authors=("A Sand",),
            year=1999,
            venue="Proceedings of Sand",
            language="en",
            kind="paper-conference",
        ),
    ]


def test_refworks_as_chinese_databases_export_it(tmp_path: Path) -> None:
    papers, messages = read(tmp_path, REFWORKS)
    assert messages == []
    first, second = papers
    assert isinstance(first, Paper) and isinstance(second, Paper)
    assert (first.title, first.authors, first.year) == ("海岸潮汐研究", ("张三", "李四"), 2020)
    assert (first.venue, first.abstract, first.kind) == (
        "海洋学报",
        "潮汐上涨。",
        "article-journal",
    )
    assert (second.title, second.venue, second.kind) == ("沙丘", "海洋大学", "thesis")


def test_an_export_that_is_cut_off_is_reported_where_records_have_an_end(tmp_path: Path) -> None:
    _, messages = read(tmp_path, WEB_OF_SCIENCE[: WEB_OF_SCIENCE.index("PY 1999")])
    assert messages == [
        f"{tmp_path / 'export'}:23: the last record has no end (ER); export it again"
    ]


@pytest.mark.parametrize(
    ("text", "without", "line", "tag"),
    [
        (MEDLINE, "TI  - [Dunes that wander].\n", 23, "TI"),
        (ENDNOTE, "%T Dunes\n", 12, "%T"),
        (WEB_OF_SCIENCE, "TI Dunes\n", 23, "TI"),
    ],
    ids=["PubMed", "EndNote", "Web of Science"],
)
def test_a_record_without_a_title_is_reported_and_costs_no_other(
    tmp_path: Path, text: str, without: str, line: int, tag: str
) -> None:
    items, messages = read(tmp_path, text.replace(without, ""))
    assert len([work for work in items if isinstance(work, Paper)]) == 1
    path = tmp_path / "export"
    assert messages == [f"{path}:{line}: the record has no title ({tag}); it is skipped"]


def test_others_among_the_authors_are_no_name(tmp_path: Path) -> None:
    (paper,), _ = read(tmp_path, "%0 Journal Article\n%T Tides\n%A Aad, G.\n%A et al.\n")
    assert isinstance(paper, Paper)
    assert (paper.authors, paper.more_authors) == (("G. Aad",), True)


def test_what_an_exporter_of_ris_says_of_itself_comes_before_the_records(tmp_path: Path) -> None:
    head = "Provider: Shore Press\r\nDatabase: Shores\r\nContent: text/plain\r\n\r\n\r\n"
    (paper,), messages = read(tmp_path, head + "TY  - JOUR\r\nTI  - On tides\r\nER  - \r\n")
    assert isinstance(paper, Paper)
    assert (paper.title, messages) == ("On tides", [])


def test_exports_are_found_in_a_folder_and_notes_are_not(tmp_path: Path) -> None:
    wanted = {
        "a.nbib": MEDLINE, "b.enw": ENDNOTE, "c.ciw": WEB_OF_SCIENCE, "savedrecs.txt":
        WEB_OF_SCIENCE, "pubmed-set.txt": MEDLINE, "cnki.txt": REFWORKS,
    }  # fmt: skip
    others = {"notes.txt": "Tides rise.\n", "words.txt": "tide\tgull\nsand\tdune\n"}
    for name, text in (wanted | others).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert {path.name for path in find_files([tmp_path])} == set(wanted)


def test_what_publishers_mark_up_is_read_by_its_meaning(tmp_path: Path) -> None:
    text = "TY  - JOUR\nTI  - CO<sub>2</sub> in <i>E. coli</i>\nJO  - Cells &amp; Mud\n"
    (paper,), _ = read(tmp_path, text + "AB  - <p>Where p &lt; 0.05.</p>\nER  - \n")
    assert isinstance(paper, Paper)
    assert (paper.title, paper.venue) == ("CO2 in E. coli", "Cells & Mud")
    assert paper.abstract == "Where p < 0.05."


@pytest.mark.parametrize("tag", ["ED", "A2"])
def test_editors_stand_in_for_authors(tmp_path: Path, tag: str) -> None:
    text = f"TY  - BOOK\nTI  - Shores\n{tag}  - Moor, Ada\nER  - \n"
    (paper,), _ = read(tmp_path, text)
    assert isinstance(paper, Paper) and paper.authors == ("Ada Moor",)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "gbk"])
def test_noteexpress(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "export.txt"
    path.write_bytes(NOTE_EXPRESS.replace("\n", "\r\n").encode(encoding))
    assert find_files([tmp_path]) == [path]
    messages: list[str] = []
    assert list(read_source(path, messages.append)) == [
        Paper(
            "entry:10.1000/xyz",
            "潮汐能发电的研究进展",
            "潮水涨落。",
            ("李明", "王小红"),
            2019,
            "海洋学报",
            "10.1000/xyz",
            language="zh",
            kind="article-journal",
        ),
        Paper(
            "entry:滩涂",
            "滩涂",
            "",
            ("张三",),
            2018,
            "某大学",
            language="zh",
            kind="thesis",
        ),
    ]
    assert messages == []


SEARCHED = """SrcDatabase-来源库: 期刊
Title-题名: 潮汐能发电的研究进展: 综述
Author-作者: 李明;王小红;
Organ-单位: 海洋学院;
Source-文献来源: 海洋学报
Keyword-关键词: 潮汐;发电
Summary-摘要: 潮水涨落。
PubTime-发表时间: 2019-05-15
Year-年: 2019
Period-期: 06
DOI-DOI: 10.1000/XYZ


SrcDatabase-来源库: 博士
Title-题名: 滩涂
Author-作者: 张三;
Source-文献来源: 某大学
PubTime-发表时间: 2018-04-01
"""
STUDIED = """DataType: 1
Title-题名: 潮汐能发电的研究进展: 综述
Author-作者: 李明;王小红;
Source-刊名: 海洋学报
Year-年: 2019
Summary-摘要: 潮水涨落。
SrcDatabase-来源库: 期刊
DOI-DOI: 10.1000/XYZ
Link-链接: https://kns.cnki.net/a

DataType: 3
Title-题名: 滩涂
Author-作者: 张三;
Source-学位授予单位: 某大学
Year-年: 2018
SrcDatabase-来源库: 博士
"""


@pytest.mark.parametrize("text", [SEARCHED, STUDIED])
def test_the_formats_of_cnki(tmp_path: Path, text: str) -> None:
    path = tmp_path / "CNKI-1.txt"
    path.write_bytes(text.replace("\n", "\r\n").encode("utf-8-sig"))
    assert find_files([tmp_path]) == [path]
    messages: list[str] = []
    first, second = read_source(path, messages.append)
    assert not messages
    assert isinstance(first, Paper) and isinstance(second, Paper)
    assert (first.title, first.authors) == ("潮汐能发电的研究进展: 综述", ("李明", "王小红"))
    assert (first.year, first.venue, first.doi) == (2019, "海洋学报", "10.1000/xyz")
    assert (first.abstract, first.kind) == ("潮水涨落。", "article-journal")
    assert (second.title, second.year, second.venue) == ("滩涂", 2018, "某大学")
    assert (second.authors, second.kind) == (("张三",), "thesis")


def test_an_abstract_of_cnki_begins_with_its_first_sentence(tmp_path: Path) -> None:
    path = tmp_path / "cnki.net"
    path.write_text(NOTE_EXPRESS.replace("{Abstract}: ", "{Abstract}: <正>摘要："), "utf-8")
    first, *_ = read_source(path, print)
    assert isinstance(first, Paper)
    assert (first.abstract, first.retracted) == ("潮水涨落。", False)


def test_a_value_of_many_lines_takes_time_by_its_length(tmp_path: Path) -> None:
    path = tmp_path / "papers.txt"

    def read(text: str) -> None:
        path.write_text(text, encoding="utf-8")
        assert list(read_source(path, lambda message: None))

    head = "TY  - JOUR\nTI  - Tides"
    assert growth(lambda lines: head + "\nword" * lines + "\nER  - \n", read, 40_000) < LINEAR
