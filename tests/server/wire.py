"""Where the messages of a server are written to that runs in the process of a test."""

from __future__ import annotations

import json
from typing import Any


class Wire:
    """The messages that the client was sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def write(self, data: bytes) -> None:
        head, _, body = data.partition(b"\r\n\r\n")
        assert f"Content-Length: {len(body)}".encode() in head
        self.sent.append(json.loads(body))

    def close(self) -> None:
        """Keep what was sent."""
