"""Bad input to `index`, each kind caused: one clear line, the good kept, nothing half-written."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from cite_lsp.paths import corpora_folder
from cite_lsp.search.corpus.corpus_index import CorpusIndex, current_version
from cite_lsp.search.indexing.check import check_corpus
from cite_lsp.storage.compressed_files import zstd
from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]
ROWS = [
    {"id": f"n{number}", "title": f"Tide number {number} of the year", "abstract": "Water." * 9}
    for number in range(200)
]


LIMITED = """
import resource, runpy, sys
size = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
runpy.run_module("cite_lsp", run_name="__main__", alter_sys=True)
"""
"""Runs the command line where writing beyond a size fails, as on a disk that is full. Between fork
and exec it may not be set: threads of this process, of gRPC for one, do not come along."""


def lines(rows: list[dict[str, str]]) -> bytes:
    return "\n".join(map(json.dumps, rows)).encode() + b"\n"


def complaints(outcome: Outcome) -> list[str]:
    """Return the lines on stderr that name a file and a record."""
    return [line for line in outcome.err.splitlines() if ".jsonl" in line and ":" in line]


def papers() -> CorpusIndex:
    return CorpusIndex(corpora_folder() / "papers")


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_of_a_truncated_archive_the_records_before_the_cut_stay(
    command: Command, desk: Path, suffix: str
) -> None:
    pack = gzip.compress if suffix == "gz" else zstd.compress
    rows = [{"id": f"n{number}", "title": os.urandom(90).hex()} for number in range(2000)]
    whole = pack(lines(rows))
    (desk / f"cut.jsonl.{suffix}").write_bytes(whole[: len(whole) * 2 // 3])
    outcome = command("index", f"cut.jsonl.{suffix}", "--encoder", "static", "--json")
    complaint, last = complaints(outcome)
    assert "the archive is broken here" in complaint and f"cut.jsonl.{suffix}:" in complaint
    assert last == f"cite-lsp: {complaint}; the corpus has what could be read of this file"
    assert 0 < outcome.json["papers"] < 2000
    assert outcome.json["bad_records"] == 1
    assert check_corpus(corpora_folder() / "papers").faults == ()


def test_an_archive_that_is_damaged_inside_is_called_so_at_its_end(
    command: Command, desk: Path
) -> None:
    rows = [{"id": f"n{number}", "title": os.urandom(90).hex()} for number in range(2000)]
    packed = bytearray(gzip.compress(lines(rows), compresslevel=0))  # stored: all lines are there
    packed[len(packed) // 2] ^= 1
    (desk / "spoilt.jsonl.gz").write_bytes(bytes(packed).replace(b'"title"', b"'title'", 30))
    outcome = command("index", "spoilt.jsonl.gz", "--encoder", "static", "--json")
    first, *_ = complaints(outcome)
    assert "spoilt.jsonl.gz:1: not JSON (Expecting" in first
    (last,) = [line for line in outcome.err.splitlines() if line.startswith("… and ")]
    assert "more, the last: " in last
    assert ": the archive is broken here (CRC check failed" in last
    assert outcome.json["papers"] >= 1960


def test_a_file_of_another_format_is_named_and_leaves_the_corpus(
    command: Command, desk: Path
) -> None:
    command("index", "dump.jsonl")
    # By this name it is taken for JSON Lines.
    (desk / "picture.png.jsonl").write_bytes(b"\x89PNG\r\n\x1a\n" + os.urandom(5000))
    outcome = command("index", "picture.png.jsonl", "--corpus", "other")
    (complaint,) = complaints(outcome)
    assert complaint.endswith("jsonl:1: no text but a binary format that cannot be read here")
    (desk / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + os.urandom(5000))
    outcome = command("index", "picture.png", "--corpus", "other")
    assert outcome.error.endswith("the sources hold no papers; nothing was indexed")
    assert any("picture.png:1: " in line for line in outcome.err.splitlines())
    assert current_version(corpora_folder() / "other") is None
    assert len(papers()) == 4


def test_a_record_of_fifty_megabytes_is_passed_over_and_named(command: Command, desk: Path) -> None:
    with (desk / "large.jsonl").open("wb") as file:
        file.write(lines(ROWS[:1]))
        file.write(b'{"id": "x", "title": "' + b"x" * 50_000_000 + b'"}\n')
        file.write(lines(ROWS[1:2]))
    outcome = command("index", "large.jsonl", "--json")
    (complaint,) = complaints(outcome)
    assert complaint.endswith("large.jsonl:2: more than 16,777,216 characters; the line is skipped")
    assert outcome.json["papers"] == 2


def test_papers_without_a_title_are_named_and_those_without_an_abstract_stay(
    command: Command, desk: Path
) -> None:
    rows = [{"id": "a", "abstract": "No title."}, {"id": "b", "title": "No abstract"}]
    (desk / "bare.jsonl").write_bytes(lines(rows))
    outcome = command("index", "bare.jsonl", "--json")
    (complaint,) = complaints(outcome)
    assert complaint.endswith("bare.jsonl:1: a paper needs `id` and `title`; the record is skipped")
    assert (outcome.json["papers"], outcome.json["with_abstract"]) == (1, 0)


def in_a_process(
    *arguments: object, start: Sequence[str] = ("-m", "cite_lsp"), **options: object
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *start, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)  # type: ignore[call-overload, no-any-return]


def one_line(ran: subprocess.CompletedProcess[str]) -> str:
    assert ran.returncode == 1, ran.stderr
    assert "Traceback" not in ran.stderr
    *_, last = ran.stderr.splitlines()
    assert last.startswith("cite-lsp: ")
    return last


@pytest.mark.skipif(os.name == "nt", reason="no limits on the size of files")
@pytest.mark.parametrize("kilobytes", [1, 12, 40, 70, 150, 300])
def test_where_the_disk_ends_a_build_stops_and_the_old_corpus_stays(
    command: Command, desk: Path, kilobytes: int
) -> None:
    command("index", "dump.jsonl", "--encoder", "static")
    (desk / "more.jsonl").write_bytes(lines(ROWS))

    size = kilobytes * 1000
    ran = in_a_process(
        "index", "more.jsonl", "--encoder", "static", start=("-c", LIMITED, str(size))
    )
    if ran.returncode:
        line = one_line(ran)
        assert "cannot be written (" in line and "run the command again" in line
        assert len(papers()) == 4
    else:
        assert kilobytes >= 150  # the largest file of this corpus is smaller
    assert check_corpus(corpora_folder() / "papers").faults == ()
    assert command("index", "more.jsonl", "--json").json["papers"] == 204
    assert check_corpus(corpora_folder() / "papers").faults == ()


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of 400 kilobytes."""
    folder = Path(tempfile.mkdtemp())
    mounting = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
    if not hasattr(os, "geteuid") or os.geteuid() or subprocess.run(mounting).returncode:
        folder.rmdir()
        pytest.skip("may not mount a small disk here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)
    folder.rmdir()


def test_a_disk_that_is_too_small_is_reported_before_anything_is_written(
    desk: Path, small_disk: Path
) -> None:
    (desk / "more.jsonl").write_bytes(lines(ROWS))
    home = os.environ | {"CITE_LSP_HOME": str(small_disk)}
    ran = in_a_process("index", "more.jsonl", "--encoder", "static", cwd=desk, env=home)
    assert "MB are free; make room or set CITE_LSP_HOME to another disk" in one_line(ran)
    assert not list(small_disk.rglob("version-*"))
    with suppress(OSError):
        (small_disk / "full").write_bytes(b"x" * (1 << 20))
    ran = in_a_process("index", "more.jsonl", "--encoder", "static", cwd=desk, env=home)
    assert "cannot be written (No space left on device)" in one_line(ran)


def test_what_a_small_corpus_needs_is_not_reported_as_nothing(desk: Path, small_disk: Path) -> None:
    (small_disk / "other").write_bytes(b"x" * 250_000)
    home = os.environ | {"CITE_LSP_HOME": str(small_disk)}
    ran = in_a_process("index", "dump.jsonl", "--encoder", "static", cwd=desk, env=home)
    assert "needs 1 MB more and only 0 MB are free" in one_line(ran)


def powerless(folder: Path) -> tuple[list[str], dict[str, object]]:
    """Return how to run a command as one whom permissions bind: what goes before it, and options.

    Root is bound by them once its capabilities are gone, or as somebody else.
    """
    if os.geteuid():
        return [], {}
    nobody: dict[str, object] = {"user": 65534, "group": 65534, "extra_groups": []}
    for before, options in (
        (["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"], {}),
        ([], nobody),
    ):
        command = [*before, sys.executable, "-c", "open('secret')"]
        try:
            (folder / "secret").touch(mode=0)
            ran = subprocess.run(command, cwd=folder, capture_output=True, **options)  # type: ignore[call-overload]
        except OSError:
            continue
        if b"PermissionError" in ran.stderr:
            return before, options
    pytest.skip("root cannot put its power aside here")


@pytest.fixture
def bound(tmp_path: Path) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """Runs a command in a folder open to all, as somebody whom permissions bind."""
    if os.name == "nt":
        pytest.skip("other permissions")
    with tempfile.TemporaryDirectory() as open_to_all:
        folder = Path(open_to_all)
        folder.chmod(0o755)
        before, options = powerless(folder)

        def run(*arguments: object) -> subprocess.CompletedProcess[str]:
            command = [*before, sys.executable, "-m", "cite_lsp", *map(str, arguments)]
            ran = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=120,
                cwd=folder,
                env=os.environ
                | {"CITE_LSP_HOME": str(folder / "home"), "PYTHONPATH": os.pathsep.join(sys.path)},
                **options,  # type: ignore[call-overload]
            )
            assert isinstance(ran, subprocess.CompletedProcess)
            return ran

        run.folder = folder  # type: ignore[attr-defined]
        yield run
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o700)


