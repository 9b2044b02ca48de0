"""`index --engine milvus` and `search` in what it wrote: from files to a server and back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import RECORDS, Outcome

pytest.importorskip("pymilvus", reason="needs the milvus extra")
pytest.importorskip("milvus_lite", reason="needs Milvus Lite")

Command = Callable[..., Outcome]


@pytest.fixture
def address(desk: Path) -> str:
    return f"milvus+file://{desk}/papers.db/science"


def test_a_dump_goes_to_the_engine_and_is_searched_there(
    command: Command, desk: Path, address: str
) -> None:
    first = command(
        "index", "dump.jsonl", "--engine", "milvus", "--uri", "papers.db", "--corpus", "science",
        "--encoder", "static", "--json",
    )  # fmt: skip
    assert first.status == 0, first.err
    summary = first.json
    assert summary.pop("seconds") >= 0
    assert summary == {
        "corpus": address,
        "papers": 4,
        "written": 4,
        "unchanged": 0,
        "removed": 0,
        "words": True,
        "files": 1,
        "bad_records": 0,
        "encoder": "static",
    }
    again = command("index", "dump.jsonl", "--corpus", address, "--encoder", "static")
    assert "4 papers (0 written, 4 as they were, 0 removed)" in again.out
    found = command("search", "nests of herring gulls", "--corpus", address, "--json").json
    assert found["papers"][0]["key"] == "d:gulls"
    assert {paper["corpus"] for paper in found["papers"]} == {"science"}
    of_years = command(
        "search", "nests of herring gulls", "--corpus", address, "--years", "-2002", "--json"
    )
    assert {paper["year"] for paper in of_years.json["papers"]} == {2001, 2002}
    assert not list((desk.parent / "home" / "cache").rglob("incoming.jsonl"))


def test_without_a_place_for_it_nothing_is_done(command: Command) -> None:
    outcome = command("index", "dump.jsonl", "--engine", "milvus")
    assert "--engine milvus needs --uri https://HOST:PORT" in outcome.error


def test_without_a_source_the_usage_is_shown(command: Command, address: str) -> None:
    outcome = command("index", "--corpus", address)
    assert outcome.status == 2
    assert "name a SOURCE" in outcome.err


def test_a_server_that_is_not_there_is_one_line(command: Command) -> None:
    outcome = command("search", "gulls", "--corpus", "milvus+http://127.0.0.1:9/science")
    assert "the server does not answer" in outcome.error


def test_filters_hold_in_local_corpora_too(command: Command, desk: Path) -> None:
    venues = [
        record | {"venue": "Shores" if row % 2 else "ACL"} for row, record in enumerate(RECORDS)
    ]
    lines = [json.dumps(record) for record in venues]
    (desk / "venues.jsonl").write_text("\n".join(lines), encoding="utf-8")
    command("index", "venues.jsonl", "--encoder", "static")
    found = command("search", "gulls marsh attention vectors", "--venue", "shore", "--json").json
    assert {paper["venue"] for paper in found["papers"]} == {"Shores"}
    old = command("search", "gulls marsh attention vectors", "--years", "2001-2002", "--json").json
    assert {paper["year"] for paper in old["papers"]} == {2001, 2002}


def test_years_that_are_none_are_told_of(command: Command) -> None:
    assert "'soon' are no years" in command("search", "gulls", "--years", "soon").error
