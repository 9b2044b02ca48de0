"""A corpus on a real Milvus server, version 2.3: dense search alone, older filters, and its end."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve

from cite_lsp.manuscript import Context
from cite_lsp.recommend.corpus.remote import RemoteCorpus
from cite_lsp.search.corpus.filters import Filters
from cite_lsp.search.milvus.schema import paper_number
from cite_lsp.search.remote.address import RemoteAccess, RemoteAddress, RemoteError, read_address
from tests.recommend.shores import TopicEncoder, many_papers
from tests.search.milvus_corpus import SECONDS, opened, running_server, written

pytest.importorskip("pymilvus", reason="needs the milvus extra")
pytest.importorskip("milvus", reason="needs the server: pip install milvus==2.3.5")
pytestmark = pytest.mark.slow

PAPERS = many_papers()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a standalone server."""
    with running_server(tmp_path_factory.mktemp("milvus-server")) as (process, port):
        process.port = port  # type: ignore[attr-defined]
        yield process


@pytest.fixture(scope="module")
def address(
    server: subprocess.Popen[bytes], tmp_path_factory: pytest.TempPathFactory
) -> RemoteAddress:
    port = server.port  # type: ignore[attr-defined]
    address = read_address(f"milvus+http://127.0.0.1:{port}/shores")
    outcome = written(address, tmp_path_factory.mktemp("build"), PAPERS)
    assert (outcome.written, outcome.words) == (len(PAPERS), False)  # sparse vectors are of 2.4
    return address


def test_papers_and_neighbours_are_found(address: RemoteAddress) -> None:
    remote = opened(address)
    assert len(remote) == len(PAPERS)
    assert not remote.has_words
    numbers = [paper_number(paper.id) for paper in PAPERS]
    assert [fetched.paper for fetched in remote.fetch(numbers, timeout=SECONDS)] == PAPERS
    nearest = remote.nearest(TopicEncoder().encode(["gull"]), 5, timeout=SECONDS)[0]
    assert all("gull" in fetched.paper.title for fetched in remote.fetch(nearest, timeout=SECONDS))
    assert remote.with_words([{5: 1.0}], 5, timeout=SECONDS) == [[]]
    remote.close()


def test_filters_hold_though_the_server_knows_no_infix(address: RemoteAddress) -> None:
    filters = Filters(2000, 2010, ("bird",))
    remote = opened(evolve(address, filters=filters))
    nearest = remote.nearest(TopicEncoder().encode(["tide"]), 100, timeout=SECONDS)[0]
    fetched = remote.fetch(nearest, timeout=SECONDS)
    assert {item.paper.id for item in fetched} == {
        paper.id for paper in PAPERS if filters.allow(paper)
    }
    remote.close()


def test_writing_again_changes_only_what_changed(address: RemoteAddress, tmp_path: Path) -> None:
    assert written(address, tmp_path, PAPERS).written == 0
    outcome = written(address, tmp_path, PAPERS[:50], replace=True)
    assert (outcome.unchanged, outcome.removed) == (50, 10)
    assert written(address, tmp_path, PAPERS).written == 10


def test_a_corpus_may_be_named_by_an_alias(address: RemoteAddress) -> None:
    remote = opened(address)
    remote._connection.client.create_alias("shores", "science")
    remote.close()
    aliased = opened(evolve(address, collection="science"))
    assert len(aliased) == len(PAPERS)
    aliased.close()


def test_when_the_server_dies_lists_go_on_without_it(
    server: subprocess.Popen[bytes], address: RemoteAddress
) -> None:
    remote = RemoteCorpus(
        address, RemoteAccess(), lambda name, checkpoint: TopicEncoder(), wait=SECONDS
    )
    remote.prepare()
    context = Context(left="Of the tide and the marsh", right="a study tells.")
    assert len(remote.recommend(context, "", limit=5)) == 5
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    for number in range(4):
        other = Context(left=f"Of the gull and {number} dunes", right="")
        assert remote.recommend(other, "", limit=5) == ()
    assert not remote._breaker.closed
    with pytest.raises(RemoteError, match="does not answer"):
        opened(address)
