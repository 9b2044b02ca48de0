"""Recipe `tanaka-phase1`: contexts near the papers that they cite (Tanaka et al., section 3.1).

A context is the 50 words either side of the marker, a paper its title and abstract; triplet loss,
Euclidean distance, margin 1, random negatives (1, 3, 5, 7 or 10 a context in their table 2).
With --head a linear map of the encoder's vectors learns instead, the encoder held still.
"""

from __future__ import annotations

from cite_lsp.train.data.development import context_task
from cite_lsp.train.data.sampling import NEGATIVES, context_examples, read_encoder_data
from cite_lsp.train.encoders.publish import open_base, train_and_publish
from cite_lsp.train.published.head_run import run_head
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import PHASE
from cite_lsp.train.run.report import Figures

TAKES = PHASE


def run(job: Job) -> list[Figures]:
    """Train the encoder or its head, write it with its card; returns what it gained."""
    if job.options.head:
        return run_head(job, context_examples)
    negatives = job.options.negatives or NEGATIVES
    data, base = read_encoder_data(job), open_base(job)
    examples = context_examples(data.train, data.pool, negatives, job.seed)
    return train_and_publish(
        job,
        base,
        examples,
        data.texts,
        context_task(data.dev, data.papers, seed=job.seed),
        negatives=negatives,
    )
