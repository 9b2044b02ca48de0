r"""Other documents whose keys a draft takes over: xr's `\externaldocument`, xcite's."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.project.draft import DraftReader
from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import ProjectCache
from tests.project.projects import Write

MAIN = (
    r"\documentclass{article}%s\begin{document}Terns \cite{tern}, \cite{gull}."
    r"\bibliography{main}\end{document}"
)


@pytest.fixture
def supplement(write: Write) -> Path:
    """Return a document with a bibliography of its own, beside that of the main one."""
    write("main.bib", "@misc{tern, title={Terns}}")
    write("more/other.bib", "@misc{gull, title={Gulls}}")
    return write(
        "more/supplement.tex",
        r"\documentclass{article}\begin{document}\cite{gull}\bibliography{other}\end{document}",
    )


@pytest.mark.parametrize(
    "preamble",
    [
        r"\externaldocument{more/supplement}",
        r"\externalcitedocument{more/supplement}",
        "\\externaldocument[]{%\n more/supplement.tex}[https://a.org]",
        r"\newcommand{\linked}[1]{\externaldocument{#1}} \linked{more/supplement}",
    ],
)
def test_what_another_document_cites_can_be_cited(
    preamble: str, supplement: Path, write: Write, tmp_path: Path
) -> None:
    main = write("main.tex", MAIN % preamble)
    draft = DraftReader(FilesOnDisk().read, workspaces=[tmp_path]).draft(main)
    assert draft.library.get("tern") is not None and draft.library.get("gull") is not None
    assert [path.name for path, _ in draft.project.files] == ["main.tex"]
    assert [project.root for project in draft.project.beside] == [supplement]
    assert draft.manuscript.markers[0].keys[0].text == "tern"


@pytest.mark.parametrize(
    "preamble",
    [
        "",
        r"%\externaldocument{more/supplement}",
        r"\externaldocument[S-][nocite]{more/supplement}",
        r"\externaldocument{more/none}",
        r"\externaldocument{main}",
    ],
)
def test_without_its_name_another_document_is_nothing(
    preamble: str, supplement: Path, write: Write, tmp_path: Path
) -> None:
    main = write("main.tex", MAIN % preamble)
    assert ProjectCache().open(main, read=FilesOnDisk().read, workspace=tmp_path).beside == ()


def test_keys_that_are_taken_over_have_a_prefix(
    supplement: Path, write: Write, tmp_path: Path
) -> None:
    main = write("main.tex", MAIN % r"\externalcitedocument[S-]{more/supplement}")
    draft = DraftReader(FilesOnDisk().read, workspaces=[tmp_path]).draft(main)
    assert draft.takes_over("S-gull") and not draft.takes_over("S-auk")
    assert not draft.takes_over("X-gull")


def test_two_documents_may_take_over_from_each_other(write: Write, tmp_path: Path) -> None:
    write("main.bib", "@misc{tern, title={Terns}}")
    main = write("main.tex", MAIN % r"\externaldocument{supplement}")
    write("supplement.tex", MAIN % r"\externaldocument{main}")
    project = ProjectCache().open(main, read=FilesOnDisk().read, workspace=tmp_path)
    assert [other.root.name for other in project.beside] == ["supplement.tex"]
