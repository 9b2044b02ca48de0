"""After any edits a project that is held reads as it does from scratch."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from cite_lsp.project.files_on_disk import FilesOnDisk
from cite_lsp.project.project import Project, ProjectCache

MAIN = r"""\documentclass{book}
\usepackage{own}
\input{setup}
\begin{document}
\input{one}
\include{parts/two}
\input{\folder/three}
\end{document}
"""
FILES = {
    "main.tex": MAIN,
    "own.sty": r"\newcommand{\mycite}[1]{\citep{#1}}",
    "setup.tex": r"\def\folder{parts} \bibliography{refs}",
    "one.tex": r"One \cite{a}, see \mycite{b} and \ref{x}. \input{four}",
    "parts/two.tex": r"Two \cite{c} \label{x}. \newacronym{bert}{BERT}{Transformers}",
    "parts/three.tex": r"Three \gls{bert} \cite{d}. \begin{thebibliography}{9}\bibitem{k} Item.",
    "four.tex": r"Four \othercite{e}.",
    "five.md": "Five [@f].",
    "refs.bib": "@misc{a, title={A}}",
}
CHANGES = (
    " more words",
    r" \cite{g}",
    r" \mycite{h}",
    r" \input{five}",
    r" \input{one}",
    r"\newcommand{\othercite}[1]{\cite{#1}} ",
    r"\bibliography{others} ",
    r"\def\folder{.} ",
    r"\usepackage{another} ",
    r"\bibitem{i} Item. ",
    r"\newacronym{gpt}{GPT}{Generator} \gls{gpt}",
    "\\begin{filecontents}{refs.bib}\n@misc{j}\n\\end{filecontents}\n",
    r"\usepackage{biblatex} ",
    r"\documentclass{standalone} ",
)
EDITS = 60


def shown(project: Project) -> tuple[object, ...]:
    files = [
        (path, file.text, file.format, file.layout, file.names) for path, file in project.files
    ]
    return (
        project.root,
        files,
        project.places,
        project.bibliographies,
        project.declared,
        project.inline,
        project.problems,
        project.packages,
        project.folds_case,
        tuple(map(shown, project.beside)),
    )


def edited(before: str | None, original: str, random: Random) -> str | None:
    if before is None or random.random() < 0.2:
        return original
    if random.random() < 0.1:
        return None
    place = random.choice([0, len(before), random.randrange(len(before) + 1)])
    return before[:place] + random.choice(CHANGES) + before[place + random.choice([0, 0, 9]) :]


@pytest.mark.parametrize("folder", ["\\folder", "parts"])
def test_an_edited_project_reads_as_from_scratch(folder: str, tmp_path: Path) -> None:
    random, on_disk = Random(1), FilesOnDisk()
    originals = FILES | {"main.tex": MAIN.replace("\\folder", folder)}
    buffers: dict[Path, str | None] = {tmp_path / name: text for name, text in originals.items()}
    for path, text in buffers.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text or "", encoding="utf-8")

    def read(path: Path) -> str | None:
        return buffers[path] if path in buffers else on_disk.read(path)

    held = ProjectCache(buffer=buffers.get)
    for _ in range(EDITS):
        path = random.choice(list(buffers))
        buffers[path] = edited(buffers[path], originals[str(path.relative_to(tmp_path))], random)
        if buffers[path] is None:
            path.unlink(missing_ok=True)
        else:
            path.touch()
        for name in ("main.tex", "one.tex", "parts/two.tex"):
            fresh = ProjectCache(buffer=buffers.get)
            opened = tmp_path / name
            expected = fresh.open(opened, read, tmp_path)
            assert shown(held.open(opened, read, tmp_path)) == shown(expected)
