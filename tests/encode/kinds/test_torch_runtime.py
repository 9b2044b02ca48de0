"""Original checkpoints, run by torch on the CPU: the same promises as the shipped encoder."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.cancelling import Cancelled
from cite_lsp.encode import Encoder, EncoderError, load_encoder
from cite_lsp.encode.checkpoints import checksum_of

# Not imported to find out: that takes seconds, in each process that only collects this file.
pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(find_spec("sentence_transformers") is None, reason="needs the torch extra"),
]

TEXTS = ["neural paper retrieval", "", "a word", "graph " * 200, "\ud800 context", "sentence"]


@pytest.fixture(scope="module")
def encoder(tiny_checkpoint: Path) -> Encoder:
    return load_encoder(str(tiny_checkpoint), device="cpu")


def test_rows_are_unit_vectors_in_the_order_of_the_texts(encoder: Encoder) -> None:
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), 32)
    assert vectors.dtype == np.float32
    for row, text in enumerate(TEXTS):
        assert np.allclose(vectors[row], encoder.encode([text])[0], atol=1e-4)
        assert np.linalg.norm(vectors[row]) == pytest.approx(1 if text.strip() else 0, abs=1e-5)


def test_the_checkpoint_is_known_by_its_weights(encoder: Encoder, tiny_checkpoint: Path) -> None:
    weights = checksum_of(tiny_checkpoint / "model.safetensors")
    assert encoder.checkpoint == weights[:16]
    assert encoder.fingerprint == f"{encoder.name}-{weights[:12]}-float32-48"


def test_max_tokens_cuts_texts_and_changes_the_fingerprint(
    encoder: Encoder, tiny_checkpoint: Path
) -> None:
    short = load_encoder(str(tiny_checkpoint), device="cpu", max_tokens=4)
    assert short.fingerprint != encoder.fingerprint
    assert np.allclose(short.encode(["graph word paper"]), short.encode(["graph word"]), atol=1e-5)


def test_it_stops_when_cancelled(encoder: Encoder) -> None:
    with pytest.raises(Cancelled):
        encoder.encode(TEXTS, cancelled=lambda: True)


def test_texts_that_do_not_fit_into_memory_are_encoded_in_parts(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    whole, sizes = encoder.encode(TEXTS), []
    model = encoder._model  # type: ignore[attr-defined]
    forward = model.forward

    def short_of_memory(features: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        sizes.append(len(features["input_ids"]))
        if sizes[-1] > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        made: dict[str, torch.Tensor] = forward(features)
        return made

    monkeypatch.setattr(model, "forward", short_of_memory)
    assert np.allclose(encoder.encode(TEXTS), whole, atol=1e-5)
    assert max(sizes) > 2 and sizes[-1] <= 2


def test_a_device_that_fails_is_one_clear_line(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    def failing(features: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate")

    monkeypatch.setattr(encoder._model, "forward", failing)  # type: ignore[attr-defined]
    with pytest.raises(EncoderError, match="failed .CUDA out of memory.*CITE_LSP_DEVICE=cpu") as it:
        encoder.encode(["a word"])
    assert "\n" not in str(it.value)


def test_a_checkpoint_that_cannot_be_loaded_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(EncoderError) as raised:
        load_encoder(str(tmp_path), device="cpu")
    assert str(raised.value).startswith(str(tmp_path))
    assert "\n" not in str(raised.value)
