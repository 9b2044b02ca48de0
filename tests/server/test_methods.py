"""The method that the settings choose, in the editor's list and on the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cite_lsp.cli import main
from tests.server.editor_session import Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIBRARY = "".join(
    f"@article{{{key},\n title = {{{title}}},\n author = {{{author}, A.}},\n year = {{2001}}\n}}\n"
    for key, title, author in (
        ("gulls", "Nesting Habits of the Herring Gull", "Vogel"),
        ("terns", "Breeding Colonies of Terns on the Coast", "Luz"),
        ("translation", "Neural Machine Translation by Attention", "Li"),
        ("vectors", "Word Vectors from Large Corpora", "Fry"),
    )
)
DRAFT = (
    "\\section{Birds}\nThe nests were counted \\cite{gulls}.\n"
    "Others have measured this as well \\cite{¦}.\n\\bibliography{papers}\n"
)


async def test_the_list_is_that_of_suggest_with_what_the_method_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "papers.bib").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "draft.tex").write_text(DRAFT.replace("¦", ""), encoding="utf-8")
    async with Session(tmp_path, options={"method": "two-phase"}) as session:
        draft = session.open("draft.tex", DRAFT)
        await session.ready()
        keys = await draft.keys()
    monkeypatch.setattr(os, "nice", lambda step: step)
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / ".home"))
    capsys.readouterr()
    assert main(["suggest", f"{tmp_path / 'draft.tex'}:3", "--method", "two-phase", "--json"]) == 0
    (place,) = json.loads(capsys.readouterr().out)["places"]
    first = place["recommendations"][0]
    assert [item["key"] for item in place["recommendations"]] == keys
    assert first["key"] == "terns"
    assert "near to Vogel 2001, which this section cites (phase 2: 0." in json.dumps(first)
