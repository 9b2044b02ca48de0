"""`index --engine milvus` and `search` in what it wrote: from files to a server and back."""

from __future__ import annotations

import json
import os
import socket
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
    answer = command("search", "nests of herring gulls", "--corpus", address, "--json").json
    assert answer["papers"][0]["key"] == "d:gulls"
    assert {paper["corpus"] for paper in answer["papers"]} == {"science"}
    of_years = command(
        "search", "nests of herring gulls", "--corpus", address, "--years", "-2002", "--json"
    )
    assert {paper["year"] for paper in of_years.json["papers"]} == {2001, 2002}
    assert not list((desk.parent / "home" / "cache").rglob("incoming.jsonl"))


def test_a_number_finds_its_paper_alone(command: Command, desk: Path, address: str) -> None:
    with (desk / "dump.jsonl").open("a", encoding="utf-8") as dump:
        dump.write('\n{"id": "d:doi", "title": "Reeds", "doi": "10.5555/Reeds.1", "year": 2004}\n')
    command("index", "dump.jsonl", "--corpus", address, "--encoder", "static")
    ask = ("search", "https://doi.org/10.5555/reeds.1", "--corpus", address, "--json")
    assert [paper["key"] for paper in command(*ask).json["papers"]] == ["d:doi"]
    earlier = command(*ask, "--years", "-2003").json["papers"]
    assert "d:doi" not in {paper["key"] for paper in earlier}


def test_an_update_keeps_the_encoder_of_the_corpus(
    command: Command, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "nice", lambda by: 0)
    command("index", "dump.jsonl", "--corpus", address, "--encoder", "static")
    again = command("index", "dump.jsonl", "--corpus", address, "--json", "--json-progress")
    assert (again.json["encoder"], again.json["written"]) == ("static", 0)
    message, *stages = again.err.splitlines()
    assert message == "encoder static: as the corpus has it; --encoder names another"
    assert json.loads(stages[0]) == {"stage": "reading", "done": 4, "total": 4}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--corpus", "our-papers"], "'our-papers' cannot name a collection; use the letters"),
    ],
)
def test_what_a_server_cannot_have_is_reported(
    command: Command, arguments: list[str], reason: str
) -> None:
    server = ["--engine", "milvus", "--uri", "papers.db"]
    assert reason in command("index", "dump.jsonl", *server, *arguments).misuse


def test_without_a_place_for_it_nothing_is_done(command: Command) -> None:
    outcome = command("index", "dump.jsonl", "--engine", "milvus")
    assert "--engine milvus needs --uri https://HOST:PORT" in outcome.misuse


def test_without_a_source_there_is_nothing_to_read(command: Command, address: str) -> None:
    assert command("index", "--corpus", address).misuse.endswith("kept here; name a SOURCE")


def test_an_index_takes_all_papers_whatever_its_address_filters(
    command: Command, address: str
) -> None:
    outcome = command("index", "dump.jsonl", "--corpus", f"{address}?years=2010-")
    assert "filters are for who asks" in outcome.misuse


def test_who_asks_a_file_that_is_not_there_does_not_make_it(
    command: Command, desk: Path, address: str
) -> None:
    assert "no corpus there" in command("search", "gulls", "--corpus", address).error
    assert "no corpus there" in command("corpora", "list", address).out
    assert not (desk / "papers.db").exists()


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
    answer = command("search", "gulls marsh attention vectors", "--venue", "shore", "--json").json
    assert {paper["venue"] for paper in answer["papers"]} == {"Shores"}
    old = command("search", "gulls marsh attention vectors", "--years", "2001-2002", "--json").json
    assert {paper["year"] for paper in old["papers"]} == {2001, 2002}


def test_years_that_are_none_are_reported(command: Command) -> None:
    assert "'soon' are no years" in command("search", "gulls", "--years", "soon").misuse


