"""After an edit a draft reads as it does from scratch, and only what was edited is scanned."""

from pathlib import Path
from random import Random

import pytest

from cite_lsp.manuscript import parse
from cite_lsp.manuscript.draft.document import mentions_of
from cite_lsp.manuscript.draft.manuscript import Manuscript
from cite_lsp.manuscript.latex.incremental import reread_latex
from cite_lsp.manuscript.latex.scan import scan_latex
from tests.sample_drafts import SHIPPED, draft_files, name_of

FILES = draft_files("latex")
SHORT = [path for path in FILES if 1_000 < path.stat().st_size < 40_000]
SOME = [path for path in SHORT if path.is_relative_to(SHIPPED)]
SOME += SHORT[len(SOME) :: max((len(SHORT) - len(SOME)) // 8, 1)]
TYPED = r"""a|b |word|.|, |\cite{key}|\cite{|}|{|$x$|\emph{x}|(REF)|[?]|\footnote{A \cite{z}.}|%
    |\section{A}|\todo{cite}|% cite|\citet[see][p. 3]{a, b}|\par|\item|]|[|\|$|$^{\cite{a}}$|\url{
    |\begin{equation}|\end{equation}|\[|\]|\begin{table}|\end{table}|\begin{tabular}{l}|\caption{C
    |\fi|\iffalse|\newcommand{\foo}{\cite{x}}|\verb|\end{document}|\input{x}|\abstract{|\sout{
    |\begin{enumerate*}|\textsuperscript{|\par""".split("|")
EDITS = 24
PROSE = "\\documentclass{a}\n\\begin{document}\n\n" + "".join(
    f"Sentence {number} is by \\citet{{key{number}}} and $x$ and others.\n\n"
    for number in range(60)
)


def read(manuscript: Manuscript) -> tuple[object, ...]:
    blocks = [
        (block.start, block.end, block.note, block.raw, block.omissions, block.expansions)
        for block in manuscript.blocks
    ]
    mentions = mentions_of(manuscript)  # the words around markers among them
    brackets = manuscript.read_parts.brackets
    return manuscript.layout, manuscript.scanned, manuscript.names, blocks, brackets, mentions


def edited(text: str, random: Random, place: int) -> str:
    kind = random.random()
    typed = "" if kind < 0.2 else random.choice(TYPED).strip(" " if kind < 0.5 else "\n")
    if kind > 0.9:
        typed = random.choice(["\n", "\n\n", text[place // 2 : place // 2 + 200]])
    return text[:place] + typed + text[place + random.choice([0, 0, 0, 0, 1, 12, 200]) :]


@pytest.mark.parametrize("path", SOME, ids=name_of)
def test_an_edited_draft_reads_as_from_scratch(path: Path) -> None:
    original = path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")
    random = Random(path.name)
    manuscript, text, place = parse(original, "latex"), original, 0
    for number in range(EDITS):
        if number % 6 == 0:  # what is broken by edits is hardly read in part
            text, place = original, random.randrange(len(original))
            manuscript = parse(text, "latex")
            mentions_of(manuscript)
        place = min(max(place + random.randrange(-60, 60), 0), len(text))
        text = edited(text, random, place)
        manuscript = parse(text, "latex", before=manuscript)
        assert read(manuscript) == read(parse(text, "latex"))


@pytest.mark.parametrize("typed", ["x", "\\cite{", "\\cite{a}", "(REF)", "\n\n", "", "% x"])
def test_of_a_draft_in_order_only_the_paragraphs_around_are_scanned(typed: str) -> None:
    place = PROSE.index("key30") - len("\\citet{")
    text = PROSE[:place] + typed + PROSE[place + 1 :]
    reading = reread_latex(PROSE, scan_latex(PROSE, {}), text)
    assert reading and reading.layout == scan_latex(text, {})
    scanned = text[reading.stretch.start : reading.stretch.end]
    assert scanned.startswith("Sentence 29") and "key31" in scanned and "key32" not in scanned
    after = parse(text, "latex", before=parse(PROSE, "latex"))
    assert read(after) == read(parse(text, "latex"))


def test_at_the_end_of_a_draft_a_title_may_be_typed_into_a_marker_without_end() -> None:
    before = parse(PROSE + "A last sentence \\citep{", "latex")
    mentions_of(before)
    for typed in ("retrieval", " ", "o", "f", " ", "works "):
        text = before.text + typed
        after = parse(text, "latex", before=before)
        assert reread_latex(before.text, before.layout, text)
        assert read(after) == read(parse(text, "latex"))
        before = after


def test_a_section_that_an_edit_adds_changes_where_the_markers_below_stand() -> None:
    before = parse(PROSE, "latex")
    mentions_of(before)
    text = PROSE.replace("Sentence 30", "\\section{New}\n\nSentence 30")
    after = parse(text, "latex", before=before)
    assert [m.section for m in mentions_of(after)] == ["0:0"] * 30 + ["0:1"] * 30
    assert read(after) == read(parse(text, "latex"))


def test_blocks_and_mentions_far_from_the_edit_are_not_read_again() -> None:
    sections = PROSE
    for number in (20, 40):
        sections = sections.replace(f"Sentence {number}", f"\\section{{S}}\n\nSentence {number}")
    before = parse(sections, "latex")
    mentions = mentions_of(before)
    text = sections.replace("key30", "key30, key31")
    after = parse(text, "latex", before=before)
    assert after.blocks[10] is before.blocks[10]
    assert after.blocks[50].raw is before.blocks[50].raw
    assert mentions_of(after)[10] is mentions[10] and mentions_of(after)[50] is mentions[50]
    assert read(after) == read(parse(text, "latex"))


@pytest.mark.parametrize(
    ("above", "old", "new", "below"),
    [
        ("\\begin{table}\\begin{tabular}{l} \\cite{a} \\end{tabular}", "X", "\\caption{X}", ""),
        ("\\begin{enumerate*}\\item a", "X", "\\item X", "\\end{enumerate*}"),
        ("\\caption{A", "X", "X {", "B} C"),
        ("\\caption{A", "X", "X } y", "B} C"),
        ("\\iffalse", "X", "\\fi", ""),
        ("\\iffalse A", "\\figref{a}", "X", "\\fi"),
        ("\\begin{comment} A", "X", "% \\end{comment}", ""),
        ("\\[ A", "X", "X \\]", ""),
        ("\\cite{a,", "b,", "b}", "c"),
        ("Text", "X", "\\newcommand{\\mycite}[1]{\\cite{#1}}", "\\mycite{a}"),
        ("\\MakeShortVerb{\\|}", "X", "X |", "\\cite{a} | b"),
        ("\\DeclareAcronym{a}{short = A", "X", "long = B", "}"),
        ("\\begin{document} A", "X", "\\endinput", "\\cite{a}"),
        ("Text", "X", "\\end{document}", "\\cite{a}"),
        ("Text (REF)", "X", "X REF", "\\cite{a}"),
        ("\\footnote{A", "X", "X}", "B}"),
        ("\\begin{tabular}{l} a", "\\section{A}", "X", "b \\end{tabular}"),
        ("$", "X", "X", "^{\\cite{a}}$"),
        ("\\setlength", "{X", "{X}", "a} b"),
    ],
)
def test_what_an_edit_changes_far_away_is_read_as_well(
    above: str, old: str, new: str, below: str
) -> None:
    filling = "Some words \\cite{k}.\n\n"
    for between in ("", filling):
        before, text = (
            f"{filling}{above}\n\n{between}{middle}\n\n{between}{below}\n\n{filling}"
            for middle in (old, new)
        )
        known = parse(before, "latex")
        mentions_of(known)
        assert read(parse(text, "latex", before=known)) == read(parse(text, "latex"))
        back = parse(before, "latex", before=parse(text, "latex"))
        assert read(back) == read(parse(before, "latex"))
