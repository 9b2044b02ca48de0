"""PDF folders: the title and the abstract of a first page, and files that are no papers."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from cite_lsp.corpus.citations import PaperCitations
from cite_lsp.corpus.paper_identifiers import title_identifier
from cite_lsp.corpus.sources import find_files, read_source
from cite_lsp.installation import how_to_install
from cite_lsp.paper import Paper
from tests.corpus.pdf_files import Line, pdf
from tests.corpus.sources_read import papers_of_source

needs_pypdf = pytest.mark.usefixtures("pypdf")
HEAD: list[Line] = [
    (9, 760, "Proceedings of the Shore Society, 2011"),
    (17, 720, "On the Slow Growth"),
    (17, 700, "of Tidal Marshes"),
    (11, 670, "Ada Moor and Bo Fen"),
    (12, 640, "Abstract"),
]
ABSTRACT: list[Line] = [
    (10, 620, "Marshes grow where silt settles. We meas-"),
    (10, 608, "ure how fast that is at forty places over"),
    (10, 596, "ninety years, and find that half of them drown."),
]
REST: list[Line] = [(12, 560, "1 Introduction"), (10, 540, "Everybody knows the sea.")]
SAID = (
    "Marshes grow where silt settles. We measure how fast that is at forty places over"
    " ninety years, and find that half of them drown."
)


@pytest.fixture
def pypdf() -> None:
    """What reads PDF files."""
    pytest.importorskip("pypdf", reason="needs the pdf extra")


def read(path: Path) -> tuple[list[Paper], list[str]]:
    messages: list[str] = []
    return list(papers_of_source(path, messages.append)), messages


def written(folder: Path, data: bytes, name: str = "file.pdf") -> Path:
    (folder / name).write_bytes(data)
    return folder / name


@needs_pypdf
def test_the_largest_type_is_the_title_and_the_abstract_ends_where_the_text_begins(
    tmp_path: Path,
) -> None:
    (paper,), messages = read(written(tmp_path, pdf([[*HEAD, *ABSTRACT, *REST]])))
    assert not messages
    assert paper.title == "On the Slow Growth of Tidal Marshes"
    assert paper.abstract == SAID
    assert paper.id.startswith("pdf:") and paper.language == "en"


CHINESE_HEAD: list[Line] = [
    (9, 760, "第42卷  第5期"),
    (18, 720, "基于深度学习的短文本分类"),
    (18, 698, "方法研究综述"),
    (11, 670, "张三  李四"),
]
CHINESE_TEXT: list[Line] = [
    (9, 640, "摘  要：文本分类是自然语言处理的重要任务。本文综述了深度学习在短文本分"),
    (9, 628, "类中的应用，比较了卷积网络、循环网络与预训练模型在公开数据集上的优点和不足，"),
    (9, 616, "并讨论了未来的研究方向。该综述覆盖了近十年的主要工作，共计一百余篇文献。"),
    (9, 604, "关键词：文本分类；深度学习"),
    (10, 580, "1  引言"),
    (10, 568, "近年来，深度学习发展迅速。"),
]


@needs_pypdf
def test_a_chinese_page_has_its_title_and_its_abstract_without_blanks(tmp_path: Path) -> None:
    made = pdf([[*CHINESE_HEAD, *CHINESE_TEXT]], chinese=True)
    (paper,), messages = read(written(tmp_path, made))
    assert not messages
    assert paper.title == "基于深度学习的短文本分类方法研究综述"
    assert paper.language == "zh"
    assert "本文综述了深度学习在短文本分类中的应用" in paper.abstract
    assert paper.abstract.startswith("文本分类") and paper.abstract.endswith("百余篇文献。")


@needs_pypdf
def test_an_abstract_may_go_on_overleaf(tmp_path: Path) -> None:
    (paper,), _ = read(written(tmp_path, pdf([[*HEAD, *ABSTRACT[:1]], [*ABSTRACT[1:], *REST]])))
    assert paper.abstract == SAID


@needs_pypdf
@pytest.mark.parametrize(
    ("own", "title"),
    [
        ("Marshes grow where silt settles", "Marshes grow where silt settles"),
        ("Microsoft Word - final2.doc", "On the Slow Growth of Tidal Marshes"),
        ("untitled", "On the Slow Growth of Tidal Marshes"),
    ],
)
def test_the_title_that_a_file_has_counts_if_its_page_has_it_too(
    tmp_path: Path, own: str, title: str
) -> None:
    info = {"Title": own, "Author": "Ada Moor and Bo Fen"}
    (paper,), _ = read(written(tmp_path, pdf([[*HEAD, *ABSTRACT, *REST]], info)))
    assert paper.title == title
    assert paper.authors == ("Ada Moor", "Bo Fen")


@needs_pypdf
def test_a_doi_or_a_number_of_arxiv_on_the_page_names_the_paper(tmp_path: Path) -> None:
    stamp: Line = (8, 40, "https://doi.org/10.1000/ABC.7 arXiv:1106.01234v2 [cs.CL] 7 Jun 2011")
    (paper,), _ = read(written(tmp_path, pdf([[*HEAD, *ABSTRACT, *REST, stamp]])))
    assert (paper.id, paper.doi) == ("doi:10.1000/abc.7", "10.1000/abc.7")
    assert (paper.arxiv, paper.year) == ("1106.01234", 2011)


@needs_pypdf
def test_files_that_are_no_papers_are_a_line_each_and_the_rest_goes_on(tmp_path: Path) -> None:
    import pypdf

    whole = pdf([[*HEAD, *ABSTRACT, *REST]])
    sealed, locked = io.BytesIO(), pypdf.PdfWriter(clone_from=io.BytesIO(whole))
    locked.encrypt("secret", algorithm="RC4-128")
    locked.write(sealed)
    files = {
        "a-scan.pdf": pdf([[]]),
        "broken.pdf": whole[:200],
        "encrypted.pdf": sealed.getvalue(),
        "figure.pdf": pdf([[(9, 300, "x"), (9, 200, "y axis")]]),
        "good.pdf": whole,
    }
    for name, data in files.items():
        written(tmp_path, data, name)
    assert {path.name for path in find_files([tmp_path])} == set(files)
    messages: list[str] = []
    papers = [
        paper
        for path in find_files([tmp_path])
        for paper in papers_of_source(path, messages.append)
    ]
    assert [paper.abstract for paper in papers] == [SAID]
    assert len(messages) == 4
    for line, name, what in zip(
        messages,
        sorted(files),
        ("holds no text", "is no PDF that can be read", "is encrypted", "no title was found"),
        strict=False,
    ):
        assert line.startswith(f"{tmp_path / name}: {what}") and "\n" not in line


def test_without_pypdf_a_file_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)
    path = written(tmp_path, pdf([HEAD]), "paper")
    assert read(path) == ([], [f"{path}: reading PDF needs pypdf; {how_to_install('pdf')}"])


BODY_LINES: list[Line] = [
    (10, 540, "Everybody knows the sea [1], and as Fen et al. (2005) say, mud is wet, see a[2]."),
    (10, 528, "Gulls nest on it [2, 3]."),
]
LIST: list[Line] = [
    (12, 700, "References"),
    (10, 680, "[1] Ann Lee. A short history of the northern sea. Shore 3, 1990."),
    (10, 668, "[2] Bo Fen and others. Why mud is always wet. Mud, 2005. doi:10.1000/mud"),
    (10, 656, '[3] C. Gull, "Where gulls build their nests," Birds, 2001.'),
    (10, 644, "[4] Nobody. What no marker ever cites. 1999."),
]


def cites_of(path: Path) -> tuple[list[PaperCitations], list[str]]:
    messages: list[str] = []
    return [
        item for item in read_source(path, messages.append) if isinstance(item, PaperCitations)
    ], messages


@needs_pypdf
def test_what_a_paper_cites_follows_from_its_markers_and_its_list(tmp_path: Path) -> None:
    data = pdf([[*HEAD, *ABSTRACT, (12, 560, "1 Introduction"), *BODY_LINES], LIST])

    cites, messages = cites_of(written(tmp_path, data))

    assert not messages and len({citation.citing for citation in cites}) == 1
    said = [
        (citation.cited, citation.contexts[0].left[-24:], citation.contexts[0].right)
        for citation in cites[:-1]
    ]
    sea, mud = "title a short history of the northern sea", "title why mud is always wet"
    gulls = "title where gulls build their nests"
    first, fen, both = said
    assert sea in first[0] and mud not in first[0]
    assert first[1] == " Everybody knows the sea"
    assert first[2].startswith(", and as say, mud is wet, see a[2]. Gulls nest on it.")
    assert {"doi 10.1000/mud", mud} <= {*fen[0]} and fen[2].startswith("say, mud is wet")
    assert {mud, gulls} <= {*both[0]} and sea not in both[0]
    assert "title what no marker ever cites" in cites[-1].cited and not cites[-1].contexts


def raised(height: float, *pieces: str) -> list[Line]:
    """Return a line of which every other piece is raised."""
    return [
        (7, height + 3.6, piece) if number % 2 else (10, height, piece)
        for number, piece in enumerate(pieces)
    ]


def cited_in(folder: Path, lines: Sequence[Line]) -> list[tuple[list[int], str]]:
    """Return which entries of `LIST` a text cites, marker by marker, and the words before it."""
    entries = ["title a short history of the northern sea", "title why mud is always wet"]
    entries += ["title where gulls build their nests", "title what no marker ever cites"]
    page: list[Line] = [*HEAD, *ABSTRACT, (12, 560, "1 Introduction"), *lines]
    cites, messages = cites_of(written(folder, pdf([page, LIST])))
    assert not messages
    return [
        (
            [n for n, identifier in enumerate(entries, 1) if identifier in citation.cited],
            citation.contexts[0].left,
        )
        for citation in cites
        if citation.contexts
    ]


@needs_pypdf
def test_raised_numbers_cite_and_powers_do_not(tmp_path: Path) -> None:
    lines = [
        *raised(540, "Everybody knows the sea.", "1", " It has 10", "3", " bays of 5 km", "2", "."),
        *raised(528, "Mud is wet,", "2,3", " and so is silt", "1-3", " where R", "2", " = 0.9."),
    ]

    contexts = cited_in(tmp_path, lines)

    assert [numbers for numbers, _ in contexts] == [[1], [2, 3], [1, 2, 3]]
    assert [words[-8:] for _, words in contexts] == ["the sea.", " is wet,", " is silt"]
    assert "bays of 5 km². Mud is wet," in contexts[1][1]


@needs_pypdf
def test_a_raised_number_with_a_note_on_its_page_cites_nothing(tmp_path: Path) -> None:
    lines = [
        *raised(540, "Everybody knows the sea.", "1", " Mud is wet,", "2,3", " as mud is"),
        *raised(528, "known to be by everybody", "4", "."),
        (5, 402.5, "1"),
        (8, 400, "It is blue."),
    ]

    assert [numbers for numbers, _ in cited_in(tmp_path, lines)] == [[2, 3], [4]]


@needs_pypdf
def test_below_numbered_addresses_the_same_numbers_cite(tmp_path: Path) -> None:
    lines = [
        *raised(555, "ada moor", "1,", " and bo fen", "2"),
        *((5, 542.5, "1"), (8, 540, "moor road, fen")),
        *((5, 530.5, "2"), (8, 528, "fen road, moor")),
        *raised(510, "Everybody knows the sea.", "1", " Mud is wet,", "1,2", " as mud is"),
    ]

    assert [numbers for numbers, _ in cited_in(tmp_path, lines)] == [[1], [1, 2]]


@needs_pypdf
def test_brackets_right_behind_words_cite_and_those_of_arrays_and_calls_do_not(
    tmp_path: Path,
) -> None:
    lines: list[Line] = [
        (10, 540, "Shores[1] are of mud(Fen et al., 2005), as x[2] and a_mud[2] and log2[2]"),
        (10, 528, "and f(Gull, 2001) and data[3] = 0 are known. Gulls[3] nest in all of it."),
    ]

    assert [numbers for numbers, _ in cited_in(tmp_path, lines)] == [[1], [2], [3]]


@needs_pypdf
def test_where_markers_stand_apart_from_words_brackets_behind_one_cite_nothing(
    tmp_path: Path,
) -> None:
    lines: list[Line] = [
        (10, 540, "All know the sea [1] and mud [2], whose values[3] are new (Fen et al., 2005)."),
    ]

    assert [numbers for numbers, _ in cited_in(tmp_path, lines)] == [[1], [2], [2]]


@needs_pypdf
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("这种方法[3]很好，其他[1,2]也是。", ["这种方法", "其他"]),
        ("这种方法³很好，其他¹,²也是。", ["这种方法", "其他"]),
    ],
)
def test_chinese_words_have_markers_right_behind_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, words: list[str]
) -> None:
    from cite_lsp.corpus.full_text import pdf_papers

    listed = "\n".join(line for _, _, line in LIST)
    monkeypatch.setattr(pdf_papers, "_text", lambda reader: f"{text}\n{listed}")

    contexts = cited_in(tmp_path, [])

    assert [numbers for numbers, _ in contexts] == [[3], [1, 2]]
    assert all(left.endswith(word) for (_, left), word in zip(contexts, words, strict=True))


@needs_pypdf
def test_where_brackets_cite_raised_numbers_do_not(tmp_path: Path) -> None:
    lines = raised(540, "All know the sea [1], mud [2] and gulls [3]. So say all", "2", " of us")

    assert [numbers for numbers, _ in cited_in(tmp_path, lines)] == [[1], [2], [3]]


@needs_pypdf
def test_a_paper_whose_later_pages_are_damaged_is_a_paper(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cite_lsp.corpus.full_text import pdf_papers

    def broken(reader: object) -> str:
        raise ValueError("page 7 is damaged")

    monkeypatch.setattr(pdf_papers, "_text", broken)
    path = written(tmp_path, pdf([[*HEAD, *ABSTRACT, *REST]]))

    (paper,), messages = read(path)

    assert paper.title == "On the Slow Growth of Tidal Marshes"
    assert messages == [f"{path}: what it cites cannot be read (page 7 is damaged)"]


@needs_pypdf
@pytest.mark.skipif(
    not all(map(shutil.which, ("pdflatex", "bibtex"))), reason="TeX is not installed"
)
@pytest.mark.parametrize(
    ("natbib", "style"),
    [
        ("", "plainnat"),
        ("numbers,sort&compress", "unsrtnat"),
        ("super,sort&compress", "unsrtnat"),
        ("", "apalike"),
    ],
)
def test_a_draft_that_tex_has_set_cites_what_it_cited(
    tmp_path: Path, natbib: str, style: str
) -> None:
    entries = {
        "kim": ("Kim, Jo and Ruiz, Ana", "Mud settles among the reeds", 2012),
        "li": ("Li, Wei", "Salt in the marshes of the {North Sea}", 2011),
        "smith": ("Smith, Peter A. and others", "Flumes: A history, and what became of them", 2010),
    }
    bib = "".join(
        f"@article{{{key}, author={{{author}}}, title={{{title}}}, year={year}, "
        "journal={Shore}}\n"
        for key, (author, title, year) in entries.items()
    )
    tex = (
        f"\\documentclass{{article}}\\usepackage[{natbib}]{{natbib}}\\title{{A flume of mud}}"
        "\\begin{document}\\maketitle\nMud settles \\citep{kim, li}, as \\citet{smith} "
        "have shown, it is known.\n\nRoots hold \\citep[see][p.~3]{li}.\n"
        f"\\bibliographystyle{{{style}}}\\bibliography{{all}}\\end{{document}}\n"
    )
    (tmp_path / "all.bib").write_text(bib)
    (tmp_path / "draft.tex").write_text(tex)
    for program in ("pdflatex", "bibtex", "pdflatex", "pdflatex"):
        options = ["-interaction=batchmode"] if program == "pdflatex" else []
        subprocess.run(
            [program, *options, "draft"], cwd=tmp_path, check=True, capture_output=True, timeout=120
        )

    cites, messages = cites_of(tmp_path / "draft.pdf")

    assert not messages
    key_of = {
        title_identifier(title.replace("{", "")): key for key, (_, title, _) in entries.items()
    }
    keys_cited = [
        [key_of[identifier] for identifier in citation.cited if identifier in key_of]
        for citation in cites
        if citation.contexts
    ]
    assert [sorted(keys) for keys in keys_cited] == [["kim", "li"], ["smith"], ["li"]]
    first, _, last = (citation.contexts[0].left for citation in cites if citation.contexts)
    assert first.endswith("Mud settles") and last.removesuffix(" see").endswith("Roots hold")


@needs_pypdf
def test_a_running_head_that_is_the_heading_of_the_list_is_one(tmp_path: Path) -> None:
    entries = [f"[{n}] Ann Lee. A study of shore number {n}. Shore, 1990." for n in range(1, 13)]
    pages: list[list[Line]] = [[*HEAD, *ABSTRACT, (12, 560, "1 Introduction"), *BODY_LINES]]
    for start in range(0, 12, 3):
        lines = ["REFERENCES", *entries[start : start + 3], str(start)]
        pages.append([(10, 700 - 12 * row, line) for row, line in enumerate(lines)])

    cites, _ = cites_of(written(tmp_path, pdf(pages)))

    identifiers = {identifier for citation in cites for identifier in citation.cited}
    assert {f"title a study of shore number {n}" for n in range(1, 13)} <= identifiers
