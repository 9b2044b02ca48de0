"""Recipe `tanaka-phase1`: contexts near the papers that they cite (Tanaka et al., section 3.1).

A context is the 50 words either side of the marker, a paper its title and abstract; triplet loss,
Euclidean distance, margin 1, random negatives (1, 3, 5, 7 or 10 a context in their table 2).
"""

from __future__ import annotations

from pathlib import Path

from cite_lsp.train.data.encoder_data import EncoderData, columns_of
from cite_lsp.train.data.sampling import context_examples
from cite_lsp.train.encoders.encoder_run import RunResult, RunSettings
from cite_lsp.train.encoders.triplet_run import NEGATIVES, run_triplets
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.progress import Progress

NAME = "tanaka-phase1"


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
            context_examples(data.train, data.pool, own, settings.seed), data.texts, own
        ),
        lambda encode: data.context_task(settings.seed),
        out,
        settings,
        origin,
        recipe=NAME,
        base=base,
        negatives=negatives,
        lent=lent,
        progress=progress,
    )
