"""The `config.json` that a recipe leaves beside what it trained, for what reads it later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path


def write_config(folder: Path, config: Mapping[str, object]) -> None:
    """Write what a trained model says of itself into its folder, which is made where it is missing.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(config, indent=1, ensure_ascii=False) + "\n"
    (folder / "config.json").write_text(text, encoding="utf-8")
