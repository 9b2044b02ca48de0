"""Recipe `kieu`: an encoder fitted to the citation graph (Kieu et al., ICPR 2020, section III).

A citing paper belongs near the papers that it cites, by a triplet loss or by a Siamese one, and
away from others of the graph, chosen by chance. A paper is its title and, where known, abstract.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Literal

from cite_lsp.corpus.edges import Edge
from cite_lsp.recommend.query.query import whole_paper
from cite_lsp.train.data.encoder_data import EncoderData, columns_of, recipe_identity
from cite_lsp.train.data.sampling import graph_examples
from cite_lsp.train.encoders.encoder_run import (
    RunResult,
    RunSettings,
    base_folder,
    load_model,
    run,
)
from cite_lsp.train.encoders.losses import of_their_own_length, siamese, triplets
from cite_lsp.train.encoders.publish import publish
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.progress import Progress

NAME = "kieu"
NEGATIVES = 1
"""One paper that is not cited for each that is."""

Loss = Literal["triplet", "siamese"]
_LOSSES = {"triplet": triplets, "siamese": siamese}


def train(
    data: EncoderData,
    out: Path,
    settings: RunSettings,
    origin: Origin,
    *,
    base: str = "default",
    negatives: int = NEGATIVES,
    loss: Loss = "triplet",
    progress: Progress | None = None,
) -> RunResult:
    """Train the encoder and write it to `out`, as `publish` does; returns the figures.

    The contexts of `data` are lists of references (`as_context`), its papers those of the graph.

    Raises:
        TrainingError: a package or the base is missing, or there is nothing to learn.
        OSError: `out` cannot be written.
    """
    folder, base_name = base_folder(base)
    model = load_model(folder, settings.max_tokens)
    edges = [Edge(row.citing_id, name) for row in data.train for name in row.cited]
    examples = graph_examples([*edges, *data.edges], data.pool, negatives, settings.seed)
    columns = {"citations": columns_of(examples, data.texts, negatives)}
    task = data.context_task(settings.seed, whole_paper)
    identity = recipe_identity(NAME, folder, negatives=negatives, loss=loss)
    with of_their_own_length(model) if loss == "triplet" else nullcontext():
        result = run(
            model, columns, _LOSSES[loss], task, out, settings, identity=identity, progress=progress
        )
    publish(
        model,
        out,
        NAME,
        base_name,
        folder,
        settings,
        result,
        task,
        origin,
        negatives=negatives,
        loss=loss,
    )
    return result
