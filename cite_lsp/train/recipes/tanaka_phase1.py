"""Recipe `tanaka-phase1`: contexts near the papers that they cite (Tanaka et al., section 3.1).

A context is the 50 words either side of the marker, a paper its title and abstract; triplet loss,
Euclidean distance, margin 1, random negatives (1, 3, 5, 7 or 10 a context in their table 2).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cite_lsp.train.development import context_task
from cite_lsp.train.encoder_data import EncoderData, columns_of, recipe_identity
from cite_lsp.train.encoder_run import (
    Progress,
    RunResult,
    RunSettings,
    base_folder,
    load_model,
    run,
)
from cite_lsp.train.losses import of_their_own_length, triplets
from cite_lsp.train.publish import Origin, publish
from cite_lsp.train.sampling import context_examples

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
    folder, base_name = base_folder(base)
    model = load_model(folder, settings.max_tokens)
    examples = context_examples(data.train, data.pool, negatives - lent, settings.seed)
    columns: Mapping[str, Mapping[str, list[str]]] = {
        "contexts": columns_of(examples, data.texts, negatives - lent)
    }
    task = context_task(
        data.dev, data.papers, contexts=data.dev_contexts, size=data.dev_papers, seed=settings.seed
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
