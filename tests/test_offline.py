"""The libraries are told to report nothing before they can be imported, whatever a shell says."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HUB = """
from huggingface_hub import constants
print(constants.is_offline_mode(), constants.HF_HUB_DISABLE_TELEMETRY)
"""
RAY = "from ray._common.usage import usage_lib; print(usage_lib.usage_stats_enabled())"


def output(program: str, **variables: str) -> list[str]:
    """Return the words that a program prints in an environment that says nothing else."""
    environment = {"PATH": os.environ["PATH"], **variables}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize("before", ["", "0"])
@pytest.mark.parametrize(
    "module", ["cite_lsp", "cite_lsp.encode.kinds.onnx_session", "cite_lsp.cli"]
)
def test_onnxruntime_is_configured_whatever_is_imported_first(module: str, before: str) -> None:
    program = f"import {module}, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    assert output(program, ORT_DISABLE_TELEMETRY=before) == ["1"]


def test_nothing_is_reported_to_the_hub_or_fetched_from_it() -> None:
    pytest.importorskip("huggingface_hub", reason="needs the torch extra")
    assert output(f"import cite_lsp{HUB}", HF_HUB_OFFLINE="0") == ["True", "True"]


def test_ray_reports_no_usage() -> None:
    pytest.importorskip("ray", reason="needs the cluster extra")
    assert output(f"import cite_lsp; {RAY}") == ["False"]
