"""The export: same vectors as the original, same bytes every time, and nothing else accepted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cite_lsp.encode.checkpoints import checksum_of, read_config, verify
from cite_lsp.encode.kinds.onnx import OnnxEncoder
from cite_lsp.train.run import export

SHIPPED = Path(__file__).parents[3] / "model_zoo" / "all-MiniLM-L6-v2"
TEXTS = [
    "Neural paper retrieval",
    "a sentence of a context",
    "word",
    "graph translation " * 40,  # longer than the checkpoint reads
]


@pytest.fixture(scope="module")
def exported(tiny_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("zoo") / "tiny"
    assert export.main(["--source", str(tiny_checkpoint), "--out", str(out)]) == 0
    return out


@pytest.mark.torch
@pytest.mark.slow
def test_exported_vectors_are_those_of_the_original(tiny_checkpoint: Path, exported: Path) -> None:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    model = sentence_transformers.SentenceTransformer(str(tiny_checkpoint), device="cpu")
    original = model.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    encoder = OnnxEncoder(exported)
    vectors = encoder.encode(TEXTS)
    assert encoder.dimensions == 32
    assert np.sum(original * vectors, axis=1).min() > 0.98
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.torch
@pytest.mark.slow
def test_the_graph_ignores_what_the_mask_hides(exported: Path) -> None:
    session = OnnxEncoder(exported).session
    short = {"input_ids": np.array([[2, 6, 7, 3]]), "attention_mask": np.ones((1, 4), np.int64)}
    padded = {
        "input_ids": np.array([[2, 6, 7, 3, 9, 9, 9]]),
        "attention_mask": np.array([[1, 1, 1, 1, 0, 0, 0]]),
    }
    alone, hidden = (session.run(None, given)[0][0] for given in (short, padded))
    assert float(alone @ hidden) > 0.99


@pytest.mark.torch
@pytest.mark.slow
def test_the_same_checkpoint_gives_the_same_bytes_and_no_advice(
    tiny_checkpoint: Path, exported: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    again = tmp_path / "tiny"
    export.export(tiny_checkpoint, again, export.ExportedModel("tiny", tiny_checkpoint.name))
    assert not [record for record in caplog.records if "pre-processing" in record.getMessage()]
    for file in ("model.onnx", "tokenizer.json", "config.json"):
        assert (again / file).read_bytes() == (exported / file).read_bytes()


@pytest.mark.torch
@pytest.mark.slow
def test_the_card_states_source_and_checksums(tiny_checkpoint: Path, exported: Path) -> None:
    card = (exported / "README.md").read_text(encoding="utf-8")
    assert checksum_of(tiny_checkpoint / "model.safetensors") in card
    assert checksum_of(exported / "model.onnx") in card
    assert str(tiny_checkpoint.parent) not in card


@pytest.mark.torch
def test_weights_in_a_pickle_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    assert export.main(["--source", str(tmp_path), "--out", str(tmp_path / "out")]) == 1
    assert "no model.safetensors" in capsys.readouterr().err


def test_a_default_source_that_is_not_the_published_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "impostor"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "model" / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(export, "DEFAULT_PACKAGE", "impostor")
    with pytest.raises(export.ExportError, match="not the published weights"):
        export.default_source()


def test_the_shipped_files_are_those_their_config_describes() -> None:
    assert verify(SHIPPED) == []
    assert read_config(SHIPPED).source_sha256 == export.DEFAULT_SHA256
    assert all(path.stat().st_size < 50 * 2**20 for path in SHIPPED.iterdir())


@pytest.mark.torch
@pytest.mark.slow
def test_an_exported_query_encoder_tells_the_states_of_words(
    tiny_checkpoint: Path, exported: Path, tmp_path: Path
) -> None:
    model = export.ExportedModel("tiny", "tiny")
    export.export(tiny_checkpoint, tmp_path, model, form=export.GraphForm(states=True))
    encoder = OnnxEncoder(tmp_path)
    assert encoder.reading("word") is not None and not read_config(tmp_path).vectors_of
    assert np.array_equal(encoder.encode(TEXTS), OnnxEncoder(exported).encode(TEXTS))
