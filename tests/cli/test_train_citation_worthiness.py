"""`train citation-worthiness`: a model with its card, from sentences that cite and that do not."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from cite_lsp.cli import main
from cite_lsp.paths import shipped_model
from cite_lsp.recommend.missing.passages import Passage
from cite_lsp.recommend.missing.worthiness import WorthinessModel
from cite_lsp.recommend.missing.worthiness_encoder import WorthinessEncoder
from tests.cli.conftest import Outcome


def write_texts(folder: Path) -> Path:
    """Write sentences of 40 documents that cite exactly where work of others is spoken of."""
    rng = random.Random(5)
    rows = []
    for document in range(40):
        for _ in range(30):
            topic = rng.choice(("gulls", "marshes", "vectors", "dunes"))
            cited = rng.random() < 0.25
            verb = "have been studied before" if cited else "are described by us"
            rows.append(
                {
                    "citing_id": f"d{document}",
                    "section_title": rng.choice(("Introduction", "Method")),
                    "previous": "Something stands before.",
                    "sentence": f"Many {topic} {verb} in detail.",
                    "next": "Something comes after.",
                    "cited": cited,
                }
            )
    path = folder / "sentences.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_texts(tmp_path)


def need_training() -> None:
    for name in ("lightgbm", "onnx", "sklearn"):
        pytest.importorskip(name, reason="needs the train extra")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model that has learned from those sentences alone."""
    need_training()
    folder = tmp_path_factory.mktemp("plain")
    texts, out = str(write_texts(folder)), folder / "model"
    words = ["train", "citation-worthiness", "--contexts", texts, "--dev", texts]
    assert main([*words, "--out", str(out)]) == 0
    return out


def test_the_recipe_writes_a_model_with_its_card(
    command: Callable[..., Outcome], texts: Path, plain: Path, tmp_path: Path
) -> None:
    out = tmp_path / "model"
    outcome = command(
        *("train", "citation-worthiness", "--contexts", texts, "--dev", texts, "--test", texts),
        *("--without", "d39", "--out", out),
    )
    assert outcome.status == 0, outcome.err
    assert "English: 1,200 sentences" in outcome.out
    model = WorthinessModel(out)
    needy, own = (
        Passage(f"Many gulls {verb} in detail.", "Something stands before.", "", "Method")
        for verb in ("have been studied before", "are described by us")
    )
    likely = model.probabilities([needy, own])
    assert likely[0] > 0.8 and likely[1] < 0.2
    card = (out / "README.md").read_text(encoding="utf-8")
    assert "1,170 sentences" in card and "--without d39" in card and str(tmp_path) not in card
    assert "On the test documents, " in card
    assert "On the development documents, " in (plain / "README.md").read_text(encoding="utf-8")


def windows(path: Path) -> Path:
    """What stands around the markers of 20 other documents, who speak of others otherwise."""
    rng = random.Random(6)
    rows: list[dict[str, object]] = []
    for document in range(20):
        for _ in range(20):
            topic, other = rng.sample(("gulls", "marshes", "vectors", "dunes"), 2)
            rows.append(
                {
                    "context_id": f"w{len(rows)}",
                    "citing_id": f"w{document}",
                    "section_title": "Introduction",
                    "left": f"of it. We turn to {other}. Scholars revealed how {topic} change",
                    "right": f". Many {other} are described by us in detail. And so",
                    "cited": ["p"],
                }
            )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_what_stands_around_markers_teaches_words_that_no_whole_document_has(
    command: Callable[..., Outcome], texts: Path, plain: Path, tmp_path: Path
) -> None:
    sentences = [
        Passage(f"{said} gulls change.", "Something stands before.", "", "Method")
        for said in ("Scholars revealed how", "We turn to how")
    ]
    more = ("--contexts", windows(tmp_path / "windows.jsonl"))
    out = tmp_path / "model"
    outcome = command(
        *("train", "citation-worthiness", "--contexts", texts, *more, "--dev", texts, "--out", out)
    )
    assert outcome.status == 0, outcome.err
    alone, taught = (WorthinessModel(folder).probabilities(sentences) for folder in (plain, out))
    assert taught[0] > 2 * alone[0] and taught[0] > 2 * taught[1]


