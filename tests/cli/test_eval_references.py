"""`eval references`: how many of the references taken out of drafts come back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.evaluate.tasks.draft_references import SYSTEMS
from tests.cli.conftest import Outcome
from tests.evaluate.tasks.test_draft_references import write
from tests.recommend.shores import TopicEncoder

Command = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "cite_lsp.cli.tasks.draft_references.load_encoder", lambda name: TopicEncoder()
    )


def test_recall_stands_beside_that_of_bm25(command: Command, desk: Path) -> None:
    for name, topic in (("sea", "tide"), ("birds", "gull")):
        write(desk / "drafts", name, topic)
    outcome = command("eval", "references", desk / "drafts", "--json")
    assert outcome.status == 0
    report = outcome.json
    assert (report["task"], report["papers"]) == ("references", 16)
    assert tuple(report["systems"]) == SYSTEMS
    for system in report["systems"].values():
        low, high = system["intervals"]["recall@20"]
        assert low <= system["figures"]["recall@20"] <= high
    assert set(report["drafts"]) == {"birds", "sea"}
    assert report["ratios"]["bm25"][0] > 0
    text = command("eval", "references", desk / "drafts").out
    assert text.startswith("2 drafts, 6 references removed, 16 papers")
    assert "times the recall@20 of bm25 (" in text


def test_a_folder_without_drafts_is_one_line(command: Command, desk: Path) -> None:
    (desk / "empty").mkdir()
    outcome = command("eval", "references", desk / "empty")
    assert outcome.status == 1 and "no draft here cites 4 entries" in outcome.error
    assert "not a folder" in command("eval", "references", desk / "gone").error
