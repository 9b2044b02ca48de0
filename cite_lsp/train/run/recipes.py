"""Where each recipe stands: by its name the module that trains."""

from __future__ import annotations

_PUBLISHED = ("kieu", "mp-bert4cr", "tanaka-phase1", "tanaka-phase2")
_ENCODERS = ("corpus-encoder", "query-encoder", "query-encoder-zh")
_RANKERS = ("cited-before", "other-drafts")
_MODULES = {
    **{name: f"published.{name.replace('-', '_')}" for name in _PUBLISHED},
    **{name: f"encoders.{name.replace('-', '_')}" for name in _ENCODERS},
    **{name: f"rankers.{name.replace('-', '_')}" for name in _RANKERS},
    "co-citation-head": "published.cocitation_head",
}
_HEADS = {name: "published.tanaka_heads" for name in ("tanaka-phase1", "tanaka-phase2")}


def recipe_module(name: str, *, head: bool = False) -> str:
    """Return the module of a recipe by its name; with `head`, the one that trains it as a head.

    Raises:
        KeyError: there is no such recipe.
    """
    module = _HEADS.get(name) if head else None
    return f"cite_lsp.train.{module or _MODULES[name]}"


def recipe_file(name: str, *, head: bool = False) -> str:
    """Return the file of a recipe as its card names it, from the root of the repository.

    Raises:
        KeyError: there is no such recipe.
    """
    return recipe_module(name, head=head).replace(".", "/") + ".py"
