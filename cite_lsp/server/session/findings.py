"""What rules find in the document of a request."""

from __future__ import annotations

from collections.abc import Iterator

from cite_lsp.rules.examine import Examination, examine_bibliography, examine_draft
from cite_lsp.rules.findings import Finding
from cite_lsp.rules.lookups import Lookups
from cite_lsp.server.config.settings_files import naming_settings
from cite_lsp.server.config.wanted_rules import active_rules, hinted_once_in
from cite_lsp.server.session.request import Request


def findings_of(request: Request) -> tuple[Finding, ...]:
    """Return what `examine` finds, once for each state of the document."""
    return request.findings.of(request, lambda: tuple(examine(request)))


def examine(request: Request) -> Iterator[Finding]:
    """Yield the findings about the document and what it depends on."""
    options = request.options
    once_in = hinted_once_in(options.missing)
    examination = Examination(active_rules(options), _lookups(request), request.hints, once_in)
    if request.is_bibliography:
        return examine_bibliography(request.surroundings, examination)
    return examine_draft(request.draft(), examination)


def _lookups(request: Request) -> Lookups:
    engine, named = request.engine, request.options.bibliography
    return Lookups(
        lines=request.documents.lines,
        is_open=lambda path: request.documents.find(path) is not None,
        records=lambda entries: request.recommender.corpora.known(entries),
        numbered=lambda entries: request.recommender.corpora.numbered(entries),
        corpus_names=lambda: request.recommender.corpora.searched_names(),
        paths=engine.paths,
        naming_settings=lambda path: naming_settings(path, request.path, engine.workspaces, named),
        cancelled=request.cancelled,
    )
