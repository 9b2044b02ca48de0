"""Builds that are killed at any moment: nothing is lost but the batch at work, nothing is half."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from cite_lsp.corpus.citations import SourceItem
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import CorpusIndex, current_version
from cite_lsp.search.indexing.build import Embedding, embedding_of
from cite_lsp.search.indexing.check import check_corpus
from cite_lsp.search.indexing.checksums import PASSING
from cite_lsp.search.indexing.gathering import ReadSource, Sources
from cite_lsp.search.indexing.journal import inputs_signature
from cite_lsp.search.indexing.steps import Stage
from cite_lsp.search.indexing.update import UpdateListener, update_corpus
from cite_lsp.search.vectors.vector_index import SearchIndexError
from tests.search.corpus.test_corpus_index import PAPERS, Encoder
from tests.search.in_memory_sources import InMemorySources
from tests.search.indexing.test_update import ids

PAPERS_IN_FILE = 300
BATCH = 10
PROGRAM = """
import hashlib, json, sys, time
from pathlib import Path
import numpy as np
from tests.corpus.sources_read import papers_of_source
from cite_lsp.search.indexing import steps
from cite_lsp.search.vectors import vector_index as vectors
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.update import update_corpus

steps.BATCH = 10
vectors._ADDED_AT_ONCE, vectors._SAVE_SECONDS = 50, 0.0
vectors.VectorIndex.build.__func__.__kwdefaults__["exact_below"] = 0
folder, source, log = map(Path, sys.argv[1:])

class Slow:
    name = fingerprint = checkpoint = "slow"
    dimensions = 8

    def encode(self, texts, **rest):
        time.sleep(0.1)
        with log.open("a") as file:
            file.writelines(text + chr(10) for text in texts)
        seeds = [hashlib.sha256(text.encode()).digest() for text in texts]
        return np.stack([np.random.default_rng(list(one)).standard_normal(8) for one in seeds])

