"""The drafts around a bibliography: which of them use it, and what its entries can name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cite_lsp.library import Library, parse_bibliography
from cite_lsp.project import workspace
from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.workspace import Surroundings, library_around, library_beside, scope_of

BIBLIOGRAPHY = "@misc{moor1998, title = {Gulls}}\n"


def surroundings_of(path: Path, *opened: Path) -> Surroundings:
    files = FilesOnDisk()
    return Surroundings(path, opened, (path.parent,), files.read, DraftReader(files.read))


@pytest.fixture
def bibliography(write: Callable[..., Path], no_home: None) -> Path:
    """A bibliography, two drafts that use it, one of them with another, and one that does not."""
    write("alone.tex", "\\cite{moor1998}\\bibliography{refs}\n")
    write("both.md", "---\nbibliography: [refs.bib, more.bib]\n---\n\nGulls [@li2019].\n")
    write("neither.tex", "\\cite{moor1998}\\bibliography{more}\n")
    write("more.bib", "@book{li2019, title = {Terns}}\n")
    return write("refs.bib", BIBLIOGRAPHY)


def test_the_drafts_that_share_a_bibliography_are_in_its_scope(bibliography: Path) -> None:
    scope = scope_of(surroundings_of(bibliography))
    assert {path.name for path, _ in scope.drafts} == {"alone.tex", "both.md"}
    assert {file.path.name for file in scope.bibliographies} == {"refs.bib", "more.bib"}


def test_for_a_key_only_files_that_hold_it_are_read(bibliography: Path) -> None:
    draft = bibliography.with_name("alone.tex")
    scope = scope_of(surroundings_of(draft), "moor1998")
    assert [path.name for path, _ in scope.drafts] == ["alone.tex"]


def test_a_key_of_another_file_is_found_by_a_draft_that_uses_both(bibliography: Path) -> None:
    surroundings = surroundings_of(bibliography)
    assert library_around(surroundings, ["li2019"]).get("li2019") is not None
    assert library_beside(surroundings).get("li2019") is not None
    assert len(library_around(surroundings, ["moor1998"]).bibliographies) == 1


def test_a_letter_of_a_crossref_does_not_read_all_that_uses_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alone = Library((parse_bibliography(BIBLIOGRAPHY, Path("refs.bib")),))
    looked_at: list[object] = []

    def libraries_of_notes(surroundings: object) -> Iterator[Library]:
        for number in range(300):
            looked_at.append(number)
            yield alone

    monkeypatch.setattr(workspace, "libraries_with", libraries_of_notes)
    surroundings: Any = SimpleNamespace(
        path=Path("refs.bib"), drafts=SimpleNamespace(library=lambda paths: alone)
    )
    assert workspace.library_beside(surroundings) is alone
    assert len(looked_at) < 20
