"""Recipe `tanaka-phase2`: papers cited in the same section near each other (Tanaka et al., 3.2).

All pairs of papers within a section, each with random negatives; triplet loss, Euclidean distance,
margin 1. It reorders what phase 1 found by the greatest cosine to the papers already cited.
"""

from __future__ import annotations

from pathlib import Path

from cite_lsp.train.data.encoder_data import EncoderData, columns_of
from cite_lsp.train.data.sampling import section_examples
from cite_lsp.train.encoders.encoder_run import RunResult, RunSettings
from cite_lsp.train.encoders.triplet_run import NEGATIVES, run_triplets
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.progress import Progress

NAME = "tanaka-phase2"


def train(
    data: EncoderData,
    out: Path,
    settings: RunSettings,
    origin: Origin,
    *,
    base: str = "default",
    negatives: int = NEGATIVES,
    lent: int = 0,
    progress: Progress | None = None,
) -> RunResult:
    """Train the encoder and write it to `out`, as `run_triplets` does; returns the figures.

    Raises:
        TrainingError: a package or the base is missing, or there is nothing to learn.
        OSError: `out` cannot be written.
    """
    return run_triplets(
        lambda own: columns_of(
            section_examples(data.train, data.pool, own, settings.seed), data.texts, own
        ),
        lambda encode: data.section_task(settings.seed, encode),
        out,
        settings,
        origin,
        recipe=NAME,
        base=base,
        negatives=negatives,
        lent=lent,
        progress=progress,
    )
