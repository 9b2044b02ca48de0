"""List the models that are installed: encoders and rankers, what ships and what the user added."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from cite_lsp.cli.options import add_json
from cite_lsp.cli.output import print_json
from cite_lsp.paths import models_folder, shipped_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print a line for every model."""
    found = []
    for root in (shipped_model("").resolve(), models_folder()):
        for folder in sorted(root.iterdir()) if root.is_dir() else ():
            config = _config(folder)
            if config is not None:
                found.append((folder, config))
    if options.json:
        models = [
            {"name": folder.name, "folder": str(folder), "figures": _figures(folder)} | config
            for folder, config in found
        ]
        print_json({"models": models})
        return 0
    for folder, config in found:
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) / 1e6
        kind = _kind(config)
        worth = "".join(f", {name} {value:.3f}" for name, value in _figures(folder).items())
        print(f"{config.get('name', folder.name)}: {kind}, {size:.1f} MB{worth}, {folder}")
    return 0


def _kind(config: dict[str, object]) -> str:
    if config.get("kind") == "head":
        return f"head on {config.get('base', '?')}, {config.get('dimensions', '?')} dimensions"
    if "dimensions" in config:
        return f"encoder, {config['dimensions']} dimensions"
    weights = config.get("weights")
    if isinstance(weights, dict):
        return f"{len(weights)} weights"
    return "lexicon" if "taught" in config else "ranker"


def _config(folder: Path) -> dict[str, object] | None:
    return _read(folder / "config.json")


def _figures(folder: Path) -> dict[str, float]:
    """Return what a model reached on its development task, in the form that ships."""
    forms = (_read(folder / "training.json") or _read(folder / "config.json") or {}).get("dev")
    if isinstance(forms, dict) and "learned" in forms:
        forms = {"learned": forms["learned"]}  # beside it stand the orders that it was learned from
    elif isinstance(forms, dict) and isinstance(forms.get("all"), dict):
        forms = forms["all"]  # beside it stand parts of what was asked
    last = list(forms.values())[-1] if isinstance(forms, dict) and forms else {}
    if not isinstance(last, dict):
        return {}
    return {
        name: value
        for name, value in last.items()
        if name != "markers" and isinstance(value, int | float)
    }


def _read(path: Path) -> dict[str, object] | None:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None
