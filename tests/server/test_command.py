"""The commands that pickers of editors are built on."""

from __future__ import annotations

from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.session import Buffer, Session

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


async def test_wrong_arguments_are_refused_in_one_line(session: Session) -> None:
    for arguments in (None, [], ["file:///a.md"], [1, 2, 3], ["x", {}, "y"]):
        with pytest.raises(JsonRpcException, match="expected the arguments"):
            await session.client.workspace_execute_command_async(
                types.ExecuteCommandParams("citeLsp.insert", arguments=arguments)
            )
