"""`eval` and `train`: figures that the independent scorer confirms, errors in a line."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cite_lsp.evaluate.baselines.local_systems import LOCAL_SYSTEMS
from cite_lsp.installation import how_to_install
from cite_lsp.recommend.library.recommender import SYSTEMS
from tests.cli.conftest import Outcome
from tests.evaluate.scoring import score

Command = Callable[..., Outcome]
TOPICS = ("tidal marshes", "herring gulls", "word vectors", "machine translation", "sand dunes")


@pytest.fixture
def task(desk: Path) -> tuple[Path, Path]:
    """The papers and contexts of a tiny task."""
    rng = random.Random(7)
    papers = [
        {
            "id": f"p{number}",
            "title": f"Study {number} of {TOPICS[number % 5]}",
            "abstract": f"We look at {TOPICS[number % 5]}." if number % 7 else "",
            "year": 2000 + number % 12 if number % 5 else None,
        }
        for number in range(60)
    ]
    contexts: list[dict[str, Any]] = []
    for number in range(20):
        topic = number % 5
        cited = [f"p{topic + 5 * rng.randrange(12)}" for _ in range(rng.randint(0, 3))]
        contexts.append(
            {
                "context_id": f"c{number}",
                "citing_id": "p3",
                "year": 2006,
                "left": f"Much is known about {TOPICS[topic]}",
                "right": "by now.",
                "section_title": "Background",
                "cited": cited,
                "cited_abs": [name for name in cited if int(name[1:]) % 7],
                "section_cited_before": [f"p{(topic + 5) % 60}"],
                "related": number % 2 == 0,
            }
        )
    write(desk / "papers.jsonl", papers)
    write(desk / "contexts.jsonl", contexts)
    return desk / "papers.jsonl", desk / "contexts.jsonl"


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.mark.parametrize("system", LOCAL_SYSTEMS)
@pytest.mark.parametrize("relevant", ["cited_abs", "cited"])
def test_the_figures_of_local_are_those_of_the_independent_scorer(
    command: Command, task: tuple[Path, Path], system: str, relevant: str
) -> None:
    papers, contexts = task
    outcome = command(
        *("eval", "local", "--papers", papers, "--contexts", contexts, "--system", system),
        *("--relevant", relevant, "--run", "run.jsonl", "--json"),
    )
    assert outcome.status == 0
    report = outcome.json
    assert (report["task"], report["system"], report["papers"]) == ("local", system, 60)
    assert (report["protocol"], report["relevant"]) == ("section", relevant)
    run = [json.loads(line) for line in Path("run.jsonl").read_text().splitlines()]
    years = {paper["id"]: paper["year"] for paper in map(json.loads, papers.open())}
    for row in run:
        assert 0 < len(row["ranking"]) <= 100
        assert "p3" not in row["ranking"]
        assert all((years[name] or 0) <= 2006 for name in row["ranking"])
    expected = score(contexts, Path("run.jsonl"), relevant)
    assert expected.pop("answered") == expected["contexts"] == len(run)
    assert report["figures"]["all"] == expected
    assert expected["recall@50"] > 0.3


def test_local_prints_a_table_with_its_slices(command: Command, task: tuple[Path, Path]) -> None:
    papers, contexts = task
    arguments = ("eval", "local", "--papers", papers, "--contexts", contexts, "--system", "bm25")
    outcome = command(*arguments, "--limit", "9", "--train-contexts", contexts)
    lines = outcome.out.splitlines()
    assert lines[0] == "bm25, protocol section, 60 papers"
    assert lines[1].startswith("| contexts |") and "MRR@80" in lines[1]
    assert [line.split()[1] for line in lines[3:5]] == ["all", "related"]  # all of it was seen
    assert "Recall@80" in lines[5]
    assert int(lines[3].split("|")[2]) <= 9
    rule = lines[2].replace(" ", "").strip("|").split("|")
    assert all(re.fullmatch("-+:?", cell) for cell in rule), rule


def test_a_smaller_pool_holds_what_is_cited_and_is_the_same_for_several_files(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    papers, contexts = task
    rows = [json.loads(line) for line in contexts.read_text().splitlines()]
    first = [row for row in rows if row["cited_abs"]][:2]
    write(desk / "first.jsonl", first)
    words = ["eval", "local", "--papers", papers, "--system", "bm25", "--json", "--pool"]
    run = ["--run", desk / "run.jsonl"]
    small = command(*words, 12, "--contexts", desk / "first.jsonl", *run).json
    assert small["papers"] == 12
    ranked = [json.loads(line) for line in (desk / "run.jsonl").read_text().splitlines()]
    names = {name for row in ranked for name in row["ranking"]}
    assert {name for row in first for name in row["cited_abs"]} <= names
    whole = command(*words, 60, "--contexts", desk / "first.jsonl").json
    assert whole["figures"]["all"]["recall@10"] <= small["figures"]["all"]["recall@10"]
    assert whole["papers"] == 60 - 9 + len(_without_abstract(first))  # a filler has an abstract
    smallest = command(*words, 1, "--contexts", contexts).json
    same = command(*words, 1, "--contexts", desk / "first.jsonl", "--among", contexts).json
    assert smallest["papers"] == same["papers"]


def _without_abstract(rows: list[dict[str, Any]]) -> set[str]:
    named = {name for row in rows for name in (*row["cited"], *row["section_cited_before"])}
    return {name for name in named if not int(name[1:]) % 7}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"--papers": "gone.jsonl"}, "gone.jsonl: "),
        ({"--contexts": "gone.jsonl"}, "gone.jsonl: "),
        ({"--contexts": "draft.tex"}, "draft.tex:1: not JSON"),
        ({"--contexts": "papers.jsonl"}, "papers.jsonl:1: a context needs `context_id`"),
        ({"--contexts": "uncited.jsonl"}, "no context has a relevant paper (cited_abs)"),
        ({"--papers": "draft.tex"}, "draft.tex: holds no papers"),
        ({"--run": "gone/run.jsonl"}, "gone/run.jsonl: cannot be written"),
    ],
)
def test_a_task_that_cannot_be_run_is_one_line(
    command: Command, task: tuple[Path, Path], desk: Path, changed: dict[str, str], message: str
) -> None:
    write(desk / "uncited.jsonl", [{"context_id": "c", "left": "x", "cited": []}])
    options = {"--papers": str(task[0]), "--contexts": str(task[1]), "--system": "bm25"}
    arguments = [part for option in (options | changed).items() for part in option]
    assert message in command("eval", "local", *arguments).error


def test_a_result_takes_the_place_of_no_data(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    papers, contexts = task
    data = ("--papers", papers, "--contexts", contexts)
    before = papers.read_bytes(), contexts.read_bytes()
    for path in task:
        error = command("eval", "local", *data, "--system", "bm25", "--run", path).error
        assert error.startswith(f"{path}: is read by this command, which would overwrite it")
    assert (papers.read_bytes(), contexts.read_bytes()) == before
    both = ("--run", "out.svg", "--figure", "out.svg")
    misuse = command("eval", "local", *data, "--system", "bm25", *both).misuse
    assert misuse == "out.svg: two results would go to this file; name another for one"
    (desk / "README.md").write_text("mine\n", encoding="utf-8")
    training = ("train", "library-ranker", *data, "--dev", contexts, "--out")
    error = command(*training, ".").error
    assert error == (
        "README.md: is no card of a model, and would be overwritten; name another folder"
    )


def test_papers_in_the_citation_graph_of_training_documents_count_as_seen(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    papers, contexts = task
    arguments = ("eval", "local", "--papers", papers, "--contexts", contexts, "--system", "bm25")
    (desk / "edges.tsv").write_text("".join(f"x\tp{number}\taan\n" for number in range(20)))
    few = command(*arguments, "--edges", "edges.tsv", "--json").json["figures"]
    assert few["unseen"]["contexts"] < few["all"]["contexts"]
    (desk / "edges.tsv").write_text("".join(f"x\tp{number}\n" for number in range(60)))
    assert "unseen" not in command(*arguments, "--edges", "edges.tsv", "--json").json["figures"]


def test_the_published_table_has_a_row_for_every_depth_and_a_drawing(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    papers, contexts = task
    rows = [json.loads(line) for line in contexts.read_text().splitlines()]
    for record in rows:
        record |= {"related": True, "section_cited": ["p1", "p2"]}
    write(contexts, rows)
    outcome = command(
        *("eval", "local", "--papers", papers, "--contexts", contexts, "--system", "tanaka"),
        *("--protocol", "related-work", "--json", "--figure", "curves.svg", "--run", "run.jsonl"),
    )
    report = outcome.json
    names = ["phase 1 alone", "phase 2 added"]
    names += [f"phase 2 in steps, k = {depth}" for depth in (30, 50, 80)]
    names += ["tanaka, k = 30", "tanaka, k = 50", "tanaka"]
    assert list(report["variants"]) == names
    assert report["variants"]["tanaka"]["figures"] == report["figures"]
    low, high = report["intervals"]["all"]["mrr@10"]
    assert low <= report["figures"]["all"]["mrr@10"] <= high
    assert "stands in" not in outcome.err  # both phases ship
    drawing = (desk / "curves.svg").read_text()
    assert drawing.startswith("<svg") and all(f">{name}<" in drawing for name in names)
    assert len(Path("run.jsonl").read_text().splitlines()) == report["figures"]["all"]["contexts"]


def test_checkpoints_can_be_named_and_compared(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    papers, contexts = task
    arguments = ("eval", "local", "--papers", papers, "--contexts", contexts, "--limit", "6")
    both = ("--encoder", "all-MiniLM-L6-v2", "--encoder", "default")
    report = command(*arguments, "--system", "tanaka-phase1", *both, "--json").json
    first, second = report["variants"].values()
    assert first == second
    gone = command(*arguments, "--system", "tanaka", "--reranker", "gone")
    assert "no encoder named 'gone'" in gone.error
    unwritable = command(*arguments, "--system", "bm25", "--figure", "gone/curves.svg")
    assert "gone/curves.svg: cannot be written" in unwritable.error


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "--system bm25 --encoder default",
            "system bm25 takes no checkpoint of phase 1; "
            "static, tanaka-phase1, tanaka and mp-bert4cr do",
        ),
        (
            "--system tanaka-phase1 --reranker default",
            "system tanaka-phase1 takes no checkpoint of phase 2; tanaka does",
        ),
        (
            "--among more.jsonl",
            "--among: without --pool all papers are in the pool; leave it out",
        ),
    ],
)
def test_options_that_do_not_fit_the_system_are_misuse_reported_before_anything_is_read(
    command: Command, options: str, message: str
) -> None:
    gone = ("eval", "local", "--papers", "gone.jsonl", "--contexts", "gone.jsonl")
    assert command(*gone, *options.split()).misuse == message


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ("query-encoder --papers p", "query-encoder learns from one pool; give one file with --p"),
        ("query-encoder-zh --papers p", "query-encoder-zh learns from one pool; "),
        ("bilingual-ranker --papers p", "bilingual-ranker learns from one pool; "),
        ("corpus-ranker --papers p", "corpus-ranker learns from one pool; "),
        ("late-interaction --papers p", "late-interaction learns from one pool; "),
        ("mp-bert4cr --head --papers p", "mp-bert4cr learns from one pool; "),
        ("corpus-ranker", "corpus-ranker needs a query encoder; train one and "),
        ("cross-lingual", "cross-lingual takes two files with --papers: "),
    ],
)
def test_arguments_that_a_recipe_cannot_work_with_are_misuse_reported_before_anything_is_read(
    command: Command, recipe: str, message: str
) -> None:
    pytest.importorskip("torch", reason="needs the train extra")
    files = ("--papers", "gone.jsonl", "--contexts", "gone.jsonl", "--dev", "gone.jsonl")
    assert command("train", *recipe.split(), *files, "--out", "new").misuse.startswith(message)


@pytest.mark.parametrize("task", ["local", "bilingual", "missing"])
def test_a_drawing_of_another_format_is_misuse_reported_before_the_work(
    command: Command, desk: Path, task: str
) -> None:
    data = ("gone",) if task == "missing" else ("--papers", "gone", "--contexts", "gone")
    outcome = command("eval", task, *data, "--figure", "curves.png")
    assert outcome.status == 2
    assert outcome.err.splitlines()[-1].endswith(
        "'curves.png': drawings are written as SVG; name a file that ends in .svg"
    )
    assert not (desk / "curves.png").exists()


def test_papers_that_are_none_are_reported_by_the_file_that_was_given(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    papers, contexts = task
    (desk / "empty.jsonl").write_text("\n")
    outcome = command("eval", "local", "--papers", "empty.jsonl", "--contexts", contexts)
    assert outcome.error == "empty.jsonl: holds no papers; give a file of papers"


def test_a_bad_context_ends_an_evaluation_and_is_not_said_to_be_skipped(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    papers, contexts = task
    with contexts.open("a", encoding="utf-8") as file:
        file.write('{"left": "nameless"}\n')
    number = len(contexts.read_text(encoding="utf-8").splitlines())
    outcome = command("eval", "local", "--papers", papers, "--contexts", contexts)
    assert outcome.error == f"{contexts}:{number}: a context needs `context_id`; mend the row"


def test_a_bad_paper_is_reported_once_though_a_pool_is_chosen_before_it_is_indexed(
    command: Command, task: tuple[Path, Path]
) -> None:
    papers, contexts = task
    with papers.open("a", encoding="utf-8") as file:
        file.write('{"id": "untitled"}\n')
    arguments = ("eval", "local", "--papers", papers, "--contexts", contexts, "--pool", "30")
    outcome = command(*arguments, "--system", "bm25")
    assert outcome.status == 0
    assert outcome.err.count("a paper needs `id` and `title`") == 1


def test_manuscripts_measures_the_drafts_of_a_folder(command: Command, desk: Path) -> None:
    outcome = command("eval", "manuscripts", desk, "--json")
    assert outcome.status == 0
    report = outcome.json
    assert (report["task"], report["forward"]) == ("manuscripts", False)
    # Both mentions are the first, and no library is larger than the other.
    assert set(report["figures"]) == {"English", "English, latex", "English, markdown"}
    whole = report["figures"]["English"]
    assert tuple(whole) == SYSTEMS
    assert (whole["default"]["markers"], whole["default"]["drafts"]) == (2, 1)
    assert whole["default"]["intervals"]["hit@1"] == [1.0, 1.0]
    assert whole["default"]["hit@1"] == 1.0
    assert whole["file-order"]["mrr"] == pytest.approx((1 + 1 / 3) / 2, abs=1e-4)


def test_a_method_is_measured_beside_the_default_one(command: Command, desk: Path) -> None:
    outcome = command("eval", "manuscripts", desk, "--method", "two-phase", "--json")
    whole = outcome.json["figures"]["English"]
    assert tuple(whole) == (*SYSTEMS, "two-phase")
    assert whole["two-phase"]["markers"] == 2


def test_a_method_over_a_pool_is_what_the_server_runs(
    command: Command, task: tuple[Path, Path]
) -> None:
    arguments = ("eval", "local", "--papers", task[0], "--contexts", task[1], "--json")
    report = command(*arguments, "--method", "two-phase").json
    assert report["system"] == "two-phase" and report["figures"]["all"]["recall@10"] > 0
    outcome = command(*arguments, "--method", "two-phase", "--system", "bm25")
    assert "leave out --system" in outcome.misuse


@pytest.mark.parametrize("task", ["manuscripts", "missing"])
def test_a_mistyped_draft_to_leave_out_is_reported(command: Command, desk: Path, task: str) -> None:
    outcome = command("eval", task, desk, "--without", "shoers")
    assert outcome.status == 0
    assert "has no draft 'shoers' to leave out" in outcome.err


def test_manuscripts_prints_a_table_for_every_part(command: Command, desk: Path) -> None:
    outcome = command("eval", "manuscripts", desk, "--forward")
    assert "English: 2 markers of 1 drafts" in outcome.out
    assert "| default" in outcome.out and "hit@1" in outcome.out
    assert "1.000–1.000" in outcome.out
    assert "| markdown" in outcome.out and "| first mention" not in outcome.out
    with (desk / "notes.md").open("a", encoding="utf-8") as file:
        file.write("\n\nHerring gulls nest again [@vectors]. They fly [@vectors].\n")
    outcome = command("eval", "manuscripts", desk)
    assert "English, default" in outcome.out and "| first mention" in outcome.out


def test_a_folder_without_drafts_is_one_line(command: Command, desk: Path) -> None:
    assert "not a folder" in command("eval", "manuscripts", "gone").error
    (desk / "empty").mkdir()
    assert "no draft here cites an entry" in command("eval", "manuscripts", "empty").error


def test_training_tells_bad_rows_on_stderr_and_prints_its_figures(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    pytest.importorskip("lightgbm", reason="needs the train extra")
    papers, contexts = task
    (desk / "bad.jsonl").write_text('{"left": "nameless"}\noops\n')
    outcome = command(
        *("train", "library-ranker", "--papers", papers, "--contexts", contexts, "--contexts"),
        *("bad.jsonl", "--dev", contexts, "--out", "new"),
    )
    assert outcome.status == 0
    assert "bad.jsonl:1: a context needs `context_id`" in outcome.err
    assert "bad.jsonl:2: not JSON" in outcome.err
    assert "bad.jsonl" not in outcome.out
    assert "held out" in outcome.out and " markers " in outcome.out
    written = json.loads((desk / "new" / "config.json").read_text(), parse_constant=pytest.fail)
    assert written["name"] == "library-ranker"
    assert (desk / "new" / "model.onnx.zst").is_file()


def test_what_training_an_encoder_needs_is_reported_by_the_extra_that_has_it(
    command: Command, task: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    papers, contexts = task
    outcome = command(
        *("train", "tanaka-phase1", "--papers", papers, "--contexts", contexts),
        *("--dev", contexts, "--out", "new"),
    )
    assert outcome.error.startswith("training needs torch (")
    assert outcome.error.endswith(how_to_install("train"))


def test_training_that_cannot_be_done_is_one_line(
    command: Command, task: tuple[Path, Path], desk: Path
) -> None:
    pytest.importorskip("lightgbm", reason="needs the train extra")
    papers, contexts = task
    strangers = command(
        *("train", "library-ranker", "--papers", "dump.jsonl", "--contexts", contexts),
        *("--dev", contexts, "--out", "new"),
    )
    assert "check that both name papers by the same ids" in strangers.error
    gone = command(
        *("train", "library-ranker", "--papers", papers, "--contexts", "gone.jsonl"),
        *("--dev", contexts, "--out", "new"),
    )
    assert "gone.jsonl: " in gone.error
    unwritable = command(
        *("train", "library-ranker", "--papers", papers, "--contexts", contexts),
        *("--dev", contexts, "--out", "refs.bib"),
    )
    assert "refs.bib: cannot be written" in unwritable.error
