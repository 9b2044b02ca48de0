"""Precision, recall and the curve, against an independent implementation where there is one."""

from __future__ import annotations

import numpy as np
import pytest

from cite_lsp.evaluate.tasks.worthiness import average_precision, curve, figures_at


def test_a_decision_is_counted() -> None:
    measured = figures_at([True, False, True, True], [0.9, 0.8, 0.4, 0.1], 0.4)
    assert (measured["precision"], measured["recall"]) == (2 / 3, 2 / 3)
    assert measured["f1"] == pytest.approx(2 / 3)
    nothing = figures_at([True, False], [0.1, 0.2], 0.5)
    assert [nothing[name] for name in ("precision", "recall", "f1")] == [0.0, 0.0, 0.0]


def test_the_curve_and_its_area_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="needs the torch extra")
    rng = np.random.default_rng(3)
    labels = rng.random(300) < 0.2
    scores = np.round(rng.random(300) + labels * 0.3, 2)
    assert average_precision(labels, scores) == pytest.approx(
        metrics.average_precision_score(labels, scores)
    )
    precision, recall, threshold = curve(labels, scores)
    theirs = metrics.precision_recall_curve(labels, scores)
    np.testing.assert_allclose(precision[::-1], theirs[0][:-1])
    np.testing.assert_allclose(recall[::-1], theirs[1][:-1])
    np.testing.assert_allclose(threshold[::-1], theirs[2])
