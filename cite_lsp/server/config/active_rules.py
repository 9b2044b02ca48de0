"""The rules that are on by the settings, and how readily a citation is called missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import asdict, evolve

from cite_lsp.rules.findings import Stretch
from cite_lsp.rules.rule_names import RULES, Rule
from cite_lsp.server.config.options import MissingOptions, Options

if TYPE_CHECKING:
    from cite_lsp.recommend.missing.gaps import Level


def active_rules(options: Options) -> frozenset[Rule]:
    """Return the rules that are on; hints at missing citations have settings of their own."""
    on = asdict(options.diagnostics) | {"missing_citation": options.missing.hints != "off"}
    return frozenset(rule for rule in RULES if on[rule.replace("-", "_")])


def missing_level(options: MissingOptions) -> Level:
    """Return how readily a citation is said to be missing; single figures win over the level."""
    # Imported where needed: a server starts without models.
    from cite_lsp.recommend.missing.gaps import LEVELS

    level = LEVELS[options.level]
    return evolve(
        level,
        threshold=level.threshold if options.threshold is None else options.threshold,
        confidence=level.confidence if options.confidence is None else options.confidence,
    )


def hinted_once_in(options: MissingOptions) -> Stretch:
    """Return the part of a draft in which hints name a paper once."""
    return "section" if options.level == "careful" else "paragraph"
