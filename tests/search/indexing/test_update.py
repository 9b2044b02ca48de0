"""Updating a corpus source by source, one process at a time, and checking what was written."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import CorpusIndex, current_version, searched_of
from cite_lsp.search.indexing import update
from cite_lsp.search.indexing.check import check_corpus
from cite_lsp.search.indexing.checksums import write_checksums
from cite_lsp.search.indexing.gathering import Sources
from cite_lsp.search.indexing.lock import build_lock
from cite_lsp.search.indexing.update import BuildPlan, UpdateListener, update_corpus
from cite_lsp.search.vectors import vector_index as vectors
from cite_lsp.search.vectors.vector_index import SearchIndexError, VectorIndex
from tests.search.corpus.test_corpus_index import PAPERS, Encoder
from tests.search.in_memory_sources import InMemorySources

Usage = namedtuple("Usage", ["total", "used", "free"])


def ids(corpus: CorpusIndex) -> set[str]:
    return {paper.id for paper in corpus.papers}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "shores"


def test_papers_of_other_sources_stay(folder: Path) -> None:
    sources = InMemorySources(a=PAPERS[:3], b=PAPERS[3:5])
    sources.index(folder, "a")
    corpus = sources.index(folder, "b")
    assert ids(corpus) == {"p0", "p1", "p2", "p3", "p4"}
    assert corpus.manifest.sources == ("a", "b")


def test_of_a_source_that_changed_new_papers_come_and_old_ones_go(folder: Path) -> None:
    sources = InMemorySources(a=PAPERS[:3], b=PAPERS[3:5])
    sources.index(folder, "a", "b")
    changed = Paper("p1", "Tides 1", "Rewritten", year=2001)
    sources.items["a"] = [changed, PAPERS[7]]
    corpus = sources.index(folder, "a")
    assert ids(corpus) == {"p1", "p7", "p3", "p4"}
    assert next(paper for paper in corpus.papers if paper.id == "p1").abstract == "Rewritten"


def test_a_paper_stays_as_long_as_one_source_has_it(folder: Path) -> None:
    sources = InMemorySources(a=PAPERS[:3], b=PAPERS[2:4])
    sources.index(folder, "a", "b")
    sources.items["a"] = PAPERS[:1]
    assert ids(sources.index(folder, "a")) == {"p0", "p2", "p3"}
    sources.items["b"] = PAPERS[3:4]
    assert ids(sources.index(folder, "b")) == {"p0", "p3"}


def test_what_only_a_source_had_that_is_gone_goes_with_it(folder: Path) -> None:
    sources = InMemorySources(a=PAPERS[:3], b=PAPERS[2:5])
    sources.index(folder, "a", "b")
    corpus = update_corpus(folder, Sources(["a"], sources.read, gone=["b"]), Encoder())
    assert (ids(corpus), corpus.manifest.sources) == ({"p0", "p1", "p2"}, ("a",))


def test_folders_that_were_searched_are_noted_until_they_are_replaced(folder: Path) -> None:
    sources = InMemorySources(a=PAPERS[:3], b=PAPERS[3:5])
    for place, name in (("shores", "a"), ("dunes", "b"), ("shores", "a")):
        update_corpus(folder, Sources([name], sources.read, searched=[place]), Encoder())
    assert searched_of(folder) == ("shores", "dunes")
    update_corpus(folder, Sources(["b"], sources.read, searched=["dunes"], replace=True), Encoder())
    assert CorpusIndex(folder).manifest.searched == ("dunes",)


def test_replacing_forgets_the_other_sources(folder: Path) -> None:
    sources = InMemorySources(a=PAPERS[:3], b=PAPERS[3:5])
    sources.index(folder, "a")
    assert ids(sources.index(folder, "b", replace=True)) == {"p3", "p4"}


def test_what_was_embedded_before_is_not_embedded_again(folder: Path) -> None:
    sources = InMemorySources(a=PAPERS[:3], b=PAPERS[3:5])
    sources.index(folder, "a")
    encoder = Encoder()
    update_corpus(folder, Sources(["b"], sources.read), encoder)
    assert encoder.encoded == ["Tides 3. About shore 3", "Tides 4"]


def test_what_a_build_needs_is_reported_before_and_too_small_a_disk_stops_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources, plans = InMemorySources(a=PAPERS), list[BuildPlan]()
    update_corpus(
        folder,
        Sources(["a"], sources.read),
        Encoder(),
        listener=UpdateListener(announce=plans.append),
    )
    (plan,) = plans
    assert plan.papers == 10 and plan.bytes_free > plan.bytes_needed > 10 * 16
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(100, 90, 10))
    sources.items["b"] = [Paper("new", "Ebb")]
    with pytest.raises(SearchIndexError, match=r"MB are free; make room or set CITE_LSP_HOME"):
        sources.index(folder, "b")
    assert len(CorpusIndex(folder)) == 10
    assert not (folder / "incoming.jsonl").exists()


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("exact_below", [0, 20_000], ids=["a graph", "no graph"])
@pytest.mark.parametrize("rebuilt", [False, True], ids=["new", "rebuilt"])
def test_a_build_takes_no_more_disk_than_it_has_announced(
    folder: Path, monkeypatch: pytest.MonkeyPatch, exact_below: int, rebuilt: bool
) -> None:
    build: Any = VectorIndex.build
    monkeypatch.setitem(build.__func__.__kwdefaults__, "exact_below", exact_below)
    monkeypatch.setattr(update, "EXACT_BELOW", exact_below)
    monkeypatch.setattr(vectors, "_SAVE_SECONDS", 0.0)
    papers = [
        Paper(f"p{number}", f"Tides {number} of the shore", "Of water and of sand. " * 20)
        for number in range(1500)
    ]
    if rebuilt:
        InMemorySources(a=papers[:700]).index(folder, "a")
    there, plans, sizes = list[int](), list[BuildPlan](), list[int]()

    def announce(plan: BuildPlan) -> None:
        plans.append(plan)
        there.append(size_of(folder))

    update_corpus(
        folder,
        Sources(["a"], InMemorySources(a=papers).read),
        Encoder(dimensions=64),
        listener=UpdateListener(
            stage=lambda what, done, total: sizes.append(size_of(folder)), announce=announce
        ),
    )
    taken = max(sizes[-len(sizes) // 2 :]) - there[0]
    assert 0.3 * plans[0].bytes_needed < taken <= plans[0].bytes_needed


@pytest.mark.parametrize("count", [3, 100, 2000])
def test_papers_of_a_few_rare_words_take_no_more_disk_than_announced_either(
    folder: Path, count: int
) -> None:
    rng = Random(count)
    letters = "abcdefghijklmnopqrstuvwxyz"
    titles = [
        " ".join("".join(rng.choices(letters, k=rng.randint(4, 9))) for _ in range(9))
        for _ in range(count)
    ]
    papers = [Paper(str(number), title) for number, title in enumerate(titles)]
    there, plans, sizes = list[int](), list[BuildPlan](), list[int]()

    def announce(plan: BuildPlan) -> None:
        plans.append(plan)
        there.append(size_of(folder))

    update_corpus(
        folder,
        Sources(["a"], InMemorySources(a=papers).read),
        Encoder(),
        listener=UpdateListener(
            stage=lambda what, done, total: sizes.append(size_of(folder)), announce=announce
        ),
    )
    assert max(sizes[-len(sizes) // 2 :]) - there[0] <= plans[0].bytes_needed


@pytest.mark.skipif(os.name == "nt", reason="other permissions")
def test_whoever_may_read_new_files_may_read_a_corpus(folder: Path) -> None:
    before = os.umask(0o022)
    try:
        InMemorySources(a=PAPERS).index(folder, "a")
    finally:
        os.umask(before)
    version = current_version(folder)
    assert version is not None
    for path in (version, *version.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644), path


def test_without_papers_nothing_is_announced_or_begun(folder: Path) -> None:
    plans = list[BuildPlan]()
    with pytest.raises(SearchIndexError, match="hold no papers; nothing was indexed"):
        update_corpus(
            folder,
            Sources(["a"], InMemorySources(a=[]).read),
            Encoder(),
            listener=UpdateListener(announce=plans.append),
        )
    assert not plans
    assert [path.name for path in folder.iterdir()] == ["build.lock"]


def test_a_second_build_of_the_same_corpus_says_who_is_at_it(folder: Path) -> None:
    with (
        build_lock(folder),
        pytest.raises(SearchIndexError, match=f"process {os.getpid()} is building this corpus"),
    ):
        InMemorySources(a=PAPERS).index(folder, "a")
    assert len(InMemorySources(a=PAPERS).index(folder, "a")) == 10


@pytest.mark.skipif(os.name == "nt", reason="no kill -9")
def test_a_killed_build_holds_no_lock(folder: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path\n"
        "from cite_lsp.search.indexing.lock import build_lock\n"
        "with build_lock(Path(sys.argv[1])):\n    print('held', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", code, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "held\n"
        with pytest.raises(SearchIndexError, match=f"process {other.pid} is building"):
            InMemorySources(a=PAPERS).index(folder, "a")
        other.send_signal(signal.SIGKILL)
    assert len(InMemorySources(a=PAPERS).index(folder, "a")) == 10


def test_a_source_that_breaks_off_leaves_the_old_corpus(folder: Path) -> None:
    sources = InMemorySources(a=PAPERS)
    sources.index(folder, "a")

    def broken(name: str) -> Iterator[Paper]:
        yield PAPERS[0]
        raise OSError(28, "No space left on device")

    with pytest.raises(SearchIndexError, match="No space left on device"):
        update_corpus(folder, Sources(["a"], broken), Encoder())
    assert len(CorpusIndex(folder)) == 10


def test_a_whole_corpus_passes_its_check(folder: Path) -> None:
    InMemorySources(a=PAPERS).index(folder, "a")
    check = check_corpus(folder)
    assert (check.name, check.papers, check.recall, check.faults) == ("shores", 10, 1.0, ())


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ("flip", r"embeddings\.i8 has changed since it was written"),
        ("remove", r"typed/rows\.npy"),
        ("checksums", r"checksums\.json cannot be read"),
        ("starts", "the corpus is damaged"),
        (
            "papers",
            r"papers\.jsonl has changed since it was written; index its sources again: `cit",
        ),
        ("papers and checksums", "paper 1 cannot be read"),
        ("pointer", "current names no version"),
    ],
)
def test_damage_is_found_and_named(folder: Path, damage: str, message: str) -> None:
    InMemorySources(a=PAPERS).index(folder, "a")
    version = current_version(folder)
    assert version is not None
    match damage:
        case "flip":
            data = bytearray((version / "embeddings.i8").read_bytes())
            data[5] ^= 0xFF
            (version / "embeddings.i8").write_bytes(data)
        case "remove":
            (version / "typed" / "rows.npy").unlink()
        case "checksums":
            (version / "checksums.json").unlink()
        case "starts":
            np.save(version / "starts.npy", np.zeros(0, dtype=np.int64))
        case "pointer":
            (folder / "current").write_text("version-9")
        case "papers" | "papers and checksums":
            data = bytearray((version / "papers.jsonl").read_bytes())
            data[0:1] = b"!"
            (version / "papers.jsonl").write_bytes(data)
            if "checksums" in damage:
                write_checksums(version)
    faults = " | ".join(check_corpus(folder).faults)
    assert re.search(message, faults), faults