read = lambda name: papers_of_source(Path(name), print)
print(len(update_corpus(folder, Sources([str(source)], read), Slow())))
"""


def write_source(path: Path, count: int = PAPERS_IN_FILE) -> Path:
    rows = [{"id": f"p{number}", "title": f"Tides {number}"} for number in range(count)]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no kill -9")
def test_whenever_it_is_killed_a_build_does_no_more_than_one_batch_again(tmp_path: Path) -> None:
    folder, log = tmp_path / "tides", tmp_path / "log"
    source = write_source(tmp_path / "papers.jsonl")
    command = [sys.executable, "-c", PROGRAM, str(folder), str(source), str(log)]
    rng, kills, out = random.Random(13), 0, b""

    def done() -> tuple[set[Path], int]:
        return set(folder.glob("version-*/*")), log.stat().st_size if log.exists() else 0

    while not out:
        begun, before = time.monotonic(), done()
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            # From the first sign of work on: starting Python is no part of a build.
            while process.poll() is None and done() == before:
                if folder.exists() and time.monotonic() - begun > 60:
                    break
                time.sleep(0.005)
            if kills < 8:
                time.sleep(rng.random() * 0.12)
                process.send_signal(signal.SIGKILL)
            out = process.communicate(timeout=120)[0]
        assert process.returncode in (0, -signal.SIGKILL), "it does not build at all"
        if not out:
            kills += 1
            assert current_version(folder) is None  # readers see nothing of it
    assert int(out) == PAPERS_IN_FILE
    embedded = log.read_text().splitlines()
    assert set(embedded) == {f"Tides {number}" for number in range(PAPERS_IN_FILE)}
    assert len(embedded) <= PAPERS_IN_FILE + kills * BATCH
    assert kills == 8
    check = check_corpus(folder)
    assert (check.papers, check.faults) == (PAPERS_IN_FILE, ())
    assert check.recall >= 0.95
    left = {path.name for path in folder.rglob("*")}
    assert not [
        name for name in left if name.startswith(PASSING) or name.endswith((".part", ".new"))
    ]
    assert "incoming.jsonl" not in left


class Stopped(Exception):
    """What ends a build at a stage."""


def stop_at(stage: str) -> Stage:
    def stop(what: str, done: int, total: int) -> None:
        if what == stage:
            raise Stopped

    return stop


def reads_of(sources: InMemorySources) -> tuple[ReadSource, list[str]]:
    read: list[str] = []

    def source(name: str) -> Iterator[SourceItem]:
        read.append(name)
        return iter(sources.items[Path(name).name])

    return source, read


@pytest.mark.parametrize("stage", ["encoding", "words", "neighbours"])
def test_what_was_read_from_the_same_files_is_not_read_again(tmp_path: Path, stage: str) -> None:
    folder, file = tmp_path / "shores", tmp_path / "a"
    file.touch()
    read, names = reads_of(InMemorySources(a=PAPERS))
    with pytest.raises(Stopped):
        update_corpus(
            folder,
            Sources([str(file)], read),
            Encoder(),
            listener=UpdateListener(stage=stop_at(stage)),
        )
    corpus = update_corpus(folder, Sources([str(file)], read), Encoder())
    assert names == [str(file)]
    assert ids(corpus) == {paper.id for paper in PAPERS}
    assert corpus.manifest.sources == (str(file),)


def test_a_source_that_is_gone_keeps_what_was_read_of_others_good(tmp_path: Path) -> None:
    folder, file, other = tmp_path / "shores", tmp_path / "a", tmp_path / "b"
    file.touch()
    sources = InMemorySources(a=PAPERS[:3], b=PAPERS[3:5])
    read, names = reads_of(sources)
    update_corpus(folder, Sources([str(file), str(other)], read), Encoder())
    for stage in ("encoding", ""):
        with suppress(Stopped):
            update_corpus(
                folder,
                Sources([str(file)], read, gone=[str(other)]),
                Encoder(),
                listener=UpdateListener(stage=stop_at(stage)),
            )
    assert names == [str(file), str(other), str(file)]
    assert ids(CorpusIndex(folder)) == {"p0", "p1", "p2"}
    assert CorpusIndex(folder).manifest.sources == (str(file),)


def test_a_file_that_has_changed_meanwhile_is_read_again(tmp_path: Path) -> None:
    folder, file = tmp_path / "shores", tmp_path / "a"
    file.touch()
    sources = InMemorySources(a=PAPERS)
    read, names = reads_of(sources)
    with pytest.raises(Stopped):
        update_corpus(
            folder,
            Sources([str(file)], read),
            Encoder(),
            listener=UpdateListener(stage=stop_at("words")),
        )
    file.write_text("more")
    sources.items["a"] = PAPERS[:3]
    corpus = update_corpus(folder, Sources([str(file)], read), Encoder())
    assert len(names) == 2
    assert ids(corpus) == {"p0", "p1", "p2"}


def test_an_unfinished_build_tells_how_it_embeds(tmp_path: Path) -> None:
    folder, sources = tmp_path / "shores", InMemorySources(a=PAPERS)
    assert embedding_of(folder) == Embedding("", 0)
    update_corpus(folder, Sources(["a"], sources.read), Encoder("plain"), max_tokens=64)
    assert embedding_of(folder) == Embedding("fake", 64)
    other = Encoder("other")
    other.name = "another"
    with pytest.raises(Stopped):
        update_corpus(
            folder,
            Sources(["a"], sources.read),
            other,
            max_tokens=32,
            listener=UpdateListener(stage=stop_at("words")),
        )
    assert embedding_of(folder) == Embedding("another", 32)


@pytest.mark.parametrize("journal", ["", "[]", "{}", '{"inputs": 1, "papers": 2', "\0"])
def test_a_build_whose_journal_is_damaged_begins_anew(tmp_path: Path, journal: str) -> None:
    folder, file = tmp_path / "shores", tmp_path / "a"
    file.touch()
    read, names = reads_of(InMemorySources(a=PAPERS))
    with pytest.raises(Stopped):
        update_corpus(
            folder,
            Sources([str(file)], read),
            Encoder(),
            listener=UpdateListener(stage=stop_at("words")),
        )
    (folder / "version-1" / "build.json").write_text(journal)
    corpus = update_corpus(folder, Sources([str(file)], read), Encoder())
    assert ids(corpus) == {paper.id for paper in PAPERS}
    assert len(names) == 2


def test_words_that_were_indexed_stay_if_the_papers_are_the_same(tmp_path: Path) -> None:
    folder, file = tmp_path / "shores", tmp_path / "a"
    file.touch()
    sources = InMemorySources(a=PAPERS)
    read, _ = reads_of(sources)
    with pytest.raises(Stopped):
        update_corpus(
            folder,
            Sources([str(file)], read),
            Encoder(),
            listener=UpdateListener(stage=stop_at("neighbours")),
        )
    words = folder / "version-1" / "words" / "impacts.npy"
    written = words.stat().st_mtime_ns, words.stat().st_ino
    update_corpus(folder, Sources([str(file)], read), Encoder())
    assert (words.stat().st_mtime_ns, words.stat().st_ino) == written


def test_names_that_are_no_files_have_no_signature(tmp_path: Path) -> None:
    assert inputs_signature([str(tmp_path / "gone")], []) == ""
    assert inputs_signature([str(tmp_path)], ["a"]) != inputs_signature([str(tmp_path)], ["b"])


def test_a_second_build_waits_where_it_may(tmp_path: Path) -> None:
    folder, log = tmp_path / "tides", tmp_path / "log"
    source = write_source(tmp_path / "papers.jsonl")
    command = [sys.executable, "-c", PROGRAM, str(folder), str(source), str(log)]
    messages: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE) as other:
        while not (folder / "version-1").exists():
            assert other.poll() is None
            time.sleep(0.01)
        with pytest.raises(SearchIndexError, match=f"process {other.pid} is building this corpus"):
            InMemorySources(a=PAPERS).index(folder, "a")
        corpus = update_corpus(
            folder,
            Sources(["b"], InMemorySources(b=[Paper("ebb", "Ebb")]).read),
            Encoder(),
            listener=UpdateListener(waiting=messages.append),
        )
        assert other.wait() == 0
    who = f"{folder}: process {other.pid} is building this corpus"
    assert messages == [f"{who}; waiting until it is done"]
    assert len(corpus) == PAPERS_IN_FILE + 1
    assert len(CorpusIndex(folder)) == len(corpus)
