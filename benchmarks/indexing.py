"""What indexing costs, and what an index answers: encoders, vectors, words.

    python -m benchmarks.indexing --papers FILE --contexts FILE [--part NAME …] [--work FOLDER]
    python -m benchmarks.indexing --corpus NAME --contexts FILE [--part NAME …] [--work FOLDER]

The papers are those of a file, embedded by the accurate encoder, or those of a corpus as `cite-lsp
index` left it; contexts are embedded as a corpus of that encoder is asked.

`encoders`: texts a second of the accurate encoder, beside its bare ONNX session fed with the same
texts sorted by length, and of the fast one. `vectors`: indexes of noisy copies of the papers'
vectors, from ten thousand to a million; every query is a citation context, and exact search in 32
bits says what is right. `words`: OR queries of a hundred words over all papers, beside other
engines where they are installed. `torch`: the accurate encoder through torch, on a GPU where there
is one, beside its network fed from the memory of the device.

Ways that are compared take turns, so that a busy machine slows all of them; ratios are of medians.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.growth_figure import draw_growth
from benchmarks.word_engines import measure_words
from cite_lsp.cli.printing.output import table
from cite_lsp.corpus.contexts import read_contexts
from cite_lsp.encode import load_encoder
from cite_lsp.encode.checkpoints import ONNX, TORCH, find
from cite_lsp.encode.choice import has_gpu
from cite_lsp.encode.encoder import Vectors, unit
from cite_lsp.encode.kinds.onnx import OnnxEncoder
from cite_lsp.encode.kinds.torch_runtime import TorchEncoder
from cite_lsp.evaluate.task_pool import MAX_TOKENS, open_pool
from cite_lsp.paths import corpora_folder
from cite_lsp.recommend.query.query import read_query
from cite_lsp.search.corpus.corpus_index import CorpusIndex
from cite_lsp.search.corpus.texts import encoder_text
from cite_lsp.search.vectors.precision import encoded
from cite_lsp.search.vectors.vector_index import VectorIndex

PARTS = ("encoders", "torch", "vectors", "words")
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
NOISE = 0.6
"""Length of the noise on a copied vector: it leaves a cosine of 0.86 to the original."""
_ROUNDS = 7
_QUERIES = 300
_NEAREST = 10
_BLOCK = 50_000


def main() -> None:
    """Measure what is asked for, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--papers", type=Path)
    parser.add_argument("--corpus", metavar="NAME", help="instead of --papers")
    parser.add_argument("--contexts", type=Path, required=True)
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--texts", type=int, default=400, help="papers a round of encoders")
    parser.add_argument("--queries", type=int, default=100, help="of words")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--work", type=Path, help="where large files go, and stay for another run")
    parser.add_argument("--figure", type=Path, help="draw the growth of indexes of vectors here")
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        _ask(options.ask)
        return
    if (options.papers is None) == (options.corpus is None):
        parser.error("give --papers or --corpus")
    if options.corpus:
        corpus = CorpusIndex(corpora_folder() / options.corpus)
    else:
        corpus = open_pool(options.papers)
    print(f"{len(corpus):,} papers, embedded by {corpus.manifest.encoder}", flush=True)
    for part in options.part or PARTS:
        if part == "encoders":
            measure_encoders(corpus, options.texts)
        elif part == "words":
            measure_words(corpus, options.contexts, options.queries)
        elif part == "torch":
            measure_torch(corpus, options.texts)
        else:
            with tempfile.TemporaryDirectory() as scratch:
                work = options.work or Path(scratch)
                work.mkdir(parents=True, exist_ok=True)
                measure_vectors(corpus, options, work)


def measure_encoders(corpus: CorpusIndex, count: int) -> None:
    """Compare the accurate encoder with its bare session, and the fast one with it."""
    threads = os.cpu_count() or 1
    folder = next(encoder.folder for encoder in find("default") if encoder.kind == ONNX)
    accurate = OnnxEncoder(folder, threads=threads, max_tokens=MAX_TOKENS)
    fast = load_encoder("static", max_tokens=MAX_TOKENS)
    spread = range(0, len(corpus), max(1, len(corpus) // count))
    texts = [encoder_text(corpus.paper(row)) for row in spread][:count]
    many = [encoder_text(corpus.paper(row)) for row in range(0, len(corpus), 20)]
    session, feeds = accurate.session, accurate.feeds(texts)

    def bare() -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda feed: session.run(["embedding"], feed), feeds))

    fast.encode(many)
    rates = _in_turns(
        {
            "bare session, sorted by length": (bare, count),
            accurate.name: (lambda: accurate.encode(texts), count),
            fast.name: (lambda: fast.encode(many), len(many)),
        }
    )
    base = rates["bare session, sorted by length"]
    print(f"\nTexts a second, {threads} threads, cut at {MAX_TOKENS} tokens, medians in turns")
    rows = [[name, f"{rate:,.0f}", f"{rate / base:.2f}"] for name, rate in rates.items()]
    print(table(("encoder", "texts/s", "of the bare session"), rows))
    print(f"{fast.name} is {rates[fast.name] / rates[accurate.name]:.0f} times {accurate.name}")


