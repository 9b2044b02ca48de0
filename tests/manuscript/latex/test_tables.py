r"""A citation in a table is about its row, and about what the caption says of all rows."""

from __future__ import annotations

import pytest

from cite_lsp.manuscript import Manuscript, parse
from cite_lsp.manuscript.draft.windows import marker_windows
from tests.growth import LINEAR, growth
from tests.manuscript.lone_file import context_at, context_of

BEFORE = "Gulls were counted.\n\n"
FRAME = BEFORE + "\\begin{{table}}\n{}\n\\end{{table}}\n\nThen we left.\n"


def table(rows: str, before: str = r"\caption{Nests of gulls.}", after: str = "") -> Manuscript:
    body = f"{before}\n\\begin{{tabular}}{{lll}}\n{rows}\n\\end{{tabular}}\n{after}"
    return parse(FRAME.format(body), "latex")


def words(manuscript: Manuscript, number: int = 0) -> tuple[str, str]:
    """Return the words around a marker, the same while its key is typed and later."""
    marker = manuscript.cited[number]
    window = marker_windows(manuscript)[number]
    typing = context_at(manuscript, marker.start + len("\\cite{"))
    assert (typing.left, typing.right) == window
    whole = context_of(manuscript, marker)
    assert not marker.closed or (whole.left, whole.right) == window
    return window


def test_the_words_are_those_of_the_row_and_of_the_caption() -> None:
    rows = "Skua & 3 \\\\\nTern & 7 & \\cite{a} & coast \\\\\nAuk & 9"
    assert words(table(rows)) == ("Nests of gulls. Tern 7", "coast")
    behind = table(rows, before="", after=r"\caption[Short]{Nests of \emph{gulls}~\cite{b}.}")
    assert words(behind) == ("Nests of gulls. Tern 7", "coast")


def test_a_table_without_caption_has_its_rows() -> None:
    assert words(table("Tern & \\cite{a} & coast", before="")) == ("Tern", "coast")


@pytest.mark.parametrize(
    ("row", "left", "right"),
    [
        (r"Skua \\[2pt] Tern & \cite{} & coast \\* Auk", "Tern", "coast"),
        (r"Skua \tabularnewline Tern & \cite{} & coast \tabularnewline Auk", "Tern", "coast"),
        (r"Skua \\ \hline Tern \& co & \cite{} & coast", "Tern & co", "coast"),
        (r"Skua \\ \cmidrule(lr){2-3} Tern & \cite{} & coast \\ \bottomrule", "Tern", "coast"),
        (r"\multicolumn{2}{c}{Tern} & \cite{} & coast", "Tern", "coast"),
        (r"\multirow{2}{*}{Tern} & \cite{} & \cellcolor{red} coast", "Tern", "coast"),
        (r"Tern\tnote{a} & \cite{} & coast\tnote{b}", "Tern", "coast"),
        ("Skua \\\\ % Auk & 3 \\\\\nTern & \\cite{} & coast % far \\\\\n north", "Tern",
         "coast north"),
        (r"\makecell{Tern\\of sand} & \cite{} & coast", "Tern of sand", "coast"),
        (r"\begin{tabular}{@{}l@{}}Tern\\sand\end{tabular} & \cite{} & coast", "Tern sand",
         "coast"),
        (r"\begin{tabular}{l}Tern \cite{}\\sand\end{tabular} & coast \\ Auk", "Tern",
         "sand coast"),
        ("Tern & \\cite{ & coast \\\\\nAuk & 9", "Tern", "coast"),
        (r"Tern & see \cite{}, \cite{b} & coast", "Tern see", ", coast"),
    ],
)  # fmt: skip
def test_what_sets_a_table_is_not_read(row: str, left: str, right: str) -> None:
    assert words(table(row, before="")) == (left, right)


@pytest.mark.parametrize(
    "begin",
    [
        r"\begin{tabularx}{\textwidth}{lX}",
        r"\begin{tabular*}{5cm}[t]{ll}",
        r"\begin{longtable}{r@{$\,\pm\,$}l}",
        r"\begin{xltabular}{\textwidth}{lX}",
        r"\begin{tabular}[t]{>{\bfseries}p{2cm}l}",
        r"\begin{tabu} to 0.8\textwidth {X[c]X}",
        r"\begin{longtabu} spread 2cm {XX}",
        r"\begin{tabu}{ll}",
    ],
)
def test_how_the_columns_are_set_is_not_read(begin: str) -> None:
    name = begin[len(r"\begin{") :].partition("}")[0]
    text = f"{BEFORE}{begin} Tern & \\cite{{a}} & coast \\\\ \\end{{{name}}} Later."
    manuscript = parse(text, "latex")
    assert words(manuscript) == ("Tern", "coast")
    assert [sentence.text for sentence in manuscript.sentences] == ["Gulls were counted.", "Later."]


def test_a_long_table_holds_its_caption_itself() -> None:
    text = (
        "\\setlength\\LTleft{-2em}\n\\begin{longtable}{ll}\n\\bicaption{Nester}{Nests~\\cite{c}}"
        "\\label{x} \\\\\nBird & Where \\\\ \\endhead\nTern & \\cite{a} \\\\\n\\end{longtable}\n"
    )
    manuscript = parse(text, "latex")
    assert words(manuscript, 1) == ("Nester Nests Tern", "")
    assert words(manuscript, 0) == ("Nests", "")


