"""What tests of trained encoders share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def with_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip a test without the train extra; let it train on the processor, with an empty home."""
    for package in ("torch", "sentence_transformers", "onnx"):
        pytest.importorskip(package, reason="needs the train extra")
    monkeypatch.setenv("CITE_LSP_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CITE_LSP_DEVICE", "cpu")
