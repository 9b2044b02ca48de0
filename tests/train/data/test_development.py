"""The task measured while training: what is asked, of what, and that a good encoder is told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from attrs import evolve

from cite_lsp.corpus.contexts import LabelledContext, context_from_record
from cite_lsp.encode import Vectors
from cite_lsp.paper import Paper
from cite_lsp.train.data.development import DevelopmentTask, Question, context_task, section_task
from cite_lsp.train.run.report import TrainingError

PAPERS = {f"p{n}": Paper(f"p{n}", f"Title {n}", f"Abstract {n}") for n in range(30)}


def row(number: int) -> LabelledContext:
    return context_from_record(
        {
            "context_id": f"c{number}",
            "left": f"Title {number}",
            "right": ".",
            "cited": [f"p{number}", "unknown"],
            "section_cited": [f"p{number + 1}", "unknown"],
        }
    )


def by_number(texts: Sequence[str]) -> Vectors:
    """Encode a text by the first number in it: an encoder that knows it all."""
    vectors = np.zeros((len(texts), 40), dtype=np.float32)
    for place, text in enumerate(texts):
        number = next(int(word.strip(".")) for word in text.split() if word.strip(".").isdigit())
        vectors[place, number] = 1.0
    return vectors


def blind(texts: Sequence[str]) -> Vectors:
    return -np.ones((len(texts), 1), dtype=np.float32)


def test_contexts_ask_for_the_papers_they_cite_among_as_many_as_wanted() -> None:
    task = context_task([row(number) for number in range(6)], PAPERS, contexts=4, size=15, seed=1)
    assert (len(task.questions), task.papers) == (4, 15)
    assert len(set(task.texts[: task.papers])) == 15
    for question in task.questions:
        (query,) = question.queries
        (right,) = question.relevant
        assert task.texts[right].startswith(task.texts[query].removesuffix(" ."))
    assert task.figures(by_number) == {"mrr@10": 1.0, "recall@10": 1.0}


def test_the_same_seed_asks_the_same() -> None:
    rows = [row(number) for number in range(6)]
    assert context_task(rows, PAPERS, contexts=4, size=15, seed=1) == context_task(
        rows, PAPERS, contexts=4, size=15, seed=1
    )


def test_sections_ask_with_what_they_cite_for_an_order_of_what_phase_1_found() -> None:
    task = section_task([row(3)], PAPERS, by_number, contexts=4, size=20, seed=1)
    (question,) = task.questions
    assert [task.texts[row] for row in question.queries] == ["Title 4. Abstract 4"]
    assert task.texts[question.candidates[0]] == "Title 3. Abstract 3"
    assert len(question.candidates) == 20


def test_a_paper_is_not_compared_with_itself() -> None:
    questions = (Question((0,), frozenset((1,)), (0, 1, 2)),)
    task = DevelopmentTask(("same", "same", "other"), 3, questions)
    vectors = np.array([[1, 0], [0.9, 0.1], [0, 1]], dtype=np.float32)
    assert task.figures(lambda texts: vectors)["mrr@10"] == 1.0


def test_figures_fall_with_the_rank_and_end_at_ten() -> None:
    questions = (Question((12,), frozenset((2,))), Question((12,), frozenset((11,))))
    task = DevelopmentTask(tuple(map(str, range(13))), 12, questions)
    assert task.figures(blind) == {"mrr@10": round((1 / 3) / 2, 4), "recall@10": 0.5}


def test_contexts_that_cite_none_of_the_papers_say_nothing_of_an_encoder() -> None:
    stranger = evolve(row(3), cited=("unknown",))
    alone = evolve(row(3), context=evolve(row(3).context, section_cited=("unknown",)))
    with pytest.raises(TrainingError, match="nothing says when to stop"):
        context_task([stranger], PAPERS, contexts=4, size=15, seed=1)
    with pytest.raises(TrainingError, match="nothing says when to stop"):
        section_task([stranger, alone], PAPERS, by_number, contexts=4, size=15, seed=1)
