"""Building the server out of its features, and running it until the client leaves."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Callable

from lsprotocol import types

from cite_lsp.server.features import (
    code_action,
    code_lens,
    completion,
    completion_resolve,
    configuration,
    definition,
    document_links,
    find_references,
    hover,
    inlay_hints,
    rename,
    symbols,
    type_definition,
)
from cite_lsp.server.features.commands import (
    citation_links,
    indexing,
    missing_citations,
    picker,
    references,
)
from cite_lsp.server.rpc.log_lines import LogLines
from cite_lsp.server.session.buffers import BufferStore
from cite_lsp.server.session.engine import Engine
from cite_lsp.server.session.server import CiteServer
from cite_lsp.server.watch import diagnostics

FEATURES = (
    configuration,
    completion,
    completion_resolve,
    hover,
    definition,
    type_definition,
    find_references,
    rename,
    symbols,
    document_links,
    citation_links,
    code_action,
    code_lens,
    inlay_hints,
    picker,
    missing_citations,
    references,
    indexing,
    diagnostics,
)


_SWITCH = 0.0005
"""Seconds for which one thread may keep the others from running."""


def create_server(
    engine: Callable[[BufferStore], Engine] = Engine,
) -> CiteServer:
    """Return the server with all its features, not yet started."""
    server = CiteServer(engine)
    for feature in FEATURES:
        feature.register(server)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: CiteServer, params: None) -> None:
        ls.close()

    return server


def _look_once(phase: str, collection: dict[str, int]) -> None:
    """Look for garbage no more among what was none in a full collection.

    Each would look through the whole library again: half a second for one of 72,000 entries, in
    which no request is answered. What nothing refers to is freed all the same.
    """
    if phase == "stop" and collection["generation"] == 2:
        gc.freeze()


def run(server: CiteServer, tcp: tuple[str, int] | None = None) -> None:
    """Serve on stdio, or on a host and port, until the client leaves; then end the process.

    The exit status is the protocol's: 0 when the client asked for `shutdown` first, otherwise 1.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    # A worker that is reading a library gives the interpreter away only on request, by
    # default after 5 ms, several times in a request.
    sys.setswitchinterval(_SWITCH)
    gc.callbacks.append(_look_once)
    # OpenBLAS's other threads wait for more work in a loop, tens of milliseconds after a product of
    # matrices: of two processors, on the one that the other encoder should have. NumPy, which is
    # not loaded yet, reads this when it is.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if tcp is None:
        # stdout is the wire. Whatever a library prints goes to stderr, from C code too.
        wire = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        server.start_io(stdout=wire)
    else:
        logging.getLogger("cite_lsp.server.rpc.tcp").setLevel(logging.INFO)  # says where it listens
        server.start_tcp(*tcp)
    server.close()
    logging.shutdown()
    # Not sys.exit: it would wait for a worker that is in the middle of an embedding.
    os._exit(0 if server.protocol.ended_well else 1)
