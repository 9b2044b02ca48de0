"""What rules find in citations and entries, and how the writer silences them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

DRAFT = "深 😀 \\cite{he2016resnte, müller2020, nobody1900}.\n"


async def reported(buffer: Buffer) -> list[tuple[str, str, str]]:
    """Return (rule, words, message) of the diagnostics that the client pulls."""
    report = await buffer.session.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(buffer.identifier)
    )
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return [
        (str(diagnostic.code), buffer.words(diagnostic.range), diagnostic.message)
        for diagnostic in report.items
    ]


async def rules(buffer: Buffer) -> list[str]:
    return [rule for rule, _, _ in await reported(buffer)]


async def test_an_unknown_key_is_reported_with_the_nearest_key(editor_session: Session) -> None:
    session = editor_session
    draft = session.open("a.tex", DRAFT)
    near, none = await reported(draft)
    assert near[:2] == ("unknown-key", "he2016resnte")
    assert 'did you mean "he2016resnet"?' in near[2]
    assert none == ("unknown-key", "nobody1900", 'no entry has the key "nobody1900"')
    if not session.client.capabilities.text_document.diagnostic:  # type: ignore[union-attr]
        pushed = await session.diagnostics(draft.path)
        assert [draft.words(diagnostic.range) for diagnostic in pushed] == [
            "he2016resnte",
            "nobody1900",
        ]


async def test_a_bibliography_that_was_never_saved_is_examined_as_any_other(
    session: Session,
) -> None:
    text = "@misc{tern, title={A}}\n@misc{tern, title={B}}\n"
    bib = session.open("new.bib", text)
    assert await rules(bib) == ["duplicate-key"]
    draft = session.open("a.tex", "\\cite{tern}\n\\bibliography{new}\n")
    (summary,) = await reported(draft)
    assert summary[0] == "duplicate-key" and summary[2].startswith("new.bib, line 2: ")


async def test_keys_that_run_together_are_put_apart_and_nothing_is_lost(session: Session) -> None:
    (session.folder / "refs.bib").write_text(
        "@misc{li2020, title={A}} @misc{he, title={B}}", "utf-8"
    )
    draft = session.open("a.tex", "方法\\cite{li2020，he}。\n")
    assert [message for _, _, message in await reported(draft)] == [
        'no entry has the key "li2020，he": did you mean "li2020,he"?'
    ]
    draft = session.open("a.tex", "So \\cite{%\n  li2020,\n  li2020\n  he}.\n")
    assert [message for _, _, message in await reported(draft)] == [
        'no entry has the key "li2020 he": did you mean "li2020,he"?'
    ]
    draft = session.open("a.tex", "方法由\\cite{li2020提出}。\n")
    assert [message for _, _, message in await reported(draft)] == [
        'no entry has the key "li2020提出": did you mean "li2020"?'
    ]
    draft = session.open("a.md", "---\nbibliography: refs.bib\n---\n\n如 @li2020提出的方法。\n")
    assert [message for _, _, message in await reported(draft)] == [
        'no entry has the key "li2020提出的方法": did you mean "li2020 提出的方法"?'
    ]


async def test_a_client_that_asks_is_not_sent_the_same_as_well(folder: Path) -> None:
    (folder / "refs.bib").write_text("@misc{open,\n title={T}\n\n" + BIBLIOGRAPHY, encoding="utf-8")
    async with Session(folder, "neovim@v0.11") as session:
        draft = session.open("a.md", "---\nbibliography: refs.bib\n---\n\n[@nobody]\n")
        bibliography = folder / "refs.bib"
        assert await session.diagnostics(bibliography), "what is not open is published"
        assert draft.uri not in session.client.diagnostics
        assert "unknown-key" in await rules(draft)
        bib = session.open("refs.bib", bibliography.read_text(encoding="utf-8"))
        await session.until(lambda: not session.client.diagnostics[bib.uri])
        assert "broken-record" in await rules(bib)


async def test_what_is_no_key_is_not_unknown(session: Session) -> None:
    (session.folder / "refs.bib").write_text(BIBLIOGRAPHY + "@misc{n, ids={old, older}}", "utf-8")
    text = "\\nocite{*} \\cite{older} \\cite{#1} \\newcommand{\\x}[1]{\\cite{#1}}"
    assert await reported(session.open("a.tex", text)) == []
    (unclosed,) = await reported(session.open("c.tex", f"{text} \\cite{{half"))
    assert unclosed[2].startswith("unclosed citation")
    text = "@Fig-one, @Fig:one, @Sec:one, [@Tbl:one; @eq:one], @fig:one\n"
    assert await reported(session.open("b.md", text)) == []
    text = "Me@x.org, @fig-one, `[@code]`, https://x.org/@me\n\n```\n[@code]\n```\n"
    assert await reported(session.open("a.qmd", text)) == []


async def test_a_key_like_a_cross_reference_is_unknown_where_others_begin_so(
    session: Session,
) -> None:
    (session.folder / "refs.bib").write_text("@misc{def-jam2019}\n@misc{app-x}", "utf-8")
    text = "---\nbibliography: refs.bib\n---\n\n@def-jam2019, @def-jma2019 and @fig-one.\n"
    assert [words for _, words, _ in await reported(session.open("a.md", text))] == ["def-jma2019"]
    assert await reported(session.open("a.qmd", text)) == []
    text = '@def-jma2019, @app-x and @fig-one.\n\n#bibliography("refs.bib")\n'
    assert [words for _, words, _ in await reported(session.open("a.typ", text))] == ["def-jma2019"]


async def test_in_myst_a_doi_is_no_unknown_key(session: Session) -> None:
    (session.folder / "refs.bib").write_text("@misc{jam, doi={10.1234/jam}}", "utf-8")
    (session.folder / "myst.yml").write_text("project: {title: Jam}", "utf-8")
    text = "@doi:10.1234/jam, [@10.1234/other; @jma] and @jam.\n"
    assert [words for _, words, _ in await reported(session.open("a.md", text))] == ["jma"]


async def test_people_are_no_unknown_keys(session: Session) -> None:
    thanks = "Thanks to @alice and [@bob](https://example.org/bob), and to [@nobody].\n"
    assert [words for _, words, _ in await reported(session.open("CHANGES.md", thanks))] == [
        "nobody"
    ]
    citing = f"{thanks}As @he2016resnet says.\n"
    unknown = [words for _, words, _ in await reported(session.open("a.md", citing))]
    assert unknown == ["alice", "bob", "nobody"]
    (session.folder / "bob.bib").write_text("@misc{bob, title = {B}}\n@misc{eve, title = {E}}\n")
    assert await reported(session.open("c.md", "[@bob](https://example.org/bob) and @alice")) == []
    cited = session.open("d.md", "@bob and @eve say it, and @alice")
    assert [words for _, words, _ in await reported(cited)] == ["alice"]
    named = "---\nbibliography: refs.bib\n---\n\nAs @alice says.\n"
    assert [words for _, words, _ in await reported(session.open("b.md", named))] == ["alice"]


@pytest.mark.parametrize(
    "text",
    [
        "\\cite[as \\citet{nobody} says]{he2016resnet}",
        "\\newcommand{\\x}{X~\\cite{nobody}}",
        "\\defcitealias{nobody}{Paper I}",
    ],
)
async def test_a_key_may_be_unknown_where_no_prose_is_around_it(
    session: Session, text: str
) -> None:
    (said_of_it,) = await reported(session.open("a.tex", text + "\n\\bibliography{refs}\n"))
    assert said_of_it[:2] == ("unknown-key", "nobody")


async def test_what_a_package_of_the_draft_defines_is_not_unknown(session: Session) -> None:
    package = "\\newcommand{\\todocite}[1]{\\textbf{[cite #1]}}\n"
    (session.folder / "mymacros.sty").write_text(package, "utf-8")
    text = "\\usepackage{natbib,mymacros} \\todocite{some paper on X} \\citet{nobody}\n"
    draft = session.open("a.tex", text)
    assert [words for _, words, _ in await reported(draft)] == ["nobody"]


async def test_a_label_of_another_file_is_not_unknown(session: Session) -> None:
    (session.folder / "main.typ").write_text(
        '#include "ch1.typ"\n#include "ch2.typ"\n#bibliography("refs.bib")\n', "utf-8"
    )
    (session.folder / "ch1.typ").write_text("= Intro <intro>\n#figure[] <my-plot>\n", "utf-8")
    text = "See @intro, @my-plot and @nobody.\n"
    draft = session.open("ch2.typ", text, "typst")
    assert [words for _, words, _ in await reported(draft)] == ["nobody"]


async def test_nothing_is_unknown_while_a_bibliography_is_missing(session: Session) -> None:
    draft = session.open("a.tex", "\\cite{nobody}\n\\bibliography{refs,gone}\n")
    assert await rules(draft) == ["missing-bibliography"]


async def test_a_missing_bibliography_of_the_settings_is_reported_with_what_names_it(
    folder: Path,
) -> None:
    (folder / "cite-lsp.toml").write_text('bibliography = ["own.bib"]\n', "utf-8")
    async with Session(folder) as session:
        draft = session.open("a.md", "Words.\n")
        (missing,) = await reported(draft)
        assert missing[2] == (
            "own.bib, named in cite-lsp.toml, does not exist: create it or correct the setting"
        )
    async with Session(folder, options={"bibliography": ["gone.bib"]}) as session:
        draft = session.open("a.md", "Words.\n")
        (missing,) = await reported(draft)
        assert missing[2] == (
            "gone.bib, named in the settings, does not exist: create it or correct the setting"
        )


async def test_keys_are_unknown_though_the_journals_of_a_style_are_not_installed(
    session: Session,
) -> None:
    draft = session.open("a.tex", "\\cite{nobody}\n\\bibliography{IEEEabrv,refs}\n")
    assert await rules(draft) == ["unknown-key"]


EMBEDDED = (
    "\\begin{filecontents*}{\\jobname.bib}\n@article{k1, title = {Nettles}}\n"
    "\\end{filecontents*}\n\\documentclass{article}\\addbibresource{\\jobname.bib}\n"
    "\\begin{document}\n深 😀 \\cite{k1¦} and \\cite{nobody}.\n\\end{document}\n"
)


async def test_a_bibliography_that_the_draft_makes_itself_is_not_missing(
    editor_session: Session,
) -> None:
    diagnostics = await reported(editor_session.open("main.tex", EMBEDDED))
    assert [(rule, words) for rule, words, _ in diagnostics] == [("unknown-key", "nobody")]


async def test_a_bibliography_whose_name_r_computes_is_not_missing(session: Session) -> None:
    text = (
        "---\nbibliography: \"`r here::here('refs.bib')`\"\n---\n\nBy @he2016resnet and @nobody.\n"
    )
    diagnostics = await reported(session.open("a.Rmd", text, "rmd"))
    assert [(rule, words) for rule, words, _ in diagnostics] == [("unknown-key", "nobody")]
    text = text.replace('"`', '[refs.bib, "`').replace('`"', '`"]')
    assert await reported(session.open("b.Rmd", text, "rmd")) == [], "its keys may be in the other"


async def test_a_duplicate_points_to_the_first(session: Session) -> None:
    bib = session.open("refs.bib", BIBLIOGRAPHY + "@misc{He2016ResNet, title={Other}}\n")
    report = await session.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(bib.identifier)
    )
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    (diagnostic,) = report.items
    assert diagnostic.code == "duplicate-key" and bib.words(diagnostic.range) == "He2016ResNet"
    (first,) = diagnostic.related_information or []
    assert bib.words(first.location.range) == "he2016resnet"


async def test_a_key_that_two_files_have_is_worth_a_word(session: Session) -> None:
    (session.folder / "b.bib").write_text("@misc{he2016resnet, title={Other}}\n")
    session.open("a.tex", "\\cite{müller2020}\n\\bibliography{refs,b}\n")
    (diagnostic,) = await session.diagnostics(session.folder / "b.bib")
    assert diagnostic.severity == types.DiagnosticSeverity.Information
    assert diagnostic.message.startswith(
        'the key "he2016resnet" is already used in refs.bib, line '
    )


async def test_a_file_with_a_key_is_told_from_others_of_its_name(session: Session) -> None:
    (session.folder / "old").mkdir()
    (session.folder / "old/refs.bib").write_text("@misc{he2016resnet, title={Other}}\n")
    session.open("a.tex", "\\cite{müller2020}\n\\bibliography{refs,old/refs}\n")
    (diagnostic,) = await session.diagnostics(session.folder / "old/refs.bib")
    assert " is already used in ../refs.bib, line " in diagnostic.message


async def test_relations_to_nothing_are_unknown_keys(session: Session) -> None:
    record = "@inbook{part, crossref = {he2016resnet}, xdata = {nobody}, title = {P}}\n"
    bib = session.open("refs.bib", BIBLIOGRAPHY + record)
    assert [words for _, words, _ in await reported(bib)] == ["nobody"]


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("% cite-lsp: off unknown-key", 0),
        ("% cite-lsp: off", 0),
        ("% cite-lsp: off duplicate-key, unknown-key", 0),
        ("% cite-lsp: off-next-line unknown-key", 1),
        ("% cite-lsp: off-next-line", 1),
        ("% cite-lsp: off broken-record", 2),
    ],
)
async def test_a_comment_silences(session: Session, comment: str, left: int) -> None:
    draft = session.open("a.tex", f"{comment}\n\\cite{{nobody}}\n\\cite{{nobody}}\n")
    assert await rules(draft) == ["unknown-key"] * left
    comment = comment.replace("%", "<!--") + " -->"
    draft = session.open("a.md", f"{comment}\n[@nobody]\n\n[@nobody]\n")
    assert await rules(draft) == ["unknown-key"] * left


async def test_a_comment_in_a_bib_file_silences_it_everywhere(session: Session) -> None:
    broken = "% cite-lsp: off broken-record\n@misc{open,\n title={T}\n\n" + BIBLIOGRAPHY
    bib = session.open("refs.bib", broken)
    assert await rules(bib) == []
    assert await rules(session.open("a.md", "---\nbibliography: refs.bib\n---\n")) == []


RULES: list[tuple[str, dict[str, Any]]] = [
    ("empty-citation", {"emptyCitation": False}),
    ("unknown-key", {"unknownKey": False}),
    ("duplicate-key", {"duplicateKey": False}),
    ("broken-record", {"brokenRecord": False}),
    ("missing-bibliography", {"missingBibliography": False}),
]


async def test_settings_silence_each_rule_without_a_restart(folder: Path) -> None:
    (folder / "refs.bib").write_text(
        BIBLIOGRAPHY + "@misc{müller2020, title={Two}}\n@misc{open,\n title={T}\n", "utf-8"
    )
    async with Session(folder) as session:
        draft = session.open("a.tex", "\\cite{nobody} \\cite{}\n\\bibliography{refs}\n")
        bib = session.open("refs.bib", (folder / "refs.bib").read_text(encoding="utf-8"))
        missing = session.open("b.tex", "\\bibliography{gone}\n")

        async def all_rules() -> set[str]:
            return {rule for buffer in (draft, bib, missing) for rule in await rules(buffer)}

        everything = {rule for rule, _ in RULES}
        assert await all_rules() == everything
        for rule, setting in RULES:
            session.client.set_configuration({"diagnostics": setting}, section="citeLsp")
            session.change_configuration()
            await session.until(lambda: True)
            for _ in range(50):
                if (left := await all_rules()) == everything - {rule}:
                    break
            assert left == everything - {rule}


async def test_unused_entries_are_reported_where_the_rule_is_on(folder: Path) -> None:
    (folder / "a.tex").write_text("\\cite{müller2020} \\cite{part} \\cite{old}\n", encoding="utf-8")
    records = BIBLIOGRAPHY + "@inbook{part, crossref = {李明2021}}\n@misc{new, ids = {old}}\n"
    async with Session(folder, options={"diagnostics": {"unusedEntry": True}}) as session:
        bib = session.open("refs.bib", records)
        unused = {words for rule, words, _ in await reported(bib) if rule == "unused-entry"}
        assert "müller2020" not in unused and "李明2021" not in unused and "part" not in unused
        assert "new" not in unused
        assert {"he2016resnet", "DBLP:books/lib/Knuth86a"} <= unused
        (hint, *_) = await session.diagnostics(bib.path)
        assert hint.severity == types.DiagnosticSeverity.Hint
        assert list(hint.tags or ()) == [types.DiagnosticTag.Unnecessary]
        session.open("a.tex", "\\nocite{*}\n")
        assert await reported(bib) == []
