"""Print a line for every model that is installed."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from cite_lsp.cli.printing.output import print_json, say, size
from cite_lsp.paths import models_folder, shipped_model

_PURPOSES = {
    "all-MiniLM-L6-v2": "compares sentences with papers, the default encoder",
    "bilingual-ranker": "orders the papers of a corpus for a Chinese sentence",
    "blsrec-1": "orders papers for a Chinese sentence, for the method blsrec-1",
    "blsrec-3": "orders papers for a Chinese sentence, for the methods blsrec-2 and blsrec-3",
    "citation-worthiness": "tells which sentences need a citation",
    "cited-before": "weighs how others cited the papers of your library",
    "corpus-ranker": "orders the papers of a corpus",
    "cross-lingual": "compares Chinese sentences with English papers",
    "late-interaction": "compares the first papers of a corpus with the sentence word by word",
    "library-query-encoder": "finds papers of your library for a sentence",
    "library-ranker": "orders the papers of your library",
    "missing-citations": "tells how likely a paper is the one that a sentence lacks",
    "mp-bert4cr": "an encoder to choose for a corpus, trained on all papers that fit a sentence",
    "other-drafts": "weighs what your other drafts cite",
    "query-encoder": "finds papers of a corpus for a sentence",
    "query-encoder-zh": "finds papers for a Chinese sentence",
    "reference-ranker": "orders the papers that a draft as a whole lacks",
    "static": "compares sentences with papers fast, for large corpora",
    "tanaka-phase1": "an encoder to choose for a corpus, trained on sentences and papers they cite",
    "tanaka-phase2": "an encoder to choose for a corpus, trained on papers cited together",
    "worthiness-encoder": "reads sentences together and tells which of them need a citation",
    "worthiness-encoder-zh": "reads Chinese sentences together and tells which need a citation",
    "zh-lexicon": "tells what Chinese words mean in English",
    "zh-words": "tells into which words Chinese text is cut",
}
"""What the models that ship are for, by their folders."""


def run(options: argparse.Namespace) -> int:
    """Print a line for every model."""
    installed = []
    for root in (shipped_model("").resolve(), models_folder()):
        for folder in sorted(root.iterdir()) if root.is_dir() else ():
            config = _read(folder / "config.json")
            if config is not None:
                installed.append((folder, config))
    if options.json:
        models = [
            {"name": folder.name, "folder": str(folder)} | config for folder, config in installed
        ]
        print_json({"models": models})
        return 0
    for folder, config in installed:
        room = size(sum(file.stat().st_size for file in folder.iterdir() if file.is_file()))
        kind = _kind(config)
        shipped = folder.parent == shipped_model("").resolve()
        purpose = f"{_PURPOSES[folder.name]}; " if shipped and folder.name in _PURPOSES else ""
        say(f"{config.get('name', folder.name)}: {purpose}{kind}, {room}, {folder}")
    return 0


def _kind(config: dict[str, object]) -> str:
    if config.get("kind") == "head":
        return f"head on {config.get('base', '?')}, {config.get('dimensions', '?')} dimensions"
    if config.get("kind") == "windows":
        return f"encoder of several sentences, with files of {config.get('base') or 'its own'}"
    if "variant" in config:
        return f"maps into {config.get('dimensions', '?')} dimensions"
    if "dimensions" in config:
        return f"encoder, {config['dimensions']} dimensions"
    weights = config.get("weights")
    if isinstance(weights, dict):
        return f"{len(weights)} weights"
    return "lexicon" if isinstance(config.get("words"), int) else "ranker"


def _read(path: Path) -> dict[str, object] | None:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None
