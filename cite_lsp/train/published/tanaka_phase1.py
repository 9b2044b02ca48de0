"""Recipe `tanaka-phase1`: contexts near the papers that they cite (Tanaka et al., section 3.1).

A context is the 50 words either side of the marker, a paper its title and abstract; triplet loss,
Euclidean distance, margin 1, random negatives (1, 3, 5, 7 or 10 a context in their table 2).
With --head a linear map of the encoder's vectors learns instead, the encoder held still.
"""

from __future__ import annotations

from cite_lsp.train.data.encoder_data import columns_of
from cite_lsp.train.data.sampling import context_examples
from cite_lsp.train.encoders.triplet_run import run_triplets
from cite_lsp.train.published.head_run import run_head
from cite_lsp.train.run.figures import Figures
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import PHASE

TAKES = PHASE


def run(job: Job) -> list[Figures]:
    """Train the encoder or its head, write it with its card; returns what it gained."""
    if job.options.head:
        return run_head(job, context_examples)
    return run_triplets(
        job,
        lambda data, own: columns_of(
            context_examples(data.train, data.pool, own, job.seed), data.texts, own
        ),
        lambda data, encode: data.context_task(job.seed),
    )
