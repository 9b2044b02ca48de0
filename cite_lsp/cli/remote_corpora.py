"""How commands name remote corpora, how long they wait for them, and how they describe them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attrs import asdict

from cite_lsp.cli import UsageError
from cite_lsp.cli.output import counted
from cite_lsp.search.remote.address import is_address, read_address

if TYPE_CHECKING:
    from cite_lsp.search.milvus.check import RemoteCheck, RemoteState
    from cite_lsp.search.remote.address import RemoteAddress

REMOTE_SECONDS = 20.0
"""Seconds that a remote corpus is waited for: here nobody is typing."""


def addresses_in(names: Sequence[str]) -> tuple[list[str], list[RemoteAddress]]:
    """Tell names of corpora on this machine from addresses of remote ones.

    Raises:
        UsageError: an address is none.
    """
    local = [name for name in names if not is_address(name)]
    try:
        return local, [read_address(name) for name in names if is_address(name)]
    except ValueError as error:
        raise UsageError(str(error)) from error


def state_line(state: RemoteState) -> str:
    """Return the line on a remote corpus: what it is, or why it cannot be used."""
    if state.fault:
        return f"{state.name}: not reachable after {_seconds(state.seconds)}: {state.fault}"
    words = "" if state.words else ", found by vectors only"
    return (
        f"{state.name}: {counted(state.papers, 'paper')}, encoder {state.encoder}{words}, answered "
        f"in {_seconds(state.seconds)}, {state.address}"
    )


def check_lines(check: RemoteCheck) -> Iterator[str]:
    """Return the lines on a checked remote corpus: its state, and each fault."""
    if check.state.fault:
        yield state_line(check.state)
        return
    recall = "" if math.isnan(check.recall) else f", {check.recall:.0%} of a sample found"
    took = "" if math.isnan(check.question) else f", {_seconds(check.question)} a question"
    state = "damaged" if check.faults else "whole"
    yield (
        f"{check.state.name}: {state}, {counted(check.counted, 'paper')}{recall}, answered in "
        f"{_seconds(check.state.seconds)}{took}"
    )
    for fault in check.faults:
        yield f"  {fault}"


def record_of(result: RemoteState | RemoteCheck) -> dict[str, Any]:
    """Return what is known of a remote corpus as JSON has it."""
    record = asdict(result)
    record |= record.pop("state", {})
    return {name: rounded(value) for name, value in record.items()}


def rounded(value: Any) -> Any:  # noqa: ANN401 - of a record, whatever it holds
    """Return a number as JSON has it: four places, and null where there is none."""
    if not isinstance(value, float):
        return value
    return None if math.isnan(value) else round(value, 4)


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms" if seconds < 1 else f"{seconds:,.1f} s"
