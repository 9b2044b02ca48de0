"""Recipe `mp-bert4cr`: contexts near all papers that belong there (Zhang and Ma, 2021).

Multi-positive triplets: beside each paper cited at a marker stands a second positive, another paper
of the marker. Co-citation: some negatives are drawn from a noise distribution, papers that are
cited together with the positive elsewhere. Dynamic contexts: what is around the marker, with parts
of what the manuscript says beyond it, by chance. Triplet loss, Euclidean distance, margin 1, as
`tanaka-phase1` has them, so that the two can be compared; each of the three ideas can be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Literal

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.encode.model import Vectors
from cite_lsp.recommend.query.query import macro_window
from cite_lsp.train.data.encoder_data import EncoderData, companion_columns
from cite_lsp.train.data.sampling import Example
from cite_lsp.train.encoders.encoder_run import RunResult, RunSettings
from cite_lsp.train.encoders.heads import HeadSettings, Matrix, Measure, fit, head_triplets
from cite_lsp.train.encoders.triplet_run import NEGATIVES, run_triplets
from cite_lsp.train.published.cocitation import (
    CocitationNoise,
    cocited_in_sections,
    companion_examples,
)
from cite_lsp.train.published.tanaka_heads import HeadData
from cite_lsp.train.run.card import Origin
from cite_lsp.train.run.progress import Progress, Steps

NAME = "mp-bert4cr"

Part = Literal["positives", "co-citation", "contexts"]
"""positives: the other papers of a marker. co-citation: negatives once cited together with the
positive. contexts: that contexts are dynamic."""


def train(
    data: EncoderData,
    out: Path,
    settings: RunSettings,
    origin: Origin,
    *,
    base: str = "default",
    negatives: int = NEGATIVES,
    lent: int = 0,
    ablate: Collection[Part] = (),
    progress: Progress | None = None,
) -> RunResult:
    """Train the encoder and write it to `out`, as `run_triplets` does; returns the figures.

    Raises:
        TrainingError: a package or the base is missing, or there is nothing to learn.
        OSError: `out` cannot be written.
    """
    return run_triplets(
        lambda own: companion_columns(
            examples_of(data.train, data.pool, own, settings.seed, ablate), data.texts, own
        ),
        lambda encode: data.context_task(settings.seed, macro_window),
        out,
        settings,
        origin,
        recipe=NAME,
        base=base,
        negatives=negatives,
        lent=lent,
        positives=2,
        progress=progress,
        **told_of(ablate),
    )


def train_head(
    data: HeadData,
    encode: Callable[[Sequence[str]], Vectors],
    measure: Measure,
    settings: HeadSettings,
    *,
    negatives: int = NEGATIVES,
    ablate: Collection[Part] = (),
    progress: Steps = lambda done, total: None,
) -> tuple[Matrix, RunResult]:
    """Train a head to the same examples, the base held still; see `heads.fit`.

    `encode` is the base, for the contexts.

    Raises:
        TrainingError: there is nothing to learn from.
    """
    examples = examples_of(data.contexts, data.drawn_from, negatives, settings.seed, ablate)
    vectors, row_of = data.with_anchors(examples, encode)
    learned = head_triplets(examples, row_of, 2, negatives)
    return fit(vectors, learned, measure, settings, progress, positives=2)


def told_of(ablate: Collection[Part]) -> dict[str, str]:
    """Return what a card says of the parts left out: nothing where there are none."""
    return {"ablate": " and ".join(sorted(ablate))} if ablate else {}


def examples_of(
    rows: Sequence[LabelledContext],
    pool: Sequence[str],
    negatives: int,
    seed: int,
    ablate: Collection[Part],
) -> list[Example]:
    """Return what is learned from, without the parts named."""
    left_out = "co-citation" in ablate
    return companion_examples(
        rows,
        pool,
        negatives,
        seed,
        noise=None if left_out else CocitationNoise(cocited_in_sections(rows, set(pool))),
        together="positives" not in ablate,
        dynamic="contexts" not in ablate,
    )
