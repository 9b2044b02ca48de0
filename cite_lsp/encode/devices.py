"""Where an encoder runs: `CITE_LSP_DEVICE`, and whether torch can use a GPU on this machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path
from typing import Literal, cast, get_args

from cite_lsp.encode.encoder import EncoderError
from cite_lsp.installation import how_to_install
from cite_lsp.paths import keep_torch_files

Device = Literal["auto", "cpu", "cuda"]


def wanted_device(device: str | None = None) -> Device:
    """Return the device asked for: the argument, else `CITE_LSP_DEVICE`, else "auto".

    Raises:
        EncoderError: it is none of auto, cpu and cuda.
    """
    name = (device or os.environ.get("CITE_LSP_DEVICE") or "auto").strip().lower()
    if name not in get_args(Device):
        raise EncoderError(f"unknown device {name!r}; CITE_LSP_DEVICE is auto, cpu or cuda")
    return cast(Device, name)


def cuda_fault() -> str:
    """Return why torch cannot run on a GPU here, or "" if it can.

    torch takes seconds to import, so it is checked last: only where it is installed and the system
    shows an NVIDIA device.
    """
    if importlib.util.find_spec("torch") is None:
        return f"torch is not installed ({how_to_install('torch')})"
    if importlib.util.find_spec("sentence_transformers") is None:
        return f"sentence-transformers is not installed ({how_to_install('torch')})"
    if not _nvidia_visible():
        return "no NVIDIA device is visible"
    keep_torch_files()
    # Imported where needed: an extra has it, and loading it takes seconds.
    import torch

    if not torch.cuda.is_available():
        return "the torch installed here cannot use CUDA (install a CUDA build of torch)"
    return ""


def _nvidia_visible() -> bool:
    # Windows has no device files; its driver puts nvidia-smi on the PATH, as WSL's does.
    return any(Path("/dev").glob("nvidia[0-9]*")) or shutil.which("nvidia-smi") is not None
