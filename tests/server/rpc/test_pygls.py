"""What the server uses of pygls, lsprotocol and cattrs: with another release, see what fails here.

Nothing private is used. What is replaced, or called, is there with the parameters relied upon.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest
from cattrs import BaseValidationError
from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcInternalError, JsonRpcMethodNotFound
from pygls.feature_manager import FeatureManager
from pygls.lsp.server import LanguageServer
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCProtocol,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    default_converter,
)

import cite_lsp.server
from cite_lsp.server.app import create_server
from cite_lsp.server.rpc.lenient_parse import read_leniently
from cite_lsp.server.rpc.protocol import CiteProtocol
from cite_lsp.server.session.server import CiteServer

REPLACED = {
    CiteProtocol: {
        "__init__": ["server", "converter"],
        "structure_message": ["data"],
        "handle_message": ["message"],
        "notify": ["method", "params=None"],
        "send_request": ["method", "params=None", "callback=None", "msg_id=None"],
        "msg_id": [],
        "lsp_shutdown": ["*args"],
        "lsp_exit": ["*args"],
        "lsp_text_document__did_open": ["params"],
        "lsp_text_document__did_change": ["params"],
        "lsp_text_document__did_close": ["params"],
    },
    CiteServer: {
        "__init__": [
            "name",
            "version",
            "text_document_sync_kind=2",
            "notebook_document_sync=None",
            "*args",
            "**kwargs",
        ],
        "start_io": ["stdin=None", "stdout=None"],
        "start_tcp": ["host", "port"],
        "report_server_error": ["error", "source"],
    },
}
"""What has the name of something of pygls, with the parameters that it has there."""

CALLED: list[tuple[Callable[..., object], list[str]]] = [
    (LanguageServerProtocol.get_message_type, ["method"]),
    (LanguageServerProtocol.get_result_type, ["method"]),
    (LanguageServerProtocol.send_request_async, ["method", "params=None", "msg_id=None"]),
    (LanguageServerProtocol.set_writer, ["writer", "include_headers=True"]),
    (LanguageServer.feature, ["feature_name", "options=None"]),
    (LanguageServer.command, ["command_name"]),
    (get_capability, ["capabilities", "field", "default=None"]),
    (JsonRpcInternalError, ["message=None", "code=None", "data=None"]),
    (JsonRpcMethodNotFound.of, ["method"]),
    (JsonRpcInternalError.from_error, ["error"]),
    (JsonRpcInternalError.to_response_error, []),
]

FALLBACKS = [
    (JsonRPCNotification, {"method", "jsonrpc", "params"}),
    (JsonRPCRequestMessage, {"id", "method", "jsonrpc", "params"}),
    (JsonRPCResponseMessage, {"id", "jsonrpc", "result"}),
]

HEIRS_OF = {"LanguageServerProtocol", "JsonRPCProtocol", "LanguageServer"}
SOURCES = sorted(Path(cite_lsp.server.__file__).parent.rglob("*.py"))


def parameters(function: object) -> list[str]:
    """Return the parameters of a function or property, without `self`, with their defaults."""
    function = function.fget if isinstance(function, property) else function
    assert callable(function)
    written = []
    for name, parameter in inspect.signature(inspect.unwrap(function)).parameters.items():
        stars: dict[object, str] = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        default = parameter.default
        default = "" if default is parameter.empty else f"={getattr(default, 'value', default)}"
        written.append(f"{stars.get(parameter.kind, '')}{name}{default}")
    return [name for name in written if name != "self"]


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def names_of_pygls() -> set[str]:
    """Return the attributes of a protocol and of a server as pygls makes them."""
    server = LanguageServer("any", "1")
    return {*dir(server), *vars(server), *dir(server.protocol), *vars(server.protocol)}


@pytest.mark.parametrize(
    ("ours", "name"), [(ours, name) for ours, names in REPLACED.items() for name in names]
)
def test_what_is_replaced_has_the_parameters_that_it_had(ours: type, name: str) -> None:
    theirs = inspect.getattr_static(ours.__mro__[1], name, None)
    assert theirs is not None, f"pygls has no {name} any more"
    assert parameters(theirs) == REPLACED[ours][name]


def called(value: object) -> str:
    """Return the name of a parameter of a test, the same in every process."""
    return str(getattr(value, "__qualname__", value))


@pytest.mark.parametrize(("function", "expected"), CALLED, ids=called)
def test_what_is_called_has_the_parameters_that_it_had(
    function: Callable[..., object], expected: list[str]
) -> None:
    assert parameters(function) == expected


@pytest.mark.parametrize(("message", "fields"), FALLBACKS)
def test_messages_of_unknown_methods_have_the_fields_that_they_had(
    message: type, fields: set[str]
) -> None:
    assert {field.name for field in attrs.fields(message)} == fields


@pytest.mark.parametrize("ours", REPLACED)
def test_nothing_of_pygls_is_replaced_unawares(ours: type) -> None:
    theirs = {name for name in dir(ours.__mro__[1]) if not name.startswith("__")} | {"__init__"}
    assert vars(ours).keys() & theirs == REPLACED[ours].keys()


@pytest.mark.parametrize("ours", REPLACED)
def test_no_state_of_pygls_is_overwritten(ours: type) -> None:
    assigned = {
        node.attr
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(ours))))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and ast.unparse(node.value) == "self"
    }
    server = LanguageServer("any", "1")
    theirs = server if ours is CiteServer else server.protocol
    assert assigned and not assigned & {*dir(theirs), *vars(theirs)}


def private_uses(path: Path) -> Iterator[str]:
    """Yield what a file takes of pygls, lsprotocol or cattrs that begins with an underscore."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    heirs = any(
        isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id in HEIRS_OF for base in node.bases)
        for node in ast.walk(tree)
    )
    theirs = {name for name in names_of_pygls() if private(name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module.split(".")[0] in ("pygls", "lsprotocol", "cattrs"):
                parts = [*module.split("."), *(alias.name for alias in node.names)]
                yield from (f"{module}: {part}" for part in parts if private(part))
        elif isinstance(node, ast.Attribute) and node.attr in theirs:
            of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
            if heirs or not of_self:
                yield node.attr


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_nothing_private_is_used(path: Path) -> None:
    assert list(private_uses(path)) == []


def test_a_private_use_would_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "any.py"
    path.write_text(
        "from pygls.protocol import _dict_to_object\n"
        "class Heir(LanguageServerProtocol):\n"
        "    def any(self, other):\n"
        "        return self._converter, other.protocol._request_futures, self._own\n"
    )
    assert {use.split()[-1] for use in private_uses(path)} == {
        "_dict_to_object",
        "_converter",
        "_request_futures",
    }


PYGLS_USES_ITSELF = {"_register_builtin_features", "_serialize_message"}
"""What runs when a protocol is made, and what writes a line of the log at `initialize`."""


async def test_messages_are_answered_without_anything_private_of_pygls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise AssertionError("a private function of pygls was called")

    server = create_server()
    replaced = 0
    for kind in (JsonRPCProtocol, LanguageServerProtocol):
        for name, value in tuple(vars(kind).items()):
            if private(name) and callable(value) and name not in PYGLS_USES_ITSELF:
                monkeypatch.setattr(kind, name, broken)
                replaced += 1
    assert replaced
    protocol, sent = server.protocol, []

    class Writer:
        def write(self, message: bytes) -> None:
            sent.append(json.loads(message.partition(b"\r\n\r\n")[2]))

        def close(self) -> None:
            sent.append("closed")

    async def tell(method: str, msg_id: int | None = None, params: object = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        message |= {} if msg_id is None else {"id": msg_id}
        body = json.dumps(message)
        protocol.handle_message(json.loads(body, object_hook=protocol.structure_message))
        for _ in range(50):
            await asyncio.sleep(0)

    protocol.set_writer(Writer())
    uri = "file:///drafts/a.md"
    text = {"uri": uri, "languageId": "markdown", "version": 1, "text": "Terns [@terns2020]."}
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 9}}
    await tell("initialize", 1, {"processId": None, "capabilities": {}, "rootUri": None})
    await tell("textDocument/didOpen", None, {"textDocument": text})
    await tell("textDocument/prepareRename", 2, place)
    while not any(message.get("id") == 2 for message in sent):
        await asyncio.sleep(0.01)
    await tell("workspace/executeCommand", 3, {"command": "nothing"})
    await tell("unheard/of", 4)
    settings = types.ConfigurationParams([types.ConfigurationItem(section="any")])
    answer = protocol.send_request_async("workspace/configuration", settings, "5")
    protocol.handle_message(
        protocol.structure_message({"jsonrpc": "2.0", "id": "5", "result": ["any"]})
    )
    assert list(await answer) == ["any"]
    await tell("shutdown", 6)
    with pytest.raises(SystemExit):
        await tell("exit")
    assert sent.pop() == "closed"
    answers = {message["id"]: message for message in sent if "id" in message}
    assert answers[1]["result"]["capabilities"]["renameProvider"]
    assert answers[2]["result"]["placeholder"] == "terns2020"
    assert [answers[number]["error"]["code"] for number in (3, 4)] == [-32602, -32601]
    assert answers[6]["result"] is None and protocol.ended_well


@pytest.mark.parametrize("name", ["features", "builtin_features", "commands"])
def test_what_handles_a_method_is_a_mapping(name: str) -> None:
    assert isinstance(inspect.getattr_static(FeatureManager, name), property)
    assert isinstance(getattr(LanguageServer("any", "1").protocol.fm, name), dict)


def test_the_converter_tells_where_what_cannot_be_read_is() -> None:
    converter = default_converter()  # type: ignore[no-untyped-call]
    params = {
        "textDocument": {"uri": "file:///a.md"},
        "position": {"line": 0, "character": 1},
        "context": {"triggerKind": 99},
    }
    method = "textDocument/completion"
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    with pytest.raises(BaseValidationError):
        converter.structure(message, types.CompletionRequest)
    read = read_leniently(message, lambda it: converter.structure(it, types.CompletionRequest))
    assert read.params.position == types.Position(0, 1) and read.params.context is None
