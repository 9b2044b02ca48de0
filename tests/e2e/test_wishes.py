"""What writers have asked citation tools for, each wish as one test named after its number."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session, inserted

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALL = {
    "vaswani2017attention",
    "devlin2019bert",
    "he2016resnet",
    "DBLP:books/lib/Knuth86a",
    "müller2020",
    "李明2021",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Session]:
    async with Session(tmp_path_factory.mktemp("wishes")) as session:
        yield session


@pytest.fixture
def session(shared: Session, request: pytest.FixtureRequest) -> Iterator[Session]:
    workspace = shared.folder
    shared.folder = workspace / request.node.name
    shared.folder.mkdir()
    (shared.folder / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    yield shared
    shared.leave()
    shared.folder = workspace


async def rules(buffer: Buffer) -> list[str]:
    report = await buffer.session.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(buffer.identifier)
    )
    assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
    return [str(item.code) for item in report.items]


def latex(text: str) -> str:
    return f"\\documentclass{{article}}\n\\begin{{document}}\n{text}\n\\bibliography{{refs}}\n"


async def test_wish_1_found_by_author_title_year_in_any_case_with_or_without_accents(
    session: Session,
) -> None:
    for typed, key in {
        "VASWANI": "vaswani2017attention",
        "need attention": "vaswani2017attention",
        "1986": "DBLP:books/lib/Knuth86a",
        "muller": "müller2020",
        "MÜLLER 2020": "müller2020",
        "uber ahnlich": "müller2020",
    }.items():
        assert await session.open("a.tex", latex(f"\\cite{{{typed}¦}}")).keys() == [key], typed


async def test_wish_2_large_libraries_without_waiting(session: Session) -> None:
    words = "graph neural parsing speech vision reward kernel tensor latent sparse".split()
    records = "\n".join(
        f"@article{{k{n}, author={{Author{n % 997}, A.}}, year={{{1990 + n % 30}}},\n"
        f" title={{The {words[n % 10]} {words[n // 10 % 10]} study {n}}}}}"
        for n in range(7_000)
    )
    (session.folder / "refs.bib").write_text(records, encoding="utf-8")
    draft = session.open("a.tex", latex("A parsing study \\cite{¦}"))
    assert len(await draft.keys()) == 50
    requests = []
    for letter in "study 6999":  # no answer is waited for before the next letter
        draft.type(letter)
        requests.append(asyncio.ensure_future(draft.keys()))
        await asyncio.sleep(0)
    answers = await asyncio.gather(*requests, return_exceptions=True)
    assert answers[-1] == ["k6999"]


async def test_wish_3_bibliographies_where_writers_keep_them(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = session.folder / "paper" / "chapters"
    below.mkdir(parents=True)
    absolute = session.folder / "elsewhere" / "all.bib"
    absolute.parent.mkdir()
    (session.folder / "refs.bib").rename(absolute)
    (session.folder / "parent.bib").write_text("@misc{parent, title={P}}")
    text = (
        "\\documentclass{article}\\newcommand{\\refs}{../parent}\\begin{document}\n"
        f"\\cite{{¦}}\n\\addbibresource{{{absolute}}}\n\\bibliography{{../parent}}\n"
        "\\subfile{chapters/one}\\end{document}\n"
    )
    assert set(await session.open("paper/main.tex", text).keys()) == {*ALL, "parent"}
    (session.folder / "paper" / "main.tex").write_text(text.replace("¦", ""))
    chapter = "\\documentclass[../main]{subfiles}\n\\begin{document}\\cite{¦}\\end{document}\n"
    assert set(await session.open("paper/chapters/one.tex", chapter).keys()) == {*ALL, "parent"}


async def test_wish_3_bibliographies_behind_macros(session: Session) -> None:
    (session.folder / "library").mkdir()
    (session.folder / "refs.bib").rename(session.folder / "library" / "all.bib")
    (session.folder / "preamble.tex").write_text("\\newcommand{\\bibdir}{\\top/library}")
    text = (
        "\\documentclass{article}\\def\\top{.}\\input{preamble}\\begin{document}\n"
        "\\cite{¦}\n\\bibliography{\\bibdir/all}\\end{document}\n"
    )
    draft = session.open("main.tex", text)
    assert set(await draft.keys()) == ALL
    assert await rules(draft) == ["empty-citation"]


async def test_wish_3_bibliographies_in_bibinputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texmf, paper = tmp_path / "texmf" / "deep" / "bib", tmp_path / "paper"
    texmf.mkdir(parents=True)
    paper.mkdir()
    (texmf / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    monkeypatch.setenv("BIBINPUTS", f".:{tmp_path / 'texmf'}//".replace(":", os.pathsep))
    async with Session(paper) as own:
        draft = own.open("a.tex", latex("\\cite{¦}"))
        assert set(await draft.keys()) == ALL
        assert await rules(draft) == ["empty-citation"]


async def test_wish_4_references_in_the_front_matter_beside_a_bibliography(
    session: Session,
) -> None:
    references = "references:\n- id: luz2020\n  title: Marshes\n  type: book\n"
    text = f"---\nbibliography: 'refs.bib'\n{references}---\n\nSee [@¦]\n"
    assert set(await session.open("a.md", text).keys()) == {*ALL, "luz2020"}
    draft = session.open("b.md", text.replace("¦", "luz2020; @nobody"))
    assert await rules(draft) == ["unknown-key"]


@pytest.mark.parametrize(
    "written",
    [
        "refs.bib",
        '"refs.bib"',
        "'refs.bib'",
        "[refs.bib, more.bib]",
        "\n  - refs.bib\n  - more.bib",
    ],
)
async def test_wish_4_every_yaml_form_of_bibliography(session: Session, written: str) -> None:
    (session.folder / "more.bib").write_text("@misc{more, title={M}}")
    text = f"---\ntitle: T\nbibliography: {written}\n---\n\nSee [@¦]\n"
    expected = ALL | ({"more"} if "more" in written else set())
    assert set(await session.open("a.md", text).keys()) == expected


async def test_wish_5_several_keys_over_several_lines(session: Session) -> None:
    for text in (
        "\\cite{he2016resnet,¦}",
        "\\cite{he2016resnet, ¦}",
        "\\cite{he2016resnet,\n  ¦}",
        "\\autocites(see)[3]{he2016resnet}[4]{¦}",
    ):
        keys = await session.open("a.tex", latex(text)).keys()
        assert set(keys) >= ALL - {"he2016resnet"}, text


async def test_wish_6_all_citing_commands(session: Session) -> None:
    commands = "cite citep* Citet citeauthor parencite autocite* footcite fullcite citeA shortciteN"
    for command in [*commands.split(), "textcquote", "nocite"]:
        draft = session.open("a.tex", latex(f"\\{command}{{he2016¦}}"))
        assert await draft.keys() == ["he2016resnet"], command


async def test_wish_7_odd_keys_are_inserted_as_they_are_written(session: Session) -> None:
    for typed, key in {
        "dblp:books": "DBLP:books/lib/Knuth86a",
        "MÜLL": "müller2020",
        "李": "李明2021",
    }.items():
        completions = await session.open("a.tex", latex(f"\\cite{{{typed}¦}}")).complete()
        assert completions is not None and inserted(completions.items[0]) == key


async def test_wish_8_a_bad_record_costs_no_other(session: Session) -> None:
    broken = "@comment{x}\n@article{bad, title = {open\n\n@misc no brace\n" + BIBLIOGRAPHY
    (session.folder / "refs.bib").write_text(broken, encoding="utf-8")
    assert set(await session.open("a.tex", latex("\\cite{¦}")).keys()) >= ALL


async def test_wish_9_no_false_alarms_and_no_noise(session: Session) -> None:
    text = "Me@example.org, `@code`, https://x.org/@me.\n\n```\n[@code]\n```\n[@he2016resnet]\n"
    draft = session.open("a.md", f"---\nbibliography: refs.bib\n---\n\n{text}")
    assert await rules(draft) == []
    assert await rules(session.open("refs.bib", BIBLIOGRAPHY)) == [], "unused entries are no news"
    text = "\\nocite{*} \\newcommand{\\x}[1]{\\cite{#1}} \\bibitem{own} Own. \\cite{own}"
    assert await rules(session.open("a.tex", latex(text))) == []


async def test_wish_10_a_key_is_renamed_everywhere(session: Session) -> None:
    (session.folder / "b.tex").write_text(latex("\\citep{he2016resnet}"))
    draft = session.open("a.md", "---\nbibliography: refs.bib\n---\n\n[@he2016¦resnet]\n")
    edit = await session.client.text_document_rename_async(
        types.RenameParams(draft.identifier, draft.position(), "he2016")
    )
    assert edit is not None and edit.document_changes is not None
    uris = {
        change.text_document.uri
        for change in edit.document_changes
        if isinstance(change, types.TextDocumentEdit)
    }
    names = ("a.md", "b.tex", "refs.bib")
    assert uris == {(session.folder / name).as_uri() for name in names}


async def test_wish_10_authors_and_years_stand_behind_keys(tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    async with Session(tmp_path, options={"inlayHints": {"enabled": True}}) as session:
        draft = session.open("a.tex", "\\cite{he2016resnet}\n")
        place = types.Range(types.Position(0, 0), types.Position(1, 0))
        hints = await session.client.text_document_inlay_hint_async(
            types.InlayHintParams(draft.identifier, place)
        )
        assert [hint.label for hint in hints or []] == ["He 2016"]


async def test_wish_11_accepting_eats_nothing_and_opens_nothing(session: Session) -> None:
    draft = session.open("a.tex", latex("A \\cite{he20¦ and then prose, with commas."))
    completions = await draft.complete()
    assert completions is not None
    edit = completions.items[0].text_edit
    assert isinstance(edit, types.InsertReplaceEdit)
    for place in (edit.insert, edit.replace):
        after = draft.after(types.TextEdit(place, edit.new_text))
        assert "\\cite{he2016resnet and then prose, with commas." in after
    draft = session.open("b.tex", latex("\\cite{he2016resnet¦}"))
    again = await draft.complete(types.CompletionTriggerKind.TriggerForIncompleteCompletions)
    assert again is not None and not again.items


async def test_wish_12_an_entry_from_elsewhere_is_cited_and_added_in_one_go(
    tmp_path: Path,
) -> None:
    (tmp_path / "refs.bib").write_text("@misc{own, title={O}}\n", encoding="utf-8")
    (tmp_path / "all.bib").write_text(BIBLIOGRAPHY, encoding="utf-8")
    async with Session(tmp_path, options={"bibliography": ["all.bib"]}) as session:
        draft = session.open("a.tex", latex("\\cite{he2016¦}"))
        completions = await draft.complete()
        assert completions is not None
        (item,) = completions.items
        assert item.command is not None
        arguments = list(item.command.arguments or [])
        command = types.ExecuteCommandParams(item.command.command, arguments)
        assert await session.client.workspace_execute_command_async(command) is True
        (edit,) = session.applied
        assert (tmp_path / "refs.bib").as_uri() in str(edit)
        assert "@inproceedings{he2016resnet," in str(edit)
        draft.at("he2016").type("resnet")
        titles = [action.title for action in await draft.actions()]
        assert "Add “he2016resnet” to refs.bib" in titles
        draft = session.open("b.tex", latex("\\cite{own¦}"))
        completions = await draft.complete()
        assert completions is not None and completions.items[0].command is None


async def test_wish_13_chinese_papers_by_key_author_and_title(session: Session) -> None:
    spellings = ("liming", "lm", "shenduxuexi", "sdxx", "lm fenlei")
    for typed in ("李明", "文本分类", "李明 分类", "2021 深度", *spellings):
        draft = session.open("a.tex", latex(f"\\cite{{{typed}¦}}"))
        completions = await draft.complete()
        assert completions is not None and [inserted(item) for item in completions.items] == [
            "李明2021"
        ], typed
        # Editors hide what does not hold the letters typed.
        assert str(completions.items[0].filter_text).startswith(typed)
