"""Task `doubts`: how many citations of real drafts are called doubtful, and how many wrong ones.

What the authors cited counts as right, and another entry of the library in its place as wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import evolve, frozen

from cite_lsp.corpus.formats.json_lines import Report, ignored
from cite_lsp.evaluate.tasks.manuscripts import find_drafts, main_language
from cite_lsp.library.entries import Entry
from cite_lsp.project.citations import single_citations
from cite_lsp.recommend.engine import DraftRecommender
from cite_lsp.recommend.missing.doubts import is_doubtful, likely_entry, place_scores

_ALIKE = 4
"""Letters with which keys begin that are easily taken for one another."""


@frozen
class JudgedCitation:
    """A marker of one key.

    doubtful: whether what its author cited is called so. wrong_found: the share of the other
    entries that would be, were they cited instead. alike_found: the same of those whose keys begin
    like the right one, None where there are none.
    """

    draft: str
    language: str
    doubtful: bool
    wrong_found: float
    alike_found: float | None


def judge_drafts(
    folder: Path,
    recommender: DraftRecommender,
    *,
    without: Collection[str] = (),
    report: Report = ignored,
    progress: Callable[[str, int], None] | None = None,
) -> list[JudgedCitation]:
    """Judge every marker of one key of the drafts below a folder, each draft with its habits.

    Raises:
        CiteLspError: there is no such folder.
    """
    result: list[JudgedCitation] = []
    for name, files in find_drafts(folder, without, report).items():
        rows = [row for path in files for row in _judge(name, path, recommender)]
        language = main_language([row.language for row in rows])
        result += [evolve(row, language=language) for row in rows]
        if progress and rows:
            progress(name, len(rows))
    return result


def _judge(name: str, path: Path, recommender: DraftRecommender) -> Iterator[JudgedCitation]:
    draft = recommender.draft(path)
    citations = {single.identity: single for single in single_citations(draft)}
    if not citations:
        return
    recommender.prepare(path)
    recommender.adapt(path)
    for single in citations.values():
        cited = draft.library.get(single.key.text)
        if cited is None:
            continue
        scores = place_scores(recommender, draft, single.marker)
        others = [entry for entry in draft.library.entries if entry.key != cited.key]
        best = likely_entry(draft.library, scores)
        doubtful = [best is not None and is_doubtful(scores, best, entry) for entry in others]
        alike = [
            doubt
            for doubt, entry in zip(doubtful, others, strict=True)
            if _begin_alike(entry, cited)
        ]
        yield JudgedCitation(
            name,
            draft.manuscript.language,
            best is not None and is_doubtful(scores, best, cited),
            float(np.mean(doubtful)) if doubtful else 0.0,
            float(np.mean(alike)) if alike else None,
        )


def _begin_alike(first: Entry, second: Entry) -> bool:
    return first.key[:_ALIKE].casefold() == second.key[:_ALIKE].casefold()


def doubt_figures(rows: Sequence[JudgedCitation]) -> Mapping[str, float]:
    """Return the shares of right and wrong citations that are called doubtful."""
    alike = [row.alike_found for row in rows if row.alike_found is not None]
    return {
        "citations": len(rows),
        "right": float(np.mean([row.doubtful for row in rows])),
        "wrong": float(np.mean([row.wrong_found for row in rows])),
        "wrong, alike": float(np.mean(alike)) if alike else 0.0,
    }
