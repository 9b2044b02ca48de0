"""The trials: a folder as somebody else may have left it, and what is to be said of it.

Each draft cites from `good.bib` as well, whose entry is offered whatever else is there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attrs import frozen

from tests.chaos.limited import Client

GOOD = "@article{good2020, title={On tides}, author={Ada Moon}, year={2020}}\n"
ALSO = "@article{also2020, title={Of moons}, author={Tess Ebb}, year={2020}}\n"
"""A good entry beside a bad one."""


@frozen
class Trial:
    """A folder, what is asked about it, and what is to be said.

    Attributes:
        kind: The heading in the table.
        name: What is tried, in a few words.
        make: Fills a folder; given how large to be, from 0 to 1.
        text: The draft, with the cursor at `¦`; "" where a command is tried.
        suffix: Of the draft.
        said: What a finding on the draft or a message says, "" where nothing is to be said.
        command: The arguments of the command, `{folder}` in them; then `said` is on stderr.
        status: The exit status that the command has.
        send: Sends what else a client sends about the draft, given its URI, once it is open.
    """

    kind: str
    name: str
    make: Callable[[Path, float], None]
    text: str = "\\cite{¦}\n\\bibliography{good,bad}\n"
    suffix: str = ".tex"
    said: str = ""
    command: tuple[str, ...] = ()
    status: int = 0
    send: Callable[[Client, str], None] = lambda client, uri: None


@frozen
class FaultTrial:
    """A fault in the middle of something, tried by a function of its own.

    Attributes:
        kind: The heading in the table.
        name: What is tried, in a few words.
        perform: Given an empty folder; returns the most memory that a process of it held, in MB,
            and raises `TrialError` where something is lost.
        in_short: Whether it is one of those that the short form tries.
    """

    kind: str
    name: str
    perform: Callable[[Path], float]
    in_short: bool = True


def sized(least: int, most: int, size: float) -> int:
    """Return a number between two, by how large a trial is to be."""
    return int(least + (most - least) * size)