def test_real_drafts_teach_words_that_nothing_else_has(
    command: Callable[..., Outcome], texts: Path, plain: Path, tmp_path: Path
) -> None:
    rng = random.Random(7)
    for number in range(20):
        folder = tmp_path / "drafts" / f"draft-{number}"
        folder.mkdir(parents=True)
        said = [
            f"Scholars revealed how the {rng.choice(('gulls', 'terns'))} change [@a]."
            if rng.random() < 0.3
            else f"We turn to how the {rng.choice(('gulls', 'terns'))} change."
            for _ in range(30)
        ]
        (folder / "main.md").write_text(f"# One\n\n{' '.join(said)}\n", encoding="utf-8")
    passages = [
        Passage(f"{said} the gulls change.", "Something stands before.", "", "Method")
        for said in ("Scholars revealed how", "We turn to how")
    ]
    more = ("--manuscripts", tmp_path / "drafts")
    out = tmp_path / "model"
    outcome = command(
        *("train", "citation-worthiness", "--contexts", texts, *more, "--dev", texts, "--out", out)
    )
    assert outcome.status == 0, outcome.err
    alone, taught = (WorthinessModel(folder).probabilities(passages) for folder in (plain, out))
    assert taught[0] > 2 * alone[0] and taught[0] > 2 * taught[1]
    assert "English, drafts held out, " in outcome.out


def test_papers_are_required_where_a_recipe_learns_from_them(
    command: Callable[..., Outcome], texts: Path, tmp_path: Path
) -> None:
    outcome = command(
        "train", "library-ranker", "--contexts", texts, "--dev", texts, "--out", tmp_path / "x"
    )
    assert outcome.status == 2
    assert outcome.err.endswith("the following arguments are required: --papers\n")


@pytest.mark.parametrize("lacking", ["documents", "citations"])
def test_sentences_that_teach_nothing_are_one_line(
    command: Callable[..., Outcome], texts: Path, tmp_path: Path, lacking: str
) -> None:
    need_training()
    same = {"citing_id": "d1"} if lacking == "documents" else {"cited": False}
    rows = [json.loads(line) | same for line in texts.read_text(encoding="utf-8").splitlines()]
    poor = tmp_path / "poor.jsonl"
    poor.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    outcome = command(
        *("train", "citation-worthiness", "--contexts", poor, "--dev", texts),
        *("--out", tmp_path / "model"),
    )
    assert outcome.status == 1
    assert "sentences that cite and sentences that do not are needed" in outcome.error


def chinese_windows(path: Path) -> Path:
    """What stands around the markers of Chinese documents, who cite where they name a study."""
    rows = []
    for number in range(40):
        study = f"已有研究提出了第{number}种聚类方法"
        left, right = f"实验分为两个部分。本节给出第{number}个设置。{study}", "。其余见附录。如下。"
        place = {"doc_id": f"zh{number}", "chapter_title": "实验"}
        rows.append(place | {"left": left, "right": right, "sentence": study})
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_the_trees_are_joined_with_encoders_of_windows_each_by_the_sentences_that_it_reads(
    command: Callable[..., Outcome], texts: Path, tmp_path: Path
) -> None:
    need_training()
    out, chinese = tmp_path / "model", chinese_windows(tmp_path / "zh.jsonl")
    encoders = [shipped_model(name) for name in ("worthiness-encoder", "worthiness-encoder-zh")]
    outcome = command(
        *("train", "citation-worthiness", "--contexts", texts, "--dev", texts, "--dev", chinese),
        *("--out", out),
        *(word for encoder in encoders for word in ("--window-encoder", encoder)),
    )
    assert outcome.status == 0, outcome.err
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    english, other = config["joined"], config["joined_chinese"]
    assert english["trees"] > 0 and set(english) == set(other) == {"trees", "encoder", "bias"}
    assert english != other
    card = (out / "README.md").read_text(encoding="utf-8")
    passages = [
        Passage("Many gulls have been studied before in detail.", next="It is so."),
        Passage("已有研究提出了一种聚类方法。", next="如下。"),
    ]
    trees = WorthinessModel(out).probabilities(passages)
    for place, encoder in enumerate(encoders):
        assert f"{encoder.name}/README.md" in card
        both = WorthinessModel(out, [WorthinessEncoder(encoder)]).probabilities(passages)
        assert (both != trees).tolist() == [number == place for number in range(2)]


def test_a_folder_that_is_no_encoder_of_windows_is_one_line(
    command: Callable[..., Outcome], texts: Path, tmp_path: Path
) -> None:
    outcome = command(
        *("train", "citation-worthiness", "--contexts", texts, "--dev", texts),
        *("--window-encoder", tmp_path, "--out", tmp_path / "model"),
    )
    assert outcome.status == 1 and "cannot be read as the description" in outcome.error
