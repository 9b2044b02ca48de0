"""The head of phase 2 that learns from what phase 1 confuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.cli import main
from cite_lsp.corpus.edges import Edge
from cite_lsp.encode import load_encoder
from cite_lsp.encode.checkpoints import verify
from cite_lsp.encode.kinds.headed import Network
from cite_lsp.train.encoders.head_network import HeadQuestion, Lesson, NetworkSettings, fit_network
from cite_lsp.train.published import cocitation_head
from cite_lsp.train.published.cocitation_head import ContextQuestion, HeadData, groups_of
from cite_lsp.train.run.report import TrainingError
from tests.train.encoder_task import write_task

pytestmark = pytest.mark.torch

SUBJECTS, EACH = 6, 12


def measure_by(figures: Iterator[int]) -> Callable[[Network], dict[str, float]]:
    """Return a measure that finds one figure after the other, whatever it measures."""
    return lambda head: {"mrr@10": float(next(figures))}


@pytest.fixture(autouse=True)
def with_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="needs the torch extra")
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))


def unit(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def papers_of_subjects() -> np.ndarray:
    """Return papers that lie by their place in a subject; the subject itself is a faint sign."""
    rng = np.random.default_rng(4)
    rows = np.arange(SUBJECTS * EACH)
    loud = rng.standard_normal((EACH, 16))[rows % EACH]
    faint = 0.3 * rng.standard_normal((SUBJECTS, 16))[rows // EACH]
    return unit(np.hstack([loud, faint]) + 0.05 * rng.standard_normal((len(rows), 32)))


def question(right: int, rng: np.random.Generator) -> HeadQuestion:
    """Ask for a paper of the subject of two others, among papers in their places elsewhere."""
    subject, place = divmod(right, EACH)
    places = [spot for spot in rng.permutation(EACH).tolist() if spot != place][:2]
    elsewhere = [other for other in range(SUBJECTS) if other != subject]
    others = [other * EACH + spot for other in elsewhere for spot in places]
    return HeadQuestion((right, *others), [subject * EACH + spot for spot in places])


def share_right(head: Network, vectors: np.ndarray, seed: int = 9) -> float:
    made, rng = head.place(vectors), np.random.default_rng(seed)
    questions = [question(row, rng) for row in range(len(vectors))]
    near = [
        (made[list(item.candidates)] @ made[list(item.cited)].T).max(axis=1) for item in questions
    ]
    return float(np.mean([scores.argmax() == 0 for scores in near]))


def lesson(rng: np.random.Generator) -> Lesson:
    rows = rng.permutation(SUBJECTS * EACH)
    pairs = [(row, row // EACH * EACH + rng.integers(EACH)) for row in rows]
    return Lesson([question(int(row), rng) for row in rows], np.array(pairs, dtype=np.int64))


SMALL = NetworkSettings(
    hidden=64, epochs=25, batch=8, pairs=16, learning_rate=0.01, dropout=0.1, weight_decay=0.0
)


def test_a_head_learns_to_tell_apart_what_is_alike() -> None:
    vectors = papers_of_subjects()
    head, result = fit_network(
        vectors, lesson, lambda head: {"mrr@10": share_right(head, vectors)}, SMALL
    )
    assert result.before["mrr@10"] < 0.5
    assert share_right(head, vectors) == result.after["mrr@10"] > 0.9
    assert result.steps == 25 * 9 and result.best_step % 9 == 0


def test_a_head_that_only_gets_worse_leaves_vectors_as_they_are() -> None:
    vectors = papers_of_subjects()
    figures = iter(np.arange(1.0, 0.0, -0.01))
    head, result = fit_network(vectors, lesson, lambda head: {"mrr@10": next(figures)}, SMALL)
    assert np.allclose(head.place(vectors), vectors, atol=1e-6) and result.best_step == 0


def test_the_same_seed_learns_the_same() -> None:
    vectors = papers_of_subjects()
    few = NetworkSettings(hidden=8, epochs=2, batch=8, pairs=16)
    rising = [iter(range(10)) for _ in range(2)]
    first, second = (fit_network(vectors, lesson, measure_by(up), few)[0] for up in rising)
    assert (first.out == second.out).all() and first.out.any()


def test_nothing_to_learn_from_is_one_clear_error() -> None:
    nothing = Lesson([], np.zeros((0, 2), np.int64))
    with pytest.raises(TrainingError, match="cites two of the papers"):
        fit_network(np.eye(4, dtype=np.float32), lambda _: nothing, lambda _: {}, SMALL)


def test_sections_and_lists_of_references_are_groups_of_the_papers_that_count() -> None:
    edges = [Edge("x", "a"), Edge("y", "b"), Edge("x", "b"), Edge("x", "a"), Edge("x", "gone")]
    sections, references = groups_of([], edges, {"a": 4, "b": 7})
    assert sections == [] and references == [[4, 7]]


def test_what_a_list_cites_is_never_its_own_negative(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors, lessons = papers_of_subjects(), []

    def keep(papers: np.ndarray, made: object, *rest: object) -> None:
        lessons.append(made(np.random.default_rng(1)))  # type: ignore[operator]

    monkeypatch.setattr(cocitation_head, "fit_network", keep)
    monkeypatch.setattr(cocitation_head, "_LEAST", 1)
    drawn_from = np.arange(0, len(vectors), 2)
    contexts = [ContextQuestion([3, 5], [10, 11], [20])]
    cocitation_head.train(
        vectors,
        drawn_from,
        HeadData(contexts, [[1, 2]], [[0, 2, 4]]),
        lambda _: {},
        NetworkSettings(),
    )
    (taught,) = lessons
    context = [item for item in taught.questions if item.cited == [20]]
    assert len(context) == 1 and context[0].candidates in {(3, 10, 11), (5, 10, 11)}
    others = [item for item in taught.questions if item.cited != [20]]
    assert len(others) == cocitation_head.LEFT_OUT
    for item in others:
        right, *alike = item.candidates
        assert {right, *item.cited} == {0, 2, 4} and right not in item.cited
        assert not {*alike} & {0, 2, 4} and {*alike} <= {*drawn_from.tolist()}
    assert {frozenset(pair) for pair in taught.pairs.tolist()} >= {frozenset({1, 2})}


def test_the_command_writes_a_head_that_loads_with_its_card(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths, out = write_task(tmp_path), tmp_path / "home" / "models" / "tanaka-phase2"
    words = ["train", "co-citation-head", "--papers", paths["papers"], "--contexts", paths["train"]]
    words += ["--dev", paths["dev"], "--edges", paths["edges"], "--out", out]
    words += ["--epochs", 2]
    assert main([str(word) for word in words]) == 0
    assert "| head" in capsys.readouterr().out
    assert verify(out) == []
    assert load_encoder(str(out)).encode(["neural paper"]).shape == (1, 384)
    card = (out / "README.md").read_text()
    assert "by recipe `co-citation-head`" in card and "epochs 2" in card
    assert "hidden units" in card and "cocitation_head.py" in card and str(tmp_path) not in card
    words = ["eval", "local", "--system", "tanaka", "--protocol", "masked", "--json"]
    words += ["--papers", paths["papers"], "--contexts", paths["dev"]]
    assert main([str(word) for word in words]) == 0
    assert "no checkpoint tanaka-phase2" not in capsys.readouterr().err
