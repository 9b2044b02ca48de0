"""What it is worth that encoders share a table of words: memory, and time until they are open.

    python -m benchmarks.shared_words [--encoder NAME …] [--times N]

Encoders are opened one after the other in one process, and each encodes a text: in the form that
ships, and with tables and tokenizers of their own. The train extra must be installed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from attrs import asdict, evolve

from cite_lsp.cli.printing.output import table
from cite_lsp.encode.checkpoints import ENCODER_FILES, read_config
from cite_lsp.encode.description import located
from cite_lsp.encode.kinds.onnx import OnnxEncoder, tables_of
from cite_lsp.paths import shipped_model
from cite_lsp.train.run.shared_table import inputs_of, load_graph, put_back, takes_table

NAMES = "all-MiniLM-L6-v2", "query-encoder", "query-encoder-zh"
TEXT = "Tides carry silt into the marsh, which grows where plants slow the water down."


def set_apart(folder: Path, out: Path) -> Path:
    """Write an encoder that ships to `out` with all that it needs of others, and return that."""
    config = read_config(folder)
    model_file, tokenizer = ENCODER_FILES
    out.mkdir()
    shutil.copy(located(folder, tokenizer, config.sha256, config.base), out)
    model = load_graph(folder / model_file)
    if takes_table(model.graph):
        put_back(model.graph, tables_of(folder, config, inputs_of(model.graph)))
    (out / model_file).write_bytes(model.SerializeToString())
    described = json.dumps(asdict(evolve(config, base="")))
    (out / "config.json").write_text(described, encoding="utf-8")
    return out


def opened(folders: Sequence[Path]) -> list[tuple[float, float]]:
    """Open encoders, and return the resident MB that each has added and the seconds it took."""
    import psutil

    process, encoders, figures = psutil.Process(), [], []
    for folder in folders:
        before, begun = process.memory_info().rss, time.perf_counter()
        encoder = OnnxEncoder(folder)
        encoder.encode([TEXT])
        seconds = time.perf_counter() - begun
        figures.append(((process.memory_info().rss - before) / 1e6, seconds))
        encoders.append(encoder)
    return figures


def in_a_process(folders: Sequence[Path]) -> list[tuple[float, float]]:
    """Do the same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.shared_words", "--open", *map(str, folders)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    return [(megabytes, seconds) for megabytes, seconds in json.loads(ran.stdout)]


def medians(
    runs: Sequence[Sequence[tuple[float, float]]], places: Sequence[int]
) -> tuple[float, float]:
    """Return the medians over runs of what encoders at some places took together."""
    megabytes, seconds = (
        statistics.median(sum(run[place][kind] for place in places) for run in runs)
        for kind in (0, 1)
    )
    return megabytes, seconds


def main() -> None:
    """Print a row for each encoder, and one for all of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--encoder", action="append", metavar="NAME")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--open", type=Path, nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.open:
        print(json.dumps(opened(options.open)))
        return
    names = options.encoder or NAMES
    with tempfile.TemporaryDirectory() as scratch:
        shared = [shipped_model(name) for name in names]
        apart = [set_apart(folder, Path(scratch) / folder.name) for folder in shared]
        runs = [(in_a_process(apart), in_a_process(shared)) for _ in range(options.times)]
    rows = []
    for name, places in [*((name, [place]) for place, name in enumerate(names)), ("all", [])]:
        (before, slow), (after, fast) = (
            medians([run[form] for run in runs], places or range(len(names))) for form in (0, 1)
        )
        rows.append([name, f"{before:.1f}", f"{after:.1f}", f"{fast / slow:.2f}"])
    print(table(("encoder", "MB apart", "MB shared", "time shared / apart"), rows))


if __name__ == "__main__":
    main()
