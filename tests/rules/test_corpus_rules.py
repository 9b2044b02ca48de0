"""What a corpus knows of the papers of a library, in the editor: retracted, or published."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from attrs import evolve
from lsprotocol import types

from cite_lsp.encode import load_encoder
from cite_lsp.paper import Paper
from cite_lsp.search.indexing.build import build_corpus
from tests.server.editor_session import Buffer, Session, inserted

pytestmark = pytest.mark.asyncio(loop_scope="session")

PAPERS = [
    Paper(
        "1", "Gulls Lead to Rain", authors=("Anna Moor",), year=1998, venue="Birds", retracted=True
    ),
    Paper(
        "2",
        "Attention Is All Terns Need",
        abstract="Sea birds attend to one another.",
        authors=("Wei Li",),
        year=2019,
        venue="Proc. of TERN",
    ),
    Paper("3", "Storms in Spring", authors=("Anna Moor",), year=2020, venue="Journal of Storms"),
]
LIBRARY = """@article{moor1998,
  title = {Gulls Lead to Rain},
  author = {Moor, Anna},
  year = {1998},
}
@article{li2017,
  title = {Attention Is All Terns Need},
  author = {Li, Wei},
  journal = {arXiv preprint arXiv:1706.03762},
  year = {2017},
}
@misc{moor2019,
  title = {Storms in Spring},
  author = {Moor, Anna},
  year = {2019},
  eprint = {1901.00001},
  archiveprefix = {arXiv},
}
@article{moor1998known,
  title = {RETRACTED: Gulls Lead to Rain},
  author = {Moor, Anna},
  year = {1998},
}
"""
TEX = "Gulls bring rain \\cite{moor1998known, moor1998, li2017}.\n\\bibliography{refs}\n"


@pytest.fixture(scope="session")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora") / "birds"
    build_corpus(folder, PAPERS, load_encoder(max_tokens=32))
    return folder


@pytest.fixture
def desk(tmp_path: Path, birds: Path) -> Path:
    """A folder with a library, and a home with the corpus."""
    shutil.copytree(birds, tmp_path / ".home" / "corpora" / "birds")
    (tmp_path / "refs.bib").write_text(LIBRARY, encoding="utf-8")
    return tmp_path


def updates(actions: list[types.CodeAction | types.Command]) -> dict[str, types.CodeAction]:
    return {
        action.title: action
        for action in actions
        if isinstance(action, types.CodeAction) and action.title.startswith("Update")
    }


def after(buffer: Buffer, action: types.CodeAction) -> str:
    (change,) = (action.edit and action.edit.document_changes) or ()
    assert isinstance(change, types.TextDocumentEdit) and change.text_document.uri == buffer.uri
    return buffer.after_all([edit for edit in change.edits if isinstance(edit, types.TextEdit)])


async def test_a_retracted_paper_is_reported_where_it_is_cited_and_at_its_entry(
    desk: Path,
) -> None:
    async with Session(desk) as session:
        draft = session.open("a.tex", TEX)
        (warning,) = await session.diagnostics(draft.path)
        assert warning.code == "retracted" and warning.severity == types.DiagnosticSeverity.Warning
        assert draft.words(warning.range) == "moor1998"
        assert warning.message == (
            '"moor1998" was retracted, says the corpus birds: cite it as retracted, or not at all'
        )
        bib = session.open("refs.bib", LIBRARY)
        (warning,) = await session.diagnostics(bib.path)
        assert warning.code == "retracted" and bib.words(warning.range) == "moor1998"
        bib.at("title = {").type("RETRACTED: ")
        await session.until(
            lambda: (
                [shown.code for shown in session.client.diagnostics[bib.uri]] == ["duplicate-work"]
            )
        )
        await session.until(lambda: not session.client.diagnostics[draft.uri])


async def test_without_the_corpora_nothing_is_known(desk: Path) -> None:
    async with Session(desk, options={"corpora": []}) as session:
        draft = session.open("a.tex", TEX + "\\cite{nobody}")
        (unknown,) = await session.diagnostics(draft.path)
        assert unknown.code == "unknown-key"
        assert not updates(await draft.at("li2017").actions())


async def test_a_preprint_becomes_what_was_published(desk: Path) -> None:
    async with Session(desk) as session:
        bib = session.open("refs.bib", LIBRARY)
        actions = updates(await bib.at("All Terns").actions())
        single, all_of_them = actions
        assert single == "Update “li2017” to Proc. of TERN, 2019"
        assert all_of_them == "Update all 2 preprints to their published versions"
        changed = after(bib, actions[single])
        assert changed == LIBRARY.replace("@article{li2017", "@inproceedings{li2017").replace(
            "journal = {arXiv preprint arXiv:1706.03762}", "booktitle = {Proc. of TERN}"
        ).replace("year = {2017}", "year = {2019}")
        changed = after(bib, actions[all_of_them])
        assert "booktitle = {Proc. of TERN}" in changed
        assert "@article{moor2019,\n" in changed and "journal = {Journal of Storms}" in changed
        assert not updates(await bib.at("@article{moor1998known").actions())


async def test_a_preprint_that_a_draft_cites_becomes_what_was_published(desk: Path) -> None:
    async with Session(desk) as session:
        draft = session.open("a.tex", TEX)
        (action,) = updates(await draft.at("li2017").actions()).values()
        assert action.edit is not None
        bib = session.open("refs.bib", LIBRARY)
        assert "booktitle = {Proc. of TERN}" in after(bib, action)
        assert not updates(await draft.at("moor1998").actions())


async def test_preprints_are_reported_where_the_rule_is_on(desk: Path) -> None:
    options = {"diagnostics": {"preprint": True, "retracted": False}}
    async with Session(desk, options=options) as session:
        bib = session.open("refs.bib", LIBRARY)
        hints = await session.diagnostics(bib.path)
        assert [bib.words(hint.range) for hint in hints] == ["li2017", "moor2019"]
        assert {hint.severity for hint in hints} == {types.DiagnosticSeverity.Hint}
        assert hints[0].message == (
            '"li2017" is a preprint of what was published: Proc. of TERN, 2019'
        )


async def test_hover_tells_what_a_corpus_knows_of_the_paper(desk: Path) -> None:
    async with Session(desk) as session:
        draft = session.open("a.tex", TEX)

        async def shown(key: str) -> str:
            place = types.HoverParams(draft.at(key).identifier, draft.position())
            shown = await session.client.text_document_hover_async(place)
            assert shown is not None and isinstance(shown.contents, types.MarkupContent)
            return shown.contents.value

        await session.ready()
        terns = await shown("li2017")
        assert "arXiv Preprint" in terns and terns.endswith("Sea birds attend to one another.")
        gulls = await shown("{moor1998known, moor19")
        assert gulls.startswith("**Retracted**") and "Gulls Lead to Rain" in gulls


async def test_so_does_a_list(desk: Path) -> None:
    async with Session(desk) as session:
        draft = session.open("a.tex", "Gulls bring rain \\cite{¦}.\n\\bibliography{refs}\n")
        await session.ready()
        completions = await draft.complete()
        items = {inserted(item): item for item in completions.items} if completions else {}
        whole = [
            await session.client.completion_item_resolve_async(items[key])
            for key in ("li2017", "moor1998")
        ]
        terns, gulls = (str(item.documentation) for item in whole)
        assert "Sea birds attend to one another." in terns and "Retracted" in gulls


CLAIMS = """@article{moor2020,
  title  = {Storms in Spring},
  author = {Moor, Anna},
  year   = {2020}
}
@article{li2020,
  title  = {Gulls of the North},
  author = {Moor, A.},
  year   = 2011, % sure?
  doi    = {10.1000/storms},
  note   = {Read}
}
@misc{nobody, title = {Reeds}, author = {Reed, Rui}}
"""


async def test_an_entry_that_a_corpus_contradicts_is_put_right(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ".home" / "corpora" / "birds"
    build_corpus(folder, [evolve(PAPERS[2], doi="10.1000/storms")], load_encoder(max_tokens=32))
    options = {"diagnostics": {"unverifiedEntry": True}}
    async with Session(tmp_path, options=options) as session:
        bib = session.open("refs.bib", CLAIMS)
        contradicted, unknown = await session.diagnostics(bib.path)
        assert (bib.words(contradicted.range), bib.words(unknown.range)) == ("li2020", "nobody")
        assert contradicted.message == (
            '"li2020" differs from 10.1000/storms in the corpus birds:'
            " title “Gulls of the North”, there “Storms in Spring”; year 2011, there 2020"
        )
        assert unknown.message == '"nobody" is not found in the corpus birds'
        assert unknown.severity == types.DiagnosticSeverity.Hint
        actions = {action.title: action for action in await bib.at("li2020").actions()}
        action = actions["Take title and year from the corpus birds"]
        assert isinstance(action, types.CodeAction)
        fixed = CLAIMS.replace("Gulls of the North", "Storms in Spring").replace("2011", "2020")
        assert after(bib, action) == fixed
    async with Session(tmp_path) as session:
        bib = session.open("refs.bib", CLAIMS)
        assert not await bib.at("li2020").actions(["quickfix"])
