"""Disks that are full, homes that may not be written or are missing: one line, and nothing lost."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from cite_lsp.search.indexing.check import check_corpus
from tests.chaos.limited import Client
from tests.chaos.places import again, expect, ids, named, write_drafts, write_papers
from tests.chaos.processes import Ending, Outcome, run_command
from tests.chaos.trials import FaultTrial

KIND = "a disk that is full, read-only or missing"
SIZES = (1_000, 3_000, 9_000, 20_000, 40_000, 80_000, 160_000)
"""Bytes that a file may have."""
_LEFT = (0, 20_000, 60_000, 120_000)
"""Bytes that are free on a small disk."""


def _build(now: Path, ending: Ending = Ending()) -> Outcome:  # noqa: B008
    papers = str(now / "desk" / "papers")
    return run_command(["index", papers, "--encoder", "static"], now / "home", ending)


def _prepare(now: Path) -> None:
    papers = now / "desk" / "papers"
    papers.mkdir()
    write_papers(papers / "a.jsonl", range(30))
    write_drafts(now / "desk", ["one", "two"])
    expect(_build(now).status == 0, "no corpus to begin with")
    write_papers(papers / "b.jsonl", range(20, 200), ", revised")


def _expect_one_line(outcome: Outcome, words: str) -> None:
    last = (outcome.said.strip().splitlines() or [""])[-1]
    expect(outcome.status == 1, f"exit status {outcome.status}: {outcome.said[-300:]}")
    expect(last.startswith("cite-lsp: ") and words in last, f"no line that says why: {last}")


def _expect_old(now: Path) -> None:
    folder = now / "home" / "corpora" / "papers"
    expect(ids(folder) == named(range(30)), "the old corpus is lost")
    faults = check_corpus(folder).faults
    expect(not faults, f"the old corpus: {faults}")


def _expect_new(now: Path) -> None:
    outcome = _build(now)
    expect(outcome.status == 0, f"then: exit status {outcome.status}: {outcome.said[-300:]}")
    folder = now / "home" / "corpora" / "papers"
    expect(ids(folder) == named(range(200)), "then: not all papers")
    faults = check_corpus(folder).faults
    expect(not faults, f"then: {faults}")


def _build_with_small_files(size: int, _: Path) -> float:
    now = again(_prepare)
    outcome = _build(now, Ending(bytes=size))
    if outcome.status:
        _expect_one_line(outcome, "cannot be written (")
        _expect_old(now)
    _expect_new(now)
    return outcome.memory


def _use_with_small_files(size: int, _: Path) -> float:
    """Answer although no cache can be written, and fill the caches later."""
    now = again(_prepare)
    question = ["suggest", str(now / "desk" / "one.tex"), "-k", "3"]
    outcome = run_command(question, now / "home", Ending(bytes=size))
    expect(outcome.status == 0, f"exit status {outcome.status}: {outcome.said[-300:]}")
    adding = run_command(["drafts", "add", str(now / "desk")], now / "home", Ending(bytes=size))
    if adding.status:
        _expect_one_line(adding, "could not be kept")
    later = run_command(["drafts", "add", str(now / "desk")], now / "home")
    expect(later.status == 0 and "damaged" not in later.said, f"then: {later.said[-300:]}")
    return outcome.memory


@contextmanager
def small_disk(size: int) -> Iterator[Path | None]:
    """Give a disk of so many bytes; None where none may be mounted."""
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    mounted = os.geteuid() == 0 and not subprocess.run(mounting, capture_output=True).returncode
    try:
        yield folder.resolve() if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()


def _full_disk(left: int, _: Path) -> float:
    """Build, ask and add drafts where the home lies on a disk with little room."""
    before = again(_prepare)
    size = sum(path.stat().st_size for path in (before / "home").rglob("*") if path.is_file())
    with small_disk(4_000_000 + size) as disk:
        if disk is None:
            return 0.0
        shutil.copytree(before / "home", disk / "home")
        (disk / "desk").symlink_to(before / "desk")
        room = max(shutil.disk_usage(disk).free - left, 0)
        (disk / "filling").write_bytes(b"x" * room)
        outcome = _build(disk)
        _expect_one_line(outcome, "")
        _expect_old(disk)
        outcome = run_command(["suggest", str(disk / "desk" / "one.tex")], disk / "home")
        expect(outcome.status == 0, f"exit status {outcome.status}: {outcome.said[-300:]}")
        (disk / "filling").unlink()
        _expect_new(disk)
        return outcome.memory


def _read_only(command: str, _: Path) -> float:
    """Work in a home that may not be written: a mount, as root may write any folder."""
    now = again(_prepare)
    home = now / "home"
    binding = ["mount", "--bind", str(home), str(home)]
    if os.geteuid() or subprocess.run(binding, capture_output=True).returncode:
        return 0.0
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(home)], check=True)
        arguments = [command] if command != "drafts" else ["drafts", "add"]
        outcome = run_command([*arguments, str(now / "desk" / "one.tex")], home)
        if command == "index":
            _expect_one_line(outcome, "cannot be written (Read-only file system)")
        elif command == "drafts":
            _expect_one_line(outcome, "could not be kept")
        else:
            expect(outcome.status == 0, f"exit status {outcome.status}: {outcome.said[-300:]}")
        _serve(now)
        _expect_old(now)
    finally:
        subprocess.run(["umount", str(home)], check=True)
    _expect_new(now)
    return outcome.memory


def _no_home(make: Callable[[Path], object], _: Path) -> float:
    """Answer where the home is missing or no folder."""
    now = again(_prepare)
    shutil.rmtree(now / "home")
    make(now / "home")
    return _serve(now)


def _serve(now: Path) -> float:
    """Have a server complete a key of a draft."""
    client = Client(now / "desk", now / "home", now / "server.log")
    try:
        client.start()
        text = "\\cite{}\n\\bibliography{refs}\n"
        uri = client.open(now / "desk" / "new.tex", text)
        keys = client.keys(uri, 0, 6)
        expect(any("k1" in key for key in keys), f"no keys are offered: {keys[:3]}")
        memory = client.peak()
        client.finish()
    finally:
        client.kill()
    return memory


TRIALS = (
    *(
        FaultTrial(
            KIND,
            f"a build, files of {size} bytes",
            partial(_build_with_small_files, size),
            size == 1_000,
        )
        for size in SIZES
    ),
    *(
        FaultTrial(
            KIND, f"use, files of {size} bytes", partial(_use_with_small_files, size), size == 1_000
        )
        for size in SIZES
    ),
    *(
        FaultTrial(KIND, f"{left} bytes are left", partial(_full_disk, left), left == 20_000)
        for left in _LEFT
    ),
    *(
        FaultTrial(
            KIND, f"a home that is read-only: {command}", partial(_read_only, command), False
        )
        for command in ("index", "drafts", "suggest", "check")
    ),
    FaultTrial(KIND, "no home", partial(_no_home, lambda path: None)),
    FaultTrial(KIND, "a file for a home", partial(_no_home, lambda path: path.write_text(""))),
)
