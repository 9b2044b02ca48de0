"""What the tests of translators share."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture
def said() -> Iterator[list[str]]:
    """What the translators log, whatever other packages have done to logging before."""
    lines: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    loggers = [logging.getLogger(f"cite_lsp.translate.{name}") for name in ("kept", "lexicon")]
    before = [(one.disabled, one.level) for one in loggers]
    listener, silenced = Listener(), logging.root.manager.disable
    logging.disable(logging.NOTSET)
    for one in loggers:
        one.disabled = False
        one.setLevel(logging.WARNING)
        one.addHandler(listener)
    yield lines
    logging.disable(silenced)
    for one, (disabled, level) in zip(loggers, before, strict=True):
        one.removeHandler(listener)
        one.disabled = disabled
        one.setLevel(level)
