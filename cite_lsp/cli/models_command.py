"""List the models that are installed: encoders and rankers, what ships and what the user added."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from cite_lsp.cli.output import print_json
from cite_lsp.paths import models_folder, shipped_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(options: argparse.Namespace) -> int:
    """Print a line for every model."""
    found = []
    for root in (shipped_model("").resolve(), models_folder()):
        for folder in sorted(root.iterdir()) if root.is_dir() else ():
            config = _config(folder)
            if config is not None:
                found.append((folder, config))
    if options.json:
        models = [{"name": folder.name, "folder": str(folder)} | config for folder, config in found]
        print_json({"models": models})
        return 0
    for folder, config in found:
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) / 1e6
        kind = f"encoder, {config['dimensions']} dimensions" if "dimensions" in config else "ranker"
        print(f"{config.get('name', folder.name)}: {kind}, {size:.1f} MB, {folder}")
    return 0


def _config(folder: Path) -> dict[str, object] | None:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return config if isinstance(config, dict) else None
