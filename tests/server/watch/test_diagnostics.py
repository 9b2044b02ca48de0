"""What is wrong with a bibliography is shown in it and where the draft names it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsprotocol import types

from cite_lsp.server.config.options import Options
from cite_lsp.server.rpc.capabilities import ClientAbilities
from cite_lsp.server.session.buffers import BufferStore
from cite_lsp.server.watch.diagnostics import DiagnosticsWatch, _Seen
from tests.server.editor_session import BIBLIOGRAPHY, Buffer, Session

pytestmark = pytest.mark.asyncio(loop_scope="session")

DRAFT = (
    "\\documentclass{article}\n\\begin{document}\n"
    "% cite-lsp: off-next-line empty-citation\n深 😀 \\cite{¦}\n"
    "\\bibliography{refs}\n\\end{document}\n"
)
BROKEN = "@article{lost2020,\n  title = {Never closed,\n\n" + BIBLIOGRAPHY


def words(draft: Buffer, diagnostic: types.Diagnostic) -> str:
    place = diagnostic.range
    return draft.text[draft.offset(place.start) : draft.offset(place.end)]


async def test_a_missing_bibliography_is_reported_where_it_is_named(session: Session) -> None:
    draft = session.open("a.tex", DRAFT.replace("refs", "moved"))
    (diagnostic,) = await session.diagnostics(draft.path)
    assert diagnostic.severity == types.DiagnosticSeverity.Error
    assert "moved" in words(draft, diagnostic)
    assert "moved.bib" in diagnostic.message
    here = [uri for uri in session.client.diagnostics if session.folder.as_uri() in uri]
    assert here == [draft.uri], "nothing in a file that is not there"


async def test_a_broken_record_is_reported_in_its_line_and_where_the_file_is_named(
    session: Session,
) -> None:
    (session.folder / "refs.bib").write_text(BROKEN, encoding="utf-8")
    draft = session.open("a.tex", DRAFT)
    in_bibliography = await session.diagnostics(session.folder / "refs.bib")
    assert in_bibliography[0].range.start == types.Position(0, 0)
    assert "lost2020" in in_bibliography[0].message
    (in_draft,) = await session.diagnostics(draft.path)
    assert words(draft, in_draft) == "refs"
    assert in_draft.message.startswith("refs.bib, line 1: ")
    assert in_draft.severity == types.DiagnosticSeverity.Warning


async def test_a_broken_record_costs_no_other_completion(session: Session) -> None:
    (session.folder / "refs.bib").write_text(BROKEN, encoding="utf-8")
    keys = await session.open("a.tex", DRAFT).keys()
    assert {"vaswani2017attention", "he2016resnet", "李明2021"} <= set(keys)


async def test_diagnostics_disappear_when_the_cause_does(session: Session) -> None:
    (session.folder / "refs.bib").write_text(BROKEN, encoding="utf-8")
    draft = session.open("a.tex", DRAFT)
    bibliography = session.folder / "refs.bib"
    await session.diagnostics(bibliography)
    await session.diagnostics(draft.path)
    bibliography.write_text(BIBLIOGRAPHY, encoding="utf-8")
    session.client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams(
            [types.FileEvent(bibliography.as_uri(), types.FileChangeType.Changed)]
        )
    )
    await session.until(lambda: not session.client.diagnostics[draft.uri])
    await session.until(lambda: not session.client.diagnostics[bibliography.as_uri()])


async def test_an_edit_that_names_the_right_file_clears_the_error(session: Session) -> None:
    draft = session.open("a.tex", DRAFT.replace("refs", "moved"))
    await session.diagnostics(draft.path)
    start = draft.text.index("moved")
    draft.replace(start, start + len("moved"), "refs")
    await session.until(lambda: not session.client.diagnostics[draft.uri])


async def test_a_closed_draft_takes_its_diagnostics_along(session: Session) -> None:
    (session.folder / "refs.bib").write_text(BROKEN, encoding="utf-8")
    first, second = session.open("a.tex", DRAFT), session.open("b.tex", DRAFT)
    await session.diagnostics(first.path)
    await session.diagnostics(second.path)
    first.close()
    await session.until(lambda: not session.client.diagnostics[first.uri])
    bibliography = (session.folder / "refs.bib").as_uri()
    assert len(session.client.diagnostics[bibliography]) >= 1, "the other draft still has it"
    second.close()
    await session.until(lambda: not session.client.diagnostics[bibliography])


async def test_what_another_program_writes_counts_where_the_editor_watches_no_files(
    editor_sessions: dict[str, Session],
) -> None:
    session = editor_sessions["neovim@v0.7"]
    assert not session.watched
    bibliography = session.folder / "others.bib"
    draft = session.open("watched.tex", "\\cite{new2024}\n\\bibliography{others}\n")
    (missing, *_) = await session.diagnostics(draft.path)
    assert "others.bib" in missing.message
    bibliography.write_text(BIBLIOGRAPHY, encoding="utf-8")
    published = session.client.diagnostics
    await session.until(
        lambda: [diagnostic.code for diagnostic in published[draft.uri]] == ["unknown-key"]
    )
    bibliography.write_text("@misc{new2024, title={New}}\n", encoding="utf-8")
    await session.until(lambda: not published[draft.uri])
    session.leave()
    bibliography.unlink()


@pytest.mark.parametrize("linked", [False, True])
async def test_what_is_written_outside_the_workspace_counts_though_the_editor_watches_files(
    session: Session, tmp_path: Path, linked: bool
) -> None:
    await session.until(lambda: session.watched)
    bibliography = tmp_path / "others.bib"
    bibliography.write_text(BIBLIOGRAPHY, encoding="utf-8")
    if linked:
        (session.folder / "linked.bib").symlink_to(bibliography)
    name = "linked.bib" if linked else bibliography.as_posix()
    draft = session.open("a.tex", f"\\cite{{new2024}}\n\\bibliography{{{name}}}\n")
    (unknown,) = await session.diagnostics(draft.path)
    assert unknown.code == "unknown-key"
    bibliography.write_text("@misc{new2024, title={New}}\n", encoding="utf-8")
    await session.until(lambda: not session.client.diagnostics[draft.uri])


MAIN = (
    "\\documentclass{article}\n\\begin{document}\n"
    "\\input{one}\n\\bibliography{%s}\n\\end{document}\n"
)


async def test_a_bibliography_named_in_another_open_file_of_the_draft_counts_unsaved(
    session: Session,
) -> None:
    (session.folder / "other.bib").write_text("@misc{a, title = {A}}\n", encoding="utf-8")
    (session.folder / "main.tex").write_text(MAIN % "other", encoding="utf-8")
    chapter = session.open("one.tex", "\\cite{he2016resnet}\n")
    main = session.open("main.tex", MAIN % "other")
    (unknown,) = await session.diagnostics(chapter.path)
    assert words(chapter, unknown) == "he2016resnet"
    start = main.text.index("other")
    main.replace(start, start + len("other"), "refs")
    await session.until(lambda: not session.client.diagnostics[chapter.uri])


async def test_a_file_of_the_draft_that_is_opened_with_unsaved_text_counts(
    session: Session,
) -> None:
    (session.folder / "other.bib").write_text("@misc{a, title = {A}}\n", encoding="utf-8")
    (session.folder / "main.tex").write_text(MAIN % "other", encoding="utf-8")
    chapter = session.open("one.tex", "\\cite{he2016resnet}\n")
    assert await session.diagnostics(chapter.path)
    session.open("main.tex", MAIN % "refs")
    await session.until(lambda: not session.client.diagnostics[chapter.uri])


async def test_what_two_files_of_a_draft_say_of_a_line_moves_with_it(session: Session) -> None:
    (session.folder / "main.tex").write_text(MAIN % "moved", encoding="utf-8")
    chapter = session.open("one.tex", "Prose.\n")

    def lines() -> list[int]:
        return [
            diagnostic.range.start.line
            for diagnostic in session.client.diagnostics.get(main.uri, ())
        ]

    main = session.open("main.tex", MAIN % "moved")
    await session.until(lambda: lines() == [3])
    await chapter.actions()
    main.cursor = 0
    main.type("% a line above\n")
    await session.until(lambda: lines() == [4])


def watch_of(
    uris: list[str], answer: Callable[[str, object], Awaitable[_Seen | None]]
) -> DiagnosticsWatch:
    """Return what looks at some open documents, where looking at one is `answer`."""
    buffers = BufferStore()
    for uri in uris:
        buffers.open(types.TextDocumentItem(uri, "latex", 1, DRAFT))
    server = SimpleNamespace(
        client=ClientAbilities(),
        options=Options(),
        buffers=buffers,
        workers=SimpleNamespace(quiet=lambda: asyncio.sleep(0)),
        answer=answer,
        prepare=lambda uri, work: asyncio.sleep(0),
        status=SimpleNamespace(report=lambda *outcome: None),
    )
    return DiagnosticsWatch(cast(Any, server))


async def test_of_many_documents_a_single_document_takes_a_thread_from_requests() -> None:
    running, most, seen = 0, 0, list[str]()

    async def answer(uri: str, work: object) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        seen.append(uri)

    uris = [f"file:///chapter{number}.tex" for number in range(5)]
    watch_of(uris, answer).look_at_all()
    while len(seen) < len(uris):
        await asyncio.sleep(0.01)
    assert sorted(seen) == uris and most == 1


async def test_that_a_bibliography_may_be_half_written_brings_no_look_into_the_typing() -> None:
    looks = list[float]()
    now = asyncio.get_running_loop().time

    async def answer(uri: str, work: object) -> _Seen:
        looks.append(now())
        unsettled = 0.1 if len(looks) == 1 else None
        return _Seen({}, unsettled, (), frozenset(), unsaved=False, library=None)

    watch = watch_of(["file:///a.tex"], answer)
    watch.look("file:///a.tex")
    while not looks:
        await asyncio.sleep(0.01)
    watch.changed("file:///a.tex")
    typed = now()
    await asyncio.sleep(0.6)
    assert [moment > typed + 0.25 for moment in looks] == [False, True]
