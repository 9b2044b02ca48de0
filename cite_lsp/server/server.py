"""The language server: the state that its features share, and how it is started.

Features register themselves (one module each); what they ask runs in workers, on the document as it
was when they asked.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from typing import TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from cite_lsp import __version__
from cite_lsp.manuscript import format_of
from cite_lsp.server import (
    code_action,
    command,
    completion,
    configuration,
    definition,
    diagnostics,
    hover,
    resolve,
)
from cite_lsp.server.client import Client
from cite_lsp.server.documents import DocumentStore
from cite_lsp.server.engine import Engine
from cite_lsp.server.options import Options
from cite_lsp.server.protocol import CiteProtocol
from cite_lsp.server.request import Request
from cite_lsp.server.work import Cancelled, Workers

logger = logging.getLogger(__name__)

T = TypeVar("T")
Work = Callable[[Request], T]

FEATURES = (
    configuration,
    completion,
    resolve,
    hover,
    definition,
    code_action,
    command,
    diagnostics,
)


class CiteServer(LanguageServer):
    """What the features share: documents, client, settings, engine, workers."""

    protocol: CiteProtocol

    def __init__(self, engine: Callable[[DocumentStore], Engine]) -> None:
        # The pool of pygls serves the reader of stdin alone, so one thread is enough.
        super().__init__("cite-lsp", __version__, protocol_cls=CiteProtocol, max_workers=1)
        self.client = Client()
        self.options = Options()
        self.client_options: list[tuple[str, object]] = []
        self.complaints: set[str] = set()
        self.documents = DocumentStore()
        self.engine = engine(self.documents)
        self.answers = resolve.Answers()
        self.workers = Workers()

    async def answer(self, uri: str, work: Work[T]) -> T | None:
        """Let a worker answer a request on a draft; None for what is not an open draft."""
        task = self._on(uri, work)
        return await self.workers.answer(task) if task else None

    async def prepare(self, uri: str, work: Work[T]) -> T | None:
        """Let the background worker do something for a draft, after what it was given before."""
        task = self._on(uri, work)
        return await self.workers.prepare(task) if task else None

    async def load(self) -> None:
        """Build the recommender and load the encoder, in the background."""

        def work(cancelled: Cancelled) -> None:
            if not cancelled():
                self.engine.recommender.load_encoder()

        await self.workers.prepare(work)

    def _on(self, uri: str, work: Work[T]) -> Callable[[Cancelled], T | None] | None:
        document = self.documents.get(uri)
        if document is None:
            return None
        snapshot, client, options = self.documents.snapshot(), self.client, self.options

        def task(cancelled: Cancelled) -> T | None:
            if format_of(document.path) is None:
                return None
            request = Request(document, self.documents, client, options, self.engine, cancelled)
            with self.documents.pinned(snapshot):
                try:
                    return work(request)
                except Exception:
                    # Cancelled work ends with an exception of whatever it was in; nobody listens.
                    if cancelled():
                        return None
                    raise

        return task


def create_server(
    engine: Callable[[DocumentStore], Engine] = lambda documents: Engine(documents.read),
) -> CiteServer:
    """Return the server with all its features, not yet started."""
    server = CiteServer(engine)
    for feature in FEATURES:
        feature.register(server)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: CiteServer, params: None) -> None:
        ls.workers.stop()

    return server


def serve(tcp: tuple[str, int] | None = None) -> None:
    """Serve on stdio, or on a host and port, until the client leaves; then end the process.

    The exit status is the protocol's: 0 when the client asked for `shutdown` first, otherwise 1.
    """
    run(create_server(), tcp)


def run(server: CiteServer, tcp: tuple[str, int] | None = None) -> None:
    """Start a server as `serve` does."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    if tcp is None:
        # stdout is the wire. Whatever a library prints goes to stderr, from C code too.
        wire = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        server.start_io(stdout=wire)
    else:
        logging.getLogger("pygls.server").setLevel(logging.INFO)  # says where it listens
        try:
            server.start_tcp(*tcp)
        except SystemExit:  # how pygls ends on `exit`
            pass
    server.workers.stop()
    logging.shutdown()
    # Not sys.exit: it would wait for a worker that is in the middle of an embedding.
    os._exit(0 if server.protocol.ended_well else 1)
