"""What the writer cited in another draft, in the next one's list; and the setting that ends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.editor_session import Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIBRARY = "".join(
    f"@article{{{key},\n title = {{{title}}},\n author = {{{author}, A.}},\n year = {{2001}}\n}}\n"
    for key, title, author in (
        ("gulls", "Nesting Habits of the Herring Gull", "Vogel"),
        ("marsh", "Sediment Supply and the Growth of Tidal Marshes", "Luz"),
        ("patience", "Patience in Statistics", "Fry"),
        ("vectors", "Word Vectors from Large Corpora", "Li"),
    )
)
SENTENCE = "Whoever counts the colonies twice a year needs patience above all"
BEFORE = f"\\title{{Birds of the Shore}}\n{SENTENCE} \\cite{{gulls}}.\n\\bibliography{{papers}}\n"
NOW = f"{SENTENCE} \\cite{{¦}}.\n\\bibliography{{papers}}\n"


def lay_out(folder: Path) -> None:
    (folder / "papers.bib").write_text(LIBRARY, encoding="utf-8")
    (folder / "before.tex").write_text(BEFORE, encoding="utf-8")


async def test_what_another_draft_cites_in_these_words_comes_first(tmp_path: Path) -> None:
    lay_out(tmp_path)
    async with Session(tmp_path) as session:
        session.open("before.tex", BEFORE)
        drafts = tmp_path / ".home" / "cache" / "drafts"
        await session.until(lambda: list(drafts.glob("*.npz")))
    async with Session(tmp_path) as session:
        draft = session.open("now.tex", NOW)
        await session.ready()
        assert (await draft.keys())[0] == "gulls"


async def test_drafts_that_are_not_to_learn_from_each_other_do_not(tmp_path: Path) -> None:
    lay_out(tmp_path)
    async with Session(tmp_path, options={"otherDrafts": False}) as session:
        session.open("before.tex", BEFORE)
        await session.ready()
        draft = session.open("now.tex", NOW)
        assert (await draft.keys())[0] == "patience"
    assert not (tmp_path / ".home" / "cache" / "drafts").exists()
