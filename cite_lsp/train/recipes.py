"""The recipes by their names.

A module of a recipe has `TAKES`, the names of the shared options that it takes, `run(job)`, which
trains and returns figures, and, where it has options of its own, `add_arguments(group)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from cite_lsp.train.encoders import (
    cross_lingual,
    library_query_encoder,
    query_encoder,
    query_encoder_zh,
    static_encoder,
)
from cite_lsp.train.lexicon import zh_lexicon
from cite_lsp.train.missing import citation_worthiness, missing_citations, worthiness_encoder
from cite_lsp.train.published import (
    blsrec,
    cocitation_head,
    kieu,
    mp_bert4cr,
    tanaka_phase1,
    tanaka_phase2,
)
from cite_lsp.train.rankers import (
    bilingual_ranker,
    cited_before,
    corpus_ranker,
    draft_ranker,
    late_interaction,
    library_ranker,
    other_drafts,
    reference_ranker,
)
from cite_lsp.train.run.job import Job
from cite_lsp.train.run.report import Figures


class Recipe(Protocol):
    """What the command needs of a recipe."""

    __name__: str

    @property
    def TAKES(self) -> Sequence[str]:
        """The options that it shares with other recipes (`train/run/options.py`)."""

    def run(self, job: Job, /) -> Sequence[Figures]:
        """Train, write the model with its card, and return the figures on the held-out contexts.

        Raises:
            OptionError: the options do not go together.
            TrainingError: a package or the base is missing, or there is nothing to learn from or to
                measure on.
            RecordError, EncoderError, SearchIndexError: a file, an encoder or the index of a pool
                cannot be read or made.
            OSError: the model cannot be written.
        """


RECIPES: Mapping[str, Recipe] = {
    "library-ranker": library_ranker,
    "draft-ranker": draft_ranker,
    "corpus-ranker": corpus_ranker,
    "reference-ranker": reference_ranker,
    "late-interaction": late_interaction,
    "query-encoder": query_encoder,
    "query-encoder-zh": query_encoder_zh,
    "library-query-encoder": library_query_encoder,
    "bilingual-ranker": bilingual_ranker,
    "cross-lingual": cross_lingual,
    "tanaka-phase1": tanaka_phase1,
    "tanaka-phase2": tanaka_phase2,
    "mp-bert4cr": mp_bert4cr,
    "kieu": kieu,
    "co-citation-head": cocitation_head,
    "static-encoder": static_encoder,
    "citation-worthiness": citation_worthiness,
    "worthiness-encoder": worthiness_encoder,
    "missing-citations": missing_citations,
    "other-drafts": other_drafts,
    "cited-before": cited_before,
    "blsrec": blsrec,
    "zh-lexicon": zh_lexicon,
}
