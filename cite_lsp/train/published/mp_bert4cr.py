"""Recipe `mp-bert4cr`: contexts near all papers that belong there (Zhang and Ma, 2021).

Multi-positive triplets: beside each paper cited at a marker stands a second positive, another paper
of the marker. Co-citation: some negatives are drawn from a noise distribution, papers that are
cited together with the positive elsewhere. Dynamic contexts: what is around the marker, with parts
of what the manuscript says beyond it, by chance. Triplet loss, Euclidean distance, margin 1, as
`tanaka-phase1` has them, so that the two can be compared; each of the three ideas can be left out.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, Literal, get_args

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.option_types import OptionGroup
from cite_lsp.recommend.query.query import macro_window
from cite_lsp.train.data.encoder_data import companion_columns
from cite_lsp.train.data.sampling import Example
from cite_lsp.train.encoders.triplet_run import run_triplets
from cite_lsp.train.published.cocitation import (
    CocitationNoise,
    NegativePapers,
    cocited_in_sections,
    companion_examples,
)
from cite_lsp.train.published.head_run import run_head
from cite_lsp.train.run.figures import Figures
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import HEAD, PHASE

TAKES, TAKES_FOR_HEAD = (*PHASE, "ablate"), (*HEAD, "ablate")
"""The options that it takes beside those of all recipes, and those that its head takes."""

Part = Literal["positives", "co-citation", "contexts"]
"""positives: the other papers of a marker. co-citation: negatives once cited together with the
positive. contexts: that contexts are dynamic."""


def add_arguments(group: OptionGroup) -> None:
    """Declare the option that this recipe has beside those of several."""
    group.add_argument(
        "--ablate",
        action="append",
        choices=get_args(Part),
        help="what is left out: the other papers of a marker, negatives once cited together with"
        " the positive, contexts that change",
    )


def run(job: Job) -> list[Figures]:
    """Train the encoder or its head, write it with its card; returns what it gained.

    Raises:
        OptionError: a head is given several files of papers.
        TrainingError: a package or the base is missing, or there is nothing to learn.
        OSError: it cannot be written.
    """
    left_out = job.options.ablate or ()
    examples = partial(examples_of, ablate=left_out)
    more: dict[str, Any] = {"ablate": " and ".join(sorted(left_out))} if left_out else {}
    if job.options.head:
        return run_head(job, examples, positives=2, text=macro_window, **more)
    return run_triplets(
        job,
        lambda data, own: companion_columns(
            examples(data.train, data.pool, own, job.seed), data.texts, own
        ),
        lambda data, encode: data.context_task(job.seed, macro_window),
        positives=2,
        **more,
    )


def examples_of(
    rows: Sequence[LabelledContext],
    pool: Sequence[str],
    negatives: int,
    seed: int,
    ablate: Collection[Part],
) -> list[Example]:
    """Return what is learned from, without the parts named."""
    left_out = "co-citation" in ablate
    noise = None if left_out else CocitationNoise(cocited_in_sections(rows, set(pool)))
    return companion_examples(
        rows,
        NegativePapers(pool, negatives, noise),
        seed,
        together="positives" not in ablate,
        dynamic="contexts" not in ablate,
    )
