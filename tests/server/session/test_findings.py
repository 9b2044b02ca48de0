"""What the rules find in an open document, by its settings."""

from __future__ import annotations

from pathlib import Path

from cite_lsp.server.config.options import DiagnosticsOptions, Options
from cite_lsp.server.session.finding_diagnostics import examine, findings_of
from tests.server.desk import Desk

TWICE = "@misc{gulls, title={Gulls}}\n@misc{gulls, title={Terns}}\n"


def test_a_draft_is_examined_with_the_bibliography_that_it_names(folder: Path) -> None:
    text = "\\cite{he2016resnet, unheard}\\bibliography{refs}"
    (finding,) = examine(Desk(folder / "a.tex", text).request())
    assert (finding.rule, finding.path) == ("unknown-key", folder / "a.tex")
    assert text[finding.start : finding.end] == "unheard"


def test_a_bibliography_is_examined_as_such(folder: Path) -> None:
    findings = findings_of(Desk(folder / "refs.bib", TWICE).request())
    (twice,) = (finding for finding in findings if finding.rule == "duplicate-key")
    assert twice.path == folder / "refs.bib"
    assert TWICE[twice.start : twice.end] == "gulls"


def test_what_is_not_wanted_is_not_found(folder: Path) -> None:
    desk = Desk(folder / "a.tex", "\\cite{unheard}\\bibliography{refs}")
    unwanted = Options(diagnostics=DiagnosticsOptions(unknown_key=False))
    assert desk.rules() == ["unknown-key"] and desk.rules(options=unwanted) == []


def test_open_text_counts_and_not_the_file(folder: Path) -> None:
    (folder / "a.tex").write_text("\\cite{unheard}\\bibliography{refs}", encoding="utf-8")
    assert Desk(folder / "a.tex", "\\cite{he2016resnet}\\bibliography{refs}").rules() == []
