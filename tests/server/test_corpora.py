"""Corpora in the editor: papers beside the library's, and their entries written when accepted."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.uris import to_fs_path

from cite_lsp.encode import load_encoder
from cite_lsp.library import parse_bibliography, read_bibliography
from cite_lsp.paper import Paper
from cite_lsp.search.indexing.build import build_corpus
from tests.server.editor_session import PATIENCE, Buffer, Session, in_fresh_folder, inserted

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEMO = Path(__file__).parents[2] / "examples" / "demo" / "references.bib"
LIBRARY = """@inproceedings{devlin2019bert,
  title = {{BERT}: Pre-training of Deep Bidirectional Transformers for Language Understanding},
  author = {Devlin, Jacob and Chang, Ming-Wei},
  year = {2019},
}
@inproceedings{cohan2019structural,
  title = {Structural Scaffolds for Citation Intent Classification in Scientific Publications},
  author = {Cohan, Arman and Ammar, Waleed},
  year = {2019},
}
"""
TEX = "\\documentclass{article}\n\\begin{document}\n%s\n\\bibliography{refs}\n\\end{document}\n"
SENTENCE = "Word vectors are made of the pieces of spelling that words consist of"


@pytest.fixture(scope="session")
def acl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of the demo's papers (ACL Anthology, CC BY 4.0), cut short to be quick."""
    folder = tmp_path_factory.mktemp("corpora") / "acl"
    papers = [
        Paper(
            f"acl:{number}",
            entry.paper.title,
            entry.paper.abstract,
            entry.paper.authors,
            entry.paper.year,
            entry.paper.venue,
            entry.paper.doi,
            entry.paper.url,
            "en",
        )
        for number, entry in enumerate(read_bibliography(DEMO).entries)
    ]
    build_corpus(folder, papers, load_encoder(max_tokens=32))
    return folder


@pytest.fixture
def desk(tmp_path: Path, acl: Path) -> Path:
    """A folder with a small library, and a home with the corpus."""
    shutil.copytree(acl, tmp_path / ".home" / "corpora" / "acl")
    (tmp_path / "refs.bib").write_text(LIBRARY, encoding="utf-8")
    return tmp_path


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shared_desk(
    tmp_path_factory: pytest.TempPathFactory, acl: Path
) -> AsyncIterator[Session]:
    """One server for all tests that need no other home or settings, with the corpus open."""
    folder = tmp_path_factory.mktemp("workspace")
    shutil.copytree(acl, folder / ".home" / "corpora" / "acl")
    async with Session(folder) as session:
        yield session


@pytest.fixture
def session(shared_desk: Session) -> Iterator[Session]:
    """The shared server, in a fresh folder of its workspace with the small library."""
    for session in in_fresh_folder(shared_desk):
        (session.folder / "refs.bib").write_text(LIBRARY, encoding="utf-8")
        yield session


async def opened(session: Session, text: str, name: str = "a.tex") -> Buffer:
    draft = session.open(name, text)
    await session.ready()
    return draft


def applied(session: Session, path: Path, text: str) -> str:
    """Return a file after the last edit that the server requested."""
    buffer = Buffer.__new__(Buffer)
    buffer.session, buffer.text = session, text
    return buffer.after_all(edits_of(session.applied[-1], path))


def edits_of(edit: types.WorkspaceEdit, path: Path) -> list[Any]:
    edits: list[Any] = []
    for change in edit.document_changes or ():
        if isinstance(change, types.TextDocumentEdit) and change.text_document.uri == path.as_uri():
            edits += change.edits
    return edits + list((edit.changes or {}).get(path.as_uri(), ()))


async def test_papers_of_a_corpus_stand_behind_those_of_the_library(session: Session) -> None:
    draft = await opened(session, TEX % (SENTENCE + " \\cite{¦}."))
    completions = await draft.complete()
    assert completions is not None
    keys = [inserted(item) for item in completions.items]
    assert set(keys[:2]) == {"devlin2019bert", "cohan2019structural"}
    assert len(keys) > 10 and len(set(keys)) == len(keys)
    assert "bojanowski2017enriching" in keys[2:7]
    item = completions.items[keys.index("bojanowski2017enriching")]
    assert "[acl]" in (item.label + str(item.label_details))


async def test_a_paper_that_the_library_has_is_not_doubled(session: Session) -> None:
    draft = await opened(session, TEX % "As shown \\cite{bidirectional transformers¦}.")
    completions = await draft.complete()
    assert completions is not None
    assert [inserted(item) for item in completions.items].count("devlin2019bert") == 1
    assert sum("BERT: Pre-training" in str(item.filter_text) for item in completions.items) == 1


