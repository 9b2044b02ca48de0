"""Rules on a draft that was read from disk: they need no server and no editor."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType

import pytest
from attrs import evolve

from cite_lsp.library.formats.zotero_part import ZoteroPart
from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.recommend.corpus.known_works import KnownWorks
from cite_lsp.recommend.corpus.registry import Corpora
from cite_lsp.rules.draft_rules import keys_unchecked
from cite_lsp.rules.examine import Examination, examine_draft
from cite_lsp.rules.findings import Finding, Hint, ProposedPaper, Ranked, Stretch
from cite_lsp.rules.lookups import Lookups
from cite_lsp.rules.rule_names import RULES
from tests.library.formats.test_zotero import SCHEMA, add

FILES = FilesOnDisk()


def read(folder: Path, text: str, name: str = "a.tex") -> Draft:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return DraftReader(FILES.read).draft(path)


def examination(
    settings: str = "",
    hints: Mapping[str, Hint] = MappingProxyType({}),
    once_in: Stretch = "paragraph",
) -> Examination:
    lookups = Lookups(
        lines=FILES.lines,
        is_open=lambda path: False,
        known_works=KnownWorks(Corpora(())),
        paths=WorkspacePaths(),
        naming_settings=lambda path: settings,
    )
    return Examination(RULES, lookups, Ranked(hints), once_in)


def words(draft: Draft, finding: Finding) -> str:
    return draft.manuscript.text[finding.start : finding.end]


def test_a_draft_is_examined_without_a_server(folder: Path) -> None:
    draft = read(folder, "Nets \\cite{he2016resnte, TODO}.\n\\bibliography{refs}\n")
    findings = list(examine_draft(draft, examination()))
    assert [(finding.rule, words(draft, finding)) for finding in findings] == [
        ("empty-citation", "TODO"),
        ("unknown-key", "he2016resnte"),
    ]
    assert [fix.edit.text for fix in findings[1].fixes] == ["he2016resnet"]


def test_a_note_between_the_keys_of_a_role_leaves_none_empty(folder: Path) -> None:
    front = "---\nbibliography: refs.bib\n---\n"
    text = (
        "{cite:p}`{see}he2016resnet{p. 3}` and {cite}`he2016resnet{p. 3}, he2016resnet{p. 4}` "
        "and {cite}`{see}he2016resnet{p. 3},`"
    )
    draft = read(folder, f"{front}{text}\n", "a.md")
    assert [
        (finding.rule, words(draft, finding)) for finding in examine_draft(draft, examination())
    ] == [("empty-citation", ",")]


def test_a_key_that_typst_reads_in_part_becomes_a_label(folder: Path) -> None:
    (folder / "own.bib").write_text("@misc{conf/a/B17, title = {A}, year = 2017}", "utf-8")
    draft = read(folder, '#bibliography("own.bib")\nAs @conf/a/B17. So @conf/b.', "a.typ")
    whole, other = examine_draft(draft, examination())
    assert (whole.rule, words(draft, whole)) == ("unknown-key", "conf/a/B17")
    (fix,) = whole.fixes
    assert draft.manuscript.text[fix.edit.start : fix.edit.end] == "@conf/a/B17"
    assert fix.edit.text == '#cite(label("conf/a/B17"))' and fix.edit.text in whole.message
    assert words(draft, other) == "conf"


def test_a_hint_is_a_finding_at_its_sentence(folder: Path) -> None:
    draft = read(folder, "Gulls bring rain.\n\\bibliography{refs}\n")
    papers = (ProposedPaper("he2016resnet", "Deep Residual Learning"),)
    hints = {"Gulls bring rain.": Hint("He et al. 2016", papers)}
    (finding,) = examine_draft(draft, examination(hints=hints))
    assert (finding.rule, finding.severity) == ("missing-citation", "hint")
    assert words(draft, finding) == "Gulls bring rain." and finding.papers == papers


@pytest.mark.parametrize(("once_in", "places"), [("paragraph", "134"), ("section", "14")])
def test_hints_name_a_paper_once_in_a_paragraph_or_a_section(
    folder: Path, once_in: Stretch, places: str
) -> None:
    first = "\\section{A}\nGulls bring rain 1. Gulls bring rain 2.\n\nGulls bring rain 3.\n"
    draft = read(folder, f"{first}\\section{{B}}\nGulls bring rain 4.\n\\bibliography{{refs}}\n")
    hint = Hint("He et al. 2016", (ProposedPaper("he2016resnet", "Deep Residual Learning"),))
    hints = {f"Gulls bring rain {number}.": hint for number in range(1, 5)}
    findings = examine_draft(draft, examination(hints=hints, once_in=once_in))
    assert [words(draft, finding)[-2] for finding in findings] == [*places]


def test_a_hint_at_words_that_cite_holds_beside_citations_and_as_often_as_they_stand(
    folder: Path,
) -> None:
    said = "Gulls bring rain \\cite{knuth}."
    draft = read(folder, f"\\cite{{he2016resnet}} says so. {said} {said}\n\\bibliography{{refs}}\n")
    hint = Hint("He et al. 2016", (ProposedPaper("he2016resnet", "Deep Residual Learning"),))
    text = draft.manuscript.sentences[-1].text
    assert draft.manuscript.sentences[-2].text == text
    findings = [
        [
            finding
            for finding in examine_draft(draft, examination(hints={text: hint}))
            if finding.rule == "missing-citation"
        ]
        for hint in (hint, evolve(hint, in_words=True))
    ]
    assert list(map(len, findings)) == [0, 2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("", "gone.bib: "),
        ("cite-lsp.toml", "gone.bib, named in cite-lsp.toml, does not exist: "),
    ],
)
def test_a_missing_bibliography_of_the_settings_is_reported_at_the_top(
    folder: Path, settings: str, message: str
) -> None:
    path = folder / "a.tex"
    path.write_text("Gulls.\n", encoding="utf-8")
    reader = DraftReader(FILES.read, extra_bibliographies=[folder / "gone.bib"])
    (finding,) = examine_draft(reader.draft(path), examination(settings))
    assert (finding.rule, finding.start, finding.end) == ("missing-bibliography", 0, 0)
    assert finding.message.startswith(message)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a.Rmd", "```{r}\nknitr::write_bib(c(.packages(), 'knitr'), 'made.bib')\n```"),
        ("a.qmd", '```{r}\n#| echo: false\nr_refs(file = here("lib", "made.bib"))\n```'),
        ("a.Rnw", "<<echo=FALSE>>=\nwrite_bib('knitr',\n  file = './made.bib')\n@\n"),
    ],
)
def test_a_bibliography_that_code_writes_is_there_once_the_draft_is_knitted(
    folder: Path, name: str, code: str
) -> None:
    naming = "\\bibliography{made}" if name == "a.Rnw" else "---\nbibliography: made.bib\n---"
    message = "made.bib: a chunk of code writes it, and has not yet: knit the draft once"
    draft = read(folder, f"{naming}\n\nGulls.\n\n{code}\n", name)
    (finding,) = examine_draft(draft, examination())
    assert (finding.rule, finding.severity, finding.fixes) == (
        "missing-bibliography",
        "information",
        (),
    )
    assert finding.message == message and keys_unchecked(draft)


@pytest.mark.parametrize(
    "code",
    [
        "```{r}\nrefs <- ReadBib('made.bib')\n```",
        "```{r}\nwrite_bib('knitr', 'other.bib')\n```\n\nSee 'made.bib'.",
        "```{r}\nwrite_bib('knitr', 'unmade.bib')\n```",
        "Call write_bib('made.bib').",
    ],
)
def test_one_that_no_code_writes_is_missing(folder: Path, code: str) -> None:
    draft = read(folder, f"---\nbibliography: made.bib\n---\n\nGulls.\n\n{code}\n", "a.Rmd")
    (finding,) = examine_draft(draft, examination())
    assert (finding.severity, len(finding.fixes)) == ("error", 1)
    assert "the bibliography does not exist" in finding.message


def test_keys_are_not_checked_while_a_bibliography_is_missing(folder: Path) -> None:
    draft = read(folder, "\\cite{nobody}\\bibliography{refs,gone}\n")
    assert keys_unchecked(draft) == "gone.bib is missing"
    rules = [finding.rule for finding in examine_draft(draft, examination())]
    assert rules == ["missing-bibliography"]


def test_a_bibliography_in_another_folder_is_called_by_its_path(folder: Path) -> None:
    (folder / "lib").mkdir()
    (folder / "lib" / "broken.bib").write_text("@misc{a,\n  title = {A}\n", encoding="utf-8")
    (folder / "lib" / "part.tex").write_text("\\cite{somebody}\n", encoding="utf-8")
    text = "\\cite{nobody}\\input{lib/part}\\bibliography{lib/refs,lib/broken}\n"
    draft = read(folder, text)
    for opened in (draft, draft.opened_at(folder / "lib" / "part.tex")):
        assert keys_unchecked(opened) == "lib/refs.bib is missing"
        findings = examine_draft(opened, examination())
        messages = [finding.message for finding in findings if finding.path == draft.path]
        assert [message.split(": ")[0] for message in messages] == [
            "lib/refs.bib",
            "lib/broken.bib, line 1",
        ]


BIBER = "\\usepackage{biblatex}\\addbibresource"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tex", f"{BIBER}{{refs}}", 'refs: biber does not add ".bib": write "refs.bib"'),
        ("a.md", "---\nbibliography: refs\n---\nTides.",
         'refs: pandoc does not add ".bib": write "refs.bib"'),
        ("a.typ", '#bibliography("./refs")', 'refs: Typst does not add ".bib": write "refs.bib"'),
        ("a.org", "#+bibliography: refs\n", 'refs: Org does not add ".bib": write "refs.bib"'),
        ("a.typ", '#bibliography("refs.bibtex")',
         "refs.bibtex: Typst reads .bib, .yml and .yaml: rename the file"),
    ],
)  # fmt: skip
def test_a_name_that_leads_nowhere_in_the_program_that_makes_the_draft_is_reported(
    folder: Path, name: str, text: str, message: str
) -> None:
    (folder / "refs.bibtex").write_text("@misc{a, title = {A}}", encoding="utf-8")
    path = folder / name
    path.write_text(text, encoding="utf-8")
    draft = DraftReader(FILES.read).draft(path)
    assert draft.library.entries  # it is read all the same
    (finding,) = examine_draft(draft, examination())
    assert (finding.rule, finding.message) == ("missing-bibliography", message)
    assert text[finding.start : finding.end].endswith(message.partition(":")[0])
    for fix in finding.fixes:
        mended = fix.edit.applied_to(text)
        path.write_text(mended, encoding="utf-8")
        assert not list(examine_draft(DraftReader(FILES.read).draft(path), examination()))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", "\\bibliography{refs}"),
        ("a.tex", "\\usepackage{biblatex}\\bibliography{refs}"),
        ("a.tex", "\\usepackage[backend=bibtex]{biblatex}\\addbibresource{refs}"),
        ("a.tex", "\\newcommand\\library{refs.bib}" + BIBER + "{\\library}"),
        ("a.tex", f"{BIBER}{{refs.bibtex}}"),
        ("a.org", "bibliography:refs\n"),
    ],
)
def test_a_name_that_the_program_completes_is_right(folder: Path, name: str, text: str) -> None:
    (folder / "refs.bibtex").write_text("@misc{a, title = {A}}", encoding="utf-8")
    path = folder / name
    path.write_text(text, encoding="utf-8")
    assert not list(examine_draft(DraftReader(FILES.read).draft(path), examination()))


def test_a_collection_that_zotero_lacks_is_reported_at_the_top_and_no_key_is_unknown(
    folder: Path,
) -> None:
    database = zotero_at(folder / "zotero.sqlite")
    path = folder / "a.md"
    path.write_text("---\nbibliography: []\n---\nTides [@tide1990].\n", encoding="utf-8")
    part = ZoteroPart(("Chapter 9",))
    reader = DraftReader(FILES.read, extra_bibliographies=[database], zotero=part)
    draft = reader.draft(path)
    findings = [finding for finding in examine_draft(draft, examination()) if finding.path == path]
    (finding,) = findings
    assert (finding.severity, finding.start, finding.end) == ("warning", 0, 0)
    assert finding.message.startswith(
        "zotero.sqlite: zotero.collection: no collection is called “Chapter 9”"
    )
    assert keys_unchecked(draft)


def test_a_collection_that_zotero_lacks_is_reported_where_the_draft_names_the_database(
    folder: Path,
) -> None:
    zotero_at(folder / "zotero.sqlite")
    path = folder / "a.md"
    text = "---\nbibliography: zotero.sqlite\n---\nTides [@tide1990].\n"
    path.write_text(text, encoding="utf-8")
    draft = DraftReader(FILES.read, zotero=ZoteroPart((), "Writers")).draft(path)
    findings = [finding for finding in examine_draft(draft, examination()) if finding.path == path]
    (finding,) = findings
    assert words(draft, finding) == "zotero.sqlite"
    assert "no library of Zotero is called “Writers”" in finding.message


def zotero_at(path: Path) -> Path:
    """Write a database with one item, in no collection."""
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        add(database, 3, [], title="Tides", extra="Citation Key: tide1990")
    return path


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ('So #cite("a").', "So #cite(<a>)."),
        ('So #cite("a", form: "prose").', 'So #cite(<a>, form: "prose").'),
        ('So #cite("a/b").', 'So #cite(label("a/b")).'),
    ],
)
def test_a_key_that_typst_is_given_as_a_string_becomes_a_label(
    folder: Path, text: str, mended: str
) -> None:
    (folder / "refs.bib").write_text("@misc{a, title = {A}}\n@misc{a/b, title = {B}}\n")
    path = folder / "a.typ"
    path.write_text(f'#bibliography("refs.bib")\n{text}', encoding="utf-8")
    draft = DraftReader(FILES.read).draft(path)
    (finding,) = examine_draft(draft, examination())
    assert finding.rule == "unknown-key" and "labels" in finding.message
    (fix,) = finding.fixes
    written = draft.manuscript.text
    assert fix.edit.applied_to(written).endswith(f"\n{mended}")


@pytest.mark.parametrize("call", ["<a>", 'label("a")', '"a", "b"'])
def test_labels_and_the_several_strings_of_old_drafts_are_left_alone(
    folder: Path, call: str
) -> None:
    (folder / "refs.bib").write_text("@misc{a, title = {A}}\n@misc{b, title = {B}}\n")
    path = folder / "a.typ"
    path.write_text(f'#bibliography("refs.bib")\nSo #cite({call}).', encoding="utf-8")
    assert not list(examine_draft(DraftReader(FILES.read).draft(path), examination()))


@pytest.mark.skipif(Path(__file__.upper()).exists(), reason="names are files in any case here")
@pytest.mark.parametrize(
    ("named", "there", "said"),
    [
        ("reference.bib", "Reference.bib", '"Reference.bib"'),
        ("reference.bib", "reference.BIB", '"reference.BIB"'),
        ("bib/mine.bib", "Bib/Mine.bib", '"../Bib/Mine.bib"'),
        ("reference.bib", "references.bib", "create it"),
    ],
)
def test_a_bibliography_whose_name_has_another_case_is_named(
    folder: Path, named: str, there: str, said: str
) -> None:
    (folder / there).parent.mkdir(exist_ok=True)
    (folder / there).write_text("@misc{a, title = {A}}\n", encoding="utf-8")
    path = folder / "a.md"
    path.write_text(f"---\nbibliography: {named}\n---\nSo [@a].\n", encoding="utf-8")
    (finding,) = examine_draft(DraftReader(FILES.read).draft(path), examination())
    assert finding.rule == "missing-bibliography"
    assert finding.message.startswith(f"{named}: ")
    assert said in finding.message
