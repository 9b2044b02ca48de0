"""A writer's desk: a draft in LaTeX, one in Markdown, a bibliography, and a dump of papers."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.cli import main
from cite_lsp.cli.printing import output

TITLES = {
    "transformer": "Attention Alone Translates Sentences",
    "marsh": "Silt and the Growth of Tidal Marshes",
    "vectors": "Word Vectors from Large Corpora",
    "gulls": "Nesting Habits of the Herring Gull",
}
RECORDS = [
    {"id": f"d:{key}", "title": title, "authors": ["Ada Moor"], "year": 2001 + number}
    for number, (key, title) in enumerate(TITLES.items())
]
TEX = r"""\documentclass{article}
\begin{document}
\section{Language}
Machine translation needs attention alone \cite{transformer}.
\section{Wetlands}
Marshes grow where silt settles.
\section{Birds}
Herring gulls build nests near the shore \citep{}.
\bibliography{refs}
\end{document}
"""
MARKDOWN = """---
bibliography: refs.bib
---
# Notes

Words become vectors when the corpora are large [@vectors].

Marshes grow where silt settles.
"""


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, with a home of its own; the current folder of the test."""
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    folder = tmp_path / "desk"
    folder.mkdir()
    entries = [
        f"@article{{{key},\n title = {{{title}}},\n author = {{Moor, Ada}},\n year = {{2001}}\n}}\n"
        for key, title in TITLES.items()
    ]
    (folder / "refs.bib").write_text("".join(entries), encoding="utf-8")
    (folder / "draft.tex").write_text(TEX, encoding="utf-8")
    (folder / "notes.md").write_text(MARKDOWN, encoding="utf-8")
    lines = [json.dumps(record) for record in RECORDS]
    (folder / "dump.jsonl").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


class Outcome:
    """What a command left: its exit status and what it printed."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever JSON holds
        """The one JSON document on stdout."""
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one line that an error is, its beginning taken off."""
        return self._line(1)

    @property
    def misuse(self) -> str:
        """The one line that says what is wrong with the options, its beginning taken off."""
        return self._line(2)

    def _line(self, status: int) -> str:
        assert self.status == status, self.err
        *_, line = self.err.splitlines()
        assert line.startswith("cite-lsp: ")
        assert "Traceback" not in self.err
        assert self.out == ""
        return line.removeprefix("cite-lsp: ")


@pytest.fixture
def command(
    desk: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    """Runs a command line on the desk, in this process, which gives way to no other for it."""
    monkeypatch.setattr(os, "nice", lambda step: step)
    monkeypatch.setattr(output, "UNANNOUNCED_SECONDS", 600.0)  # whatever else this machine does

    def run(*arguments: object) -> Outcome:
        capsys.readouterr()
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as left:
            status = int(left.code or 0)
        printed = capsys.readouterr()
        return Outcome(status, printed.out, printed.err)

    return run