def test_corpora_tell_what_a_server_has(command: Command, desk: Path, address: str) -> None:
    command("index", "dump.jsonl", "--corpus", address, "--encoder", "static")
    command("index", "dump.jsonl", "--encoder", "static")
    outcome = command("corpora", "list", address)
    assert outcome.status == 0, outcome.err
    (line,) = outcome.out.splitlines()
    assert line.startswith("science: 4 papers, encoder static, answered in ")
    assert line.endswith(f"{desk}/papers.db/science")
    both = command("corpora", "list", "papers", address, "--json").json
    assert [corpus["name"] for corpus in both["corpora"]] == ["papers"]
    (remote,) = both["remote"]
    assert (remote["papers"], remote["words"], remote["fault"]) == (4, True, "")
    assert remote["seconds"] > 0
    assert command("corpora", "--json").json["remote"] == []


def test_check_counts_and_samples_what_a_server_has(
    command: Command, desk: Path, address: str
) -> None:
    command("index", "dump.jsonl", "--corpus", address, "--encoder", "static")
    outcome = command("corpora", "check", f"{address}?years=1900-1901")
    assert outcome.status == 0, outcome.err
    assert outcome.out.startswith("science: whole, 4 papers, 100% of a sample found, answered in ")
    assert outcome.out.count("\n") == 1
    (remote,) = command("corpora", "check", address, "--json").json["remote"]
    assert (remote["counted"], remote["recall"], remote["faults"]) == (4, 1.0, [])
    assert remote["question"] > 0


def test_check_finds_papers_that_are_gone_or_cannot_be_read(
    command: Command, desk: Path, address: str
) -> None:
    from pymilvus import MilvusClient

    command("index", "dump.jsonl", "--corpus", address, "--encoder", "static")
    client = MilvusClient(f"{desk}/papers.db")
    first, second = client.query("science", filter="id >= 0", output_fields=["*"], limit=2)
    client.delete("science", ids=[first["id"]])
    client.upsert("science", [second | {"paper": '{"id": "d'}])
    client.close()
    outcome = command("corpora", "check", address)
    assert outcome.status == 1
    state, *faults = outcome.out.splitlines()
    assert state.startswith("science: damaged, 3 papers")
    assert "the server counts 3 papers, 4 were written" in faults[0]
    assert f"paper {second['id']} cannot be read" in faults[1]
    assert len(faults) == 2


@pytest.mark.parametrize("action", ["list", "check"])
def test_a_dead_server_is_one_line_and_others_are_reported(command: Command, action: str) -> None:
    dead = "milvus+http://127.0.0.1:9/science"
    command("index", "dump.jsonl", "--encoder", "static")
    outcome = command("corpora", action, dead, "papers")
    assert outcome.status == 1
    first, second = outcome.out.splitlines()
    assert first.startswith("papers: ")
    assert second.startswith("science: not reachable after ")
    assert "http://127.0.0.1:9/science: the server does not answer" in second
    (remote,) = command("corpora", action, dead, "--json").json["remote"]
    assert "the server does not answer" in remote["fault"]


@pytest.mark.parametrize("action", ["list", "check"])
def test_what_is_no_corpus_of_ours_is_one_line(
    command: Command, desk: Path, address: str, action: str
) -> None:
    from pymilvus import MilvusClient

    client = MilvusClient(f"{desk}/papers.db")
    client.create_collection("science", dimension=4)
    client.close()
    (nothing,) = command("corpora", action, f"{address}2").out.splitlines()
    assert "no corpus there; build it with `cite-lsp index" in nothing
    (line,) = command("corpora", action, address).out.splitlines()
    assert "/science: not a corpus of cite-lsp; name another collection" in line
    assert "not a corpus of cite-lsp" in command("index", "dump.jsonl", "--corpus", address).error
    assert "names no collection" in command("corpora", action, "milvus+http://h:1/").misuse


def test_a_server_that_says_nothing_is_waited_for_a_while_only(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cite_lsp.search.milvus.check.SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"milvus+http://127.0.0.1:{silent.getsockname()[1]}/science"
        (remote,) = command("corpora", "list", address, "--json").json["remote"]
    assert "the server does not answer (Deadline Exceeded)" in remote["fault"]
    assert remote["seconds"] > 0
