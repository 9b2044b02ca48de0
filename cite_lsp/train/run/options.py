"""Options that several recipes have, by their names in `TAKES`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from cite_lsp.option_types import OptionGroup, add_paths, positive, rate

DATA = ("papers", "contexts", "dev")
"""What most recipes learn from; where a recipe takes one of these it is needed."""
LEARNING = ("epochs", "batch", "learning_rate")
"""How long and how fast most of what is not trees learns."""
ENCODER = (*DATA, "base", "negatives", *LEARNING, "max_tokens", "patience", "sample")
"""What every recipe takes that trains an encoder as a whole."""
PHASE = (*ENCODER, "pool", "head", "among")
"""What a recipe takes that can train a head as well."""

_FILES = {
    "papers": "papers, JSON Lines; may be given several times",
    "contexts": "contexts to learn from; may be given several times",
    "dev": "contexts of other documents, to stop by and to measure on",
    "test": "sentences of further documents, to measure on",
    "edges": "citations of training documents (citing<TAB>cited)",
    "parallel": "texts in both languages",
    "glossary": "Chinese terms",
    "among": "contexts whose papers are in the --pool of a --head too",
}
_NUMBERS = {
    "negatives": "negatives an example (the two phases and mp-bert4cr: 7, kieu: 1)",
    "epochs": "times that all is learned from",
    "batch": "examples a step",
    "max_tokens": "where texts are cut",
    "patience": "measurements without gain before it ends",
    "dimensions": "of a vector (100)",
    "sample": "learn from about N contexts: whole documents, by chance",
    "pool": "N papers beside those cited, by chance; with --head that of `eval local`",
}
_FOLDERS = {
    "manuscripts": "drafts to learn from and to measure on, one a subfolder",
    "query_encoder": "folder that `train query-encoder` wrote with the same contexts, or, for"
    " draft-ranker, `train library-query-encoder` with the same drafts",
}
NOTHING: Mapping[str, object] = {name: () for name in (*_FILES, "without")} | {"manuscripts": None}
"""What stands for data that a recipe does not take."""


def flag(name: str) -> str:
    """Return an option as it is written on the command line."""
    return f"--{name.replace('_', '-')}"


def add_shared(group: OptionGroup, names: Collection[str]) -> None:
    """Declare those of the shared options that a recipe takes."""
    for name, text in _FILES.items():
        if name in names:
            add_paths(group, flag(name), help=text, required=name in DATA)
    for name, text in _NUMBERS.items():
        if name in names:
            group.add_argument(flag(name), type=positive, metavar="N", help=text)
    for name, text in _FOLDERS.items():
        if name in names:
            group.add_argument(flag(name), type=Path, metavar="DIR", help=text)
    if "learning_rate" in names:
        group.add_argument("--learning-rate", type=rate, metavar="RATE")
    if "base" in names:
        group.add_argument(
            "--base",
            default="default",
            metavar="NAME",
            help="checkpoint to start from: a name, a folder, or the hub id of a fetched one"
            " (default: the bundled one); of blsrec and draft-ranker, the folder of a trained model"
            " that goes on",
        )
    if "without" in names:
        group.add_argument(
            "--without",
            action="append",
            default=[],
            metavar="NAME",
            help="leave out documents with this in their id: drafts that will be measured on",
        )
    if "head" in names:
        group.add_argument(
            "--head",
            action="store_true",
            help="train a linear map of the base's vectors and not the base: minutes on a CPU, and"
            " papers that the base has embedded need not be embedded again",
        )
