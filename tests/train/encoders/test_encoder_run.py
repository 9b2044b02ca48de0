"""What every encoder recipe shares: a training stops where it would have, whatever came between."""

from __future__ import annotations

from pathlib import Path

import pytest

from cite_lsp.train.run.encoding import Encode

pytestmark = [pytest.mark.torch, pytest.mark.slow]


class GivenFigures:
    """A development task with the figures told; breaks the run off where there are no more."""

    def __init__(self, *given: float) -> None:
        self.given = iter(given)

    def figures(self, encode: Encode) -> dict[str, float]:
        for figure in self.given:
            return {"mrr@10": figure}
        raise KeyboardInterrupt


def test_what_was_measured_without_gain_before_a_kill_counts_after_it(
    tiny_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("accelerate", "datasets"):
        pytest.importorskip(package, reason="needs the train extra")
    monkeypatch.setenv("CITE_LSP_DEVICE", "cpu")
    from cite_lsp.train.encoders.encoder_run import (
        RunResult,
        RunSettings,
        load_model,
        train_encoder,
    )

    words = [f"tide {number}" for number in range(8)]
    columns = {"anchor": words, "positive": words[1:] + words[:1], "negative 1": words[::-1]}
    settings = RunSettings(epochs=9, batch=4, evaluations=1, patience=3)

    def trained(out: Path, development: GivenFigures) -> RunResult:
        model = load_model(tiny_checkpoint, 16)
        return train_encoder(
            model,
            columns,
            development,  # type: ignore[arg-type]
            out,
            settings,
        )

    whole = trained(tmp_path / "whole", GivenFigures(0.1, 0.5, 0.4, 0.3, 0.2, 0.5))
    assert (whole.steps, whole.best_step) == (8, 2)
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "cut", GivenFigures(0.1, 0.5, 0.4, 0.3))
    again = trained(tmp_path / "cut", GivenFigures(0.1, 0.2, *[0.9] * 9))
    assert (again.steps, again.best_step) == (8, 2)
    assert again.resumed_from == 6
