"""Recipe `mp-bert4cr`: contexts near all papers that belong there (Zhang and Ma, 2021).

Multi-positive triplets: beside each paper cited at a marker stands a second positive, another paper
of the marker. Co-citation: some negatives are drawn from a noise distribution, papers that are
cited together with the positive elsewhere. Dynamic contexts: what is around the marker, with parts
of what the manuscript says beyond it, by chance. Triplet loss, Euclidean distance, margin 1, as
`tanaka-phase1` has them, so that the two can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.recommend.query.query import macro_window
from cite_lsp.train.data.encoder_data import companion_columns
from cite_lsp.train.data.sampling import Example
from cite_lsp.train.encoders.triplet_run import run_triplets
from cite_lsp.train.published.cocitation import (
    CocitationNoise,
    NegativePapers,
    cocited_in_sections,
    companion_examples,
)
from cite_lsp.train.published.head_run import run_head
from cite_lsp.train.run.figures import Figures
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import HEAD, PHASE

TAKES, TAKES_FOR_HEAD = PHASE, HEAD
"""The options that it takes beside those of all recipes, and those that its head takes."""


def run(job: Job) -> list[Figures]:
    """Train the encoder or its head, write it with its card; returns what it gained.

    Raises:
        OptionError: a head is given several files of papers.
        TrainingError: a package or the base is missing, or there is nothing to learn.
        OSError: it cannot be written.
    """
    if job.options.head:
        return run_head(job, examples_of, positives=2, text=macro_window)
    return run_triplets(
        job,
        lambda data, own: companion_columns(
            examples_of(data.train, data.pool, own, job.seed), data.texts, own
        ),
        lambda data, encode: data.context_task(job.seed, macro_window),
        positives=2,
    )


def examples_of(
    rows: Sequence[LabelledContext], pool: Sequence[str], negatives: int, seed: int
) -> list[Example]:
    """Return what is learned from."""
    noise = CocitationNoise(cocited_in_sections(rows, set(pool)))
    return companion_examples(rows, NegativePapers(pool, negatives, noise), seed)
