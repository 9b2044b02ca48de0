"""Diagnostics: what is wrong with a draft and its bibliographies, where the writer can see it.

A problem of a bibliography stands in that file, in its line, and in the draft, where the file is
named: it is from there that entries will be missed. Everything is published again when a draft is
opened, edited or saved, so what was repaired disappears.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from cite_lsp.library.model import Problem
from cite_lsp.server import configuration
from cite_lsp.server.documents import range_of
from cite_lsp.server.options import FILE_NAME
from cite_lsp.server.readiness import Readiness
from cite_lsp.server.request import Request
from cite_lsp.server.server import CiteServer

if TYPE_CHECKING:
    from cite_lsp.recommend.draft import Draft

logger = logging.getLogger(__name__)

SOURCE = "cite-lsp"
_PAUSE = 0.4
"""Seconds without an edit after which a draft is looked at again."""
_MOST_IN_A_FILE = 100

Found = Mapping[str, Sequence[types.Diagnostic]]
"""Diagnostics by the URI of the file they stand in."""


def register(server: CiteServer) -> None:
    """Look at drafts when they or their bibliographies change."""
    watch = Watch(server)
    server.engine_changed.append(watch.look_at_all)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: CiteServer, params: types.DidOpenTextDocumentParams) -> None:
        watch.look(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: CiteServer, params: types.DidChangeTextDocumentParams) -> None:
        watch.look(params.text_document.uri, after=_PAUSE)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: CiteServer, params: types.DidSaveTextDocumentParams) -> None:
        watch.look_at_all()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: CiteServer, params: types.DidCloseTextDocumentParams) -> None:
        watch.forget(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(ls: CiteServer, params: types.DidChangeWatchedFilesParams) -> None:
        if any(change.uri.endswith(f"/{FILE_NAME}") for change in params.changes):
            configuration.apply(ls)
        watch.look_at_all()


class Watch:
    """Looks at drafts after a pause in the typing, publishes what it finds, has them made ready."""

    def __init__(self, server: CiteServer) -> None:
        self._server = server
        self._board = Board(server.text_document_publish_diagnostics)
        self._looking: dict[str, asyncio.Task[None]] = {}
        self._readiness = Readiness(server)

    def look(self, uri: str, after: float = 0.0) -> None:
        """Look at a draft once nothing has called for that for `after` seconds."""
        self._stop(uri)
        self._looking[uri] = asyncio.create_task(self._look(uri, after))

    def look_at_all(self) -> None:
        """Look at every open draft."""
        for document in self._server.documents:
            self.look(document.uri)

    def forget(self, uri: str) -> None:
        """Take back what was published for a draft."""
        self._stop(uri)
        self._board.put(uri, {})

    def _stop(self, uri: str) -> None:
        if task := self._looking.pop(uri, None):
            task.cancel()

    async def _look(self, uri: str, after: float) -> None:
        await asyncio.sleep(after)
        try:
            found = await self._server.answer(uri, diagnose)
        except Exception:
            # Nobody awaits this task: what failed is said here or nowhere.
            logger.exception("%s could not be examined", uri)
            return
        if found is not None:
            self._board.put(uri, found)
            # Embedding a new library may take a minute: neither the problems nor the next edit wait
            # for it, and an edit does not start it over.
            self._readiness.want(uri)


class Board:
    """What every draft has to say about every file, and the publishing of the sum."""

    def __init__(self, publish: Callable[[types.PublishDiagnosticsParams], None]) -> None:
        self._publish = publish
        self._by_draft: dict[str, Found] = {}

    def put(self, draft: str, found: Found) -> None:
        """Replace what one draft has to say, and publish the files for which that changes it."""
        before = self._by_draft.pop(draft, {})
        if found:
            self._by_draft[draft] = found
        for uri in dict.fromkeys((*before, *found)):
            if before.get(uri) != found.get(uri):
                self._publish(types.PublishDiagnosticsParams(uri, self._sum(uri)))

    def _sum(self, uri: str) -> list[types.Diagnostic]:
        total: list[types.Diagnostic] = []
        for found in self._by_draft.values():
            total += [diagnostic for diagnostic in found.get(uri, ()) if diagnostic not in total]
        return total


def diagnose(request: Request) -> Found:
    """Return what is wrong, by the file where it is shown."""
    draft = request.draft()
    files = {file for file, _ in draft.project.files}
    found: dict[str, list[types.Diagnostic]] = {}
    by_path: dict[Path, list[Problem]] = {}
    for problem in draft.problems:
        by_path.setdefault(problem.path, []).append(problem)
    for path, problems in by_path.items():
        if path in files or path.is_file():
            here = found.setdefault(request.documents.uri(path), [])
            here += _in_file(request, path, problems[:_MOST_IN_A_FILE])
        if path not in files:
            for file, diagnostic in _at_declarations(request, draft, path, problems):
                found.setdefault(request.documents.uri(file), []).append(diagnostic)
    return found


def _in_file(
    request: Request, path: Path, problems: Iterable[Problem]
) -> Iterable[types.Diagnostic]:
    lines = request.documents.lines(path)
    for problem in problems:
        place = types.Range(types.Position(0, 0), types.Position(0, 0))
        if lines is not None:
            line = min(max(problem.line - 1, 0), len(lines) - 1)
            start, end = lines.starts[line], lines.line_end(line)
            start = end - len(lines.text[start:end].lstrip()) if start < end else start
            place = range_of(lines, start, end, request.client.encoding)
        yield _diagnostic(place, problem.message)


def _at_declarations(
    request: Request, draft: Draft, path: Path, problems: Sequence[Problem]
) -> Iterable[tuple[Path, types.Diagnostic]]:
    """Sum up a bibliography's problems where it is named; a missing one that is not, at the top."""
    missing = not path.is_file()
    first = problems[0]
    where = path.name if missing else f"{path.name}, line {first.line}"
    message = f"{where}: {first.message}"
    if len(problems) > 1:
        message += f" ({len(problems) - 1} more in this file)"
    named = False
    real = os.path.realpath(path)
    for file, declaration, resolved in draft.project.declared:
        if resolved != path and os.path.realpath(resolved) != real:
            continue
        named = True
        lines = request.documents.lines(file)
        if lines is not None:
            place = range_of(lines, declaration.start, declaration.end, request.client.encoding)
            yield file, _diagnostic(place, message, error=missing)
    if missing and not named:
        yield request.path, _diagnostic(request.range(0, 0), message, error=True)


def _diagnostic(place: types.Range, message: str, error: bool = False) -> types.Diagnostic:
    severity = types.DiagnosticSeverity.Error if error else types.DiagnosticSeverity.Warning
    return types.Diagnostic(place, message, severity=severity, source=SOURCE)
