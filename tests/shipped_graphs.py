"""Graphs that ship are loaded once in a process of the tests: each takes a tenth of a second."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cite_lsp.encode.sessions import InferenceSession

MODELS = Path(__file__).parents[1] / "model_zoo"


def loaded_once(load: Callable[..., InferenceSession]) -> Callable[..., InferenceSession]:
    """Return what opens a session as `load` does, and for a graph that ships the same one again.

    A session holds no state of what it ran. Graphs that a test has written are loaded every time.
    """
    loaded: dict[str, InferenceSession] = {}

    def session(path: str, *options: object, **names: object) -> InferenceSession:
        if path not in loaded:
            opened = load(path, *options, **names)
            if MODELS not in Path(path).parents:
                return opened
            loaded[path] = opened
        return loaded[path]

    return session
