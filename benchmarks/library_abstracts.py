"""What it is worth in a writer's library that corpora know abstracts of some of its papers.

    python -m benchmarks.library_abstracts --papers FILE --contexts FILE [--share S …]

Documents that nothing was learned from are laid out as drafts, and their markers asked for in a
library that knows the abstracts of a share of its papers, drawn by chance: by the ranker alone, and
with what precedents say of the papers beside it.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import evolve

from cite_lsp.cli.printing.output import table
from cite_lsp.corpus.contexts import LabelledContext, documents, read_contexts
from cite_lsp.corpus.formats.papers import read_papers
from cite_lsp.encode import load_encoder
from cite_lsp.encode.cached_encoder import CachedEncoder
from cite_lsp.paper import Paper
from cite_lsp.recommend.base.columns import Column
from cite_lsp.recommend.base.pool import Pool
from cite_lsp.recommend.evidence.cited_before import CitedBefore, shipped_weights, title_keys
from cite_lsp.recommend.evidence.corpus_precedents import shipped_precedents
from cite_lsp.recommend.library.features import PoolFeatures
from cite_lsp.recommend.query.encoder_input import cached_query_encoder
from cite_lsp.train.data.simulated_drafts import nearest_first, papers_of, simulate_library
from cite_lsp.train.rankers.encoders import DraftEncoders
from cite_lsp.train.rankers.evidence_weights import (
    MINIMUM_PAPERS,
    MarkerQuestion,
    figures,
    rank_markers,
)

SEED = 13
SHARES = 0.0, 0.2, 0.5, 0.8, 1.0


def ask(
    rows: Sequence[LabelledContext],
    papers: Mapping[str, Paper],
    shares: Sequence[float],
    encoders: DraftEncoders,
) -> dict[float, list[MarkerQuestion]]:
    """Return the same questions to libraries that know the abstracts of a share of their papers."""
    questions: dict[float, list[MarkerQuestion]] = {share: [] for share in shares}
    everyone = sorted({name for row in rows for name in row.cited if name in papers})
    titles = encoders.papers.encode([papers[name].title for name in everyone])
    luck = {name: random.Random(f"{SEED} {name}").random() for name in everyone}
    for document in documents(rows):
        cited = papers_of(document, papers)
        if len(cited) < MINIMUM_PAPERS:
            continue
        name = f"{SEED} {document[0].citing_id}"
        near = list(nearest_first(everyone, titles, cited))
        library = simulate_library(document, papers, near, random.Random(name))
        whole = [papers[paper.id] for paper in library.papers]
        for share in shares:
            pool = Pool(
                [paper if luck[paper.id] < share else evolve(paper, abstract="") for paper in whole]
            )
            before = CitedBefore(shipped_precedents(), title_keys(pool.papers))

            def signs_at(
                at: PoolFeatures, placed: Column, before: CitedBefore = before, pool: Pool = pool
            ) -> Column:
                return before.features(at.context, at.query, pool, placed, at.columns["times"])

            rng = random.Random(name)
            questions[share] += rank_markers(document, pool, encoders, rng, signs_at)
    return questions


def main() -> None:
    """Print a row for each share."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--papers", type=Path, required=True)
    parser.add_argument("--contexts", type=Path, required=True)
    parser.add_argument("--share", type=float, action="append")
    options = parser.parse_args()
    rows = list(read_contexts(options.contexts))
    wanted = {name for row in rows for name in row.cited}
    read = read_papers(options.papers, print)
    papers = {paper.id: paper for paper in read if paper.id in wanted}
    encoder = CachedEncoder(load_encoder(threads=os.cpu_count() or 1), memory_size=200_000)
    encoders = DraftEncoders(encoder, cached_query_encoder())
    by_share = ask(rows, papers, options.share or SHARES, encoders)
    weights = shipped_weights()
    shown = []
    for share, questions in by_share.items():
        for name, used in (("ranker", np.zeros_like(weights)), ("with precedents", weights)):
            measured = figures(questions, used)
            worth = [f"{measured[figure]:.3f}" for figure in ("hit@1", "hit@5", "mrr")]
            shown.append([f"{share:.0%}", name, f"{measured['markers']:,}", *worth])
    print(table(("abstracts", "by", "markers", "hit@1", "hit@5", "mrr"), shown))


if __name__ == "__main__":
    main()
