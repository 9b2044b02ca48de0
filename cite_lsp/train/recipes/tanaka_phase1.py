"""Recipe `tanaka-phase1`: contexts near the papers that they cite (Tanaka et al., section 3.1).

A context is the 50 words either side of the marker, a paper its title and abstract; triplet loss,
Euclidean distance, margin 1, random negatives (1, 3, 5, 7 or 10 a context in their table 2).
"""

from __future__ import annotations

from pathlib import Path

from cite_lsp.train.card import Origin
from cite_lsp.train.development import context_task
from cite_lsp.train.encoder_data import EncoderData, columns_of
from cite_lsp.train.encoder_run import (
    Progress,
    RunResult,
    RunSettings,
    base_folder,
    load_model,
)
from cite_lsp.train.sampling import context_examples
from cite_lsp.train.triplet_run import run_triplets

NAME = "tanaka-phase1"
NEGATIVES = 7


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
    examples = context_examples(data.train, data.pool, negatives - lent, settings.seed)
    task = context_task(
        data.dev, data.papers, contexts=data.dev_contexts, size=data.dev_papers, seed=settings.seed
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
