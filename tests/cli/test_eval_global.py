"""`eval global`: figures that the independent scorer confirms, candidates as the options say."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from cite_lsp.evaluate.baselines.global_systems import GLOBAL_SYSTEMS
from tests.cli.conftest import Outcome
from tests.cli.test_eval_and_train import TOPICS, write
from tests.evaluate.scoring import score

Command = Callable[..., Outcome]


@pytest.fixture
def task(desk: Path) -> tuple[Path, Path]:
    """Papers, and lists of references of some of them."""
    rng = random.Random(5)
    papers = [
        {
            "id": f"p{number}",
            "title": f"Study {number} of {TOPICS[number % 5]}",
            "abstract": f"We look at {TOPICS[number % 5]}." if number % 3 else "",
            "year": 2000 + number % 10,
        }
        for number in range(80)
    ]
    lists: list[dict[str, object]] = []
    for number in range(60, 75):
        cited = [f"p{number % 5 + 5 * rng.randrange(12)}" for _ in range(3)]
        lists.append({"context_id": f"l{number}", "citing_id": f"p{number}", "refs": cited})
        lists[-1]["cited"] = list(dict.fromkeys(cited))
        lists[-1]["year"] = 2007
    write(desk / "papers.jsonl", papers)
    write(desk / "lists.jsonl", lists)
    return desk / "papers.jsonl", desk / "lists.jsonl"


@pytest.mark.parametrize("system", GLOBAL_SYSTEMS)
def test_the_figures_of_global_are_those_of_the_independent_scorer(
    command: Command, task: tuple[Path, Path], system: str
) -> None:
    papers, lists = task
    outcome = command(
        *("eval", "global", "--papers", papers, "--contexts", lists, "--system", system),
        *("--run", "run.jsonl", "--json"),
    )
    assert outcome.status == 0, outcome.err
    report = outcome.json
    assert (report["task"], report["system"], report["papers"]) == ("global", system, 80)
    years = {paper["id"]: paper["year"] for paper in map(json.loads, papers.open())}
    rows = [json.loads(line) for line in Path("run.jsonl").read_text().splitlines()]
    for row in rows:
        assert f"p{row['context_id'][1:]}" not in row["ranking"]
        assert all(years[name] <= 2007 for name in row["ranking"])
    expected = score(lists, Path("run.jsonl"))
    assert expected.pop("answered") == expected.pop("contexts") == len(rows) == 15
    assert {name: report["figures"][name] for name in expected} == expected
    assert report["figures"]["recall@50"] > 0.3
    low, high = report["intervals"]["map@100"]
    assert low <= report["figures"]["map@100"] <= high


def test_among_the_papers_of_some_lists_no_other_is_a_candidate(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    papers, lists = task
    write(desk / "more.jsonl", [{"citing_id": "p1", "refs": ["p2"]}])
    named = {name for row in map(json.loads, lists.open()) for name in row["cited"]}
    named |= {row["citing_id"] for row in map(json.loads, lists.open())} | {"p1", "p2"}
    arguments = ("eval", "global", "--papers", papers, "--contexts", lists, "--system", "bm25")
    outcome = command(*arguments, "--among", "more.jsonl", "--run", "run.jsonl", "--json")
    assert outcome.json["papers"] == len(named)
    rows = [json.loads(line) for line in Path("run.jsonl").read_text().splitlines()]
    assert all(set(row["ranking"]) <= named for row in rows)


def test_global_prints_a_table_with_its_variants(command: Command, task: tuple[Path, Path]) -> None:
    papers, lists = task
    arguments = ("eval", "global", "--papers", papers, "--contexts", lists, "--system", "kieu")
    outcome = command(*arguments, "--limit", "4")
    lines = outcome.out.splitlines()
    assert lines[0] == "kieu, 4 lists of references, 80 papers"
    assert [line.split("|")[1].strip() for line in lines[3:]] == ["kieu, no selection", "kieu"]
    assert "MAP@100" in lines[1] and "F1@50" in lines[1]


def test_the_precision_of_a_list_is_the_share_of_right_ones() -> None:
    from cite_lsp.evaluate.tasks.global_recommendation import reference_figures
    from cite_lsp.evaluate.tasks.local import RankedContext

    ranked = RankedContext("l", ("a", "x", "b", "y", "z"), ("a", "b", "c"), False, None)
    figures = reference_figures([ranked])
    assert figures["lists"] == 1
    assert figures["precision@5"] == pytest.approx(0.4)
    assert figures["recall@5"] == pytest.approx(2 / 3, abs=1e-4)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"--contexts": "gone.jsonl"}, "gone.jsonl: "),
        ({"--contexts": "papers.jsonl"}, "papers.jsonl:1: a list needs `citing_id` and `refs`"),
        ({"--contexts": "empty.jsonl"}, "empty.jsonl: no list names a paper"),
        ({"--run": "gone/run.jsonl"}, "gone/run.jsonl: cannot be written"),
    ],
)
def test_a_task_that_cannot_be_run_is_one_line(
    command: Command, task: tuple[Path, Path], desk: Path, changed: dict[str, str], message: str
) -> None:
    write(desk / "empty.jsonl", [{"citing_id": "p1", "refs": []}])
    options = {"--papers": str(task[0]), "--contexts": str(task[1]), "--system": "bm25"}
    arguments = [part for option in (options | changed).items() for part in option]
    assert message in command("eval", "global", *arguments).error


def test_a_checkpoint_that_the_system_does_not_take_is_misuse(command: Command) -> None:
    gone = ("eval", "global", "--papers", "gone.jsonl", "--contexts", "gone.jsonl")
    outcome = command(*gone, "--system", "bm25", "--encoder", "mine")
    assert outcome.misuse == "system bm25 takes no checkpoint; kieu does"


def arguments_of(task: tuple[Path, Path]) -> tuple[object, ...]:
    papers, lists = task
    return ("eval", "global", "--papers", papers, "--contexts", lists, "--system", "bm25")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_rankings_go_into_a_pipe_that_another_program_reads(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    pipe = desk / "pipe"
    os.mkfifo(pipe)
    openings: list[str] = []

    def read() -> None:
        while not any(openings):
            openings.append(pipe.read_text())

    reader = Thread(target=read, daemon=True)
    reader.start()
    outcome = command(*arguments_of(task), "--run", "pipe", "--json")
    reader.join(60)
    (lines,) = openings  # a pipe that was opened and closed before has ended for its reader
    assert outcome.json["figures"]["lists"] == len(lines.splitlines()) > 0
    assert pipe.is_fifo()


@pytest.mark.parametrize("there", [True, False])
def test_rankings_go_through_a_link_into_the_file_that_it_names(
    command: Command, task: tuple[Path, Path], desk: Path, there: bool
) -> None:
    if there:
        (desk / "run.jsonl").write_text("of another run\n")
    (desk / "link.jsonl").symlink_to("run.jsonl")
    lists = command(*arguments_of(task), "--run", "link.jsonl", "--json").json["figures"]["lists"]
    assert (desk / "link.jsonl").is_symlink()
    rows = [json.loads(line) for line in (desk / "run.jsonl").read_text().splitlines()]
    assert [set(row) for row in rows] == [{"context_id", "ranking"}] * lists


def test_a_task_that_fails_leaves_the_rankings_of_another_run(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    (desk / "run.jsonl").write_text("of another run\n")
    gone = arguments_of((task[0], desk / "gone.jsonl"))
    assert command(*gone, "--run", "run.jsonl").status == 1
    assert (desk / "run.jsonl").read_text() == "of another run\n"
    assert command(*gone, "--run", "new.jsonl").status == 1
    assert not (desk / "new.jsonl").exists()


def test_a_list_whose_paper_nobody_describes_is_named(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    papers, _ = task
    write(
        desk / "two.jsonl",
        [
            {"citing_id": "unknown", "refs": ["p1"]},
            {"citing_id": "new", "title": "A study of herring gulls", "refs": ["p1", "p6"]},
        ],
    )
    arguments = ("eval", "global", "--papers", papers, "--contexts", "two.jsonl")
    outcome = command(*arguments, "--system", "bm25", "--json")
    assert outcome.json["figures"]["lists"] == 1
    assert "unknown: neither the list nor the papers have its title" in outcome.err


def test_what_older_papers_cite_counts(command: Command, task: tuple[Path, Path]) -> None:
    papers, lists = task
    known = [
        {"citing_id": f"p{number}", "refs": ["p1", "p6"], "year": 2000 + number % 10}
        for number in range(0, 60, 5)
    ]
    write(lists.parent / "known.jsonl", known)
    arguments = ("eval", "global", "--papers", papers, "--contexts", lists, "--limit", "1")

    def place(name: str, *more: object) -> int:
        assert command(*arguments, "--run", name, *more).status == 0
        (row,) = map(json.loads, Path(name).read_text().splitlines())
        return int((row["ranking"] + ["p6"]).index("p6"))

    assert place("b.jsonl", "--citations", lists.parent / "known.jsonl") < place("a.jsonl")
    refused = command(*arguments, "--system", "bm25", "--citations", lists).misuse
    assert refused == "system bm25 takes no --citations; default does"
