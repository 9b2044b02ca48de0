"""One way to open an ONNX graph: on the CPU, one thread, a good neighbour of what else runs."""

from __future__ import annotations

from pathlib import Path

import onnxruntime


class SessionError(Exception):
    """A graph cannot be loaded; the message names the file, the reason and the remedy."""


def open_session(path: Path) -> onnxruntime.InferenceSession:
    """Open a graph.

    Raises:
        SessionError: the file is missing or is no graph that this runtime understands.
    """
    # Official Windows builds report usage to Microsoft unless told not to.
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Spinning workers slow down whatever else the machine does (a LaTeX run), and us with it.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Plans are kept per input shape: with texts of every length they would only pile up.
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions share no base class but Exception
        reason = str(error).strip().splitlines()[0]
        raise SessionError(f"{path}: cannot be loaded ({reason}); install it again") from error
