"""Training for eight bits: weights are rounded as the form that ships rounds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.train.encoders.eight_bits import in_eight_bits, rounded
from cite_lsp.train.encoders.encoder_run import load_model
from cite_lsp.train.run.encoding import encode_segments, vectors_of
from cite_lsp.train.run.export import ExportedModel, export
from cite_lsp.train.run.read_back import read_back

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("with_torch")]
TEXTS = ["gulls of the north [SEP] Birds", "a longer text about the sea"]


def test_weights_are_rounded_as_the_export_rounds_them(
    tiny_checkpoint: Path, tmp_path: Path
) -> None:
    import torch

    model, shipped = load_model(tiny_checkpoint, 48), load_model(tiny_checkpoint, 48)
    export(tiny_checkpoint, tmp_path, ExportedModel("tiny", "tiny"))
    read_back(tmp_path / "model.onnx", shipped)
    shipped_weights = shipped.state_dict()
    changed = [
        (weights, shipped_weights[name])
        for name, weights in model.state_dict().items()
        if ".layer." in name and weights.dim() == 2
    ]
    assert changed
    for weights, other in changed:
        step = weights.abs().amax(dim=1, keepdim=True) / 127
        assert not torch.equal(weights, other)
        assert torch.all((rounded(weights) - other).abs() < step * 1e-3)


def test_an_output_without_weights_stays_nothing() -> None:
    import torch

    assert torch.equal(rounded(torch.zeros(2, 3)), torch.zeros(2, 3))


def test_a_model_ends_with_the_rounded_weights_it_computed_with(tiny_checkpoint: Path) -> None:
    model = load_model(tiny_checkpoint, 48)
    encode = encode_segments(model)
    before = encode(TEXTS)
    with in_eight_bits(model):
        meanwhile = encode(TEXTS)
    assert 0 < np.abs(meanwhile - before).max() < 0.1
    assert np.allclose(encode(TEXTS), meanwhile, atol=1e-6)


def test_the_weights_themselves_learn(tiny_checkpoint: Path) -> None:
    import torch

    model = load_model(tiny_checkpoint, 48)
    with in_eight_bits(model):
        vectors_of(model, TEXTS)[:, 0].sum().backward()  # type: ignore[no-untyped-call]
    layers = [layer for layer in model.modules() if isinstance(layer, torch.nn.Linear)]
    learning = [layer for layer in layers if layer.weight.grad is not None]
    assert learning and all(layer.weight.grad.abs().max() > 0 for layer in learning)  # type: ignore[union-attr]
