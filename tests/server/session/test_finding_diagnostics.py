"""Findings are diagnostics that the client can show."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from cite_lsp.manuscript.lines import Encoding
from cite_lsp.rules.findings import Finding, Severity
from cite_lsp.server.rpc.capabilities import ClientAbilities
from cite_lsp.server.session.finding_diagnostics import REST, SOURCE, diagnose, diagnostic
from tests.server.desk import Desk

TEXT = "深 😀 \\cite{unheard}\\bibliography{refs}\n"


@pytest.fixture
def desk(folder: Path) -> Desk:
    return Desk(folder / "a.tex", TEXT)


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 15), ("utf-16", 11), ("utf-32", 10)])
def test_the_place_is_counted_as_the_client_counts(
    desk: Desk, encoding: Encoding, column: int
) -> None:
    by_uri, _ = diagnose(desk.request(client=ClientAbilities(encoding=encoding)))
    (shown,) = by_uri[desk.path.as_uri()]
    end = types.Position(0, column + len("unheard"))
    assert shown.range == types.Range(types.Position(0, column), end)
    assert (shown.source, shown.code) == (SOURCE, "unknown-key")


@pytest.mark.parametrize(
    ("severity", "shown"),
    [
        ("error", types.DiagnosticSeverity.Error),
        ("warning", types.DiagnosticSeverity.Warning),
        ("information", types.DiagnosticSeverity.Information),
        ("hint", types.DiagnosticSeverity.Hint),
    ],
)
def test_a_finding_is_as_bad_as_its_rule_says(
    desk: Desk, severity: Severity, shown: types.DiagnosticSeverity
) -> None:
    finding = Finding("retracted", desk.path, 0, 1, "bad", severity)
    assert diagnostic(desk.request(), finding).severity == shown


@pytest.mark.parametrize("can", [True, False])
def test_only_an_unused_entry_is_dimmed_and_only_where_the_client_can(
    desk: Desk, can: bool
) -> None:
    request = desk.request(client=ClientAbilities(diagnostic_tags=can))
    unused = Finding("unused-entry", desk.path, 0, 1, "not cited", "hint")
    preprint = Finding("preprint", desk.path, 0, 1, "published", "hint")
    assert diagnostic(request, unused).tags == ([types.DiagnosticTag.Unnecessary] if can else None)
    assert diagnostic(request, preprint).tags is None


@pytest.mark.parametrize("can", [True, False])
def test_the_other_place_of_a_finding_is_linked_where_the_client_can(
    folder: Path, can: bool
) -> None:
    text = "@misc{gulls, title={Gulls}}\n@misc{gulls, title={Terns}}\n"
    desk = Desk(folder / "refs.bib", text)
    by_uri, _ = diagnose(desk.request(client=ClientAbilities(diagnostic_links=can)))
    twice = [shown for shown in by_uri[desk.path.as_uri()] if shown.code == "duplicate-key"]
    linked = [link.location.uri for shown in twice for link in shown.related_information or ()]
    assert linked == ([desk.path.as_uri()] if can else [])


def test_of_very_many_in_a_file_some_are_shown(folder: Path) -> None:
    keys = ",".join(f"unheard{number}" for number in range(300))
    desk = Desk(folder / "a.tex", f"\\cite{{{keys}}}\\bibliography{{refs}}")
    by_uri, _ = diagnose(desk.request())
    assert len(desk.rules()) == 300 and len(by_uri[desk.path.as_uri()]) == 100


def test_a_key_that_is_being_typed_is_shown_later(desk: Desk) -> None:
    behind = types.Position(0, TEXT.index("}") + 1)
    edit = types.TextDocumentContentChangePartial(types.Range(behind, behind), "s")
    identifier = types.VersionedTextDocumentIdentifier(2, desk.path.as_uri())
    desk.store.change(types.DidChangeTextDocumentParams(identifier, [edit]))
    by_uri, more_in = diagnose(desk.request())
    assert by_uri == {} and more_in is not None and 0 < more_in <= REST
