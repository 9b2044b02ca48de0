"""How long one recommendation from a large corpus takes, from the text of a context to the ranking.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.corpus --papers FILE --contexts FILE [--limit N]

The pool is indexed first, if it is not yet; every context is encoded anew, on one thread, as the
server does it; the variable is what the server sets for itself. Times are in milliseconds.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from pathlib import Path

import numpy as np

from cite_lsp.corpus.contexts import read_contexts
from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.evaluate.task_pool import open_pool
from cite_lsp.recommend.corpus.recommender import CORPUS_SYSTEMS, CorpusRecommender

_WARM_UP = 10


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=Path, required=True)
    parser.add_argument("--contexts", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=300)
    options = parser.parse_args()
    started = time.perf_counter()
    corpus = open_pool(options.papers)
    opened = time.perf_counter() - started
    rows = [row for row in islice(read_contexts(options.contexts), options.limit + _WARM_UP)]
    corpus.row_of  # noqa: B018 - which ids stand where is read once, and not by the server
    print(f"{len(corpus):,} papers, opened in {opened * 1000:.0f} ms; {options.limit} contexts")
    print(f"{'system':<10}{'median':>8}{'p95':>8}{'p99':>8}{'first':>8}")
    for system in CORPUS_SYSTEMS:
        # Titles of drafts recur and are remembered, as in the server; windows are new each time.
        encoder = CachedEncoder(load_encoder(), on_disk=False)
        recommender = CorpusRecommender(corpus, encoder, system=system)
        times = []
        for row in rows:
            cited = [
                corpus.row_of[name]
                for name in row.context.section_cited_before
                if name in corpus.row_of
            ]
            before = time.perf_counter()
            recommender.rank(row.context, limit=50, cited=cited)
            times.append((time.perf_counter() - before) * 1000)
        shown = [*np.percentile(times[_WARM_UP:], [50, 95, 99]), times[0]]
        print(f"{system:<10}" + "".join(f"{value:8.1f}" for value in shown), flush=True)


if __name__ == "__main__":
    main()
