"""Environment variables that forbid libraries to report or fetch anything, set before their import.

`cite_lsp` does this when it is imported, so that no command, test, worker of a cluster or script
can import one of these libraries earlier than that.
"""

from __future__ import annotations

import os

VARIABLES = {
    # onnxruntime, from 1.31 on: at its import it makes a number for the machine and a database of
    # events in ~/.cache/Microsoft, and sends them later. `disable_telemetry_events` is too late.
    "ORT_DISABLE_TELEMETRY": "1",
    # huggingface_hub, and through it transformers, sentence-transformers and datasets: nothing is
    # reported, looked for or fetched. What is on the disk is all there is.
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    # Ray: of a cluster that is started in this process; one that runs already reports as its own
    # machine says.
    "RAY_USAGE_STATS_ENABLED": "0",
    # A convention of many tools, huggingface_hub among them: for libraries that are not known here.
    "DO_NOT_TRACK": "1",
}
"""The environment variables that each library honours, whatever they were before."""


def forbid_telemetry() -> None:
    """Set the variables, for this process and those that it starts."""
    os.environ.update(VARIABLES)
