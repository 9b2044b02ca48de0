"""Diagnostics: what is wrong with drafts and bibliographies, where the writer can see it.

A problem of a bibliography is shown in that file, in its line, and in the draft, where the file is
named: it is from there that entries will be missed. Everything is examined again when a document,
or another one of its draft, is opened, edited, saved or closed, so what was repaired disappears and
nothing stays where its words stood before. A client that asks for the diagnostics of its documents
is not sent them as well; those of other files are published to all. Of a key that is just being
typed nothing is said yet.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from pathlib import Path

from attrs import frozen
from lsprotocol import types

from cite_lsp.library import Library
from cite_lsp.paths import SETTINGS_FILE
from cite_lsp.project.workspace import is_bibliography
from cite_lsp.server.session.finding_diagnostics import SOURCE, DiagnosticsByUri, diagnose
from cite_lsp.server.session.recent_results import Stamps
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.server import CiteServer
from cite_lsp.server.session.uris import path_of
from cite_lsp.server.watch.file_polling import PolledFiles, bibliography_stamps
from cite_lsp.server.watch.memory import MemoryWatch
from cite_lsp.server.watch.merged_diagnostics import MergedDiagnostics
from cite_lsp.server.watch.ranked_findings import RankedFinder
from cite_lsp.server.watch.warm_up import Readiness

logger = logging.getLogger(__name__)

_PAUSE = 0.3
"""Seconds without an edit after which a document is looked at again."""


def register(server: CiteServer) -> None:
    """Look at documents when they or what they depend on change, and when the client asks."""
    watch = DiagnosticsWatch(server)
    ranking = RankedFinder(server, watch.look)

    server.settings_changed += [ranking.renew, watch.look_at_all, watch.redraw_all]
    server.dismissals_changed.append(ranking.opened_or_saved)
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def pulled(
        ls: CiteServer, params: types.DocumentDiagnosticParams
    ) -> types.RelatedFullDocumentDiagnosticReport:
        uri = params.text_document.uri
        by_uri, _ = await ls.answer(uri, diagnose) or ({}, None)
        return types.RelatedFullDocumentDiagnosticReport(items=by_uri.get(uri, []))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: CiteServer, params: types.DidOpenTextDocumentParams) -> None:
        watch.opened(params.text_document.uri)
        ranking.opened_or_saved(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: CiteServer, params: types.DidChangeTextDocumentParams) -> None:
        watch.changed(params.text_document.uri)
        ranking.typed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: CiteServer, params: types.DidSaveTextDocumentParams) -> None:
        ls.buffers.settle(params.text_document.uri)
        watch.look_at_all()
        ranking.opened_or_saved(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: CiteServer, params: types.DidCloseTextDocumentParams) -> None:
        ranking.forget(params.text_document.uri)
        watch.forget(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(ls: CiteServer, params: types.DidChangeWatchedFilesParams) -> None:
        if any(change.uri.endswith(f"/{SETTINGS_FILE}") for change in params.changes):
            ls.apply_settings()
        watch.look_at_all()


class DiagnosticsWatch:
    """Looks at documents after a pause in the typing, publishes what it finds, readies drafts."""

    def __init__(self, server: CiteServer) -> None:
        self._server = server
        self._merged = MergedDiagnostics(self._publish)
        self._looking: dict[str, asyncio.Task[None]] = {}
        self._later: dict[str, asyncio.TimerHandle] = {}  # looks at what is unfinished
        self._turn = asyncio.Lock()  # of many that are looked at one takes a thread from requests
        self._parts: dict[str, frozenset[Path]] = {}  # of the draft that a document was found in
        self._edited: set[str] = set()  # the others of those drafts are yet to be looked at
        self._libraries: dict[str, Library | None] = {}  # that documents were drawn with
        self._polled = PolledFiles(server.workers, partial(self.look, after=_PAUSE))
        self._readiness = Readiness(server)
        self._memory = MemoryWatch(server)

    def look(self, uri: str, after: float = 0.0, *, own_edit: bool = False) -> None:
        """Look at a document once nothing has called for that for `after` seconds.

        With `own_edit` the client knows by itself that there may be other diagnostics for it.
        """
        self._stop(uri)
        self._looking[uri] = asyncio.create_task(self._look(uri, after, own_edit))

    def opened(self, uri: str) -> None:
        """Look at a document that was opened."""
        self._memory.opened()
        if self._server.client.pulls_diagnostics and self._merged.has_any(uri):
            # From now on the client asks for what was published for the file before.
            self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
        engine = self._server.engine
        if engine.built(engine.setup) is not None:
            self._ready(uri)  # models are loaded: what is embedded need not wait for the look
        self.look(uri, own_edit=True)
        self._look_at_others(uri)  # an editor may open what was never saved

    def changed(self, uri: str) -> None:
        """Look at a document that was edited, and at those whose diagnostics hang on it."""
        self._edited.add(uri)
        self.look(uri, after=_PAUSE, own_edit=True)
        self._look_at_others(uri, after=_PAUSE)

    def look_at_all(self) -> None:
        """Look at every open document."""
        for buffer in self._server.buffers:
            self.look(buffer.uri)

    def forget(self, uri: str) -> None:
        """Take back what was published for a document that is closed."""
        self._memory.closed()
        self._stop(uri)
        self._polled.forget(uri)
        self._parts.pop(uri, None)
        self._edited.discard(uri)
        self._libraries.pop(uri, None)
        self._merged.put(uri, {})
        if self._server.client.pulls_diagnostics and self._merged.has_any(uri):
            self._publish(types.PublishDiagnosticsParams(uri, self._merged.sum(uri)))
        self.look_at_all()  # the file on disk counts now, whatever stood in the editor

    def _look_at_others(self, uri: str, after: float = 0.0) -> None:
        """Look at the documents whose diagnostics or lenses hang on what a document says."""
        bibliography = is_bibliography(path_of(uri))
        for buffer in self._server.buffers:
            if buffer.uri != uri and (
                bibliography or (is_bibliography(buffer.path) and self._counts_in(buffer.path))
            ):
                self.look(buffer.uri, after=after)

    def _counts_in(self, bibliography: Path) -> bool:
        """Whether it is shown in a bibliography what is cited of it."""
        options = self._server.options_for(bibliography)
        return options.diagnostics.unused_entry or options.code_lens.enabled

    def _look_at_draft_of(self, uri: str, parts: frozenset[Path]) -> None:
        """Look at the other documents of the draft of an edited one, as it is and as it was."""
        self._parts[uri] = parts
        if uri in self._edited:
            self._edited.discard(uri)
            path = path_of(uri)
            for buffer in self._server.buffers:
                if buffer.uri != uri and (
                    buffer.path in parts or path in self._parts.get(buffer.uri, ())
                ):
                    self.look(buffer.uri)

    def _stop(self, uri: str) -> None:
        if task := self._looking.pop(uri, None):
            task.cancel()
        if timer := self._later.pop(uri, None):
            timer.cancel()

    async def _look(self, uri: str, after: float, own_edit: bool) -> None:
        await asyncio.sleep(after)
        await self._server.workers.quiet()
        opened = uri not in self._parts

        def work(request: Request) -> _Seen:
            stamps = bibliography_stamps(request)
            unsaved = opened and not request.buffers.saved(request.buffer)
            by_uri, more_in = diagnose(request)
            library = None if request.is_bibliography else request.draft().library
            unsettled = request.recommender.reader.unsettled(library) if library else None
            again = min(filter(None, (more_in, unsettled)), default=None)
            return _Seen(by_uri, again, stamps, _parts(request), unsaved, library)

        try:
            async with self._turn:
                seen = await self._server.answer(uri, work)
        except Exception:
            # Nothing awaits this task: what failed is logged here or nowhere.
            logger.exception("%s could not be examined", uri)
            return
        if seen is None:
            self._look_at_draft_of(uri, frozenset())  # a package, say
        else:
            if seen.unsaved:
                self._edited.add(uri)
            self._look_at_draft_of(uri, seen.parts)
            self._polled.follow(uri, seen.stamps)
            changed = self._merged.put(uri, seen.diagnostics)
            self._refresh(changed - {uri} if own_edit else changed)
            before = self._libraries.pop(uri, seen.library)
            self._libraries[uri] = seen.library
            if not own_edit and (seen.library is None or seen.library is not before):
                self._redraw(uri)
            if seen.again is not None:
                later = asyncio.get_running_loop().call_later
                self._later[uri] = later(seen.again, partial(self.look, uri))
            self._ready(uri)

    def redraw_all(self) -> None:
        """Have the client ask again for what it draws into documents, or no longer does."""
        client = self._server.client
        if client.inlay_hint_refresh:
            self._server.workspace_inlay_hint_refresh(None)
        if client.code_lens_refresh:
            self._server.workspace_code_lens_refresh(None)

    def _redraw(self, uri: str) -> None:
        """Have the client ask again for hints or lenses that other documents have changed.

        Hints hang on the library of a draft, lenses of a bibliography on the drafts.
        """
        client, path = self._server.client, path_of(uri)
        options = self._server.options_for(path)
        if is_bibliography(path):
            if options.code_lens.enabled and client.code_lens_refresh:
                self._server.workspace_code_lens_refresh(None)
        elif options.inlay_hints.enabled and client.inlay_hint_refresh:
            self._server.workspace_inlay_hint_refresh(None)

    def _ready(self, uri: str) -> None:
        """Get a draft ready in the background.

        Embedding a new library may take a minute: neither the problems nor the next edit wait for
        it, and an edit does not start it over.
        """
        buffer = self._server.buffers.get(uri)
        if buffer is not None and not is_bibliography(buffer.path):
            self._readiness.want(uri)

    def _publish(self, params: types.PublishDiagnosticsParams) -> None:
        client = self._server.client
        buffer = self._server.buffers.get(params.uri)
        if buffer is not None and client.pulls_diagnostics:
            return
        self._server.text_document_publish_diagnostics(params)

    def _refresh(self, changed: set[str]) -> None:
        """Have the client ask again where it does so by itself only after an edit."""
        client = self._server.client
        if not (client.pulls_diagnostics and client.diagnostic_refresh):
            return
        if any(self._server.buffers.get(uri) is not None for uri in changed):
            self._server.workspace_diagnostic_refresh(None)


@frozen
class _Seen:
    """The result of looking at a document.

    Attributes:
        diagnostics: By URI.
        again: Seconds after which to look again, None for never: there may be other diagnostics
            then, as a key is finished, or a bibliography that seems half written another one.
        stamps: The bibliographies to poll.
        parts: The files of its draft.
        unsaved: Whether it was opened with another text than its file has.
        library: That of a draft.
    """

    diagnostics: DiagnosticsByUri
    again: float | None
    stamps: Stamps
    parts: frozenset[Path]
    unsaved: bool
    library: Library | None


def _parts(request: Request) -> frozenset[Path]:
    """Return the files, packages too, of the draft of a document and of those beside it."""
    if request.is_bibliography:
        return frozenset()
    project = request.draft().project
    drafts = (project, *project.beside)
    files = (path for draft in drafts for path, _ in draft.files)
    return frozenset(files).union(*(draft.packages for draft in drafts))
