"""The language server: the state that its features share, and how they get work done.

The work of a request runs in a worker, on the document as it was when it came.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types
from pygls.exceptions import (
    FeatureRequestError,
    JsonRpcException,
    JsonRpcInvalidParams,
    PyglsError,
)
from pygls.lsp.server import LanguageServer

from cite_lsp import __version__
from cite_lsp.cancelling import Cancel
from cite_lsp.manuscript import format_of
from cite_lsp.project.draft import Draft
from cite_lsp.project.workspace import is_bibliography
from cite_lsp.project.workspace_paths import WorkspacePaths
from cite_lsp.rules.findings import Finding, Ranked
from cite_lsp.server.config.draft_settings import DraftSettings, EffectiveSettings
from cite_lsp.server.config.options import Options, read_options
from cite_lsp.server.config.settings_files import SettingsFiles
from cite_lsp.server.config.settings_policy import LATER, later_settings
from cite_lsp.server.render.citeproc import ReferenceFormatter
from cite_lsp.server.rpc import quick_types
from cite_lsp.server.rpc.capabilities import ClientAbilities
from cite_lsp.server.rpc.protocol import CiteProtocol
from cite_lsp.server.rpc.status import Status
from cite_lsp.server.rpc.stdio import serve_streams
from cite_lsp.server.rpc.tcp import serve_tcp
from cite_lsp.server.session.buffers import BufferStore
from cite_lsp.server.session.completion_lists import CompletionLists
from cite_lsp.server.session.engine import Engine
from cite_lsp.server.session.recent_results import RecentResults
from cite_lsp.server.session.request import Request
from cite_lsp.server.session.uris import named_path
from cite_lsp.server.session.workers import Workers

logger = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[Request], T]


class CiteServer(LanguageServer):
    """What the features share: documents, client, settings, engine, workers."""

    protocol: CiteProtocol

    def __init__(self, engine: Callable[[BufferStore], Engine]) -> None:
        # Nothing runs in the pool of pygls, so one thread is enough.
        super().__init__(
            "cite-lsp",
            __version__,
            protocol_cls=CiteProtocol,
            converter_factory=quick_types.converter,
            max_workers=1,
        )
        self.client = ClientAbilities()
        self.options = Options()
        self.start_options: object = None  # what the client said when it started
        self.later_options: object = None  # what it has said since, perhaps for the workspace
        self.trusted: bool | None = None  # the workspace; None where the client does not say
        self._shown: set[str] = set()
        self.buffers = self.protocol.buffers = BufferStore()
        self.engine = engine(self.buffers)
        self.settings_files = SettingsFiles()
        self.settings = DraftSettings()
        self.paths = WorkspacePaths()
        self.settings_changed: list[Callable[[], None]] = []
        self.dismissals_changed: list[Callable[[str], None]] = []
        self.ranked: dict[str, Ranked] = {}
        self.started = False
        self.sent_lists = CompletionLists()
        self.recent: RecentResults[Draft] = RecentResults()
        self.findings: RecentResults[tuple[Finding, ...]] = RecentResults()
        self.references = ReferenceFormatter()
        self.workers = Workers()
        self.status = Status(lambda method, params: self.protocol.notify(method, params))

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve on stdin and stdout."""
        serve_streams(self.protocol, stdin or sys.stdin.buffer, stdout or sys.stdout.buffer)

    def start_tcp(self, host: str, port: int) -> None:
        """Serve the first client on a host and port.

        Raises:
            NoTokenError: other machines could connect, and there is no token.
            OSError: nothing can listen there.
        """
        serve_tcp(self.protocol, host, port)

    def close(self) -> None:
        """Call off what is being done, and release threads, files and connections."""
        self.workers.stop()
        self.engine.close()

    def report_server_error(
        self, error: Exception, source: type[PyglsError] | type[JsonRpcException]
    ) -> None:
        """Show the writer an error, once, that is in no answer and of no fault of the editor."""
        if source is FeatureRequestError or isinstance(error, JsonRpcInvalidParams):
            return
        message = f'cite-lsp failed: {error}; with log.level = "debug" the log says more'
        self._show_once(types.MessageType.Error, message)

    def complain(self, message: str) -> None:
        """Show and log a complaint, unless it was shown before."""
        if self._show_once(types.MessageType.Warning, message):
            logger.warning("%s", message)

    def _show_once(self, kind: types.MessageType, message: str) -> bool:
        """Show a message, and return true, unless it was shown before."""
        is_new = message not in self._shown
        if is_new:
            self._shown.add(message)
            # Before the answer to `initialize` the protocol allows showMessage: no need to wait.
            self.window_show_message(types.ShowMessageParams(kind, message))
        return is_new

    def answers(
        self, method: str, work: Callable[[Request, Any], object], options: object = None
    ) -> None:
        """Answer a method about a document: `work` is given the request and its parameters."""

        @self.feature(method, options)
        async def answer(ls: CiteServer, params: Any) -> object:  # noqa: ANN401 - of the method
            return await ls.answer(params.text_document.uri, lambda request: work(request, params))

    async def answer(self, uri: str, work: Work[T], *, lengthy: bool = False) -> T | None:
        """Let a worker answer a request on a draft or a .bib file; None for what else is open.

        What is `lengthy` keeps no other answer waiting. The settings are those that the files hold
        by now.
        """
        if self.settings_files.changed():
            self.apply_settings()
        task = self._on(uri, work)
        return await self.workers.answer(task, lengthy=lengthy) if task else None

    async def prepare(self, uri: str, work: Work[T]) -> T | None:
        """Let the background worker do something for a draft, after what it was given before.

        None where the draft is closed before that is done: it ends then.
        """
        task = self._on(uri, work)
        if task is None:
            return None

        def while_open(cancelled: Cancel) -> T | None:
            return task(lambda: cancelled() or self.buffers.get(uri) is None)

        return await self.workers.prepare(while_open)

    async def load(self) -> None:
        """Build the recommender and load the encoder, in the background."""

        def work(cancelled: Cancel) -> None:
            if not cancelled():
                self.engine.recommender(self.engine.setup).load_encoder()

        await self.workers.prepare(work)

    def apply_settings(self) -> None:
        """Read the settings from all sources and pass them on to what depends on them."""
        folders, before = self._workspace_folders(), self._effective_settings()
        self.settings_files.forget()
        start = "initializationOptions", self.start_options
        at_start, _ = read_options(start)
        paths = self.paths = WorkspacePaths(folders, self.trusted).naming(
            (*at_start.bibliography, at_start.add_entries_to)
        )
        later, refused = self._later_settings(folders[0] if folders else Path.cwd(), paths)
        sources = start, (LATER, later)
        self.settings = DraftSettings(folders, sources, paths=paths, files=self.settings_files)
        general, after = self.settings.general(), self._effective_settings()
        for complaint in (*refused, *self.settings.complaints()):
            self.complain(complaint)
        self.options = general.options
        logging.getLogger("cite_lsp").setLevel(self.options.log.level.upper())
        self.buffers.folder = folders[0] if folders else None
        self.engine.configure(
            general.setup,
            lambda path: self.settings.of(path).setup,
            [buffer.path for buffer in self.buffers],
        )
        if self.started and after != before:
            for notify in self.settings_changed:
                notify()

    def _later_settings(
        self, folder: Path, paths: WorkspacePaths
    ) -> tuple[object, tuple[str, ...]]:
        """Return what the editor has said since the start and may decide, and complaints."""
        later, start = self.later_options, self.start_options
        if not isinstance(later, Mapping):
            return later, ()
        return later_settings(later, start if isinstance(start, Mapping) else {}, folder, paths)

    def _effective_settings(self) -> dict[str, EffectiveSettings]:
        """Return the settings of the open documents by URI, and those of the workspace."""
        by_uri = {buffer.uri: self.settings.of(buffer.path) for buffer in self.buffers}
        return {"": self.settings.general(), **by_uri}

    def _workspace_folders(self) -> tuple[Path, ...]:
        """Return the folders of the workspace, its root first."""
        uris = [folder.uri for folder in self.workspace.folders.values()]
        paths = (named_path(uri) for uri in uris or [self.workspace.root_uri] if uri)
        return tuple(path for path in paths if path is not None)

    def options_for(self, path: Path) -> Options:
        """Return the settings for a document; complaints about them are shown."""
        options = self.settings.of(path).options
        for complaint in self.settings.complaints():
            self.complain(complaint)
        return options

    def _on(self, uri: str, work: Work[T]) -> Callable[[Cancel], T | None] | None:
        buffer = self.buffers.get(uri)
        if buffer is None:
            return None
        snapshot, client = self.buffers.snapshot(), self.client
        options = self.options_for(buffer.path)
        ranked = self.ranked.get(uri, Ranked())
        loop = asyncio.get_running_loop()

        def complain(message: str) -> None:
            loop.call_soon_threadsafe(self.complain, message)

        def task(cancelled: Cancel) -> T | None:
            if format_of(buffer.path) is None and not is_bibliography(buffer.path):
                return None
            request = Request(
                buffer=buffer,
                buffers=self.buffers,
                client=client,
                options=options,
                setup=self.engine.setup_of(buffer.path),
                engine=self.engine,
                paths=self.paths,
                cancelled=cancelled,
                snapshot=snapshot,
                recent=self.recent,
                ranked=ranked,
                complain=complain,
                findings=self.findings,
            )
            with self.buffers.pinned(snapshot, cancelled):
                try:
                    return work(request)
                except Exception:
                    # Cancelled work ends with an exception of whatever it was in: not an error.
                    if cancelled():
                        return None
                    raise

        return task
