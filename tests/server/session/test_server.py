"""How the features of the server get work done, and what the writer is shown of failures."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import FeatureRequestError, JsonRpcInternalError, JsonRpcInvalidParams

from cite_lsp.server.app import create_server
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer
from tests.server.wire import Wire


@pytest.fixture
def server() -> Iterator[CiteServer]:
    server = create_server()
    yield server
    server.close()


def opened(server: CiteServer, path: Path, text: str = "Gulls.") -> str:
    server.buffers.open(types.TextDocumentItem(path.as_uri(), "", 1, text))
    return path.as_uri()


def shown(request: Request) -> tuple[str, str]:
    return request.path.name, request.buffer.text


@pytest.mark.parametrize("name", ["a.tex", "refs.bib"])
async def test_work_is_done_on_the_document_that_it_is_for(
    server: CiteServer, tmp_path: Path, name: str
) -> None:
    uri = opened(server, tmp_path / name)
    assert await server.answer(uri, shown) == (name, "Gulls.")


async def test_of_other_documents_there_is_no_answer(server: CiteServer, tmp_path: Path) -> None:
    assert await server.answer((tmp_path / "a.tex").as_uri(), shown) is None
    assert await server.answer(opened(server, tmp_path / "a.py"), shown) is None


async def test_an_answer_is_about_the_text_as_it_was_when_it_was_wanted(
    server: CiteServer, tmp_path: Path
) -> None:
    uri = opened(server, tmp_path / "a.tex")
    answer = asyncio.ensure_future(server.answer(uri, shown))
    await asyncio.sleep(0)
    whole = types.TextDocumentContentChangeWholeDocument("Terns.")
    identifier = types.VersionedTextDocumentIdentifier(2, uri)
    server.buffers.change(types.DidChangeTextDocumentParams(identifier, [whole]))
    assert await answer == ("a.tex", "Gulls.")
    assert await server.answer(uri, shown) == ("a.tex", "Terns.")


async def test_preparing_a_draft_ends_when_that_is_closed(
    server: CiteServer, tmp_path: Path
) -> None:
    uri = opened(server, tmp_path / "a.tex")
    assert await server.prepare(uri, lambda request: request.cancelled()) is False

    def close(request: Request) -> bool:
        server.buffers.close(uri)
        return request.cancelled()

    assert await server.prepare(uri, close) is True
    assert await server.prepare(uri, shown) is None


def test_an_error_is_shown_once_and_a_fault_of_the_editor_never(server: CiteServer) -> None:
    wire = Wire()
    server.protocol.set_writer(wire)
    for _ in range(2):
        server.report_server_error(ValueError("no tide"), JsonRpcInternalError)
        server.report_server_error(ValueError("in an answer"), FeatureRequestError)
        server.report_server_error(JsonRpcInvalidParams("unheard of"), JsonRpcInternalError)
    (message,) = wire.sent
    assert message["method"] == "window/showMessage"
    assert message["params"]["message"].startswith("cite-lsp failed: no tide; ")