async def test_typed_words_search_the_corpus_by_author_title_and_year(session: Session) -> None:
    draft = await opened(session, TEX % "As shown \\cite{¦}.")
    for typed in ("bojan", "enriching subw", "2017 mikolov"):
        draft.type(typed)
        assert "bojanowski2017enriching" in await draft.keys()
        draft.replace(draft.cursor - len(typed), draft.cursor, "")
    draft.type("qqqq")
    assert await draft.keys() == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tex", TEX % "As shown \\cite{%s¦}."),
        ("a.md", "---\nbibliography: refs.bib\n---\nAs shown [@%s¦].\n"),
    ],
)
@pytest.mark.parametrize("pasted", ["10.1162/tacl_a_00051", "https://doi.org/10.1162/TACL_a_00051"])
async def test_a_pasted_doi_is_its_paper(
    session: Session, name: str, text: str, pasted: str
) -> None:
    draft = await opened(session, text % pasted, name)
    assert await draft.keys() == ["bojanowski2017enriching"]


async def test_accepting_writes_the_entry_in_the_hand_of_the_file(session: Session) -> None:
    draft = await opened(session, TEX % "As shown \\cite{bojanowski¦}.")
    completions = await draft.complete()
    assert completions is not None
    item = completions.items[0]
    assert item.command is not None and item.command.command == "citeLsp.addEntry"
    done = await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams(item.command.command, item.command.arguments)
    )
    assert done is True
    text = applied(session, session.folder / "refs.bib", LIBRARY)
    assert text.startswith(LIBRARY)
    entry = parse_bibliography(text, session.folder / "refs.bib").entries[-1]
    assert entry.key == inserted(item) == "bojanowski2017enriching"
    assert entry.paper.authors[0] == "Piotr Bojanowski" and entry.paper.year == 2017
    (session.folder / "refs.bib").write_text(text, encoding="utf-8")
    again = await draft.complete()
    assert again is not None
    assert [inserted(item) for item in again.items].count("bojanowski2017enriching") == 1
    assert again.items[0].command is None


async def test_the_abstract_is_shown_when_an_item_is_resolved(session: Session) -> None:
    draft = await opened(session, TEX % "As shown \\cite{bojanowski¦}.")
    completions = await draft.complete()
    assert completions is not None
    item = await session.client.completion_item_resolve_async(completions.items[0])
    text = str(getattr(item.documentation, "value", item.documentation))
    assert "character n-grams" in text.replace("\\", "")
    assert "from the corpus “acl”, not in your library" in text.lower()


async def test_citing_by_command_writes_marker_and_entry_in_a_single_edit(session: Session) -> None:
    text = TEX % (SENTENCE + "¦.")
    draft = await opened(session, text)
    position = draft.position()
    arguments: list[Any] = [draft.uri, {"line": position.line, "character": position.character}]
    rows = await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams("citeLsp.recommend", [*arguments, 10])
    )
    assert isinstance(rows, list)
    row = next(row for row in rows if row["corpus"] == "acl")
    assert (row["inLibrary"], bool(row["abstract"])) == (False, True)
    done = await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams("citeLsp.insert", [*arguments, row["key"]])
    )
    assert done is True
    assert len(session.applied) == 1
    assert f"\\cite{{{row['key']}}}" in draft.after_all(
        edits_of(session.applied[0], session.folder / "a.tex")
    )
    assert f"{{{row['key']},\n" in applied(session, session.folder / "refs.bib", LIBRARY)


async def test_the_command_cites_a_paper_behind_its_name_as_the_code_action_does(
    session: Session,
) -> None:
    text = TEX % "Bojanowski et al. make word vectors of the pieces of spelling in words¦."
    draft = await opened(session, text)
    titled = (action for action in await draft.actions() if "Bojanowski" in action.title)
    action = next(titled)
    assert isinstance(action, types.CodeAction) and action.edit is not None
    position = draft.position()
    place = {"line": position.line, "character": position.character}
    key = "bojanowski2017enriching"
    done = await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams("citeLsp.insert", [draft.uri, place, key])
    )
    assert done is True
    listed, inserted = (
        draft.after_all(edits_of(edit, session.folder / "a.tex"))
        for edit in (action.edit, session.applied[-1])
    )
    assert "Bojanowski et al.~\\cite{" in listed and inserted == listed


async def test_a_paper_that_the_library_got_meanwhile_is_cited_by_its_key_there(
    session: Session,
) -> None:
    draft = await opened(session, TEX % (SENTENCE + "¦."))
    position = draft.position()
    arguments: list[Any] = [draft.uri, {"line": position.line, "character": position.character}]
    rows = await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams("citeLsp.recommend", [*arguments, 10])
    )
    assert isinstance(rows, list)
    row = next(row for row in rows if row["corpus"])
    with (session.folder / "refs.bib").open("a", encoding="utf-8") as file:
        file.write(f"@misc{{mine, title={{{row['title']}}}, doi={{{row['doi']}}}}}\n")
    done = await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams("citeLsp.insert", [*arguments, row["key"]])
    )
    assert done is True
    (edit,) = session.applied
    assert "\\cite{mine}" in draft.after_all(edits_of(edit, session.folder / "a.tex"))
    assert not edits_of(edit, session.folder / "refs.bib")


