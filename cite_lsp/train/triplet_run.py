"""Training by triplets: what the recipes of both phases and of MP-BERT4CR share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from cite_lsp.train.card import Origin
from cite_lsp.train.development import DevelopmentTask
from cite_lsp.train.encoder_data import recipe_identity
from cite_lsp.train.encoder_run import Columns, Progress, RunResult, RunSettings, run
from cite_lsp.train.losses import of_their_own_length, triplets
from cite_lsp.train.publish import publish

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


def run_triplets(
    model: SentenceTransformer,
    columns: Columns,
    task: DevelopmentTask,
    out: Path,
    settings: RunSettings,
    origin: Origin,
    *,
    recipe: str,
    base: tuple[Path, str],
    negatives: int,
    lent: int,
    positives: int = 1,
    progress: Progress | None = None,
    **more: Any,  # noqa: ANN401 - settings of the recipe alone
) -> RunResult:
    """Train the model by the triplet loss and write it to `out`, as `publish` does.

    Each row of `columns` is an anchor, `positives` positives and the negatives that are not lent:
    of `negatives`, `lent` are those of other examples (`losses.triplets`). `task` is measured on
    while training. `base` is the checkpoint of the model, its folder and what to call it; it,
    `recipe`, `origin` and `more` are told in the card.

    Raises:
        TrainingError: there is nothing to learn from, or another run stands in `out`.
        OSError: `out` cannot be written.
    """
    folder, base_name = base
    told = {"negatives": negatives, "lent": lent, **more}
    with of_their_own_length(model):
        result = run(
            model,
            {"examples": columns},
            lambda trained: triplets(trained, positives=positives, lent=lent),
            task,
            out,
            settings,
            identity=recipe_identity(recipe, folder, **told),
            progress=progress,
        )
    publish(model, out, recipe, base_name, folder, settings, result, task, origin, **told)
    return result