def measure_torch(corpus: CorpusIndex, count: int) -> None:
    """Compare the accurate encoder through torch with its network fed from the device's memory."""
    import torch

    device = "cuda" if has_gpu() else "cpu"
    original = next(each for each in find("default") if each.kind == TORCH)
    encoder = TorchEncoder(original.folder, device=device, max_tokens=MAX_TOKENS)
    step = 4 if device == "cuda" else max(1, len(corpus) // count)
    texts = [encoder_text(corpus.paper(row)) for row in range(0, len(corpus), step)]
    feeds = [encoder.features([texts[row] for row in rows]) for rows in encoder.batches(texts)]

    def bare() -> None:
        for features in feeds:
            encoder.vectors(features)
        if device == "cuda":
            torch.cuda.synchronize()

    rates = _in_turns(
        {
            "bare network, sorted by length": (bare, len(texts)),
            encoder.name: (lambda: encoder.encode(texts), len(texts)),
        }
    )
    base = rates["bare network, sorted by length"]
    print(f"\nTexts a second by torch on {device}, cut at {MAX_TOKENS} tokens, medians in turns")
    rows = [[name, f"{rate:,.0f}", f"{rate / base:.2f}"] for name, rate in rates.items()]
    print(table(("encoder", "texts/s", "of the bare network"), rows))


def measure_vectors(corpus: CorpusIndex, options: argparse.Namespace, work: Path) -> None:
    """Build indexes of growing size, and ask each in a process of its own.

    What a run that was broken off has done in `work` is taken over.
    """
    sizes = sorted(options.sizes)
    if not (work / "queries.npy").exists():
        np.save(work / "queries.npy", _context_vectors(options.contexts))
    queries = np.load(work / "queries.npy")
    if not all(_exact(work, size).exists() for size in sizes):
        _noisy_copies(corpus, sizes, work)
    codes = np.load(work / "codes.npy", mmap_mode="r")
    growth: dict[int, Mapping[str, float]] = {}
    before: Path | None = None
    for size in sizes:
        path = work / f"vectors-{size}.index"
        if not path.exists():
            _grow(codes[:size], path, before)
        before = path
        answered = subprocess.run(
            [*_SELF, "--contexts", "-", "--ask", str(path)],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        )
        measured, exact = json.loads(answered.stdout), np.load(_exact(work, size))
        rows = np.load(work / "found.npy")
        hits = [len(set(a) & set(b)) for a, b in zip(rows.tolist(), exact.tolist(), strict=True)]
        disk = path.stat().st_size + codes[:size].nbytes
        growth[size] = measured | {
            "recall@10": sum(hits) / exact.size,
            "MB on disk": disk / 1e6,
            "build, CPU s": sum(_spent(work, smaller) for smaller in sizes if smaller <= size),
        }
        print(f"{size:,}: {growth[size]}", file=sys.stderr, flush=True)
    names = list(next(iter(growth.values())))
    print(f"\nVectors of {queries.shape[1]} dimensions, one query a time, one thread")
    rows_out = [
        [f"{size:,}", *(f"{figures[name]:,.3g}" for name in names)]
        for size, figures in growth.items()
    ]
    print(table(("vectors", *names), rows_out))
    if options.figure:
        drawn = {
            name: {size: figures[name] for size, figures in growth.items()}
            for name in ("median, ms", "recall@10", "resident MB", "open, ms")
        }
        title = f"Vectors of {queries.shape[1]} dimensions"
        options.figure.write_text(draw_growth(drawn, title), encoding="utf-8")


def _grow(codes: NDArray[np.generic], path: Path, before: Path | None) -> None:
    """Build the graph of some vectors from that of the first of them; note the time it took."""
    part, took = path.with_suffix(".part"), _seconds_file(path.parent, len(codes))
    if before is not None and not part.exists():
        shutil.copyfile(before, part)  # a graph grows: the smaller one is its beginning
    spent, begun = _spent(path.parent, len(codes)), time.process_time()

    def progress(count: int) -> None:
        took.write_text(str(spent + time.process_time() - begun))

    VectorIndex.build(codes, path, exact_below=0, part=part, progress=progress)


def _seconds_file(work: Path, size: int) -> Path:
    """Return where the seconds of processor time are kept that one more size has cost."""
    return work / f"vectors-{size}.seconds"


def _spent(work: Path, size: int) -> float:
    path = _seconds_file(work, size)
    return float(path.read_text()) if path.exists() else 0.0


def _exact(work: Path, size: int) -> Path:
    """Return where the rows are kept that exact search finds among so many vectors."""
    return work / f"exact-{size}.npy"


def _ask(path: Path) -> None:
    """Open an index, ask it every query, and print what that took; for a process of its own."""
    import usearch.index  # noqa: F401 - importing is no part of opening

    size = int(path.stem.removeprefix("vectors-"))
    queries = np.load(path.parent / "queries.npy")
    before = _resident()
    begun = time.perf_counter()
    codes = np.load(path.parent / "codes.npy", mmap_mode="r")[:size]
    index = VectorIndex.open(path, codes)
    opened = time.perf_counter() - begun
    begun = time.perf_counter()
    index.search(queries[0], _NEAREST)
    first = time.perf_counter() - begun
    times, busy, rows = [], [], []
    for query in queries:
        begun, worked = time.perf_counter(), time.thread_time()
        rows.append(index.search(query, _NEAREST)[0][0])
        busy.append(time.thread_time() - worked)
        times.append(time.perf_counter() - begun)
    np.save(path.parent / "found.npy", np.stack(rows))
    figures = {
        "open, ms": opened * 1000,
        "first, ms": first * 1000,
        "median, ms": float(np.median(times)) * 1000,
        "p95, ms": float(np.percentile(times, 95)) * 1000,
        "median, CPU ms": float(np.median(busy)) * 1000,
        "resident MB": (_resident() - before) / 1e6,
    }
    print(json.dumps(figures))


def _resident() -> int:
    """Return the bytes of this process that are in memory, mapped files included."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _noisy_copies(corpus: CorpusIndex, sizes: Sequence[int], work: Path) -> None:
    """Write vectors near those of papers, and the nearest of each query among the first n.

    They are kept as an index keeps them, and compared with the queries in 32 bits.
    """
    rng = np.random.default_rng(13)
    queries = np.load(work / "queries.npy")
    width = queries.shape[1]
    codes = np.lib.format.open_memmap(work / "codes.npy", "w+", np.int8, (max(sizes), width))
    best = np.full((len(queries), _NEAREST), -2.0, dtype=np.float32)
    rows = np.zeros((len(queries), _NEAREST), dtype=np.int64)
    ends = sorted({*range(_BLOCK, max(sizes), _BLOCK), *sizes})
    for start, end in zip([0, *ends], ends, strict=False):
        own = unit(corpus.embeddings[np.sort(rng.integers(0, len(corpus), end - start))])
        noise = rng.standard_normal(own.shape, dtype=np.float32) / np.float32(np.sqrt(width))
        block = unit(own + np.float32(NOISE) * noise)
        codes[start:end] = encoded(block, "i8")
        scores = np.concatenate([best, queries @ block.T], axis=1)
        among = np.concatenate([rows, np.tile(np.arange(start, end), (len(rows), 1))], axis=1)
        chosen = np.argpartition(-scores, _NEAREST, axis=1)[:, :_NEAREST]
        best = np.take_along_axis(scores, chosen, axis=1)
        rows = np.take_along_axis(among, chosen, axis=1)
        if end in sizes:
            codes.flush()
            np.save(_exact(work, end), rows)


def _context_vectors(contexts: Path) -> Vectors:
    encoder = load_encoder(device="cpu", threads=os.cpu_count() or 1)
    rows = islice(read_contexts(contexts), 0, None, 5)
    return encoder.encode([read_query(row.context).wide for row in islice(rows, _QUERIES)])


def _in_turns(ways: Mapping[str, tuple[Callable[[], object], int]]) -> dict[str, float]:
    """Return the median rate of each way, all of them tried once a round."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(_ROUNDS):
        for name, (way, count) in ways.items():
            begun = time.perf_counter()
            way()
            taken[name].append(count / (time.perf_counter() - begun))
    return {name: float(np.median(rates[1:])) for name, rates in taken.items()}


_SELF = (sys.executable, "-m", "benchmarks.indexing")

if __name__ == "__main__":
    main()
