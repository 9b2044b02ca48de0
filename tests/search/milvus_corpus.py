"""What the tests of remote corpora share: papers on a file of Milvus Lite, or on a real server."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from cite_lsp.encode.encoder import Encoder
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.search.indexing.build import build_corpus
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.update import UpdateListener
from cite_lsp.search.milvus.build import RemoteBuildResult, update_remote
from cite_lsp.search.milvus.connection import connect
from cite_lsp.search.milvus.corpus import MilvusCorpus
from cite_lsp.search.remote.address import RemoteAccess, RemoteAddress
from cite_lsp.search.vectors.vector_index import VectorIndex
from tests.recommend.shores import TopicEncoder

SECONDS = 60.0
"""Long enough on a busy machine."""


def written(
    address: RemoteAddress,
    scratch: Path,
    papers: Iterable[Paper],
    *,
    encoder: Encoder | None = None,
    replace: bool = False,
    source: str = "dump",
    access: RemoteAccess | None = None,
    waiting: Callable[[str], None] | None = None,
) -> RemoteBuildResult:
    """Bring a remote corpus up to date with papers."""

    def read(name: str) -> Iterator[Paper]:
        yield from papers

    with contextlib.closing(connect(address, access or RemoteAccess(), timeout=SECONDS)) as server:
        return update_remote(
            server,
            scratch / "build",
            Sources([source], read, replace=replace),
            encoder or TopicEncoder(),
            listener=UpdateListener(waiting=waiting),
        )


def opened(address: RemoteAddress, access: RemoteAccess | None = None) -> MilvusCorpus:
    """Open a remote corpus."""
    return MilvusCorpus.open(address, access or RemoteAccess(), timeout=SECONDS)


@contextlib.contextmanager
def running_server(
    folder: Path, **settings: object
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run a standalone server on the loopback; give its process and port, and end it by its id.

    `settings` are those that its template of a configuration leaves open.
    """
    milvus = pytest.importorskip("milvus", reason="needs the server: pip install milvus==2.3.5")
    server = milvus.MilvusServer()
    server.set_base_dir(str(folder))
    for name, value in settings.items():
        server.config.set(name, value)
    with socket.create_server(("127.0.0.1", 0)) as free:
        server.listen_port = free.getsockname()[1]
    try:
        server.start()
    except TimeoutError:
        pytest.skip("the Milvus server did not start in time")
    process: subprocess.Popen[bytes] = server.server_proc
    try:
        yield process, server.listen_port
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.wait()


def on_disk(folder: Path, papers: Sequence[Paper]) -> CorpusIndex:
    """Return a corpus of papers in a folder, with vectors that are not rounded to eight bits."""
    corpus = build_corpus(folder, papers, TopicEncoder())
    corpus.vectors = VectorIndex.build(TopicEncoder().encode(list(map(encoder_text, papers))))
    return corpus
