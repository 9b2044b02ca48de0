"""A bibliography that is not where the draft says is named where it lies."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session
from tests.server.edits.test_quick_fix import fixed

pytestmark = pytest.mark.asyncio(loop_scope="session")


def put(session: Session, name: str) -> Path:
    path = session.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(BIBLIOGRAPHY, encoding="utf-8")
    return path


async def titles(draft: Buffer) -> list[str]:
    """Return the titles of what mends the declaration under the cursor."""
    all_titles = [action.title for action in await draft.actions(["quickfix"])]
    return [title for title in all_titles if title.startswith(("Change to", "Create"))]


@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        ("paper/a.tex", "\\bibliography{here, mov¦ed}\n", "\\bibliography{here, ../bib/moved}\n"),
        ("paper/a.tex", "\\addbibresource{mov¦ed.bib}\n", "\\addbibresource{../bib/moved.bib}\n"),
        ("a.tex", "\\bibliography{old/mov¦ed}\n", "\\bibliography{bib/moved}\n"),
        (
            "paper/a.md",
            "---\nbibliography: [here.bib, 'mov¦ed.bib']\n---\n",
            "---\nbibliography: [here.bib, '../bib/moved.bib']\n---\n",
        ),
        ("a.typ", '#bibliography("mov¦ed.bib")\n', '#bibliography("bib/moved.bib")\n'),
        ("a.org", "#+bibliography: mov¦ed.bib\n", "#+bibliography: bib/moved.bib\n"),
    ],
)
async def test_a_file_of_the_same_name_is_named_where_it_lies(
    session: Session, name: str, text: str, after: str
) -> None:
    put(session, "bib/moved.bib")
    put(session, "paper/here.bib")
    draft = session.open(name, text)
    title = next(title for title in await titles(draft) if title.startswith("Change to"))
    assert await fixed(draft, title) == after
    draft.replace(0, len(draft.text), after)
    draft.cursor = after.index("moved")
    assert await titles(draft) == []


async def test_it_comes_before_the_fix_that_creates_the_file(session: Session) -> None:
    put(session, "far/away/from/here/twice.bib")
    put(session, "near/twice.bib")
    draft = session.open("a.tex", "\\bibliography{twi¦ce}\n")
    assert await titles(draft) == [
        "Change to “near/twice”",
        "Change to “far/away/from/here/twice”",
        "Create twice.bib",
    ]


async def test_without_such_a_file_those_in_its_folder_are_proposed_by_likeness_of_their_names(
    session: Session,
) -> None:
    for name in ("zebra.bib", "Reefs2.bib", "reefs.txt", "used.bib"):
        put(session, name)
    draft = session.open("a.tex", "\\bibliography{used, ree¦fs}\n")
    choices = ["Change to “Reefs2”", "Change to “refs”", "Change to “zebra”"]
    assert await titles(draft) == [*choices, "Create reefs.bib"]
    put(session, "old/reefs.bib")
    assert await titles(draft) == ["Change to “old/reefs”", "Create reefs.bib"]


async def test_a_folder_that_is_missing_too_has_nothing_to_offer(session: Session) -> None:
    draft = session.open("a.tex", "\\bibliography{none/no¦body}\n")
    assert [title for title in await titles(draft) if title.startswith("Change")] == []


async def test_in_the_chapter_of_a_thesis_it_is_named_from_the_main_file(session: Session) -> None:
    put(session, "bib/ours.bib")
    main = "\\documentclass{book}\\begin{document}\\include{chapters/one}\\end{document}\n"
    (session.folder / "main.tex").write_text(main, encoding="utf-8")
    (session.folder / "chapters").mkdir()
    draft = session.open("chapters/one.tex", "\\addbibresource{ou¦rs.bib}\n")
    draft.save()
    assert await titles(draft) == ["Change to “bib/ours.bib”", "Create ours.bib"]


async def test_what_the_draft_names_already_is_not_named_again(session: Session) -> None:
    put(session, "bib/known.bib")
    draft = session.open("a.tex", "\\bibliography{bib/known, kno¦wn}\n")
    assert await titles(draft) == ["Change to “refs”", "Create known.bib"]


async def test_links_that_lead_in_circles_and_names_that_tex_cannot_read_are_passed_over(
    session: Session,
) -> None:
    put(session, "bib/circle.bib")
    put(session, "my files/circle.bib")
    (session.folder / "bib" / "back").symlink_to(session.folder, target_is_directory=True)
    draft = session.open("a.tex", "\\bibliography{cir¦cle}\n")
    assert await titles(draft) == ["Change to “bib/circle”", "Create circle.bib"]
    draft = session.open("a.md", "---\nbibliography: cir¦cle.bib\n---\n")
    assert "Change to “my files/circle.bib”" in await titles(draft)


async def test_the_only_file_is_preferred(session: Session) -> None:
    put(session, "bib/only.bib")
    draft = session.open("a.tex", "\\bibliography{on¦ly}\n")
    actions = [action for action in await draft.actions() if isinstance(action, types.CodeAction)]
    assert [action.title for action in actions if action.is_preferred] == ["Change to “bib/only”"]


async def test_a_file_whose_name_has_another_case_is_named_as_it_is(session: Session) -> None:
    put(session, "Reference.bib")
    draft = session.open("a.md", "---\nbibliography: refer¦ence.bib\n---\n")
    (diagnostic,) = await session.diagnostics(draft.path)
    assert '"Reference.bib"' in diagnostic.message
    assert "Change to “Reference.bib”" in await titles(draft)
