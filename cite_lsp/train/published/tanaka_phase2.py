"""Recipe `tanaka-phase2`: papers cited in the same section near each other (Tanaka et al., 3.2).

All pairs of papers within a section, each with random negatives; triplet loss, Euclidean distance,
margin 1. It reorders the candidates of phase 1 by the greatest cosine to the papers already cited.
"""

from __future__ import annotations

from cite_lsp.train.data.encoder_data import columns_of
from cite_lsp.train.data.sampling import section_examples
from cite_lsp.train.encoders.triplet_run import run_triplets
from cite_lsp.train.run.figures import Figures
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import ENCODER

TAKES = (*ENCODER, "pool")


def run(job: Job) -> list[Figures]:
    """Train the encoder, write it with its card; returns what it gained."""
    return run_triplets(
        job,
        lambda data, own: columns_of(
            section_examples(data.train, data.pool, own, job.seed), data.texts, own
        ),
        lambda data, encode: data.section_task(job.seed, encode),
    )
