"""Graphs that ship are loaded once in a process of the tests: each takes a tenth of a second."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cite_lsp.encode.kinds.onnx_session import InferenceSession

MODELS = Path(__file__).parents[1] / "model_zoo"


def loaded_once(load: Callable[..., InferenceSession]) -> Callable[..., InferenceSession]:
    """Return what opens a session as `load` does, and for a graph that ships the same one again.

    A session holds no state of what it ran. Graphs that a test has written are loaded every time,
    unless they were compressed and so come as bytes.
    """
    loaded: dict[str | int, InferenceSession] = {}

    def session(graph: str | bytes, *options: object, **names: object) -> InferenceSession:
        key = graph if isinstance(graph, str) else hash(graph)
        if key not in loaded:
            opened = load(graph, *options, **names)
            if isinstance(graph, str) and MODELS not in Path(graph).parents:
                return opened
            loaded[key] = opened
        return loaded[key]

    return session
