"""What of pygls is used below its public face is there in the version that is installed."""

from __future__ import annotations

import inspect

import pytest
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol


@pytest.mark.parametrize(
    "name",
    ["_execute_handler", "_handle_response", "_run_generator", "_send_data", "_send_response"],
)
def test_what_is_overridden_is_there(name: str) -> None:
    assert callable(inspect.getattr_static(LanguageServerProtocol, name, None))


@pytest.mark.parametrize("name", ["_converter", "_request_futures", "_result_types", "_shutdown"])
def test_what_is_looked_at_is_there(name: str) -> None:
    assert hasattr(LanguageServer("any", "1").protocol, name)
