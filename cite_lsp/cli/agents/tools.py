"""The tools of `cite-lsp mcp`: each is a command, with the answer that it gives as JSON.

Needs the official SDK of the Model Context Protocol (extra `mcp`).
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Concatenate, Literal, ParamSpec

from attrs import frozen
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from cite_lsp import __version__
from cite_lsp.cli import CommandError
from cite_lsp.cli.agents.entries import add_entry
from cite_lsp.cli.arguments.options import LIMIT
from cite_lsp.cli.check_command import check, document
from cite_lsp.cli.checking.checker import Choices
from cite_lsp.cli.checking.report import ReportedFinding, Unchecked
from cite_lsp.cli.references_command import references
from cite_lsp.cli.search_command import search
from cite_lsp.cli.suggest_command import suggest
from cite_lsp.errors import CiteLspError
from cite_lsp.library.load.read import DATA_SUFFIXES
from cite_lsp.project.folders import absolute
from cite_lsp.project.workspace import is_bibliography
from cite_lsp.project.workspace_paths import WorkspacePaths, lies_within
from cite_lsp.rules.rule_names import RULES
from cite_lsp.search.corpus.filters import read_filters
from cite_lsp.search.remote.address import is_address

_INSTRUCTIONS = (
    "Finds the papers that a sentence of a LaTeX, Markdown, Typst or Org draft should cite, in the "
    "draft's bibliographies and in corpora on this machine. Cite a paper by the key that a tool "
    "returns. A paper that has a corpus is not in the bibliography yet: add_entry adds it, and "
    "returns its key."
)
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
_MOST = 100

_P = ParamSpec("_P")
_Answer = dict[str, Any]
_Draft = Annotated[str, Field(description="path of a .tex, .md, .qmd, .Rmd, .typ or .org file")]
_Limit = Annotated[int, Field(ge=1, le=_MOST, description="papers at most, best first")]
_FromOne = Annotated[int | None, Field(ge=1, description="counts from 1, in characters")]


@frozen
class Folders:
    """The folders, the first of which relative paths count from."""

    folders: Sequence[Path]

    def path(self, named: str) -> Path:
        """Return the file that a program names.

        Raises:
            CommandError: it is outside the folders, links followed.
        """
        path = absolute(self.folders[0] / os.path.expanduser(named))
        if not named or "\0" in named or not lies_within(path, self.folders):
            among = " or ".join(map(str, self.folders))
            raise CommandError(
                f"{named!r} lies outside {among}; name a file in there, or start `cite-lsp mcp` "
                "with its folder"
            )
        return path

    def bibliography(self, named: str) -> Path:
        """Return the bibliography that a program names.

        Raises:
            CommandError: it is none by its name, or outside the folders.
        """
        path = self.path(named)
        if not is_bibliography(path) and path.suffix.lower() not in DATA_SUFFIXES:
            raise CommandError(
                f"{named}: is no bibliography; name a .bib, .json, .yaml or .ris file"
            )
        return path

    @property
    def paths(self) -> WorkspacePaths:
        """What may be done with the paths that drafts and their settings name."""
        return WorkspacePaths(tuple(map(absolute, self.folders)))


def server(folders: Sequence[Path]) -> MCPServer:
    """Return the server for the drafts in some folders; see `Folders`."""
    tools = _Tools(Folders(folders))
    mcp_server: MCPServer = MCPServer(
        "cite-lsp", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING"
    )
    for answer in (tools.suggest, tools.references, tools.search, tools.check):
        mcp_server.add_tool(answer, annotations=_READS)
    mcp_server.add_tool(tools.add_entry, annotations=_WRITES)
    return mcp_server


def _in_turn(
    answer: Callable[Concatenate[_Tools, _P], _Answer],
) -> Callable[Concatenate[_Tools, _P], _Answer]:
    """Let a tool answer after those called before it, its errors as one line for the client."""

    @functools.wraps(answer)
    def answered(self: _Tools, /, *arguments: _P.args, **names: _P.kwargs) -> _Answer:
        with self.turn:
            try:
                return answer(self, *arguments, **names)
            except (CiteLspError, ValueError) as error:
                raise ToolError(str(error)) from error
            except OSError as error:
                where = f"{error.filename}: " if error.filename else ""
                raise ToolError(
                    f"{where}{error.strerror}; check the path and the permissions"
                ) from error

    return answered


class _Tools:
    """The tools. The docstring of each is what the client is told that it does."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        # Each uses all that a processor has, and two must not write one file.
        self.turn = threading.Lock()

    @_in_turn
    def suggest(
        self, draft: _Draft, line: _FromOne = None, column: _FromOne = None, limit: _Limit = 10
    ) -> _Answer:
        """Recommend papers to cite at a place of a draft, each with its key and the reason.

        The place is the first citation in the line, else its sentence; or what is at the column.
        Without a line it is every citation and every sentence that has none.
        """
        if column is not None and line is None:
            raise ToolError("column is given without line; give both, or neither")
        return suggest(self._folders.path(draft), line, column, limit)

    @_in_turn
    def references(self, draft: _Draft, limit: _Limit = LIMIT) -> _Answer:
        """List papers that a draft as a whole should cite and does not, by topic.

        Each has its reasons and the sentence that it would go to; the answer says, too, how much
        of what the papers nearest to the draft cite in common it cites.
        """
        return references(self._folders.path(draft), limit)

    @_in_turn
    def search(
        self,
        query: Annotated[str, Field(description="words of a title, names, a DOI or a sentence")],
        corpus: Annotated[str, Field(description="search this one only")] = "",
        bibliographies: Annotated[
            list[str], Field(description="search these .bib, .json, .yaml or .ris files instead")
        ] = [],  # noqa: B006 - never changed, and the schema of the tool shows it
        years: Annotated[str, Field(description="2015-2020, 2015-, -2020, 2015")] = "",
        limit: _Limit = 10,
    ) -> _Answer:
        """Search the corpora indexed on this machine, or bibliographies, by words and meaning."""
        if is_address(corpus):
            raise ToolError(f"{corpus}: is on another machine; name a corpus on this one")
        files = [self._folders.bibliography(name) for name in bibliographies]
        return search(query, read_filters(years), limit=limit, corpus=corpus, bibliographies=files)

    @_in_turn
    def check(
        self,
        files: Annotated[
            list[str], Field(min_length=1, description="drafts, .bib files or folders of drafts")
        ],
        level: Annotated[
            Literal["careful", "balanced", "eager"] | None,
            Field(description="how readily a citation is said to be missing"),
        ] = None,
        only: Annotated[
            list[str], Field(description=f"only these rules, of {', '.join(RULES)}")
        ] = [],  # noqa: B006 - never changed, and the schema of the tool shows it
    ) -> _Answer:
        """List what is wrong with the citations of drafts: missing, empty or unknown ones and more.

        The files that a draft includes are checked with it.
        """
        if unknown := sorted(set(only).difference(RULES)):
            raise ToolError(f"{unknown[0]}: no such rule; name one of {', '.join(RULES)}")
        choices = Choices(tuple(only), level=level)
        results = list(check(list(map(self._folders.path, files)), choices))
        return document(
            (result for result in results if isinstance(result, ReportedFinding)),
            (result for result in results if isinstance(result, Unchecked)),
        )

    @_in_turn
    def add_entry(
        self,
        draft: _Draft,
        work: Annotated[
            str,
            Field(
                description="its DOI, arXiv number or title, as the other tools return it; or the "
                "key of an entry outside the draft's own bibliographies"
            ),
        ],
    ) -> _Answer:
        """Add the entry of a paper that a corpus has to a bibliography that the draft names.

        Nothing is added where the draft can cite the paper already. Returns the key to cite it by.
        """
        return add_entry(self._folders.path(draft), work, self._folders.paths)
