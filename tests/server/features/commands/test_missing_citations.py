"""The list of missing citations, and what was dismissed from it."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.server.editor_session import Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

SENTENCE = (
    "深 😀 The Transformer, a network built from attention alone, was introduced in 2017 and "
    "has been shown to be all you need."
)
TEXT = (
    "# Related work\n\nWe had lunch. Residual learning won [@he2016resnet].\n\n"
    f"Before. {SENTENCE} A last word.\n"
)
ROW = set(
    "key name title authors moreAuthors year venue score reason abstract doi url inLibrary cited"
    " corpus".split()
)


@pytest.fixture(autouse=True)
def nothing_dismissed(session: Session) -> Iterator[None]:
    yield
    (session.folder.parent / ".cite-lsp" / "dismissed.json").unlink(missing_ok=True)


async def run(draft: Buffer, command: str, *rest: Any) -> Any:  # noqa: ANN401
    return await draft.session.client.workspace_execute_command_async(
        types.ExecuteCommandParams(command, arguments=[draft.uri, *rest])
    )


def here(draft: Buffer) -> dict[str, int]:
    return {"line": draft.position().line, "character": draft.position().character}


async def the_gap(draft: Buffer) -> dict[str, Any]:
    """Return what is said of the sentence that needs a citation."""
    gaps = [gap for gap in await run(draft, "citeLsp.missing") if gap["text"] == SENTENCE]
    return dict(*gaps)


def place(gap: dict[str, Any]) -> types.Range:
    start, end = (types.Position(**gap[name]) for name in ("start", "end"))
    return types.Range(start, end)


async def test_a_sentence_that_lacks_a_citation_is_listed_with_its_papers(session: Session) -> None:
    draft = session.open("a.md", TEXT)
    gap = await the_gap(draft)
    assert draft.words(place(gap["range"])) == SENTENCE
    assert draft.offset(types.Position(**gap["insert"])) == TEXT.index(SENTENCE) + len(SENTENCE) - 1
    assert gap["text"] == SENTENCE
    assert 0 < gap["confidence"] <= 1
    assert 1 <= len(gap["recommendations"]) <= 5
    best = gap["recommendations"][0]
    assert set(best) == ROW
    assert best["key"] == "vaswani2017attention"
    assert best["doi"] == "10.5555/3295222" and best["abstract"].startswith("A network")
    assert (best["inLibrary"], best["cited"], best["corpus"]) == (True, False, "")


async def test_the_place_of_a_gap_lies_in_its_sentence_though_the_next_begins_at_once(
    session: Session,
) -> None:
    text = TEXT.replace(SENTENCE + " A last word.", SENTENCE[:-1] + "。最后一句。")
    draft = session.open("a.md", text.replace(" [@he2016resnet].", "。[@he2016resnet]"))
    gap = next(gap for gap in await run(draft, "citeLsp.missing") if "alone" in gap["text"])
    assert await run(draft, "citeLsp.insert", gap["insert"], "vaswani2017attention")
    change = (session.applied[-1].document_changes or [])[0]
    assert isinstance(change, types.TextDocumentEdit)
    assert isinstance(edit := change.edits[0], types.TextEdit)
    assert "need。[@vaswani2017attention]最后一句。" in draft.after(edit)


async def test_a_range_narrows_the_list(session: Session) -> None:
    draft = session.open("a.md", TEXT)
    start, end = {"line": 0, "character": 0}, {"line": 2, "character": 0}
    first = await run(draft, "citeLsp.missing", {"start": start, "end": end})
    assert SENTENCE not in [gap["text"] for gap in first]
    end = {"line": 4, "character": 9}
    more = await run(draft, "citeLsp.missing", {"start": start, "end": end})
    assert SENTENCE in [gap["text"] for gap in more]


async def test_wrong_arguments_are_refused_in_a_line(session: Session) -> None:
    for arguments in ([], [1], ["file:///a.md", {"start": {}, "end": {}}], ["x", "y"]):
        with pytest.raises(JsonRpcException, match="expected the arguments"):
            await session.client.workspace_execute_command_async(
                types.ExecuteCommandParams("citeLsp.missing", arguments=arguments)
            )


async def test_what_is_dismissed_is_offered_no_more_for_this_sentence(session: Session) -> None:
    draft = session.open("a.md", TEXT).at("built from")
    key = "vaswani2017attention"
    assert await run(draft, "citeLsp.dismiss", here(draft), key) is True
    assert await run(draft, "citeLsp.dismiss", here(draft), key) is False
    assert "vaswani" not in json.dumps(await the_gap(draft))
    rows = await run(draft, "citeLsp.recommend", here(draft))
    assert rows and key not in [row["key"] for row in rows]
    assert not any(action.title.startswith("Cite: Vasw") for action in await draft.actions())
    assert key in [
        row["key"] for row in await run(draft, "citeLsp.recommend", {**here(draft.at("lunch"))})
    ]


async def test_a_dismissal_is_stored_at_the_root_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    async with Session(tmp_path) as session:
        draft = session.open("part/a.md", TEXT).at("built from")
        assert await run(draft, "citeLsp.dismiss", here(draft), "knuth") is True
    (row,) = json.loads((tmp_path / ".cite-lsp" / "dismissed.json").read_text())["dismissed"]
    assert row["keys"] == ["knuth"]


async def test_that_dismissals_cannot_be_read_is_shown_once(session: Session) -> None:
    dismissals = session.folder.parent / ".cite-lsp" / "dismissed.json"
    dismissals.parent.mkdir(exist_ok=True)
    dismissals.write_text("<<<<<<< HEAD\n", encoding="utf-8")
    draft = session.open("a.md", TEXT).at("built from")
    assert (await the_gap(draft))["recommendations"]
    (shown,) = await session.until(lambda: session.client.messages)
    assert shown.message.startswith(f"{dismissals}: cannot be read (")
    assert await run(draft, "citeLsp.dismiss", here(draft), "knuth") is False
    assert session.client.messages == [shown]


async def test_that_a_dismissal_cannot_be_stored_is_shown(tmp_path: Path) -> None:
    (tmp_path / ".cite-lsp").symlink_to(tmp_path / "gone")
    async with Session(tmp_path) as session:
        draft = session.open("a.md", TEXT).at("built from")
        assert await run(draft, "citeLsp.dismiss", here(draft), "knuth") is False
        (shown,) = await session.until(lambda: session.client.messages)
        assert "dismissed.json: cannot be written (" in shown.message


async def test_a_dismissal_can_be_taken_back(session: Session) -> None:
    draft = session.open("a.md", TEXT).at("built from")
    key = "vaswani2017attention"
    assert await run(draft, "citeLsp.restore", here(draft), key) is False
    await run(draft, "citeLsp.dismiss", here(draft), key)
    assert await run(draft, "citeLsp.restore", here(draft), key) is True
    gap = await the_gap(draft)
    assert gap["recommendations"][0]["key"] == key


async def test_a_paper_is_dismissed_by_an_action_and_the_next_paper_moves_up(
    session: Session,
) -> None:
    draft = session.open("a.md", TEXT).at("built from")

    async def titles(beginning: str) -> list[str]:
        return [
            action.title for action in await draft.actions() if action.title.startswith(beginning)
        ]

    action = next(
        action
        for action in await draft.actions()
        if action.title.startswith("Never suggest here: V")
    )
    # The client at hand takes an action that only has a command for a bare command.
    command = ast.literal_eval(str(action.command))
    second = (await titles("Cite: "))[1]
    await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams(command["command"], arguments=command["arguments"])
    )
    assert (await titles("Cite: "))[0] == second
    assert await titles("Never suggest here: ") == [
        second.replace("Cite: ", "Never suggest here: ")
    ]


async def test_recommendations_say_what_the_sentence_cites_already(session: Session) -> None:
    draft = session.open("a.md", TEXT).at("Residual")
    rows = await run(draft, "citeLsp.recommend", here(draft))
    assert all(set(row) == ROW for row in rows)
    assert [row["key"] for row in rows if row["cited"]] == ["he2016resnet"]
