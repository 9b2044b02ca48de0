"""Doubtful citations as the draft stands by now: what is said of them, and what mends them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.project.draft import Draft, DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.rules.doubtful_citations import doubtful_citations
from cite_lsp.rules.findings import Finding

LIBRARY = """\
@article{gulls, title = {Nesting Habits of the Herring Gull}, author = {Vogel, N.}, year = 1953}
@article{marsh, title = {Silt and the Growth of Marshes}, author = {Luz, Rosa}, year = 2011}
"""
SENTENCE = "Gulls nest on cliffs."
DRAFTS = {
    "a.md": "---\nbibliography: refs.bib\n---\n\nGulls nest on cliffs [@marsh].\n",
    "a.typ": '#bibliography("refs.bib")\n\nGulls nest on cliffs #cite(label("marsh")).\n',
    "a.tex": "\\documentclass{article}\n\\begin{document}\nGulls nest on cliffs \\cite{marsh}.\n"
    "\\bibliography{refs}\n\\end{document}\n",
}


def read(folder: Path, name: str, text: str) -> Draft:
    (folder / "refs.bib").write_text(LIBRARY, encoding="utf-8")
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return DraftReader(FilesOnDisk().read).draft(path)


def found(draft: Draft, key: str = "marsh", sentence: str = SENTENCE) -> list[Finding]:
    doubts = {(key, sentence): draft.library.get("gulls")}
    return list(doubtful_citations(draft, doubts))


@pytest.mark.parametrize("name", DRAFTS)
def test_a_doubtful_citation_names_what_fits_and_is_mended(tmp_path: Path, name: str) -> None:
    draft = read(tmp_path, name, DRAFTS[name])
    (finding,) = found(draft)
    text = draft.manuscript.text
    assert text[finding.start : finding.end] == "marsh"
    assert finding.severity == "information" and finding.rule == "doubtful-citation"
    assert finding.message == (
        '"marsh" hardly fits here, "gulls" (Vogel 1953) does: check which is meant'
    )
    (fix,) = finding.fixes
    mended = read(tmp_path, name, fix.edit.applied_to(text))
    (marker,) = mended.manuscript.cited
    assert [key.text for key in marker.keys] == ["gulls"]
    assert not found(mended)


def test_nothing_is_said_of_another_sentence_or_a_work_that_is_gone(tmp_path: Path) -> None:
    draft = read(tmp_path, "a.md", DRAFTS["a.md"])
    assert not found(draft, sentence="Gulls nest on roofs.")
    doubts = {("marsh", SENTENCE): None}
    assert not list(doubtful_citations(draft, doubts))
    gone = draft.library.get("gulls")
    (tmp_path / "refs.bib").write_text(LIBRARY.replace("{gulls", "{roofs"), encoding="utf-8")
    again = DraftReader(FilesOnDisk().read).draft(draft.path)
    assert not list(doubtful_citations(again, {("marsh", SENTENCE): gone}))
