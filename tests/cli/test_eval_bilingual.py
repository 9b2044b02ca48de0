"""`eval bilingual` and `train blsrec`: figures that the independent scorer confirms."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import asdict

from cite_lsp.evaluate.baselines.bilingual_systems import BILINGUAL_SYSTEMS, BLSREC
from cite_lsp.paths import shipped_model
from cite_lsp.translate.lexicon import Sense, write_lexicon
from tests.cli.conftest import Outcome
from tests.evaluate.scoring import score
from tests.recommend.bilingual import PAPERS, SENSES, TEXTS

Command = Callable[..., Outcome]


@pytest.fixture
def task(desk: Path) -> dict[str, Path]:
    """Papers, and contexts of four documents; those of the last are measured."""
    names = sorted(TEXTS)
    rows = [
        {
            "context_id": f"{document}-{number}",
            "doc_id": document,
            "left": TEXTS[names[number % 4]][0],
            "right": TEXTS[names[number % 4]][1],
            "abstract_zh": "本文研究海鸥与潮汐。",
            "cited": [names[number % 4], "gull"] if number % 3 else [names[number % 4]],
        }
        for document in ("a", "b", "c", "z")
        for number in range(8)
    ]
    files = {
        "papers": [asdict(paper) for paper in PAPERS],
        "learn": [row for row in rows if row["doc_id"] != "z"],
        "test": [row for row in rows if row["doc_id"] == "z"],
    }
    paths = {}
    for name, records in files.items():
        paths[name] = desk / f"{name}.jsonl"
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        paths[name].write_text(text, encoding="utf-8")
    return paths


def test_a_bad_paper_is_reported_once(command: Command, task: dict[str, Path]) -> None:
    with task["papers"].open("a", encoding="utf-8") as file:
        file.write('{"id": "untitled"}\n')
    data = ("eval", "bilingual", "--papers", task["papers"], "--contexts", task["test"])
    outcome = command(*data)
    assert outcome.status == 0
    assert outcome.err.count("a paper needs `id` and `title`") == 1


def arguments(task: dict[str, Path], system: str) -> tuple[object, ...]:
    return (
        *("eval", "bilingual", "--papers", task["papers"], "--contexts", task["test"]),
        *("--system", system, "--train-contexts", task["learn"]),
    )


def training(task: dict[str, Path], variant: int, dimensions: int, out: str) -> tuple[object, ...]:
    return (
        *("train", "blsrec", "--papers", task["papers"], "--contexts", task["learn"]),
        *("--dev", task["test"], "--variant", variant, "--dimensions", dimensions),
        *("--epochs", "2", "--out", out),
    )


@pytest.mark.parametrize("system", BILINGUAL_SYSTEMS)
def test_the_figures_are_those_of_the_independent_scorer(
    command: Command, task: dict[str, Path], system: str
) -> None:
    if system in BLSREC:
        pytest.importorskip("scipy", reason="needs the train extra")
        assert command(*training(task, BLSREC.index(system) + 1, 10, "m")).status == 0
    model = ("--model", "m") * (system in BLSREC)
    outcome = command(*arguments(task, system), *model, "--run", "run.jsonl", "--json")
    assert outcome.status == 0, outcome.err
    report = outcome.json
    assert (report["task"], report["system"], report["papers"]) == ("bilingual", system, 5)
    expected = score(task["test"], Path("run.jsonl"))
    figures = report["figures"]["all"]
    assert figures["contexts"] == expected["contexts"] == expected["answered"] == 8
    shared = set(figures) & set(expected) - {"contexts"}
    assert {"map@100", "mrr@100", "recall@10"} <= shared
    assert {name: figures[name] for name in shared} == {name: expected[name] for name in shared}
    low, high = report["intervals"]["all"]["map@100"]
    assert low <= figures["map@100"] <= high
    assert len(report["recall curve"]) == 100
    assert figures["map@100"] > 0.3


@pytest.mark.parametrize("system", BLSREC)
def test_the_model_that_ships_is_measured_where_none_is_named(
    command: Command, task: dict[str, Path], system: str
) -> None:
    report = command(*arguments(task, system), "--json").json
    assert report["figures"]["all"]["contexts"] == 8
    if system != "blsrec-2":  # which is that of blsrec-3, without the abstract of the draft
        named = command(*arguments(task, system), "--model", shipped_model(system), "--json").json
        assert named["figures"] == report["figures"]


def test_systems_are_compared_in_a_table_and_a_drawing(
    command: Command, task: dict[str, Path], desk: Path
) -> None:
    outcome = command(
        *arguments(task, "cosine-ec"), "--system", "bm25", "--figure", "curves.svg", "--limit", "5"
    )
    lines = outcome.out.splitlines()
    assert lines[0] == "split by document, 5 papers"
    assert [line.split()[1] for line in lines[3:5]] == ["cosine-ec", "bm25"]
    assert (desk / "curves.svg").read_text().startswith("<svg")
    two = command(*arguments(task, "cosine-ec"), "--system", "bm25", "--run", "run.jsonl")
    assert "--run writes the rankings of one system" in two.misuse


def test_by_context_the_contexts_of_all_files_are_dealt_out(
    command: Command, task: dict[str, Path]
) -> None:
    report = command(*arguments(task, "cosine-ec"), "--split", "context", "--json").json
    assert report["split"] == "context"
    assert report["figures"]["all"]["contexts"] == 4  # a tenth of 32, rounded up


def test_by_context_a_training_leaves_out_those_that_are_measured(
    command: Command, task: dict[str, Path], desk: Path
) -> None:
    pytest.importorskip("scipy", reason="needs the train extra")
    senses = {chinese: [Sense(line.split("\t")[0], 1.0)] for chinese, line in SENSES.items()}
    write_lexicon(desk / "words", senses, ())
    dealt = ("--split", "context", "--lexicon", "words")
    outcome = command(*training(task, 1, 10, "m"), *dealt)
    assert outcome.status == 0, outcome.err
    facts = json.loads((desk / "m" / "config.json").read_text())
    assert (facts["contexts"], facts["dev_contexts"]) == (25, 3)
    report = command(*arguments(task, "blsrec-1"), "--model", "m", *dealt, "--json").json
    assert report["figures"]["all"]["contexts"] == 4


@pytest.mark.parametrize("system", ["cosine-ec", "tm", "bm25"])
def test_another_lexicon_translates_in_place_of_the_one_that_ships(
    command: Command, task: dict[str, Path], desk: Path, system: str
) -> None:
    misled = {chinese: [Sense("attention", 1.0)] for chinese in SENSES}
    write_lexicon(desk / "misled", misled, ())
    good = command(*arguments(task, system), "--json").json["figures"]["all"]
    bad = command(*arguments(task, system), "--lexicon", "misled", "--json").json["figures"]["all"]
    assert bad["map@100"] < good["map@100"]
    missing = command(*arguments(task, system), "--lexicon", "nowhere")
    assert missing.error.startswith("nowhere: ")
    assert missing.error.endswith("or name a folder that holds one")


def test_what_learns_from_citations_asks_for_some(command: Command, task: dict[str, Path]) -> None:
    report = command(*arguments(task, "ctm"), "--json").json
    assert report["figures"]["all"]["recall@100"] > 0
    given = [word for word in arguments(task, "ctm")]
    place = given.index("--train-contexts")
    without = command(*given[:place], *given[place + 2 :])
    assert "name contexts with --train-contexts" in without.misuse


def test_dimensions_are_compared_and_drawn(command: Command, task: dict[str, Path]) -> None:
    pytest.importorskip("scipy", reason="needs the train extra")
    for variant, dimensions in ((1, 10), (1, 5), (2, 10)):
        out = f"m{variant}-{dimensions}"
        assert command(*training(task, variant, dimensions, out)).status == 0
    models = [word for folder in ("m1-10", "m1-5", "m2-10") for word in ("--model", folder)]
    systems = ("--system", "blsrec-2", "--figure", "by-n.svg")
    outcome = command(*arguments(task, "blsrec-1"), *systems, *models, "--json")
    labels = ["blsrec-1, n = 10", "blsrec-1, n = 5", "blsrec-2"]
    assert list(outcome.json["variants"]) == labels
    assert "MAP by n" in Path("by-n.svg").read_text()


def test_a_trained_model_is_measured_and_goes_on_with_new_contexts(
    command: Command, task: dict[str, Path], desk: Path
) -> None:
    pytest.importorskip("scipy", reason="needs the train extra")
    outcome = command(*training(task, 2, 10, "m"))
    assert outcome.status == 0, outcome.err
    assert "| start" in outcome.out and "weights of epoch" in outcome.err
    card = (desk / "m" / "README.md").read_text()
    assert "BLSRec II " in card and "--variant 2" in card
    measured = command(*arguments(task, "blsrec-2"), "--model", "m", "--json")
    assert measured.json["figures"]["all"]["map@100"] > 0.3
    assert "measure it as blsrec-2" in command(*arguments(task, "blsrec-3"), "--model", "m").error
    assert command(*training(task, 2, 10, "n"), "--base", "m").status == 0
    assert command(*training(task, 2, 10, "other/m")).status == 0
    models = [word for folder in ("m", "n", "other/m") for word in ("--model", folder)]
    compared = command(*arguments(task, "blsrec-2"), *models, "--json")
    assert list(compared.json["variants"]) == ["blsrec-2, m", "blsrec-2, n", "blsrec-2, other/m"]
    refused = command(*arguments(task, "blsrec-2"), *models, "--run", "run.jsonl")
    assert "--run writes the rankings of one system" in refused.misuse
    assert "going on from `m`" in (desk / "n" / "README.md").read_text()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"--papers": "gone.jsonl"}, "gone.jsonl: "),
        ({"--contexts": "gone.jsonl"}, "gone.jsonl: "),
        ({"--contexts": "papers.jsonl"}, "papers.jsonl:1: a context needs `context_id`"),
        ({"--papers": "draft.tex"}, "holds no papers"),
        ({"--run": "gone/run.jsonl"}, "gone/run.jsonl: cannot be written"),
        ({"--figure": "gone/curves.svg"}, "gone/curves.svg: cannot be written"),
        ({"--system": "ctm", "--train-contexts": "empty.jsonl"}, "ctm: too few contexts to learn"),
        ({"--system": "blsrec-2", "--model": "gone"}, "the BLSRec model cannot be read"),
    ],
)
def test_a_task_that_cannot_be_run_is_one_line(
    command: Command, task: dict[str, Path], changed: dict[str, str], message: str
) -> None:
    Path("empty.jsonl").touch()
    options = {"--papers": str(task["papers"]), "--contexts": str(task["test"])}
    options |= {"--system": "cosine-ec"} | changed
    given = [part for option in options.items() for part in option]
    assert message in command("eval", "bilingual", *given).error


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"--system": "blsrec-2", "--split": "context"},
            "blsrec-2: the model that ships knows what --split context asks for; train another",
        ),
        ({"--model": "m"}, "--model: is for BLSRec; name blsrec-1, blsrec-2 or blsrec-3 with --sy"),
    ],
)
def test_options_that_do_not_fit_the_system_are_misuse_reported_before_anything_is_read(
    command: Command, desk: Path, changed: dict[str, str], message: str
) -> None:
    options = {"--papers": "gone.jsonl", "--contexts": "gone.jsonl", "--system": "tm"} | changed
    given = [part for option in options.items() for part in option]
    assert command("eval", "bilingual", *given, "--run", "r").misuse.startswith(message)
    assert not (desk / "r").exists()
