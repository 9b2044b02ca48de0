"""What a request has found is there for the next one, until anything may have changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from cite_lsp.project.draft import DraftReader
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.server.session import draft_cache
from cite_lsp.server.session.documents import DocumentStore
from cite_lsp.server.session.draft_cache import RecentDrafts


class Desk:
    """An open draft beside a bibliography, and a memory of it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "a.tex"
        self.store = DocumentStore()
        item = types.TextDocumentItem(
            self.path.as_uri(),
            "latex",
            1,
            "\\cite{he2016resnet}\\bibliography{refs}\\input{b}\\usepackage{c}",
        )
        self.store.open(item)
        self.recommender = DraftRecommender(DraftReader(self.store.read, workspaces=[folder]))
        self.drafts = RecentDrafts()
        draft = self.recommender.draft(self.path)
        stamp_read = self.store.stamp_read
        self.drafts.put(self.path, self.store.snapshot(), self.recommender, draft, stamp_read)

    @property
    def known(self) -> bool:
        return self.drafts.get(self.path, self.store.snapshot(), self.recommender) is not None


@pytest.fixture
def desk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(draft_cache, "MOMENT", 60.0)
    (folder / "b.tex").write_text("Included.")
    (folder / "c.sty").write_text("Loaded.")
    return Desk(folder)


def test_a_draft_is_known_while_nothing_changes(desk: Desk) -> None:
    assert desk.known


@pytest.mark.parametrize("name", ["refs.bib", "b.tex", "c.sty"])
def test_a_draft_is_not_known_once_one_of_its_files_changes(
    desk: Desk, folder: Path, name: str
) -> None:
    (folder / name).write_text("@misc{other, title={O}}")
    assert not desk.known


def test_a_draft_is_not_known_once_a_bibliography_is_gone(desk: Desk, folder: Path) -> None:
    (folder / "refs.bib").unlink()
    assert not desk.known


def test_a_draft_is_not_known_after_an_edit_of_any_buffer(desk: Desk, folder: Path) -> None:
    item = types.TextDocumentItem((folder / "c.tex").as_uri(), "latex", 1, "New.")
    desk.store.open(item)
    assert not desk.known


def test_a_draft_is_not_known_under_other_settings(desk: Desk) -> None:
    desk.recommender = DraftRecommender(DraftReader(desk.store.read))
    assert not desk.known


def test_a_draft_is_not_known_for_long(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_cache, "MOMENT", -1.0)
    assert not desk.known


@pytest.mark.parametrize("use", ["get", "put"])
def test_the_draft_that_is_in_use_stays_however_many_others_come(desk: Desk, use: str) -> None:
    snapshot, recommender, drafts = desk.store.snapshot(), desk.recommender, desk.drafts
    draft = recommender.draft(desk.path)
    for number in range(20):
        if use == "get":
            assert drafts.get(desk.path, snapshot, recommender) is not None
        else:
            drafts.put(desk.path, snapshot, recommender, draft)
        drafts.put(desk.path.with_name(f"{number}.tex"), snapshot, recommender, draft)
    assert desk.known
    first = desk.path.with_name("0.tex")
    assert drafts.get(first, snapshot, recommender) is None, "what nobody uses is forgotten"


def test_a_draft_of_many_files_is_known_until_one_of_them_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_cache, "MOMENT", 60.0)
    chapters = [folder / f"chapter{number}.tex" for number in range(50)]
    for chapter in chapters:
        chapter.write_text("A chapter.")
    (folder / "b.tex").write_text("".join(f"\\input{{{chapter.stem}}}" for chapter in chapters))
    desk = Desk(folder)
    assert desk.known
    chapters[-1].write_text("Another chapter.")
    assert not desk.known
