"""What a corpus of many works costs: machines, hours, disk and money, from rates measured here.

    python -m benchmarks.scale --papers FILE [--works N] [--hours N] [--rate NAME=PAPERS]

Rates are papers per second of processor time on one thread, so that a busy machine measures what an
idle one does. Those of machines that are not at hand (a GPU) are given with `--rate`. Prices are
assumptions; every one is an option.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
from attrs import frozen

from cite_lsp.cli.printing.output import table
from cite_lsp.corpus.paper_merge import PaperRecords
from cite_lsp.corpus.sources import read_source
from cite_lsp.encode import Encoder, load_encoder
from cite_lsp.paper import Paper
from cite_lsp.search.corpus.corpus_index import Manifest
from cite_lsp.search.corpus.statistics import StatisticsCounter
from cite_lsp.search.corpus.texts import encoder_text, searched_text
from cite_lsp.search.milvus.schema import paper_fields, record_text
from cite_lsp.search.words.sparse_weights import document_weights
from cite_lsp.search.words.tokens import tokenise

_SPARSE_BYTES = 8
"""Of a number in a sparse vector: its place and its value."""
_SCALARS_BYTES = 8 + 8 + 8 + 8 + 8 + 4
"""Number, digest, the keys of title, DOI and arXiv number, and year of a paper."""
_NEIGHBOURS = 16
_GRAPH_BYTES = 2 * _NEIGHBOURS * 4 * 1.25
"""Of a paper in an HNSW graph: twice M links at the lowest level, and a quarter more."""


@frozen
class Measured:
    """Rates in papers per second of one thread, and bytes of a paper, all of a sample."""

    papers: int
    encoders: dict[str, float]
    read: float
    rows: float
    line: float
    sparse: float
    scratch: float


@frozen
class Prices:
    """Assumed, in dollars: an hour of a core, of a GPU, of a GB; a GB of disk for a month."""

    core: float
    gpu: float
    memory: float
    disk: float


def main() -> None:
    """Measure, and print the tables in Markdown."""
    options = _arguments()
    sample = list(islice(_papers(options.papers), options.sample))
    measured = _measure(sample, options.encoders)
    print(f"Measured on {measured.papers:,} papers of {options.papers.name}:\n")
    print(table(["", "papers a second of one core"], list(_rates(measured))))
    print(f"\nFor {options.works:,} works, embedded within {options.hours:g} hours:\n")
    prices = Prices(options.core, options.gpu, options.memory, options.disk)
    heads = ["encoder", "workers", "hours", "$"]
    rows = list(_embedding(measured.encoders, dict(options.rate), options, prices))
    print(table(heads, rows))
    print("\nPreparing the rows, on the machine that runs `cite-lsp index`:\n")
    print(table(["step", "hours of one core"], list(_preparing(measured, options.works))))
    print("\nWhat the collection takes:\n")
    heads = ["index of vectors", "disk, GB", "memory, GB", "$ a month"]
    print(table(heads, list(_collection(measured, options.works, options.width, prices))))
    print(
        f"\nPrices assumed: ${options.core} a core-hour, ${options.gpu} a GPU-hour, "
        f"${options.memory} a GB of memory and hour, ${options.disk} a GB of disk and month."
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--works", type=int, default=200_000_000)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--width", type=int, default=384, help="dimensions of the vectors")
    parser.add_argument("--encoders", nargs="*", default=["all-MiniLM-L6-v2", "static"])
    parser.add_argument(
        "--rate", type=_name_and_papers, action="append", default=[], metavar="NAME=PAPERS"
    )
    parser.add_argument("--core", type=float, default=0.04)
    parser.add_argument("--gpu", type=float, default=2.5)
    parser.add_argument("--memory", type=float, default=0.005)
    parser.add_argument("--disk", type=float, default=0.08)
    return parser.parse_args()


def _name_and_papers(text: str) -> tuple[str, float]:
    name, papers = text.split("=", 1)
    return name, float(papers)


def _papers(path: Path) -> Iterator[Paper]:
    items = read_source(path, lambda message: None)
    return (item for item in items if isinstance(item, Paper))


def _measure(sample: Sequence[Paper], encoders: Sequence[str]) -> Measured:
    texts = [encoder_text(paper) for paper in sample]
    rates = {name: _encoding(load_encoder(name, threads=1), texts) for name in encoders}
    lines = [record_text(paper) for paper in sample]
    words = [len(set(tokenise(searched_text(paper)))) for paper in sample]
    scratch = Path("scale.part")
    records = PaperRecords(scratch)
    try:
        read = _rate(sample, lambda paper: records.add(paper, (0,)))
        taken = records.size / len(sample)
    finally:
        records.close()
    return Measured(
        len(sample),
        rates,
        read,
        _rate(sample, _row(StatisticsCounter())),
        float(np.mean([len(line.encode()) for line in lines])),
        float(np.mean(words)) * _SPARSE_BYTES,
        taken,
    )


def _encoding(encoder: Encoder, texts: Sequence[str]) -> float:
    encoder.encode(texts[:8])  # what the first texts cost is no rate
    before = time.process_time()
    encoder.encode(texts)
    return len(texts) / (time.process_time() - before)


def _row(counter: StatisticsCounter) -> Callable[[Paper], object]:
    """Return what a paper goes through between its record and the server, but for its vector."""
    manifest = Manifest("science", 0, "default", "")

    def make(paper: Paper) -> object:
        counter.add(paper)  # before the first is written, as the mean length goes into the weights
        words = tokenise(searched_text(paper))
        return paper_fields(paper, record_text(paper), manifest), document_weights(words, 100.0)

    return make


def _rate(sample: Sequence[Paper], work: Callable[[Paper], object]) -> float:
    before = time.process_time()
    for paper in sample:
        work(paper)
    return len(sample) / max(time.process_time() - before, 1e-6)


def _rates(measured: Measured) -> Iterator[list[str]]:
    for name, rate in measured.encoders.items():
        yield [f"embed, {name}", f"{rate:,.0f}"]
    yield ["read and merge records", f"{measured.read:,.0f}"]
    yield ["make a row (words, statistics, record)", f"{measured.rows:,.0f}"]


def _embedding(
    cores: dict[str, float], gpus: dict[str, float], options: argparse.Namespace, prices: Prices
) -> Iterator[list[str]]:
    kinds = [("core(s)", prices.core, cores), ("GPU(s)", prices.gpu, gpus)]
    for kind, price, rates in kinds:
        for name, rate in rates.items():
            hours = options.works / rate / 3600
            workers = math.ceil(hours / options.hours)
            each = hours / workers
            yield [name, f"{workers:,} {kind}", f"{each:,.1f}", f"{hours * price:,.0f}"]


def _preparing(measured: Measured, works: int) -> Iterator[list[str]]:
    yield ["read and merge records", f"{works / measured.read / 3600:,.1f}"]
    yield ["make rows", f"{works / measured.rows / 3600:,.1f}"]
    yield ["temporary space on its disk, GB", f"{works * measured.scratch / 1e9:,.0f}"]


def _collection(measured: Measured, works: int, width: int, prices: Prices) -> Iterator[list[str]]:
    """Yield disk and memory of each index of vectors; the sparse vectors are in memory in all."""
    raw = 4 * width
    bytes_on_disk = measured.line + measured.sparse + _SCALARS_BYTES + raw
    searched = {
        "hnsw": raw + _GRAPH_BYTES,
        "ivf_sq8": width,
        "diskann": width / 8,
    }
    for name, in_memory in searched.items():
        on_disk = (
            bytes_on_disk
            + measured.sparse
            + (raw + _GRAPH_BYTES if name == "diskann" else in_memory)
        )
        disk = works * on_disk / 1e9
        memory = works * (in_memory + measured.sparse + _SCALARS_BYTES) / 1e9
        cost = disk * prices.disk + memory * prices.memory * 730
        yield [name, f"{disk:,.0f}", f"{memory:,.0f}", f"{cost:,.0f}"]


if __name__ == "__main__":
    main()
