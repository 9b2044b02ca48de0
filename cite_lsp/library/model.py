"""The words of a writer's library: entries, bibliographies, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from attrs import field, frozen

from cite_lsp.paper import Paper


@frozen
class Problem:
    """Something wrong in a file: where (1-based line), and in one line what and what to do."""

    path: Path
    line: int
    message: str


@frozen
class Entry:
    """A bibliography item: its key, its kind ("article"), and where it stands in which file.

    Offsets are code-point offsets into the decoded file, without byte order mark. `raw` is the
    record as written; `macros` are the `@string` definitions of its file, by lower-case name. The
    kind is in lower case; "bibitem" is an item of a `thebibliography` environment.

    Reading the fields costs a parse and reading the paper a decoding of LaTeX, so both happen on
    first use and are kept: a library of 72,000 entries is not decoded to show one.
    """

    key: str
    kind: str
    path: Path
    start: int
    end: int
    key_start: int
    key_end: int
    line: int
    raw: str = field(repr=False)
    macros: Mapping[str, str] = field(factory=dict, repr=False, eq=False)

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """Field values by lower-case name: macros and `#` resolved, LaTeX still in them."""
        from cite_lsp.library.fields import read_fields

        return read_fields(self)

    @cached_property
    def paper(self) -> Paper:
        """The entry as a paper: LaTeX decoded, authors split; its id is "entry:" + key."""
        from cite_lsp.library.fields import read_paper

        return read_paper(self)


@frozen
class Bibliography:
    """One bibliography file as read: its entries in file order and the problems met on the way."""

    path: Path
    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...] = ()
