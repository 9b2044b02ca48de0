"""Citations that the text around them does not fit, where the writer wants to know of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lsprotocol import types

from tests.server.editor_session import Buffer, Session
from tests.server.features.test_code_action import edits

pytestmark = pytest.mark.asyncio(loop_scope="session")

DEMO = Path(__file__).parents[3] / "examples" / "demo"
RIGHT, WRONG = "karpukhin2020dense", "devlin2019bert"


@pytest.fixture
def draft(tmp_path: Path) -> str:
    """The sample draft with a wrong key, beside its bibliography; returns its text."""
    library = (DEMO / "references.bib").read_text(encoding="utf-8")
    without_abstracts = re.sub(r"^ *abstract = .*\n", "", library, flags=re.MULTILINE)
    (tmp_path / "references.bib").write_text(without_abstracts, encoding="utf-8")
    text = (DEMO / "paper.tex").read_text(encoding="utf-8")
    return text.replace(f"\\citep{{{RIGHT}}}", f"\\citep{{{WRONG}}}")


def writer(folder: Path, **diagnostics: bool) -> Session:
    session = Session(folder, options={"diagnostics": diagnostics})
    assert session.capabilities.text_document is not None
    session.capabilities.text_document.diagnostic = None
    return session


def in_doubt(buffer: Buffer) -> list[types.Diagnostic]:
    shown = buffer.session.client.diagnostics.get(buffer.uri, [])
    return [diagnostic for diagnostic in shown if diagnostic.code == "doubtful-citation"]


async def test_a_wrong_key_is_shown_and_mended(tmp_path: Path, draft: str) -> None:
    async with writer(tmp_path, doubtfulCitation=True) as session:
        buffer = session.open("paper.tex", draft, "latex")
        await session.until(lambda: in_doubt(buffer))
        (diagnostic,) = in_doubt(buffer)
        assert buffer.words(diagnostic.range) == WRONG
        assert diagnostic.severity == types.DiagnosticSeverity.Information
        assert diagnostic.message == (
            f'"{WRONG}" hardly fits here, "{RIGHT}" (Karpukhin et al. 2020) does:'
            " check which is meant"
        )
        buffer.cursor = buffer.offset(diagnostic.range.start)
        actions = {action.title: action for action in await buffer.actions()}
        edited = edits(actions[f"Change to “{RIGHT}”"])
        assert buffer.after_all(edited) == (DEMO / "paper.tex").read_text(encoding="utf-8")
        buffer.replace(buffer.cursor, buffer.cursor + len(WRONG), RIGHT)
        await session.until(lambda: not in_doubt(buffer))
