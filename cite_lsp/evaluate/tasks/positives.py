"""Figures of task `local` by how many papers a context cites, as those of Zhang and Ma (2021)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from cite_lsp.corpus.contexts import LabelledContext
from cite_lsp.evaluate.metrics import mean_figures, score_ranking
from cite_lsp.evaluate.tasks.local import RankedContext

FIGURES = ("recall@10", "map@10")
RARE = 1
"""Sections that cite a pair of papers which is rarely cited together, at most."""

Sections = Mapping[str, frozenset[tuple[str, str]]]
"""The sections that cite a paper, by document and title, for each id."""


def citing_sections(rows: Iterable[LabelledContext]) -> Sections:
    """Return the sections of training documents that cite each paper."""
    sections: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        for name in row.cited:
            sections.setdefault(name, set()).add((row.citing_id, row.context.section_title))
    return {name: frozenset(places) for name, places in sections.items()}


def positive_figures(
    results: Sequence[RankedContext], sections: Sections | None = None
) -> dict[str, dict[str, float]]:
    """Average Recall@10 and MAP@10 over contexts of one paper, of any number, and of several.

    With `sections` the last are parted: "rare" are those each pair of whose papers is cited
    together in at most `RARE` of them, "frequent" the others. A part of none is left out.
    """
    several = [result for result in results if len(result.relevant) > 1]
    parts = {
        "one": [result for result in results if len(result.relevant) == 1],
        "one or more": list(results),
        "two or more": several,
    }
    if sections is not None:
        rare = [result for result in several if _is_rare(result.relevant, sections)]
        parts["two or more, rare"] = rare
        parts["two or more, frequent"] = [result for result in several if result not in rare]
    return {name: {"contexts": len(part), **_figures(part)} for name, part in parts.items() if part}


def _figures(part: Sequence[RankedContext]) -> dict[str, float]:
    means = mean_figures([score_ranking(result.ranking, result.relevant) for result in part])
    return {name: means[name] for name in FIGURES}


def _is_rare(names: Iterable[str], sections: Sections) -> bool:
    none: frozenset[tuple[str, str]] = frozenset()
    pairs = combinations(names, 2)
    return all(
        len(sections.get(first, none) & sections.get(second, none)) <= RARE
        for first, second in pairs
    )
