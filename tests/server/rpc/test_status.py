"""The client gets each state of the server once, and none that hides a corpus being built."""

from __future__ import annotations

from typing import Any

import pytest

from cite_lsp.server.rpc.status import STATUS, Status


class Client:
    """What a client has been sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []
        self.status = Status(self._notify)

    def _notify(self, method: str, params: Any) -> None:  # noqa: ANN401
        assert method == STATUS
        self.sent.append((params["state"], params["message"]))


@pytest.fixture
def client() -> Client:
    return Client()


def test_a_state_is_sent_once_until_it_changes(client: Client) -> None:
    for state in ("preparing", "preparing", "ready", "ready", "preparing"):
        client.status.report(state)
    assert client.sent == [("preparing", ""), ("ready", ""), ("preparing", "")]


def test_another_message_is_another_state(client: Client) -> None:
    for message in ("no model", "no model", "no memory"):
        client.status.report("error", message)
    assert client.sent == [("error", "no model"), ("error", "no memory")]


def test_what_is_reported_while_a_corpus_is_built_is_sent_afterwards(client: Client) -> None:
    client.status.report("preparing")
    client.status.indexing("10 of 20")
    client.status.report("ready")
    client.status.indexing("20 of 20")
    client.status.indexed()
    assert client.sent == [
        ("preparing", ""),
        ("indexing", "10 of 20"),
        ("indexing", "20 of 20"),
        ("ready", ""),
    ]


def test_a_message_is_a_single_line_that_can_be_shown(client: Client) -> None:
    client.status.report("error", "no\nmodel \x1b[31m")
    ((_, message),) = client.sent
    assert message.isprintable() and message.startswith("no")
