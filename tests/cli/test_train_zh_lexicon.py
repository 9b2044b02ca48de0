"""`train zh-lexicon`: what the files teach, and beside it what the dictionary alone says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cite_lsp.translate.lexicon import Lexicon
from tests.cli.conftest import Outcome

Command = Callable[..., Outcome]


@pytest.fixture
def texts(desk: Path) -> Path:
    """A dictionary that puts the rarer meaning first, texts that use the other, one context."""
    (desk / "glossary.tsv").write_text(
        "matter\t目标\tcc-cedict\nobject\t目标\tcc-cedict\ndetection\t检测\tcc-cedict\n",
        encoding="utf-8",
    )
    parallel = [{"zh": "目标检测。", "en": "Object detection."}, {"zh": "目标。", "en": "Objects."}]
    context = {"context_id": "c", "doc_id": "d", "left": "关于目标", "right": "。", "cited": ["p"]}
    files: dict[str, Sequence[object]] = {
        "parallel": parallel * 20,
        "papers": [{"id": "p", "title": "Finding objects"}, {"id": "q", "title": "Quiet matter"}],
        "contexts": [context],
    }
    for name, records in files.items():
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (desk / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return desk


def test_the_dictionary_that_it_began_with_is_stored_beside_it(
    command: Command, texts: Path
) -> None:
    outcome = command(
        *("train", "zh-lexicon", "--papers", "papers.jsonl", "--contexts", "contexts.jsonl"),
        *("--parallel", "parallel.jsonl", "--glossary", "glossary.tsv", "--dev", "contexts.jsonl"),
        *("--out", "made"),
    )
    assert outcome.status == 0, outcome.err
    assert "| lexicon, all senses, faded" in outcome.out
    learned, listed = Lexicon.open(texts / "made"), Lexicon.open(texts / "made" / "dictionary")
    assert [sense.english for sense in learned.senses("目标")][0] == "object"
    assert [sense.english for sense in listed.senses("目标")] == ["matter", "object"]
    evaluation = ("eval", "bilingual", "--papers", "papers.jsonl", "--contexts", "contexts.jsonl")
    best = {}
    for folder in ("made", "made/dictionary"):
        report = command(*evaluation, "--system", "cosine-ec", "--lexicon", folder, "--json").json
        best[folder] = report["figures"]["all"]["mrr@100"]
    assert best["made"] == 1.0 > best["made/dictionary"]


def test_a_paper_of_two_files_is_found_once(command: Command, texts: Path) -> None:
    outcome = command(
        *("train", "zh-lexicon", "--papers", "papers.jsonl", "--papers", "papers.jsonl"),
        *("--contexts", "contexts.jsonl", "--dev", "contexts.jsonl"),
        *("--parallel", "parallel.jsonl", "--glossary", "glossary.tsv", "--out", "made"),
    )
    assert outcome.status == 0, outcome.err
    figures = json.loads((texts / "made" / "config.json").read_text(encoding="utf-8"))["dev"]
    assert all(values["recall@10"] <= 1 for values in figures.values())


def test_an_out_that_is_no_folder_is_reported_before_the_work(
    command: Command, texts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cite_lsp.train.lexicon.zh_lexicon.learn", None)
    for out in ("papers.jsonl", "papers.jsonl/made"):
        outcome = command(
            *("train", "zh-lexicon", "--papers", "papers.jsonl", "--contexts", "contexts.jsonl"),
            *("--parallel", "parallel.jsonl", "--glossary", "glossary.tsv"),
            *("--dev", "contexts.jsonl", "--out", out),
        )
        assert outcome.status == 1 and f"{out}: cannot be written" in outcome.error
