"""What the tests of remote corpora share: papers on a file of Milvus Lite, or on a real server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from cite_lsp.encode.model import Encoder
from cite_lsp.paper import Paper
from cite_lsp.search.milvus.build import Written, update_remote
from cite_lsp.search.milvus.corpus import MilvusCorpus
from cite_lsp.search.remote_address import RemoteAccess, RemoteAddress
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
) -> Written:
    """Bring a remote corpus up to date with papers."""

    def read(name: str) -> Iterator[Paper]:
        yield from papers

    return update_remote(
        address,
        RemoteAccess(),
        scratch / "build",
        [source],
        read,
        encoder or TopicEncoder(),
        replace=replace,
    )


def opened(address: RemoteAddress) -> MilvusCorpus:
    """Open a remote corpus."""
    return MilvusCorpus.open(address, RemoteAccess(), timeout=SECONDS)
