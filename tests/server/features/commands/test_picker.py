"""The commands that pickers of editors are built on."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.editor_session import Buffer, Session

Plain = types.TextEdit | types.AnnotatedTextEdit

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "# One\n\nA network built from attention alone, all you need, translates best¦.\n"


async def run(draft: Buffer, command: str, *rest: Any) -> Any:  # noqa: ANN401
    place = {"line": draft.position().line, "character": draft.position().character}
    return await draft.session.client.workspace_execute_command_async(
        types.ExecuteCommandParams(command, arguments=[draft.uri, place, *rest])
    )


async def test_recommendations_come_as_plain_rows(session: Session) -> None:
    rows = await run(session.open("a.md", TEXT), "citeLsp.recommend", 2)
    assert [row["key"] for row in rows][0] == "vaswani2017attention"
    assert len(rows) == 2
    assert rows[0]["authors"][0] == "Ashish Vaswani"
    assert rows[0]["year"] == 2017 and rows[0]["reason"]


async def test_a_citation_is_inserted(session: Session) -> None:
    draft = session.open("a.md", TEXT)
    assert await run(draft, "citeLsp.insert", "he2016resnet") is True
    assert "[@he2016resnet]" in str(session.applied)


async def test_a_sentence_that_cites_gets_another_key_into_its_marker(session: Session) -> None:
    draft = session.open("a.md", "# One\n\nIt works¦ [@he2016resnet].\n")
    assert await run(draft, "citeLsp.insert", "vaswani2017attention") is True
    assert "; @vaswani2017attention" in str(session.applied)


async def test_a_key_that_is_cited_there_is_not_cited_twice(session: Session) -> None:
    draft = session.open("a.md", "# One\n\nIt works¦ [@he2016resnet].\n")
    assert await run(draft, "citeLsp.insert", "he2016resnet") is False
    assert session.applied == []
    assert await run(draft, "citeLsp.insert", ["he2016resnet", "devlin2019bert"]) is True
    assert "'; @devlin2019bert'" in str(session.applied)


async def test_several_keys_are_one_citation(session: Session) -> None:
    draft = session.open("a.md", TEXT)
    assert await run(draft, "citeLsp.insert", ["he2016resnet", "devlin2019bert"]) is True
    assert "[@he2016resnet; @devlin2019bert]" in str(session.applied)


async def test_a_paper_is_cited_behind_its_name(session: Session) -> None:
    draft = session.open("a.md", "# One\n\nWe tune BERT¦ for a day.\n")
    assert await run(draft, "citeLsp.insert", "devlin2019bert") is True
    (change,) = session.applied[-1].document_changes or []
    assert isinstance(change, types.TextDocumentEdit)
    text = draft.after_all([edit for edit in change.edits if isinstance(edit, Plain)])
    assert "We tune BERT [@devlin2019bert] for a day." in text


async def test_wrong_arguments_are_refused_in_a_line(session: Session) -> None:
    for arguments in (None, [], ["file:///a.md"], [1, 2, 3], ["x", {}, "y"]):
        with pytest.raises(JsonRpcException, match="expected the arguments"):
            await session.client.workspace_execute_command_async(
                types.ExecuteCommandParams("citeLsp.insert", arguments=arguments)
            )
