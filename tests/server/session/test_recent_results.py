"""What a request has found is there for the next one, until anything may have changed."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from lsprotocol import types

from cite_lsp.project.draft import Draft
from cite_lsp.server.config.setup import Setup
from cite_lsp.server.session import request
from cite_lsp.server.session.recent_results import RecentResults, StoredResult
from tests.server.desk import Desk

TEXT = "\\cite{he2016resnet}\\bibliography{refs}\\input{b}\\usepackage{c}"


class DraftDesk(Desk):
    """An open draft beside a bibliography, read once."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "a.tex", TEXT)
        self.draft: Draft = self.request().draft()

    @property
    def known(self) -> bool:
        return self.request().draft() is self.draft


@pytest.fixture
def desk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> DraftDesk:
    monkeypatch.setattr(request, "MOMENT", 60.0)
    (folder / "b.tex").write_text("Included.")
    (folder / "c.sty").write_text("Loaded.")
    return DraftDesk(folder)


def test_a_draft_is_known_while_nothing_changes(desk: DraftDesk) -> None:
    assert desk.known


@pytest.mark.parametrize("name", ["refs.bib", "b.tex", "c.sty"])
def test_a_draft_is_not_known_once_one_of_its_files_changes(
    desk: DraftDesk, folder: Path, name: str
) -> None:
    (folder / name).write_text("@misc{other, title={O}}")
    assert not desk.known


def test_a_draft_is_not_known_once_a_bibliography_is_gone(desk: DraftDesk, folder: Path) -> None:
    (folder / "refs.bib").unlink()
    assert not desk.known


def test_a_draft_is_not_known_after_an_edit_of_any_buffer(desk: DraftDesk, folder: Path) -> None:
    item = types.TextDocumentItem((folder / "c.tex").as_uri(), "latex", 1, "New.")
    desk.store.open(item)
    assert not desk.known


def test_a_draft_is_not_known_under_other_settings(desk: DraftDesk) -> None:
    desk.engine.configure(Setup("static", corpora=(), other_drafts=False, cite_commands=("see",)))
    assert not desk.known


def test_a_draft_is_not_known_for_long(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "MOMENT", -1.0)
    assert not DraftDesk(folder).known


@pytest.mark.parametrize("change", [False, True])
def test_what_is_in_use_stays_however_many_others_come(change: bool) -> None:
    recent: RecentResults[int] = RecentResults()
    made: list[int] = []

    def use(number: int, state: int = 0) -> int:
        def make() -> StoredResult[int]:
            made.append(number)
            return StoredResult(number, (), math.inf, None)

        return recent.of(Path(f"{number}.tex"), lambda: state, make)

    for number in range(1, 21):
        assert use(0, number if change else 0) == 0
        assert use(number) == number
    assert made.count(0) == (20 if change else 1)
    made.clear()
    use(0, 20 if change else 0)
    assert made == []
    use(1)
    assert made == [1], "what nobody uses is forgotten"


def test_a_draft_of_many_files_is_known_until_one_of_them_changes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "MOMENT", 60.0)
    chapters = [folder / f"chapter{number}.tex" for number in range(50)]
    for chapter in chapters:
        chapter.write_text("A chapter.")
    (folder / "b.tex").write_text("".join(f"\\input{{{chapter.stem}}}" for chapter in chapters))
    desk = DraftDesk(folder)
    assert desk.known
    chapters[-1].write_text("Another chapter.")
    assert not desk.known
