"""The one module that imports onnxruntime: it opens ONNX graphs, and makes their weights int8.

`cite_lsp.offline` has told it before to report nothing, which it reads at its import alone.
"""

from __future__ import annotations

from pathlib import Path

import onnxruntime
from onnxruntime import InferenceSession

from cite_lsp.encode.encoder import EncoderError
from cite_lsp.storage.compressed_files import content, is_packed

__all__ = ["InferenceSession", "open_session", "quantize_weights"]


def open_session(path: Path) -> InferenceSession:
    """Open a graph on the CPU, with one thread: a good neighbour of what else runs.

    Raises:
        EncoderError: the file is missing or is no graph that this runtime understands.
    """
    # Official Windows builds also write events that Windows may collect.
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Spinning workers slow down whatever else the machine does (a LaTeX run), and us with it.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Plans are stored per input shape: with texts of every length they would only pile up.
    options.enable_mem_pattern = False
    # What a run needs is free again afterwards, not kept for the next: a hundredth slower.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    try:
        graph = content(path) if is_packed(path) else str(path)
        session = InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions share no base class but Exception
        reason = str(error).strip().splitlines()[0]
        raise EncoderError(f"{path}: cannot be loaded ({reason}); install it again") from error
    # It keeps the file to open it again with other providers, which is not done here.
    session._model_bytes = None
    return session


def quantize_weights(plain: Path, path: Path) -> None:
    """Write a graph with weights of eight bits, with a scale for each output channel."""
    # Imported where needed: only who makes a model needs it.
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(str(plain), str(path), per_channel=True, weight_type=QuantType.QInt8)
