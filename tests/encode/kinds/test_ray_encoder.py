"""Encoding on a Ray cluster of two workers: every batch once, whoever dies."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from cite_lsp.encode import Encoder, EncoderError, load_encoder
from cite_lsp.encode.batches import encode_batches
from cite_lsp.encode.kinds.ray_encoder import RayEncoder
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.indexing import steps
from cite_lsp.search.indexing.build import build_corpus

ray = pytest.importorskip("ray", reason="needs the cluster extra")
pytestmark = pytest.mark.slow

ENCODER = "static"
"""The encoder that loads and runs fastest: what is tested is who runs it."""
TEXTS = [f"paper {number} on graphs and translation" for number in range(400)]
BATCH = 10


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayEncoder]:
    _start()
    yield RayEncoder.connect(load_encoder(ENCODER), "auto", name=ENCODER)
    ray.shutdown()


def _start() -> None:
    """Start a cluster of two workers on this machine; Ray gives itself 30 s for that."""
    for _ in range(3):
        try:
            ray.init(
                num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False
            )
            return
        except Exception as error:  # Ray raises no other
            reason = str(error)
            ray.shutdown()
            for child in psutil.Process().children(recursive=True):
                child.kill()
    pytest.skip(f"Ray does not start here: {reason}")


def batches() -> Iterator[list[str]]:
    for start in range(0, len(TEXTS), BATCH):
        yield TEXTS[start : start + BATCH]


def workers() -> list[int]:
    """Return the processes at work for the cluster."""
    workers = []
    for child in psutil.Process().children(recursive=True):
        try:
            # By title: the node itself, and the agents that it dies with, are not meant.
            if " ".join(child.cmdline()).startswith(("ray::IDLE", "ray::_encode")):
                workers.append(child.pid)
        except psutil.NoSuchProcess:
            continue
    return workers


def test_vectors_are_those_of_this_machine(cluster: RayEncoder) -> None:
    own = load_encoder(ENCODER)
    np.testing.assert_allclose(cluster.encode(TEXTS), own.encode(TEXTS), atol=1e-6)
    assert (cluster.name, cluster.fingerprint, cluster.checkpoint, cluster.dimensions) == (
        own.name,
        own.fingerprint,
        own.checkpoint,
        own.dimensions,
    )


def test_a_worker_killed_halfway_costs_nothing_and_doubles_nothing(cluster: RayEncoder) -> None:
    own = load_encoder(ENCODER)
    seen: list[int] = []
    killed: set[int] = set()
    for number, vectors in encode_batches(cluster, batches()):
        seen.append(number)
        expected = own.encode(TEXTS[number * BATCH : (number + 1) * BATCH])
        np.testing.assert_allclose(vectors, expected, atol=1e-6)
        if len(seen) in (5, 20):
            victims = workers()
            for pid in victims:
                os.kill(pid, signal.SIGKILL)
            killed.update(victims)
            time.sleep(0.2)  # the cluster has to find out
    assert killed
    assert sorted(seen) == list(range(len(TEXTS) // BATCH))


def test_a_corpus_is_built_whole_while_workers_die(
    cluster: RayEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "BATCH", BATCH)
    papers = [Paper(f"p{number}", text) for number, text in enumerate(TEXTS)]
    counts: list[int] = []
    killed: list[int] = []

    def stage(what: str, done: int, total: int) -> None:
        if what == "encoding":
            counts.append(done)
            if len(counts) == len(TEXTS) // BATCH // 2:
                killed.extend(workers())
                for pid in killed:
                    os.kill(pid, signal.SIGKILL)

    build_corpus(tmp_path / "papers", papers, cluster, stage=stage)
    assert killed
    corpus, own = CorpusIndex(tmp_path / "papers"), load_encoder(ENCODER)
    assert {corpus.paper(row).id for row in range(len(corpus))} == {paper.id for paper in papers}
    rows = np.arange(len(corpus))
    expected = own.encode([corpus.paper(row).title for row in range(len(corpus))])
    cosines = np.sum(corpus.vectors.vectors(rows) * expected, axis=1)
    assert cosines.min() > 0.99


def test_a_chinese_text_is_known_by_who_reads_it(
    cluster: RayEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = load_encoder()
    encoder = RayEncoder.connect(own, "auto")
    papers = [Paper("1", "神经机器翻译"), Paper("2", "Neural machine translation")]
    build_corpus(tmp_path / "one", papers, encoder)

    def encoded(texts: object) -> None:
        raise AssertionError(texts)

    monkeypatch.setattr(own, "encode", encoded)  # what the cluster embedded is known here
    build_corpus(tmp_path / "one", papers, own)


def test_workers_of_other_weights_are_refused(cluster: RayEncoder) -> None:
    own: Encoder = load_encoder(ENCODER)
    stranger = RayEncoder(own, name="default", max_tokens=None, gpus_each=0.0, cpus_each=1)
    with pytest.raises(EncoderError, match="has other weights; install the same one everywhere"):
        stranger.encode(["a text"])


def test_a_cluster_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "is_initialized", lambda: False)

    def refused(**options: object) -> None:
        raise ConnectionError("Could not find any running Ray instance.\nmore")

    monkeypatch.setattr(ray, "init", refused)
    with pytest.raises(
        EncoderError, match="the Ray cluster 10.0.0.1:6379 does not answer"
    ) as error:
        RayEncoder.connect(load_encoder(ENCODER), "10.0.0.1:6379")
    assert "\n" not in str(error.value)
