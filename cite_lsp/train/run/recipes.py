"""Where each recipe stands: its name and the module that is it.

A module of a recipe has `TAKES`, the names of the options that it takes beside those of all
recipes, `run(job)`, which trains and returns figures, and, where it has options of its own,
`add_arguments(group)`. Where it can train a head too, `TAKES_FOR_HEAD` are the options of that.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from cite_lsp.option_types import OptionGroup
    from cite_lsp.train.run.figures import Figures
    from cite_lsp.train.run.job import Job

_MODULES = {
    "library-ranker": "rankers.library_ranker",
    "draft-ranker": "rankers.draft_ranker",
    "corpus-ranker": "rankers.corpus_ranker",
    "reference-ranker": "rankers.reference_ranker",
    "late-interaction": "rankers.late_interaction",
    "query-encoder": "encoders.query_encoder",
    "query-encoder-zh": "encoders.query_encoder_zh",
    "bilingual-ranker": "rankers.bilingual_ranker",
    "cross-lingual": "encoders.cross_lingual",
    "tanaka-phase1": "published.tanaka_phase1",
    "tanaka-phase2": "published.tanaka_phase2",
    "mp-bert4cr": "published.mp_bert4cr",
    "kieu": "published.kieu",
    "co-citation-head": "published.cocitation_head",
    "static-encoder": "encoders.static_encoder",
    "citation-worthiness": "missing.citation_worthiness",
    "missing-citations": "missing.missing_citations",
    "other-drafts": "rankers.other_drafts",
    "cited-before": "rankers.cited_before",
    "blsrec": "published.blsrec",
    "zh-lexicon": "lexicon.zh_lexicon",
}
RECIPES = tuple(_MODULES)


class Recipe(Protocol):
    """What the command needs of a recipe."""

    TAKES: Sequence[str]

    run: Callable[[Job], Sequence[Figures]]


def load(name: str) -> Recipe:
    """Return a recipe by its name.

    Raises:
        KeyError: there is no such recipe.
    """
    return cast(Recipe, importlib.import_module(f"cite_lsp.train.{_MODULES[name]}"))


def recipe_file(name: str) -> str:
    """Return the file of a recipe as its card names it, from the root of the repository.

    Raises:
        KeyError: there is no such recipe.
    """
    return f"cite_lsp/train/{_MODULES[name].replace('.', '/')}.py"


def add_own_arguments(group_of: Callable[[str], OptionGroup]) -> None:
    """Declare the options of single recipes, each in the group that is given for its name."""
    for name in RECIPES:
        group = group_of(name)
        declare = getattr(load(name), "add_arguments", None)
        if declare is not None:
            declare(group)


def options_taken() -> Mapping[str, Sequence[str]]:
    """Return the options that each recipe takes beside those of all recipes.

    Under its name with --head behind it stands what its heads take.
    """
    taken = {name: load(name).TAKES for name in RECIPES}
    heads = {
        f"{name} --head": names
        for name in RECIPES
        if (names := getattr(load(name), "TAKES_FOR_HEAD", None)) is not None
    }
    return {**taken, **heads}
