"""Recipe `tanaka-phase2`: papers cited in the same section near each other (Tanaka et al., 3.2).

All pairs of papers within a section, each with random negatives; triplet loss, Euclidean distance,
margin 1. It reorders what phase 1 found by the greatest cosine to the papers already cited.
"""

from __future__ import annotations

from pathlib import Path

from cite_lsp.train.development import section_task
from cite_lsp.train.encoder_data import EncoderData, columns_of, recipe_identity
from cite_lsp.train.encoder_run import (
    Progress,
    RunResult,
    RunSettings,
    base_folder,
    encode_with,
    load_model,
    run,
)
from cite_lsp.train.losses import of_their_own_length, triplets
from cite_lsp.train.publish import Origin, publish
from cite_lsp.train.sampling import section_examples

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
    folder, base_name = base_folder(base)
    model = load_model(folder, settings.max_tokens)
    examples = section_examples(data.train, data.pool, negatives - lent, settings.seed)
    columns = {"pairs": columns_of(examples, data.texts, negatives - lent)}
    task = section_task(
        data.dev,
        data.papers,
        encode_with(model),
        contexts=data.dev_contexts,
        size=data.dev_papers,
        seed=settings.seed,
    )
    more = {"negatives": negatives, "lent": lent}
    with of_their_own_length(model):
        result = run(
            model,
            columns,
            lambda trained: triplets(trained, lent=lent),
            task,
            out,
            settings,
            identity=recipe_identity(NAME, folder, **more),
            progress=progress,
        )
    publish(model, out, NAME, base_name, folder, settings, result, task, origin, **more)
    return result
