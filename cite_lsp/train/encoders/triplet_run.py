"""Training by triplets: what the recipes of both phases share."""

from __future__ import annotations

from collections.abc import Callable

from cite_lsp.train.data.development import DevelopmentTask
from cite_lsp.train.data.encoder_data import EncoderData, read_encoder_data
from cite_lsp.train.encoders.encoder_run import Columns, TrainingTask
from cite_lsp.train.encoders.losses import triplets
from cite_lsp.train.encoders.publish import open_base, train_and_publish
from cite_lsp.train.run.encoding import Encode, encode_with
from cite_lsp.train.run.figures import Figures
from cite_lsp.train.run.job import Job

NEGATIVES = 7
"""An example (table 2 of Tanaka et al. has 1, 3, 5, 7 and 10)."""


def run_triplets(
    job: Job,
    columns: Callable[[EncoderData, int], Columns],
    task: Callable[[EncoderData, Encode], DevelopmentTask],
) -> list[Figures]:
    """Train an encoder by the triplet loss, write it as it ships; returns what it gained.

    Args:
        job: its `negatives` are those of an example.
        columns: gives what is learned from with so many negatives: each row is an anchor, the
            positive, and those negatives.
        task: gives what is measured on while training; it may use the base.

    Raises:
        TrainingError: a package or the base is missing, there is nothing to learn from or to
            measure on, or another run stands in the folder.
        OSError: the folder cannot be written.
    """
    negatives = job.options.negatives or NEGATIVES
    data, base = read_encoder_data(job), open_base(job)
    return train_and_publish(
        job,
        base,
        TrainingTask(
            columns(data, negatives),
            triplets,
            task(data, encode_with(base.model)),
        ),
        negatives=negatives,
    )
