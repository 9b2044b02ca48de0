"""What several documents say of one file is published as one list."""

from __future__ import annotations

import pytest
from lsprotocol import types

from cite_lsp.server.watch.merged_diagnostics import MergedDiagnostics

FILE = "file:///thesis/refs.bib"


def diagnostic(line: int, message: str = "never closed", **rest: object) -> types.Diagnostic:
    place = types.Range(types.Position(line, 0), types.Position(line, 5))
    return types.Diagnostic(place, message, **rest)  # type: ignore[arg-type]


@pytest.fixture
def published() -> list[types.PublishDiagnosticsParams]:
    return []


@pytest.fixture
def board(published: list[types.PublishDiagnosticsParams]) -> MergedDiagnostics:
    return MergedDiagnostics(published.append)


def test_what_two_documents_say_stands_there_once(
    board: MergedDiagnostics, published: list[types.PublishDiagnosticsParams]
) -> None:
    board.put("one", {FILE: [diagnostic(3), diagnostic(7)]})
    board.put("two", {FILE: [diagnostic(7), diagnostic(9)]})
    assert published[-1].uri == FILE
    assert [diagnostic.range.start.line for diagnostic in published[-1].diagnostics] == [3, 7, 9]


def test_what_differs_in_the_least_stands_there_twice(board: MergedDiagnostics) -> None:
    board.put("one", {FILE: [diagnostic(3)]})
    board.put("two", {FILE: [diagnostic(3, severity=types.DiagnosticSeverity.Hint)]})
    board.put("three", {FILE: [diagnostic(3, "a duplicate")]})
    assert len(board.sum(FILE)) == 3


def test_what_a_document_takes_back_another_may_still_report(board: MergedDiagnostics) -> None:
    board.put("one", {FILE: [diagnostic(3)]})
    board.put("two", {FILE: [diagnostic(3)]})
    assert board.put("one", {}) == {FILE}
    assert board.sum(FILE) == [diagnostic(3)]
    board.put("two", {})
    assert not board.has_any(FILE)


def test_the_chapters_of_a_thesis_are_summed_up_without_comparing_all_with_all(
    board: MergedDiagnostics, monkeypatch: pytest.MonkeyPatch
) -> None:
    for chapter in range(20):
        board.put(f"chapter{chapter}", {FILE: [diagnostic(line) for line in range(100)]})
    compared = 0
    equal = types.Diagnostic.__eq__

    def counting(diagnostic: types.Diagnostic, other: object) -> bool:
        nonlocal compared
        compared += 1
        return equal(diagnostic, other)

    monkeypatch.setattr(types.Diagnostic, "__eq__", counting)
    assert len(board.sum(FILE)) == 100
    assert compared <= 20 * 100, "each with what stands at its place"
