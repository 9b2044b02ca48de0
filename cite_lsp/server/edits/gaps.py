"""The gaps of an open draft: sentences that lack a citation, by its settings and dismissals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attrs import evolve

from cite_lsp.manuscript.model import Sentence
from cite_lsp.project.draft import Draft
from cite_lsp.server.config.active_rules import missing_level
from cite_lsp.server.session.progress import ReportProgress
from cite_lsp.server.session.request import Request

if TYPE_CHECKING:
    from cite_lsp.recommend.missing.dismissed import Dismissals
    from cite_lsp.recommend.missing.gaps import Gap


def gaps_in(
    request: Request,
    draft: Draft,
    sentences: Sequence[Sentence] | None,
    *,
    certain: bool = False,
    report: ReportProgress | None = None,
) -> Iterator[Gap]:
    """Yield the gaps in some sentences of the draft, or in all, as the settings want them.

    With `certain` only those whose paper is sure, for edits without a choice by the writer.
    """
    # Imported where needed: a server starts without models.
    from cite_lsp.recommend.missing.gaps import CERTAIN, GapOptions, find_gaps

    level = missing_level(request.options.missing)
    if certain:
        level = evolve(level, confidence=max(level.confidence, CERTAIN))
    return find_gaps(
        request.recommender,
        draft,
        sentences,
        GapOptions(level, dismissed=dismissals(request)),
        cancelled=request.cancelled,
        progress=report,
    )


def dismissals(request: Request) -> Dismissals:
    """Return the dismissals of the project that the document belongs to.

    The writer is shown if they cannot be read: what was dismissed comes back.
    """
    from cite_lsp.recommend.missing.dismissed import DismissalError, dismissals_in, project_root

    root = request.workspace or project_root(request.path)
    project_dismissals = dismissals_in(root)
    try:
        project_dismissals.check()
    except DismissalError as error:
        request.complain(str(error))
    return project_dismissals
