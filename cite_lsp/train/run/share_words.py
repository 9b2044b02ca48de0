"""Share one table of word vectors among encoders that were trained from one another.

    python -m cite_lsp.train.run.share_words BASE [ENCODER ...]

Each argument is a folder. The table of word vectors leaves the graph of the base and is written
beside it; the graph is given it as an input. Encoders that were trained from the base, its words
held still, then use that table, and the base's tokenizer where theirs is the same. Vectors stay
what they are to the last bit, and fingerprints too: cached vectors stay valid. The rows of words
that the base lacks are written beside the graph that has them, for what is trained from that one.
What has that form already is left as it is, so the command is given again when one of them was
trained anew.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cite_lsp.encode.checkpoints import (
    ENCODER_FILES,
    OWN_TABLE,
    OWN_TABLE_FILE,
    TABLE,
    TABLE_FILE,
    OnnxConfig,
    checksum_of,
    read_config,
    verify,
)
from cite_lsp.encode.description import located, stated
from cite_lsp.encode.encoder import EncoderError
from cite_lsp.encode.kinds.onnx import tables_of, word_vectors
from cite_lsp.encode.kinds.onnx_session import open_session
from cite_lsp.encode.tokens.tokenizer import load_tokenizer
from cite_lsp.storage import compressed_files
from cite_lsp.storage.compressed_files import stored_path
from cite_lsp.train.run.card import file_row, renew_files, write_config
from cite_lsp.train.run.report import TrainingError, require
from cite_lsp.train.run.shared_table import (
    Division,
    Rows,
    divide,
    load_graph,
    own_table,
    take_out,
    take_out_own_rows,
    takes_table,
)

Tables = Mapping[str, Rows]
"""The tables that a graph is given, by the names of its inputs."""

_TEXT = 40
"""Tokens of a text by which it is seen that vectors stay what they are."""


def share(base: Path, encoders: Sequence[Path]) -> list[Path]:
    """Bring a base and encoders that were trained from it into the form that ships, in place.

    Returns those of the folders that have changed.

    Raises:
        EncoderError: a folder holds no encoder, or the base lacks its table.
        TrainingError: a package is missing, or an encoder shares no words with the base.
        OSError: a file cannot be written.
    """
    require("onnx", "safetensors")
    return [folder for folder in (base, *encoders) if _share(folder, base)]


def _share(folder: Path, base: Path) -> bool:
    config = _described(folder)
    before = dict(config)
    if not config.get("kind"):
        _share_table(folder, base, config)
        _part_own_rows(folder, config)
    elif folder == base:
        raise TrainingError(f"{folder}: has no graph to take a table from; name another base")
    rules = ENCODER_FILES[1]
    if folder != base and config["sha256"][rules] == _described(base)["sha256"].get(rules):
        (folder / rules).unlink(missing_ok=True)
        config["base"] = base.name
    if config == before:
        return False
    write_config(folder, config)
    _renew_card(folder, base, config)
    if wrong := verify(folder):
        raise TrainingError(wrong[0])
    return True


def _share_table(folder: Path, base: Path, config: dict[str, Any]) -> None:
    """Take the table out of the graph of a folder, and note in `config` what is there then."""
    # Imported where needed: loading it takes long, and few recipes do.
    from safetensors.numpy import save

    about, path = read_config(folder), folder / ENCODER_FILES[0]
    model = load_graph(path)
    if takes_table(model.graph):
        return
    table = own_table(model.graph)
    if table is None:
        raise TrainingError(
            f"{path}: has no table of words in eight bits; export the checkpoint again with"
            " python -m cite_lsp.train.run.export"
        )
    shared, division = table, None
    if folder == base:
        (folder / TABLE_FILE).write_bytes(save({TABLE: table}))
        checksum = checksum_of(folder / TABLE_FILE)
    else:
        of_base = read_config(base)
        checksum, shared = of_base.sha256[TABLE_FILE], word_vectors(base, of_base)
        if not np.array_equal(table, shared):
            division = _division(folder, table, base, shared)
        config["base"] = base.name
    take_out(model.graph, shared, division)
    graph = model.SerializeToString()
    _keep_vectors(path, graph, {}, {TABLE: shared}, len(table))
    sums = {path.name: _sum(graph), TABLE_FILE: checksum}
    config["sha256"] = {**about.sha256, **sums}
    config["vectors_of"] = about.vectors


def _part_own_rows(folder: Path, config: dict[str, Any]) -> None:
    """Write the rows that a graph has of its own beside it, and note in `config` what is there."""
    from safetensors.numpy import save

    path = folder / ENCODER_FILES[0]
    model = load_graph(path)
    own_rows = take_out_own_rows(model.graph)
    if own_rows is None:
        return
    about = OnnxConfig(**config)
    before = tables_of(folder, about, (TABLE,))
    graph = model.SerializeToString()
    _keep_vectors(path, graph, before, {**before, OWN_TABLE: own_rows}, len(_vocabulary(folder)))
    rows = save({OWN_TABLE: own_rows})
    compressed_files.write(folder / f"{OWN_TABLE_FILE}.zst", rows)
    sums = {path.name: graph, OWN_TABLE_FILE: rows}
    config["sha256"] = {**about.sha256, **{name: _sum(data) for name, data in sums.items()}}
    config["vectors_of"] = about.vectors


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _division(folder: Path, table: Rows, base: Path, shared: Rows) -> Division:
    """Divide the table of an encoder into rows that its base has, and its own."""
    base_row_of = _vocabulary(base)
    rows = np.full(len(table), -1)
    for word, row in _vocabulary(folder).items():
        rows[row] = base_row_of.get(word, -1)
    divided = divide(table, rows, shared)
    if not divided.shared:
        raise TrainingError(
            f"{folder}: shares no words with {base}; name the base that it was trained from"
        )
    return divided


def _vocabulary(folder: Path) -> Mapping[str, int]:
    config = read_config(folder)
    path = located(folder, ENCODER_FILES[1], config.sha256, config.base)
    return load_tokenizer(path).vocabulary


def _keep_vectors(path: Path, graph: bytes, before: Tables, after: Tables, tokens: int) -> None:
    """Replace the graph of a file by one that is given other tables, if that changes no vector.

    Both are run on texts that together have each of so many tokens.
    """
    path = stored_path(path)
    with tempfile.TemporaryDirectory() as scratch:
        candidate = Path(scratch) / path.name
        compressed_files.write(candidate, graph)
        old, new = open_session(path), open_session(candidate)
        for start in range(0, tokens, _TEXT):
            ids = np.arange(start, min(start + _TEXT, tokens), dtype=np.int64)[None]
            feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            vectors, same = old.run(None, {**feed, **before}), new.run(None, {**feed, **after})
            if not all(map(np.array_equal, vectors, same)):
                raise TrainingError(
                    f"{path}: with a shared table its vectors are not what they were; it is left"
                    " as it is"
                )
    compressed_files.write(path, graph)


def _described(folder: Path) -> dict[str, Any]:
    """Read the `config.json` of an encoder of any kind."""
    config: dict[str, Any] = stated(folder)
    sums = config.get("sha256")
    if not (isinstance(sums, dict) and ENCODER_FILES[1] in sums):
        raise TrainingError(
            f"{folder / 'config.json'}: cannot be read as the description of an encoder; name the"
            " folder of one"
        )
    return config


def _renew_card(folder: Path, base: Path, config: Mapping[str, Any]) -> None:
    rows = {}
    for name in (*config["sha256"], "config.json"):
        path = stored_path(folder / name)
        rows[path.name] = (
            file_row(folder, path) if path.is_file() else file_row(base, base / name, base.name)
        )
    note = ""
    if OWN_TABLE_FILE in config["sha256"]:
        note = (
            f"The rows of words that `{base.name}` lacks lie in `{OWN_TABLE_FILE}.zst`:"
            f"\nthe graph is given them as its input `{OWN_TABLE}`."
        )
        renew_files(folder, rows, note)
    if TABLE_FILE in config["sha256"]:
        whose = "beside it" if folder == base else f"of `{base.name}`"
        note = (
            f"The graph is given the table of word vectors {whose} as its input `{TABLE}`\n"
            f"(uint8, tokens × {config['dimensions']}); vectors are to the last bit what they were"
            " when it held one of its own\n(`cite_lsp/train/run/share_words.py`)."
        )
    renew_files(folder, rows, note)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0 when all share, 1 when it could not be done."""
    parser = argparse.ArgumentParser(
        prog="python -m cite_lsp.train.run.share_words",
        description="Let encoders that were trained from one another share a table of words.",
    )
    parser.add_argument("base", type=Path, metavar="BASE", help="folder whose table they share")
    parser.add_argument("encoders", type=Path, nargs="*", metavar="ENCODER", help="folder")
    options = parser.parse_args(arguments)
    folders = [options.base, *options.encoders]
    base, *encoders = (path.absolute() for path in folders)
    try:
        changed = share(base, encoders)
    except (TrainingError, EncoderError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for folder in folders:
        state = "shares now" if folder.absolute() in changed else "shares already"
        sys.stderr.write(f"{folder}: {state}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
