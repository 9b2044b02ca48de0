"""What is kept in memory, and addresses of databases, as SQLite takes them."""

from __future__ import annotations

import gc
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePath, PureWindowsPath

import pytest

from cite_lsp.storage.atomic_write import keep_for_user_alone
from cite_lsp.storage.caches import ByObject, CacheFile, LastUsed, Table, read_only


def test_what_was_read_last_stays_longest() -> None:
    cache: LastUsed[str, int] = LastUsed(2)
    cache.keep_all({"a": 1, "b": 2})
    assert cache.get("a") == 1
    cache.keep("c", 3)
    assert cache.known("abc") == {"a": 1, "c": 3}


def test_what_was_written_again_stays_longest_too() -> None:
    cache: LastUsed[str, int] = LastUsed(2)
    cache.keep_all({"a": 1, "b": 2})
    cache.keep("a", 4)
    cache.keep("c", 3)
    assert cache.known("abc") == {"a": 4, "c": 3}


def test_what_is_not_wanted_any_more_is_forgotten_though_others_keep_something() -> None:
    values: LastUsed[int, int] = LastUsed(None)

    def work(start: int) -> None:
        for number in range(start, start + 500):
            values.keep(number, number)
            values.forget_unless(lambda key: key % 2 == 0)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(0, 4000, 1000)))
    assert [number for number in range(4000) if values.get(number) is not None] == [
        number for start in range(0, 4000, 1000) for number in range(start, start + 500, 2)
    ]


class Thing:
    """What something is made of."""


def test_what_was_made_of_an_object_goes_with_it() -> None:
    values: ByObject[Thing, list[int]] = ByObject()
    first, second = Thing(), Thing()
    values.keep(first, [1])
    values.keep(second, [2])
    assert (values.get(first), values.get(second), values.get(Thing())) == ([1], [2], None)
    del first
    gc.collect()
    assert len(values) == 1


def test_what_several_threads_want_of_an_object_is_made_once() -> None:
    values: ByObject[Thing, int] = ByObject()
    made, thing, start = [], Thing(), threading.Barrier(4)

    def make(number: int) -> int:
        made.append(number)
        return number

    def work(number: int) -> int:
        start.wait(30)
        return values.setdefault(thing, lambda: make(number))

    with ThreadPoolExecutor(4) as pool:
        results = set(pool.map(work, range(4)))
    assert results == set(made) and len(made) == 1


@pytest.mark.parametrize(
    ("path", "address"),
    [
        (
            PureWindowsPath(r"C:\Users\Zoë 50%\a#b.sqlite"),
            "file:///C:/Users/Zo%C3%AB%2050%25/a%23b.sqlite",
        ),
        (
            PureWindowsPath(r"\\server\home\ada\zotero.sqlite"),
            "file:////server/home/ada/zotero.sqlite",
        ),
    ],
)
def test_a_database_has_an_address_wherever_it_lies(path: PurePath, address: str) -> None:
    assert read_only(path) == f"{address}?mode=ro"


@pytest.mark.parametrize("name", ["a?mode=rwc#1.sqlite", "50% é.sqlite", "bad\udcff.sqlite"])
def test_the_address_of_a_database_leads_to_it(tmp_path: Path, name: str) -> None:
    with sqlite3.connect(tmp_path / name) as database:
        database.execute("CREATE TABLE kept (number)")
    for path in (tmp_path / name, Path(f"/{tmp_path / name}")):  # "//…" as of one on the network
        opened = sqlite3.connect(read_only(path), uri=True)
        assert opened.execute("SELECT count(*) FROM kept").fetchone() == (0,)
        opened.close()


ENGLISH = Table("translations", "translations", "english", "TEXT")
ROWS = {f"{number}".encode(): f"number {number}" for number in range(300)}


def cached(path: Path) -> dict[bytes, object]:
    """Open a cache file, add a row to it, and return what it has then."""
    cache = CacheFile(path, ENGLISH, 1000)
    cache.read(list(ROWS))
    cache.write([(b"new", "new")])
    values = cache.read([*ROWS, b"new"])
    cache.close()
    return values


def test_a_cache_file_with_a_letter_that_is_none_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    cache = CacheFile(path, ENGLISH, 1000)
    cache.write(ROWS.items())
    cache.close()
    path.write_bytes(path.read_bytes().replace(b"number 77", b"n\xfbmber 77"))
    cached(path)
    assert cached(path)[b"new"] == "new"


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
@pytest.mark.parametrize("damage", ["empty", "cut", "folder", *range(0, 16_384, 512)])
def test_a_cache_file_however_damaged_is_made_again(
    tmp_path: Path, suffix: str, damage: str | int
) -> None:
    path = tmp_path / "cache.sqlite"
    cache = CacheFile(path, ENGLISH, 1000)
    cache.write(ROWS.items())
    cache.close()
    place = path.with_name(path.name + suffix)
    content = bytearray(place.read_bytes() if place.exists() else path.read_bytes())
    if isinstance(damage, int):
        for byte in range(damage, min(damage + 512, len(content)), 3):
            content[byte] ^= 0x95
    place.unlink(missing_ok=True)
    if damage == "folder":
        place.mkdir()
    else:
        left = {"empty": 0, "cut": len(content) // 2}
        place.write_bytes(content[: left.get(str(damage), len(content))])
    cached(path)
    values = cached(path)
    assert values[b"new"] == "new", "nothing is kept any more"
    assert set(values) <= {*ROWS, b"new"}


_ADD = """
import sys
from pathlib import Path
from cite_lsp.storage.caches import CacheFile, Table
print("ready", flush=True)
sys.stdin.readline()
cache = CacheFile(Path(sys.argv[1]), Table("vectors", "vectors", "vector", "BLOB"), 100)
cache.write([(sys.argv[2].encode(), b"kept")])
cache.close()
"""


def test_processes_that_start_at_once_all_keep_what_they_made(tmp_path: Path) -> None:
    for number in range(5):
        path = tmp_path / f"cache-{number}.sqlite"
        names = [str(name) for name in range(4)]
        started = [
            subprocess.Popen(
                [sys.executable, "-c", _ADD, str(path), name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for name in names
        ]
        for process in started:
            assert process.stdout and process.stdout.readline()
        said = [process.communicate("go\n")[1] for process in started]
        assert said == [""] * len(said)
        cache = CacheFile(path, Table("vectors", "vectors", "vector", "BLOB"), 100)
        assert set(cache.read([name.encode() for name in names])) == {b"0", b"1", b"2", b"3"}
        cache.close()


@pytest.mark.skipif(os.name != "posix", reason="no locks that a process loses by closing a file")
def test_a_lock_outlives_another_cache_of_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    holder = sqlite3.connect(path)
    holder.execute("CREATE TABLE t (x)")
    holder.execute("BEGIN EXCLUSIVE")
    keep_for_user_alone(path)
    write = (
        "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN EXCLUSIVE')"
    )
    other = subprocess.run(
        [sys.executable, "-c", write, str(path)], capture_output=True, text=True, check=False
    )
    holder.close()
    assert "database is locked" in other.stderr


@pytest.mark.skipif(os.name != "posix", reason="no permissions of that kind")
def test_what_a_cache_holds_of_drafts_is_for_its_user_alone(tmp_path: Path) -> None:
    new, old = tmp_path / "new.sqlite", tmp_path / "old.sqlite"
    old.write_bytes(b"as it was")
    old.chmod(0o644)
    for path in (new, old):
        keep_for_user_alone(path)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert old.read_bytes() == b"as it was"