def test_a_table_of_the_astronomers_journals_has_its_rows_and_caption() -> None:
    text = (
        BEFORE + "\\begin{deluxetable*}{lcc}\n\\tablewidth{0pt}\n\\tablenum{3}\n"
        "\\tablecaption{Nests of gulls\\label{n}}\n"
        "\\tablehead{\\colhead{Bird} & \\colhead{Where}}\n\\startdata\n"
        "Skua & rock \\\\\nTern\\tablenotemark{a} & coast & \\cite{a}\n\\enddata\n"
        "\\tablenotetext{a}{Seen twice by \\cite{b}.}\n\\end{deluxetable*}\n\nThen we left.\n"
    )
    manuscript = parse(text, "latex")
    assert words(manuscript, 0) == ("Nests of gulls Tern coast", "")
    assert words(manuscript, 1) == ("Nests of gulls Seen twice by", ".")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Gulls were counted.",
        "Then we left.",
    ]


def test_figures_of_a_row_are_not_read() -> None:
    before = "66 & Tern J0717.5+3745 & $3.1\\pm0.2$ & 118.0 & -- & 0,5"
    rows = f"{before} & \\cite{{a}} & 2.5 & v2.0 & — & 约3.5倍"
    left, right = words(table(rows))
    assert left == "Nests of gulls. 66 Tern J0717.5+3745"
    assert right == "v2.0 约3.5倍"
    caption = table("Tern & \\cite{a}", before=r"\caption{Nests above 1.5 m -- in 2.0 years}")
    assert words(caption)[0].startswith("Nests above 1.5 m")


def test_a_caption_belongs_to_the_float_around_it() -> None:
    text = (
        "\\begin{table}\\begin{threeparttable}\\begin{tabular}{l}Tern \\cite{a}\\end{tabular}"
        "\\end{threeparttable}\\caption{One}\\end{table}"
        "\\begin{table}\\begin{tabular}{l}Auk \\cite{b}\\end{tabular}\\caption{Two}\\end{table}"
    )
    manuscript = parse(text, "latex")
    assert [words(manuscript, number)[0] for number in (0, 1)] == ["One Tern", "Two Auk"]


def test_a_table_that_is_being_typed_does_not_swallow_the_draft() -> None:
    later = "\n\n\\begin{table}\\begin{tabular}{l}Auk \\cite{z}\\end{tabular}\\end{table} End."
    text = "\\begin{tabular}{ll}\nSkua & 1 \\\\\nTern & \\cite{a} & coast\n\nBirds nest \\cite{b}."
    manuscript = parse(text + later, "latex")
    assert words(manuscript, 0) == ("Tern", "coast")
    assert words(manuscript, 1)[0].endswith("Birds nest")
    assert words(manuscript, 2) == ("Auk", "")
    inside = parse(FRAME.format("\\begin{tabular}{l}Tern & \\cite{a} &") + "\\cite{b}", "latex")
    assert words(inside, 0) == ("Tern", "")
    assert words(inside, 1)[0].endswith("Then we left.")


def test_a_table_inside_another_leaves_the_rest_of_it_a_table() -> None:
    rows = "\\begin{tabular}{l}Tern\\end{tabular} & There were many of them. \\\\ Auk & few"
    assert [sentence.text for sentence in table(rows, before="").sentences] == [
        "Gulls were counted.",
        "Then we left.",
    ]


def test_the_row_is_the_sentence_and_the_caption_comes_before_it() -> None:
    manuscript = table("Skua & 3 \\\\ Tern & \\cite{a} & coast \\\\")
    context = context_of(manuscript, manuscript.cited[0])
    assert (context.sentence, context.sentence_before) == ("Tern coast", "Tern")
    assert (context.previous, context.next) == ("Nests of gulls.", "")
    assert [sentence.text for sentence in manuscript.sentences] == [
        "Gulls were counted.",
        "Nests of gulls.",
        "Then we left.",
    ], "but no sentence of the draft"


def test_a_footnote_in_a_cell_is_read_as_a_footnote() -> None:
    manuscript = table("Skua \\\\ Tern\\footnote{They nest \\cite{a} here.} & coast", before="")
    left, right = words(manuscript)
    assert left.endswith("They nest") and right.startswith("here.")


@pytest.mark.parametrize("command", [r"\setlength\LTleft{-2em}", r"\addtolength{\parskip}{-2em}"])
def test_a_length_that_is_set_is_no_prose(command: str) -> None:
    manuscript = parse(f"{command}\nTerns nest \\cite{{a}}.", "latex")
    assert words(manuscript)[0] == "Terns nest"


def test_a_long_table_of_citations_takes_time_by_its_length() -> None:
    def rows(count: int) -> Manuscript:
        lines = (f"Bird {n} of {count} & {n} & \\cite{{k{n}}} \\\\\n" for n in range(count))
        return table("".join(lines))

    assert len(marker_windows(rows(100))) == 100
    assert growth(rows, marker_windows, 1_600) < LINEAR
