"""Recipe `tanaka-phase2`: papers cited in the same section near each other (Tanaka et al., 3.2).

All pairs of papers within a section, each with random negatives; triplet loss, Euclidean distance,
margin 1. It reorders the candidates of phase 1 by the greatest cosine to the papers already cited.
"""

from __future__ import annotations

from cite_lsp.train.data.development import section_task
from cite_lsp.train.data.sampling import NEGATIVES, read_encoder_data, section_examples
from cite_lsp.train.encoders.publish import open_base, train_and_publish
from cite_lsp.train.run.encoding import encode_with
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import ENCODER
from cite_lsp.train.run.report import Figures

TAKES = (*ENCODER, "pool")


def run(job: Job) -> list[Figures]:
    """Train the encoder, write it with its card; returns what it gained."""
    negatives = job.options.negatives or NEGATIVES
    data, base = read_encoder_data(job), open_base(job)
    examples = section_examples(data.train, data.pool, negatives, job.seed)
    return train_and_publish(
        job,
        base,
        examples,
        data.texts,
        section_task(data.dev, data.papers, encode_with(base.model), seed=job.seed),
        negatives=negatives,
    )