def test_without_permission_one_line_says_what_may_not_be_written_or_read(
    bound: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    folder: Path = bound.folder  # type: ignore[attr-defined]
    source, secret, closed = folder / "a.jsonl", folder / "secret.jsonl", folder / "closed"
    for path in (source, secret):
        path.write_bytes(lines(ROWS[:2]))
    secret.chmod(0)
    closed.mkdir(mode=0)
    (folder / "home").mkdir(mode=0o555)
    written = one_line(bound("index", source))
    assert "cannot be written (Permission denied); check the folder" in written
    (folder / "home").chmod(0o777)
    read = one_line(bound("index", secret))
    assert "secret.jsonl: Permission denied; check the path and the permissions" in read
    hidden = one_line(bound("index", closed / "b.jsonl"))
    assert "b.jsonl: Permission denied; check the path and the permissions" in hidden


@pytest.mark.parametrize("arguments", [["suggest"], ["check"], ["drafts", "add"]])
def test_a_draft_that_may_not_be_read_is_reported_as_such(
    bound: Callable[..., subprocess.CompletedProcess[str]], arguments: list[str]
) -> None:
    folder: Path = bound.folder  # type: ignore[attr-defined]
    draft = folder / "draft.tex"
    draft.write_text("Tides rise \\cite{}.")
    draft.chmod(0)
    (folder / "home").mkdir(mode=0o777)
    ran = bound(*arguments, draft)
    *_, line = ran.stderr.splitlines()
    assert ran.returncode == 1
    assert line.endswith("draft.tex: cannot be read; check the path and the permissions")


def test_the_folder_of_a_user_who_is_not_known_is_no_traceback(command: Command) -> None:
    assert "~nobody-of-here/x" in command("index", "~nobody-of-here/x").error
    unknown = command("index", "dump.jsonl", "--encoder", "~nobody-of-here/x").error
    assert "no encoder named '~nobody-of-here/x'" in unknown


def test_a_corpus_that_may_not_be_read_is_not_called_damaged_nor_built_anew(
    desk: Path, bound: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    folder: Path = bound.folder  # type: ignore[attr-defined]
    (folder / "a.jsonl").write_bytes(lines(ROWS[:2]))
    index = ("index", folder / "a.jsonl", "--encoder", "static")
    home = os.environ | {"CITE_LSP_HOME": str(folder / "home")}
    in_a_process(*index, env=home).check_returncode()
    closed = next((folder / "home" / "corpora").glob("papers/version-*/vectors.index"))
    closed.chmod(0)
    refusal = f"the corpus may not be read ({closed}: Permission denied); check its permissions"
    assert refusal in one_line(bound("search", "tides"))
    assert refusal in one_line(bound(*index))
    listed = bound("corpora")
    assert (listed.returncode, refusal in listed.stdout) == (1, True)
    (folder / "home" / "corpora").chmod(0)
    listed = bound("corpora")
    assert "corpora may not be read (Permission denied)" in listed.stdout
    assert "no corpora" not in listed.stdout


def change_manifest(**fields: object) -> None:
    version = current_version(corpora_folder() / "papers")
    assert version is not None
    path = version / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_a_corpus_of_a_newer_version_is_neither_read_nor_overwritten(
    command: Command, desk: Path
) -> None:
    command("index", "dump.jsonl")
    change_manifest(format=99, novelty=True)
    for arguments in (("search", "tides"), ("index", "dump.jsonl")):
        assert "written by a newer cite-lsp (format 99" in command(*arguments).error
    change_manifest(format=3)
    version = current_version(corpora_folder() / "papers")
    assert version is not None
    assert '"novelty"' in (version / "manifest.json").read_text()
    assert command("index", "dump.jsonl", "--replace", "--json").json["papers"] == 4


@pytest.mark.parametrize("file", ["vectors.index", "embeddings.i8", "words/impacts.npy"])
def test_a_corpus_with_a_corrupt_file_is_restored_from_all_its_sources(
    command: Command, desk: Path, file: str
) -> None:
    (desk / "more.jsonl").write_bytes(lines(ROWS))
    command("index", "dump.jsonl", "more.jsonl")
    version = current_version(corpora_folder() / "papers")
    assert version is not None
    content = (version / file).read_bytes()
    (version / file).write_bytes(content[: len(content) // 2])
    assert "the corpus is damaged (" in command("search", "tides").error
    outcome = command("index", "dump.jsonl", "--json")
    assert outcome.json["papers"] == 204
    assert "all of them are read now" in outcome.err
    assert check_corpus(corpora_folder() / "papers").faults == ()
