"""The recipes by their names.

A module of a recipe has `TAKES`, the names of the options that it takes beside those of all
recipes, `run(job)`, which trains and returns figures, and, where it has options of its own,
`add_arguments(group)`. Where it can train a head too, `TAKES_FOR_HEAD` are the options of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from cite_lsp.option_types import OptionGroup
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
from cite_lsp.train.run.figures import Figures
from cite_lsp.train.run.job import Job


class Recipe(Protocol):
    """What the command needs of a recipe."""

    __name__: str

    @property
    def TAKES(self) -> Sequence[str]:
        """The options that it takes beside those of all recipes."""

    def run(self, job: Job, /) -> Sequence[Figures]:
        """Train, and return the figures on the held-out contexts."""


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


def recipe_file(name: str) -> str:
    """Return the file of a recipe as its card names it, from the root of the repository.

    Raises:
        KeyError: there is no such recipe.
    """
    return f"{RECIPES[name].__name__.replace('.', '/')}.py"


def add_own_arguments(group_of: Callable[[str], OptionGroup]) -> None:
    """Declare the options of single recipes, each in the group that is given for its name."""
    for name, recipe in RECIPES.items():
        group = group_of(name)
        declare = getattr(recipe, "add_arguments", None)
        if declare is not None:
            declare(group)


def options_taken() -> Mapping[str, Sequence[str]]:
    """Return the options that each recipe takes beside those of all recipes.

    Under its name with --head behind it stands what its heads take.
    """
    taken = {name: recipe.TAKES for name, recipe in RECIPES.items()}
    heads = {
        f"{name} --head": names
        for name, recipe in RECIPES.items()
        if (names := getattr(recipe, "TAKES_FOR_HEAD", None)) is not None
    }
    return {**taken, **heads}
