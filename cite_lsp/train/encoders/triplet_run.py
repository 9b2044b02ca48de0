"""Training by triplets: what the recipes of both phases and of MP-BERT4CR share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from cite_lsp.train.data.development import DevelopmentTask
from cite_lsp.train.data.encoder_data import recipe_identity
from cite_lsp.train.encoders.encoder_run import (
    Columns,
    RunResult,
    RunSettings,
    base_folder,
    load_model,
    run,
)
from cite_lsp.train.encoders.losses import of_their_own_length, triplets
from cite_lsp.train.encoders.publish import publish
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.encoding import Encode, encode_with
from cite_lsp.train.run.progress import Progress

NEGATIVES = 7
"""An example (table 2 of Tanaka et al. has 1, 3, 5, 7 and 10)."""


def run_triplets(
    columns: Callable[[int], Columns],
    task: Callable[[Encode], DevelopmentTask],
    out: Path,
    settings: RunSettings,
    origin: Origin,
    *,
    recipe: str,
    base: str,
    negatives: int,
    lent: int,
    positives: int = 1,
    progress: Progress | None = None,
    **more: Any,  # noqa: ANN401 - settings of the recipe alone
) -> RunResult:
    """Train an encoder by the triplet loss and write it to `out`, as `publish` does.

    Of `negatives`, `lent` are those of other examples (`losses.triplets`). `columns` gives what is
    learned from with the others: each row is an anchor, `positives` positives, and those negatives.
    `task` gives what is measured on while training; it may ask the base. `recipe`, `base`,
    `origin` and `more` are told in the card.

    Raises:
        TrainingError: a package or the base is missing, there is nothing to learn from or to
            measure on, or another run stands in `out`.
        OSError: `out` cannot be written.
    """
    folder, base_name = base_folder(base)
    model = load_model(folder, settings.max_tokens)
    learned, development = columns(negatives - lent), task(encode_with(model))
    told = {"negatives": negatives, "lent": lent, **more}
    with of_their_own_length(model):
        result = run(
            model,
            {"examples": learned},
            lambda trained: triplets(trained, positives=positives, lent=lent),
            development,
            out,
            settings,
            identity=recipe_identity(recipe, folder, **told),
            progress=progress,
        )
    publish(model, out, recipe, base_name, folder, settings, result, development, origin, **told)
    return result
