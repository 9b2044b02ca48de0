"""What is wrong with a document is found out once for each state of it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from lsprotocol import types

from cite_lsp.cancelling import Cancelled
from cite_lsp.paper import Paper
from cite_lsp.rules.findings import Finding, Hint, Ranked
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.server.config.options import DiagnosticsOptions, Options
from cite_lsp.server.config.setup import Setup
from cite_lsp.server.edits.quick_fix import fixes
from cite_lsp.server.session import finding_diagnostics, request
from cite_lsp.server.session.finding_diagnostics import diagnose
from cite_lsp.server.session.recent_results import RecentResults
from cite_lsp.server.session.request import Request
from tests.recommend.shores import TopicEncoder
from tests.server.desk import Desk

TEXT = "\\cite{unheard}\\bibliography{refs}\\input{b}"


@pytest.fixture
def desk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(request, "MOMENT", -1.0)  # only findings are cached here
    (folder / "b.tex").write_text("Included.", encoding="utf-8")
    return counted(Desk(folder / "a.tex", TEXT), monkeypatch)


def counted(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    examine = finding_diagnostics.examine

    def counting(request: Request) -> Iterator[Finding]:
        desk.examined += 1
        return examine(request)

    monkeypatch.setattr(finding_diagnostics, "examine", counting)
    return desk


def test_diagnostics_and_actions_want_the_same_findings_once(desk: Desk) -> None:
    by_uri, _ = diagnose(desk.request())
    assert [diagnostic.code for diagnostic in by_uri[desk.path.as_uri()]] == ["unknown-key"]
    diagnose(desk.request())
    for offset in (0, 7, 20):
        fixes(desk.request(), offset, offset)
    assert desk.examined == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"ranked": Ranked({"A sentence.": Hint("He et al.", ())})},
        {"options": Options(diagnostics=DiagnosticsOptions(unknown_key=False))},
    ],
)
def test_other_hints_and_settings_are_another_state(desk: Desk, changed: dict[str, Any]) -> None:
    desk.rules()
    desk.rules(**changed)
    desk.rules(**changed)
    assert desk.examined == 2


def test_an_edit_of_any_open_document_is_another_state(desk: Desk, folder: Path) -> None:
    assert desk.rules() == ["unknown-key"]
    bibliography = "@misc{unheard, title={Gulls}}"
    uri = (folder / "refs.bib").as_uri()
    desk.store.open(types.TextDocumentItem(uri, "bibtex", 1, bibliography))
    assert desk.rules() == []


@pytest.mark.parametrize("name", ["refs.bib", "b.tex"])
def test_a_file_of_the_draft_that_changes_is_another_state(
    desk: Desk, folder: Path, name: str
) -> None:
    desk.rules()
    (folder / name).write_text("@misc{unheard, title={Gulls}}", encoding="utf-8")
    assert desk.rules() == ([] if name == "refs.bib" else ["unknown-key"])
    assert desk.examined == 2


def test_another_recommender_is_another_state(desk: Desk) -> None:
    desk.rules()
    desk.engine.configure(Setup("static", corpora=(), other_drafts=False, translator="dictionary2"))
    desk.rules()
    assert desk.examined == 2


def test_a_corpus_that_is_built_anew_is_another_state(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(folder / "home"))
    corpus = folder / "home" / "corpora" / "nets"
    title = "Deep Residual Learning for Image Recognition"
    paper = Paper("r", title, authors=("Kaiming He",), year=2016)
    build_corpus(corpus, [paper], TopicEncoder())
    text = "\\cite{he2016resnet}\\bibliography{refs}"
    desk = counted(Desk(folder / "a.tex", text, corpora=None), monkeypatch)
    assert desk.rules() == [] and desk.rules() == []
    assert desk.examined == 1
    build_corpus(corpus, [evolve(paper, retracted=True)], TopicEncoder())
    assert desk.rules() == ["retracted"]


def test_findings_of_a_cancelled_request_are_not_cached(desk: Desk) -> None:
    with pytest.raises(Cancelled):
        desk.rules(cancelled=lambda: True)
    assert desk.rules() == ["unknown-key"]
    assert desk.examined == 2


def test_who_wants_them_meanwhile_waits_for_them(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    examine, begun, release = finding_diagnostics.examine, threading.Event(), threading.Event()

    def slowly(request: Request) -> Iterator[Finding]:
        begun.set()
        release.wait(60)
        return examine(request)

    monkeypatch.setattr(finding_diagnostics, "examine", slowly)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(desk.rules)
        assert begun.wait(60)
        second = pool.submit(desk.rules)
        release.set()
        assert first.result(60) == second.result(60) == ["unknown-key"]
    assert desk.examined == 1


def test_findings_of_a_bibliography_count_for_a_moment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (folder / "refs.bib").read_text(encoding="utf-8")
    desk = counted(Desk(folder / "refs.bib", text), monkeypatch)
    monkeypatch.setattr(finding_diagnostics, "MOMENT", 60.0)
    desk.rules()
    desk.rules()
    assert desk.examined == 1
    monkeypatch.setattr(finding_diagnostics, "MOMENT", -1.0)
    desk.findings = RecentResults()
    desk.rules()
    desk.rules()
    assert desk.examined == 3
