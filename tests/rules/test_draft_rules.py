"""Rules on a draft that was read from disk: they need no server and no editor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest

from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.rules.draft_rules import keys_unchecked
from cite_lsp.rules.examine import Examination, examine_draft
from cite_lsp.rules.findings import RULES, Finding, Hint, ProposedPaper, Stretch
from cite_lsp.rules.lookups import Lookups

FILES = FilesOnDisk()


def read(folder: Path, text: str) -> Draft:
    path = folder / "a.tex"
    path.write_text(text, encoding="utf-8")
    return DraftReader(FILES.read).draft(path)


def examination(
    settings: str = "",
    hints: Mapping[str, Hint] = MappingProxyType({}),
    once_in: Stretch = "paragraph",
) -> Examination:
    lookups = Lookups(
        lines=FILES.lines,
        is_open=lambda path: False,
        records=lambda entries: [()] * len(entries),
        paths=WorkspacePaths(),
        naming_settings=lambda path: settings,
    )
    return Examination(RULES, lookups, hints, once_in)


def words(draft: Draft, finding: Finding) -> str:
    return draft.manuscript.text[finding.start : finding.end]


def test_a_draft_is_examined_without_a_server(folder: Path) -> None:
    draft = read(folder, "Nets \\cite{he2016resnte, TODO}.\n\\bibliography{refs}\n")
    findings = list(examine_draft(draft, examination()))
    assert [(finding.rule, words(draft, finding)) for finding in findings] == [
        ("empty-citation", "TODO"),
        ("unknown-key", "he2016resnte"),
    ]
    assert [fix.text for fix in findings[1].fixes] == ["he2016resnet"]


def test_a_hint_is_a_finding_at_its_sentence(folder: Path) -> None:
    draft = read(folder, "Gulls bring rain.\n\\bibliography{refs}\n")
    papers = (ProposedPaper("he2016resnet", "Deep Residual Learning"),)
    hints = {"Gulls bring rain.": Hint("He et al. 2016", papers)}
    (finding,) = examine_draft(draft, examination(hints=hints))
    assert (finding.rule, finding.severity) == ("missing-citation", "hint")
    assert words(draft, finding) == "Gulls bring rain." and finding.papers == papers


@pytest.mark.parametrize(("once_in", "places"), [("paragraph", "134"), ("section", "14")])
def test_hints_name_a_paper_once_in_a_paragraph_or_a_section(
    folder: Path, once_in: Stretch, places: str
) -> None:
    first = "\\section{A}\nGulls bring rain 1. Gulls bring rain 2.\n\nGulls bring rain 3.\n"
    draft = read(folder, f"{first}\\section{{B}}\nGulls bring rain 4.\n\\bibliography{{refs}}\n")
    hint = Hint("He et al. 2016", (ProposedPaper("he2016resnet", "Deep Residual Learning"),))
    hints = {f"Gulls bring rain {number}.": hint for number in range(1, 5)}
    findings = examine_draft(draft, examination(hints=hints, once_in=once_in))
    assert [words(draft, finding)[-2] for finding in findings] == [*places]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("", "gone.bib: "),
        ("cite-lsp.toml", "gone.bib, named in cite-lsp.toml, does not exist: "),
    ],
)
def test_a_missing_bibliography_of_the_settings_is_reported_at_the_top(
    folder: Path, settings: str, message: str
) -> None:
    path = folder / "a.tex"
    path.write_text("Gulls.\n", encoding="utf-8")
    reader = DraftReader(FILES.read, extra_bibliographies=[folder / "gone.bib"])
    (finding,) = examine_draft(reader.draft(path), examination(settings))
    assert (finding.rule, finding.start, finding.end) == ("missing-bibliography", 0, 0)
    assert finding.message.startswith(message)


def test_keys_are_not_checked_while_a_bibliography_is_missing(folder: Path) -> None:
    draft = read(folder, "\\cite{nobody}\\bibliography{refs,gone}\n")
    assert keys_unchecked(draft) == "gone.bib is missing"
    rules = [finding.rule for finding in examine_draft(draft, examination())]
    assert rules == ["missing-bibliography"]