async def test_code_actions_cite_papers_of_a_corpus(session: Session) -> None:
    draft = await opened(session, TEX % (SENTENCE + "¦."))
    actions = await draft.actions()
    citing = [action for action in actions if action.title.startswith("Cite: [acl] ")]
    assert citing and isinstance(citing[0], types.CodeAction) and citing[0].edit is not None
    assert edits_of(citing[0].edit, session.folder / "a.tex") and edits_of(
        citing[0].edit, session.folder / "refs.bib"
    )


async def test_a_key_without_its_entry_gets_it_by_a_code_action(session: Session) -> None:
    """What is left to editors that run no command when an item is accepted."""
    draft = await opened(session, TEX % "As shown \\cite{bojanowski2017enri¦ching}.")
    titles = [action.title for action in await draft.actions()]
    assert "Add “bojanowski2017enriching” to refs.bib" in titles


async def test_references_in_the_draft_itself_come_with_the_item(session: Session) -> None:
    text = "---\nreferences:\n- id: own2001\n  title: Own\n---\n\nAs shown [@bojanowski¦].\n"
    draft = await opened(session, text, "a.md")
    completions = await draft.complete()
    assert completions is not None
    item = next(item for item in completions.items if "Bojanowski" in str(item.filter_text))
    assert item.command is None and item.additional_text_edits
    after = draft.after_all(item.additional_text_edits)
    assert f"- id: {inserted(item)}\n" in after and after.endswith(draft.text[-30:])


async def test_a_bibliography_that_does_not_exist_yet_is_created(session: Session) -> None:
    draft = await opened(
        session, (TEX % "As shown \\cite{bojanowski¦}.").replace("{refs}", "{mine}")
    )
    completions = await draft.complete()
    assert completions is not None and completions.items[0].command is not None
    await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams("citeLsp.addEntry", completions.items[0].command.arguments)
    )
    changes = session.applied[-1].document_changes or []
    assert isinstance(changes[0], types.CreateFile)
    assert changes[0].uri == (session.folder / "mine.bib").as_uri()
    assert applied(session, session.folder / "mine.bib", "").startswith(
        "@article{bojanowski2017enri"
    )


async def test_the_settings_say_which_corpora_take_part(desk: Path) -> None:
    for names in ([], ["other"]):
        async with Session(desk, options={"corpora": names}) as session:
            draft = await opened(session, TEX % (SENTENCE + " \\cite{¦}."))
            assert set(await draft.keys()) == {"devlin2019bert", "cohan2019structural"}
    async with Session(desk, options={"corpora": ["acl"], "addEntriesTo": "new.bib"}) as session:
        draft = await opened(session, TEX % "As shown \\cite{bojanowski¦}.")
        completions = await draft.complete()
        assert completions is not None and completions.items[0].command is not None
        await session.client.workspace_execute_command_async(
            types.ExecuteCommandParams("citeLsp.addEntry", completions.items[0].command.arguments)
        )
        assert applied(session, desk / "new.bib", "").startswith("@")


async def test_a_corpus_that_is_built_while_the_server_runs_is_picked_up(
    tmp_path: Path, acl: Path
) -> None:
    (tmp_path / "refs.bib").write_text(LIBRARY, encoding="utf-8")
    async with Session(tmp_path) as session:
        draft = await opened(session, TEX % "As shown \\cite{bojanowski¦}.")
        assert await draft.keys() == []
        shutil.copytree(acl, tmp_path / ".home" / "corpora" / "acl")
        async with asyncio.timeout(PATIENCE):
            while not await draft.keys():
                draft.type(" ")
                await asyncio.sleep(0.6)
        assert "bojanowski2017enriching" in await draft.keys()


async def test_a_damaged_corpus_costs_the_library_nothing(desk: Path) -> None:
    for path in (desk / ".home" / "corpora" / "acl").glob("version-*/starts.npy"):
        path.write_bytes(b"")
    async with Session(desk) as session:
        draft = await opened(session, TEX % (SENTENCE + " \\cite{¦}."))
        assert set(await draft.keys()) == {"devlin2019bert", "cohan2019structural"}


async def test_workspace_symbols_find_papers_of_the_library_then_of_the_corpus(desk: Path) -> None:
    async with Session(desk) as session:
        await opened(session, TEX % "Text.")
        symbols = await session.client.workspace_symbol_async(
            types.WorkspaceSymbolParams("classification")
        )
        assert symbols is not None
        assert symbols[0].name.startswith("cohan2019structural")
        assert [symbol.container_name for symbol in symbols[1:]] == ["acl"] * (len(symbols) - 1)
        assert not any("Structural Scaffolds" in symbol.name for symbol in symbols[1:])
        symbol = symbols[1]
        assert isinstance(symbol, types.SymbolInformation)
        path = to_fs_path(symbol.location.uri)
        assert path is not None
        record = Path(path).read_text(encoding="utf-8").splitlines()
        line = record[symbol.location.range.start.line]
        assert json.loads(line)["title"] in symbol.name
        Path(path).unlink()  # as a build of another process does
        symbols = await session.client.workspace_symbol_async(
            types.WorkspaceSymbolParams("classification")
        )
        assert symbols is not None
        assert [symbol.name.split()[0] for symbol in symbols] == ["cohan2019structural"]
