"""Recipe `tanaka-phase2`: papers cited in the same section near each other (Tanaka et al., 3.2).

All pairs of papers within a section, each with random negatives; triplet loss, Euclidean distance,
margin 1. It reorders what phase 1 found by the greatest cosine to the papers already cited.
"""

from __future__ import annotations

from pathlib import Path

from cite_lsp.train.card import Origin
from cite_lsp.train.development import section_task
from cite_lsp.train.encoder_data import EncoderData, columns_of
from cite_lsp.train.encoder_run import (
    Progress,
    RunResult,
    RunSettings,
    base_folder,
    encode_with,
    load_model,
)
from cite_lsp.train.sampling import section_examples
from cite_lsp.train.triplet_run import run_triplets

NAME = "tanaka-phase2"
NEGATIVES = 7
"""As many as in phase 1."""


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
    """Train the encoder and write it to `out`, as `publish` does; returns the figures.

    Of `negatives`, `lent` are those of other examples (`losses.triplets`).

    Raises:
        TrainingError: a package or the base is missing, or there is nothing to learn.
        OSError: `out` cannot be written.
    """
    source = base_folder(base)
    model = load_model(source[0], settings.max_tokens)
    examples = section_examples(data.train, data.pool, negatives - lent, settings.seed)
    task = section_task(
        data.dev,
        data.papers,
        encode_with(model),
        contexts=data.dev_contexts,
        size=data.dev_papers,
        seed=settings.seed,
    )
    return run_triplets(
        model,
        columns_of(examples, data.texts, negatives - lent),
        task,
        out,
        settings,
        origin,
        recipe=NAME,
        base=source,
        negatives=negatives,
        lent=lent,
        progress=progress,
    )
