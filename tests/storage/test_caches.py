"""What is kept in memory, and addresses of databases, as SQLite takes them."""

from __future__ import annotations

import sqlite3
from pathlib import Path, PurePath, PureWindowsPath

import pytest

from cite_lsp.storage.caches import LastUsed, read_only


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
