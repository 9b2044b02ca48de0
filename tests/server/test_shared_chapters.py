r"""A chapter that two drafts include: what either can cite can be cited there."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from tests.rules.test_examine import reported
from tests.server.editor_session import Session
from tests.server.features.test_definition import definition
from tests.server.features.test_rename import edited, rename

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHAPTER = "Shared \\cite{b2002} and \\cite{a2001}.\n"
MAIN = (
    "\\documentclass{article}\\begin{document}\n\\input{sections/shared}\n"
    "\\bibliography{%s}\n\\end{document}\n"
)
OLD = "@misc{a2001, title = {Aster}}\n@misc{c2003, title = {Cress}}\n"
NEW = "@misc{a2001, title = {Asters}}\n@misc{b2002, title = {Borage}}\n"
FILES = {
    "a_supp.tex": MAIN % "old",
    "paper.tex": MAIN % "new",
    "old.bib": OLD,
    "new.bib": NEW,
    "sections/shared.tex": CHAPTER,
}


@pytest.fixture
def shared(session: Session) -> Session:
    write(session.folder)
    return session


def write(folder: Path) -> None:
    (folder / "sections").mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


async def test_a_key_is_unknown_only_if_neither_knows_it(shared: Session) -> None:
    chapter = shared.open("sections/shared.tex", CHAPTER + "\\cite{nobody}\n")
    assert [words for _, words, _ in await reported(chapter)] == ["nobody"]
    assert (shared.folder / "new.bib").as_uri() not in shared.client.diagnostics


async def test_both_complete_and_lead_to_their_entries(shared: Session) -> None:
    chapter = shared.open("sections/shared.tex", CHAPTER + "\\cite{¦}\n")
    assert set(await chapter.keys()) == {"a2001", "b2002", "c2003"}
    targets = await definition(chapter.at("b2002"))
    assert isinstance(targets, list) and isinstance(targets[0], types.LocationLink)
    assert targets[0].target_uri == (shared.folder / "new.bib").as_uri()


async def test_what_is_wrong_with_the_other_draft_is_reported_there(shared: Session) -> None:
    (shared.folder / "paper.tex").write_text(MAIN % "gone", encoding="utf-8")
    assert await reported(shared.open("sections/shared.tex", CHAPTER)) == []


@pytest.mark.parametrize(
    ("opened", "key", "files"),
    [
        ("sections/shared.tex", "b2002", {"sections/shared.tex", "new.bib"}),
        ("sections/shared.tex", "a2001", {"sections/shared.tex", "new.bib", "old.bib"}),
        ("new.bib", "a2001", {"sections/shared.tex", "new.bib", "old.bib"}),
        ("old.bib", "a2001", {"sections/shared.tex", "new.bib", "old.bib"}),
        ("old.bib", "c2003", {"old.bib"}),
    ],
)
async def test_a_key_is_renamed_in_both(
    shared: Session, opened: str, key: str, files: set[str]
) -> None:
    edits = await rename(shared.open(opened, FILES[opened]).at(key), "new1999")
    assert edits.keys() == {Path(name).name for name in files}
    for name in files:
        after = edited(shared, FILES[name], edits[Path(name).name])
        assert after == FILES[name].replace(key, "new1999")


async def test_a_key_is_renamed_in_both_from_either_of_them(shared: Session) -> None:
    text = (MAIN % "new").replace("\\input", "\\cite{a2001} \\input")
    edits = await rename(shared.open("paper.tex", text).at("a2001"), "new1999")
    assert edits.keys() == {"paper.tex", "shared.tex", "new.bib", "old.bib"}
