"""Recipe `mp-bert4cr`: contexts near all papers that belong there (Zhang and Ma, 2021).

An encoder of sentences and, above it, of documents learns from multi-positive triplets: all papers
of a marker are nearer to the context, and to each other, than papers not cited, some of which are
cited together with one of them elsewhere. Contexts are dynamic: three sentences around the marker,
with parts of what the manuscript says beyond them, by chance.

With --head, the encoder is held still, and a linear map of its vectors learns from triplets with
two positives (Euclidean distance, margin 1, as `tanaka-phase1` has them), of texts that are encoded
as a whole. That ships.
"""

from __future__ import annotations

from collections.abc import Sequence

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.option_types import OptionGroup
from cite_lsp.recommend.query.query import macro_window
from cite_lsp.train.data.sampling import Example
from cite_lsp.train.encoders.losses import LOSSES
from cite_lsp.train.published.cocitation import (
    CocitationNoise,
    NegativePapers,
    cocited_in_sections,
    companion_examples,
)
from cite_lsp.train.published.head_run import run_head
from cite_lsp.train.published.hierarchical_run import run_hierarchical
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.options import PHASE
from cite_lsp.train.run.report import Figures

TAKES = PHASE


def add_arguments(group: OptionGroup) -> None:
    """Declare the option that this recipe has beside those of several."""
    group.add_argument(
        "--loss",
        choices=LOSSES,
        help="what is learned by: triplets of one positive, multi-positive ones from the side of"
        " the context (mpt-src) or of the papers (mpt-tgt), or from both (mpt, the default)",
    )
    group.add_argument(
        "--frozen",
        action="store_true",
        help="leave the sentence encoder as it is: each sentence is encoded once, and only the"
        " document encoder above it learns, which takes a CPU hours and not days",
    )


def run(job: Job) -> list[Figures]:
    """Train the encoder or its head, write it with its card; returns what it gained."""
    if job.options.head:
        return run_head(job, examples_of, positives=2, text=macro_window)
    return run_hierarchical(job)


def examples_of(
    rows: Sequence[LabelledContext], pool: Sequence[str], negatives: int, seed: int
) -> list[Example]:
    """Return what a head learns from."""
    noise = CocitationNoise(cocited_in_sections(rows, set(pool)))
    return companion_examples(rows, NegativePapers(pool, negatives, noise), seed)
